package main

import (
	"io"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/encode"
)

// encodeFlags are the flags that say how to understand a feature table.
type encodeFlags struct {
	FeaturesConfig         string
	Field, Group           []string
	MaxLevels              int
	Separator, Scale       string
	Blank                  []string
	Keep, CompleteFeatures bool
}

// options gives what the file says and then, because the command line wins, what
// the flags say.
func (f *encodeFlags) options(cmd *cobra.Command) (encode.Options, error) {
	var o encode.Options
	if f.FeaturesConfig != "" {
		if err := encode.ReadConfig(f.FeaturesConfig, &o); err != nil {
			return o, err
		}
	}
	given := cmd.Flags().Changed
	if given("max-levels") {
		o.MaxLevels = f.MaxLevels
	}
	if given("separator") {
		o.Separator = f.Separator
	}
	if given("blank") {
		o.Blank = f.Blank
	}
	if given("scale") {
		var err error
		if o.Scale, err = encode.ParseScale(f.Scale); err != nil {
			return o, usagef("--scale: %v", err)
		}
	}
	if given("keep") {
		o.Keep = f.Keep
	}
	if given("complete-features") {
		o.CompleteOnly = f.CompleteFeatures
	}
	for _, text := range f.Field {
		if err := o.ParseField(text); err != nil {
			return o, usagef("--field: %v", err)
		}
	}
	for _, name := range f.Group {
		o.Group(name)
	}
	return o, nil
}

// given tells whether any of the flags was set on the command line.
func (f *encodeFlags) given(cmd *cobra.Command) bool {
	for _, name := range []string{"features-config", "field", "group", "max-levels", "separator", "blank", "scale", "keep", "complete-features"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

func featuresCommand(c *common) *cobra.Command {
	var (
		f      encodeFlags
		output string
		asJSON bool
		read   data.FeaturesOptions
	)
	cmd := verb("features", func(cmd *cobra.Command, args []string) error {
		options, err := f.options(cmd)
		if err != nil {
			return err
		}
		read.Context = cmd.Context()
		table, err := data.ReadRawTable(args[0], read)
		if err != nil {
			return err
		}
		_, features, report, err := encode.Learn(cmd.Context(), table, options)
		if err != nil {
			return err
		}
		c.warn("", report.Warnings)
		if output != "" {
			if err := writeResult(c, output, func(w io.Writer) error { return data.WriteFeatures(w, c.safe(features)) }); err != nil {
				return err
			}
		}
		if output == "-" {
			return nil // stdout holds the features
		}
		if asJSON {
			return writeJSON(c.stdout, report)
		}
		return report.Write(c.stdout)
	})
	flags := flagsOf(cmd)
	flags.BindFields(&f)
	flags.BindFields(&read)
	flags.Bind("delimiter", (*delimiterFlag)(&read.Delimiter))
	flags.Bind("output", &output)
	flags.Bind("raw-names", &c.rawNames)
	flags.Bind("json", &asJSON)
	return cmd
}
