package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"optcomplete"
	"optcomplete/data/synth"
	"optcomplete/evaluate"
	"optcomplete/internal/cputime"
	"optcomplete/internal/progress"
	"optcomplete/spec"
)

// unitsStudy fits with the units that are learned, and prints a line for each seed: the error on
// entries held out beside that of the true features where they are known, what is proven, and
// how much of the processor time went into learning.
func unitsStudy(ctx context.Context, args []string) error {
	s := &study{}
	r := real{holdout: netflixHoldout}
	flags := flag.NewFlagSet("units", flag.ExitOnError)
	flags.IntVar(&s.seeds, "seeds", 3, "how many seeds, each with data or a split of its own")
	flags.StringVar(&r.ratings, "ratings", "", "file with the observed entries")
	flags.StringVar(&r.features, "features", "", "table with the features of the columns")
	flags.BoolVar(&r.complete, "complete-features", false, "leave out columns that a feature is missing of")
	flags.IntVar(&r.least, "min-entries", 0, "leave out rows with fewer entries")
	flags.Func("k", "how many features to select from -ratings: 3,5,8", func(text string) error { return numbers(text, &r.k) })
	var netflix []int
	flags.Func("netflix", "numbers of rows of generated ratings: 3923,18227,96601,480189", func(text string) error { return numbers(text, &netflix) })
	many := flags.Bool("many", false, "also 2,000 × 2,000 with 5,000 features")
	flags.Parse(args)
	fmt.Println("| data | k | seed | test RMSE | of the truth | ratio | true features found | gap | status | whole fit, s | processor, s | of it learning |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	problem := r.read(ctx)
	for _, k := range r.k {
		for seed := range uint64(s.seeds) {
			if err := unitsCell(ctx, r.ratings, &trial{seed: seed + 1, holdout: r.holdout, problem: problem}, k); err != nil {
				return err
			}
		}
	}
	p := &paper{study: s, Test: 1 << 30}
	for _, rows := range netflix {
		at := slices.IndexFunc(synth.NetflixSizes[:], func(s synth.NetflixSize) bool { return s.Rows == rows })
		if at < 0 {
			return fmt.Errorf("-netflix: the paper has no set of %d rows", rows)
		}
		size := synth.NetflixSizes[at]
		for seed := range uint64(s.seeds) {
			t, err := p.trial(Shape{Netflix: true, Rows: size.Rows, Columns: size.Columns, Features: 59, K: 5, Missing: size.Missing}, seed+1)
			if err == nil {
				err = unitsCell(ctx, fmt.Sprintf("ratings, %d × %d", size.Rows, size.Columns), t, 5)
			}
			if err != nil {
				return err
			}
		}
	}
	for seed := range uint64(s.seeds) {
		if !*many {
			break
		}
		made, err := synth.Generate(synth.Config{Rows: 2000, Columns: 2000, Features: 5000, K: 10, Missing: 0.95, Noise: 0.5, Seed: seed + 1})
		if err != nil {
			return err
		}
		given := optcomplete.Problem{Ratings: made.Ratings, Features: made.Features}
		t := &trial{seed: seed + 1, truth: made.SelectedNames(), problem: asGivenOrEncoded(given, false), holdout: 0.1}
		if err := unitsCell(ctx, "2000 × 2000, 5,000 features", t, 10); err != nil {
			return err
		}
	}
	return nil
}

// unitsCell fits and prints a line.
func unitsCell(ctx context.Context, name string, t *trial, k int) error {
	problem, err := t.problem(spec.Full)
	if err != nil {
		return err
	}
	fit := func(s optcomplete.Settings, watch *learningTime) (*optcomplete.Model, float64, error) {
		t.settings(&s, k)
		fitted, err := optcomplete.Fit(progress.NewContext(ctx, watch), problem, s)
		if err != nil || t.noisy == nil {
			if err == nil {
				return fitted, fitted.Summary.Holdout.RMSE, nil
			}
			return nil, 0, err
		}
		score, err := evaluate.Score(ctx, t.noisy, fitted, t.Threads)
		return fitted, score.RMSE, err
	}
	watch := &learningTime{}
	began, before := time.Now(), cputime.Now()
	fitted, rmse, err := fit(optcomplete.Settings{}, watch)
	if err != nil {
		return err
	}
	took, used := time.Since(began), cputime.Now()-before
	of, ratio, found := "", "", ""
	if t.truth != nil {
		truth := optcomplete.Settings{}
		truth.Always = t.truth
		_, least, err := fit(truth, &learningTime{})
		if err != nil {
			return err
		}
		hits := 0
		for _, name := range fitted.Selected {
			if slices.Contains(t.truth, name) {
				hits++
			}
		}
		of, ratio, found = fmt.Sprintf("%.5f", least), fmt.Sprintf("%.5f", rmse/least), fmt.Sprintf("%d of %d", hits, len(t.truth))
	}
	sum := &fitted.Summary
	fmt.Printf("| %s | %d | %d | %.5f | %s | %s | %s | %.2g %% | %s | %.2f | %.2f | %.0f %% |\n", name, k, t.seed, rmse, of, ratio, found, 100*sum.Gap,
		strings.ReplaceAll(sum.Status.String(), "_", " "), took.Seconds(), used.Seconds(), 100*watch.took.Seconds()/used.Seconds())
	return fitted.Close()
}

// learningTime is a reporter that takes the processor time of learning.
type learningTime struct {
	began time.Duration
	took  time.Duration
}

func (l *learningTime) Start(label string, _ int64, _ string) progress.Task {
	switch {
	case strings.HasPrefix(label, "Learning how much"):
		l.began = cputime.Now()
	case label == "Preparing the search":
		l.took = cputime.Now() - l.began
	}
	return progress.None{}
}
