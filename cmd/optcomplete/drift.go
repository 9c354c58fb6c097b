package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/result"
	"optcomplete/spec"
)

// errDrift is the end of evaluate --drift where there is one.
var errDrift = errors.New("the entries have drifted since the fit")

// findDrift is evaluate with --drift.
func findDrift(cmd *cobra.Command, c *common, path, file string, f *evaluateFlags) error {
	for _, name := range []string{"places", "relevant", "caution", "diversity", "least-entries", "resamples", "split", "engine"} {
		if cmd.Flags().Changed(name) {
			return usagef("--drift tells only whether entries have moved: leave out --%s", name)
		}
	}
	m, err := loadModel(c, path)
	if err != nil {
		return err
	}
	f.options.AnyColumn = !f.options.DropUnknown
	entries, _, err := readNewRatings(cmd.Context(), c, file, m, f.options)
	if err != nil {
		return err
	}
	if err := allowed(m.LossOf().Loss, entries, file); err != nil {
		return err
	}
	var others *data.Features
	if f.Features != "" {
		table, err := data.ReadRawTable(f.Features, data.FeaturesOptions{ID: m.Summary.Settings["id"], Context: cmd.Context()})
		if err != nil {
			return err
		}
		options := encode.Options{}
		if kind, err := spec.ParseKind(m.Summary.Model); err == nil && kind.AsGiven() {
			options = encode.Options{Scale: encode.AsIs, Keep: true}
		}
		if _, others, _, err = encode.Learn(cmd.Context(), table, options); err != nil {
			return err
		}
	}
	done := c.working("Comparing", "nowhere")
	d, err := evaluate.FindDrift(m, entries, others)
	done()
	if errors.Is(err, evaluate.ErrTooFewForDrift) {
		return &data.InputError{File: file, Problem: err.Error(), Remedy: "collect more entries first", Err: err}
	}
	if err != nil {
		return &usageError{err}
	}
	if m.Summary.Holdout == nil {
		c.notef("note: the model was fitted without a hold-out, so that its errors cannot be compared (fit it with --holdout 0.2)")
	}
	if d.Fitted > 0 {
		c.notef("note: %s left out: the model was fitted on them", counted(d.Fitted, m.Summary.Nouns.One(), m.Summary.Nouns.Entries()))
	}
	if f.JSON {
		err = writeJSON(c.stdout, d)
	} else {
		err = printDrift(c.stdout, d, m.Summary.Nouns)
	}
	if err == nil && d.Moved {
		err = errDrift
	}
	return err
}

// driftWords say what a test compares.
var driftWords = map[string]string{
	"rmse": "RMSE", "level": "mean error", "effect": "error per unit of %s", "mean": "mean of %s", "sd": "sd of %s", "unselected": "error per unit of %s (not selected)",
	"selection": "gain of %s (for an entry)",
}

func printDrift(w io.Writer, d *evaluate.Drift, nouns *result.Nouns) error {
	fmt.Fprintf(w, "%s of %s and %s that the model knows", counted(d.Entries, nouns.One(), nouns.Entries()), counted(d.Rows, nouns.Each(), nouns.Rows()), counted(d.Columns, nouns.Item(), nouns.Columns()))
	if d.New > 0 {
		fmt.Fprintf(w, "; %s of others left out", grouped(d.New))
	}
	fmt.Fprintln(w)
	moved := slices.DeleteFunc(slices.Clone(d.Tests), func(t evaluate.DriftTest) bool { return !t.Moved })
	shown := moved
	if len(shown) == 0 {
		shown = d.Tests[:min(2, len(d.Tests))]
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tat the fit\tnow\tstandard errors apart\t")
	for _, test := range shown {
		name := driftWords[test.What]
		switch {
		case test.What == "spread":
			name = fmt.Sprintf("sd over %s of %s", nouns.Rows(), cmp.Or(test.Feature, "the level"))
		case test.What == "selection" && test.Feature == "":
			name = "gain of another selection"
		case test.Feature != "":
			name = fmt.Sprintf(name, test.Feature)
		}
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%.1f\t%s\n", name, test.Fit, test.Now, test.T, only(test.Moved, "moved"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if d.Moved {
		_, err := fmt.Fprintf(w, "Drift     yes: %s of %s beyond chance (at most 1 %% for all tests together)\n", grouped(len(moved)), count(len(d.Tests), "test"))
		return err
	}
	_, err := fmt.Fprintf(w, "Drift     no: none of %s is beyond chance (at most 1 %% for all of them together)\n", count(len(d.Tests), "test"))
	return err
}
