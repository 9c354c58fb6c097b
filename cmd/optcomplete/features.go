package main

import (
	"io"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/encode"
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

func (f *encodeFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.config, "features-config", "", "features.yaml that says how to understand the fields")
	flags.StringArrayVar(&f.fields, "field", nil, "how to understand one field, as NAME:type=list,separator=|,group=true (repeatable)")
	flags.StringArrayVar(&f.groups, "group", nil, "field whose features are selected all or none, counting as one of the k (repeatable)")
	flags.IntVar(&f.maxLevels, "max-levels", encode.DefaultMaxLevels, "levels of a text field that become features; the rarer ones are pooled")
	flags.StringVar(&f.separator, "separator", "", "what stands between the parts of a list, such as |")
	flags.StringSliceVar(&f.blank, "blank", nil, "words that mean blank in the features, such as unknown")
	flags.StringVar(&f.scale, "scale", "zscore", "zscore (mean 0 and standard deviation 1, inside) or none")
	flags.BoolVar(&f.keep, "keep", false, "keep constant features and duplicates")
	flags.BoolVar(&f.completeOnly, "complete-features", false, "leave out items with a blank in a field that is used")
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
		if f.maxLevels < 1 {
			return o, usagef("--max-levels is %d, but must be positive", f.maxLevels)
		}
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
	)
	cmd := &cobra.Command{
		Use:   "features FILE",
		Short: "Show what is understood of a feature table, before any fit",
		Long: `features reads a feature table (CSV or TSV, also .gz or .zst: the column's id, then
its fields: numbers, text, lists such as Action|Drama, blanks) and shows what
each field is understood as, which features it becomes, what was filled in and
what is left out: constant, duplicate, free text. fit does the same with it.`,
		Example: `  optcomplete features films.csv
  optcomplete features films.csv --field budget:transform=log --group genres
  optcomplete features films.csv --features-config features.yaml --json
  optcomplete features films.csv -o encoded.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := f.options(cmd)
			if err != nil {
				return err
			}
			table, err := data.ReadRawTable(args[0], data.FeaturesOptions{})
			if err != nil {
				return err
			}
			_, features, report, err := encode.Learn(table, options)
			if err != nil {
				return err
			}
			for _, w := range report.Warnings {
				c.notef("warning: %s", w)
			}
			if output != "" {
				if err := writeResult(c, output, func(w io.Writer) error { return data.WriteFeatures(w, features) }); err != nil {
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
		},
	}
	cmd.Flags().SortFlags = false
	f.register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write the encoded features to, as CSV; - writes them instead of the report")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was understood as one JSON object")
	return cmd
}
