package main

import (
	"io"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/settings"
)

// encodeFlags are the flags that say how to understand a feature table.
type encodeFlags struct {
	config       string
	fields       []string
	groups       []string
	maxLevels    int
	separator    string
	blank        []string
	scale        string
	keep         bool
	completeOnly bool
}

func (f *encodeFlags) register(flags *settings.Flags) {
	f.registerFields(flags)
	flags.Bind("features-config", &f.config)
	flags.Bind("group", &f.groups)
	flags.Bind("scale", &f.scale)
	flags.Bind("keep", &f.keep)
	flags.Bind("complete-features", &f.completeOnly)
}

// registerFields registers those that say how cells are read.
func (f *encodeFlags) registerFields(flags *settings.Flags) {
	flags.Bind("field", &f.fields)
	flags.Bind("max-levels", &f.maxLevels)
	flags.Bind("separator", &f.separator)
	flags.Bind("blank", &f.blank)
}

// options gives what the file says and then, because the command line wins, what
// the flags say.
func (f *encodeFlags) options(cmd *cobra.Command) (encode.Options, error) {
	var o encode.Options
	if f.config != "" {
		if err := encode.ReadConfig(f.config, &o); err != nil {
			return o, err
		}
	}
	given := cmd.Flags().Changed
	if given("max-levels") {
		o.MaxLevels = f.maxLevels
	}
	if given("separator") {
		o.Separator = f.separator
	}
	if given("blank") {
		o.Blank = f.blank
	}
	if given("scale") {
		var err error
		if o.Scale, err = encode.ParseScale(f.scale); err != nil {
			return o, usagef("--scale: %v", err)
		}
	}
	if given("keep") {
		o.Keep = f.keep
	}
	if given("complete-features") {
		o.CompleteOnly = f.completeOnly
	}
	for _, text := range f.fields {
		if err := o.ParseField(text); err != nil {
			return o, usagef("--field: %v", err)
		}
	}
	for _, name := range f.groups {
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
			return report.WriteJSON(c.stdout)
		}
		return report.Write(c.stdout)
	})
	flags := flagsOf(cmd)
	f.register(flags)
	flags.Bind("id", &read.ID)
	flags.Bind("delimiter", (*delimiterFlag)(&read.Delimiter))
	flags.Bind("output", &output)
	flags.Bind("raw-names", &c.rawNames)
	flags.Bind("json", &asJSON)
	return cmd
}
