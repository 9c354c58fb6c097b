package main

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/internal/atomicfile"
)

func synthCommand(c *common) *cobra.Command {
	var (
		config synth.Config
		output string
		test   int
	)
	cmd := &cobra.Command{
		Use:   "synth -o DIR",
		Short: "Write an instance of the paper's generator, with its truth",
		Long: `synth writes an instance as the paper's experiments make them: rows × columns
values A = UV + E from k true features, uniform on [0,1] like the p − k others,
normal noise, and a part of the entries missing.

DIR gets ratings.csv, features.csv, truth.json (the seed, the settings, the true
selection) and test.csv: missing entries with their noisy value and the
noise-free one, to score predictions against either.`,
		Example: `  optcomplete synth --rows 1000 --columns 1000 --features 50 --k 5 --missing 0.95 -o instance
  optcomplete synth --noise 0 --seed 7 -o clean`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("where to? Give a folder with -o")
			}
			config.Seed = c.seed
			if err := config.Validate(); err != nil {
				return &usageError{err}
			}
			instance, err := synth.Generate(config)
			if err != nil {
				return err
			}
			if err := writeInstance(output, instance, test); err != nil {
				return err
			}
			c.notef("Wrote %s entries of a %d × %d matrix, %d features, %d of them true, to %s",
				grouped(instance.Ratings.Observed()), config.Rows, config.Columns, config.Features, config.K, output)
			return nil
		},
	}
	flags := flagsOf(cmd, "synth")
	flags.Bind("rows", &config.Rows)
	flags.Bind("columns", &config.Columns)
	flags.Bind("features", &config.Features)
	flags.Bind("k", &config.K)
	flags.Bind("missing", &config.Missing)
	flags.Bind("noise", &config.Noise)
	flags.Bind("test-entries", &test)
	flags.Bind("output", &output)
	return cmd
}

// writeInstance writes an instance's files to a folder, all or nothing.
func writeInstance(dir string, instance *synth.Instance, test int) error {
	return atomicfile.Dir(dir, "truth.json", func(dir string) error {
		var written, of int
		files := []struct {
			name  string
			write func(io.Writer) error
		}{
			{"ratings.csv", func(w io.Writer) error { return data.WriteRatings(w, instance.Ratings) }},
			{"features.csv", func(w io.Writer) error { return data.WriteFeatures(w, instance.Features) }},
			{synth.TestFile, func(w io.Writer) (err error) {
				written, of, err = instance.WriteTest(w, test)
				return err
			}},
			{"truth.json", func(w io.Writer) error {
				e := json.NewEncoder(w)
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				return e.Encode(instance.Truth(written, of))
			}},
		}
		for _, f := range files {
			if err := atomicfile.File(filepath.Join(dir, f.name), f.write); err != nil {
				return err
			}
		}
		return nil
	})
}
