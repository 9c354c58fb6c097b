package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"optcomplete"
	"optcomplete/cutplanes"
	"optcomplete/data/synth"
	"optcomplete/milp"
	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/spec"
)

// methodRows are those of the paper with n = m = 100, and two of its last panel.
var methodRows = []synth.Config{
	{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.2},
	{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.5},
	{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.8},
	{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.95},
	{Rows: 100, Columns: 100, Features: 50, K: 5, Missing: 0.5},
	{Rows: 100, Columns: 100, Features: 200, K: 5, Missing: 0.5},
	{Rows: 100, Columns: 100, Features: 1000, K: 5, Missing: 0.5},
	{Rows: 100, Columns: 100, Features: 50, K: 10, Missing: 0.5},
	{Rows: 100, Columns: 100, Features: 50, K: 20, Missing: 0.5},
	{Rows: 100, Columns: 100, Features: 50, K: 30, Missing: 0.5},
	{Rows: 1000, Columns: 1000, Features: 50, K: 5, Missing: 0.95},
	{Rows: 10_000, Columns: 1000, Features: 100, K: 5, Missing: 0.95},
}

// methodSettings are what may be changed.
type methodSettings struct {
	seeds  int
	limit  time.Duration
	factor float64
	only   string
}

// compare runs the methods side by side on rows of the paper's table of synthetic
// experiments, and prints the tables of docs/benchmarks-methods.md.
//
// Each instance is solved by each method in turn, so that they see the same
// machine. γ is what fit finds, times the factor. A method that meets the time limit
// on the first three instances of a row is spared the others. Runs whose MILP solver
// gave a wrong answer are counted and left out.
func compare(args []string) error {
	var o methodSettings
	flags := flag.NewFlagSet("methods", flag.ExitOnError)
	flags.IntVar(&o.seeds, "seeds", 10, "instances of each row")
	flags.DurationVar(&o.limit, "limit", time.Minute, "time limit of each run")
	flags.Float64Var(&o.factor, "factor", 1, "multiplies the γ that was chosen")
	flags.StringVar(&o.only, "only", "", "run only rows whose name contains this, such as p=200")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Println("| n, m, p, k, missing | γ | method | seconds | cuts | nodes | gap | features found | proven | × certified |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, config := range methodRows {
		if name := name(config); strings.Contains(name, o.only) {
			if err := o.row(config, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func name(c synth.Config) string {
	return fmt.Sprintf("n=%d, m=%d, p=%d, k=%d, %g %%", c.Rows, c.Columns, c.Features, c.K, 100*c.Missing)
}

// run is one method on one instance.
type run struct {
	cutplanes.Result
	gap     float64 // certified, or sampled for OptComplete
	found   int     // true features selected
	seconds float64
	ratio   float64 // to the certified method's seconds on the same instance
}

var methods = []string{"certified", "OptComplete", "CutPlanes, embedded", "CutPlanes, HiGHS"}

// row runs all methods on all seeds of a row and prints a line for each method.
func (o *methodSettings) row(config synth.Config, name string) error {
	all := make([][]run, len(methods))
	wrong := make([]int, len(methods)) // runs whose solver gave a wrong answer
	var gammas []float64
	for seed := range o.seeds {
		config.Noise, config.Seed = 0.01, uint64(seed+1)
		in, err := synth.Generate(config)
		if err != nil {
			return err
		}
		find := search.Settings{K: config.K, NearTies: -1}
		gamma, err := optcomplete.ChooseGamma(context.Background(), optcomplete.Problem{Ratings: in.Ratings, Features: in.Features},
			optcomplete.Settings{K: config.K, Model: spec.Paper, Statistics: optcomplete.Statistics{Seed: 1}})
		if err != nil {
			return err
		}
		find.TimeLimit = o.limit
		gamma *= o.factor
		gammas = append(gammas, gamma)
		var certified float64
		for m := range methods {
			if hopeless(all[m]) {
				continue
			}
			r, err := one(m, in, gamma, find)
			if errors.Is(err, milp.ErrNotFound) {
				fmt.Fprintln(os.Stderr, err)
				continue
			}
			var answer *milp.AnswerError
			if errors.As(err, &answer) {
				fmt.Fprintf(os.Stderr, "%s, seed %d: %v\n", name, seed+1, err)
				wrong[m]++
				continue
			}
			if err != nil {
				return err
			}
			if m == 0 {
				certified = r.seconds
			}
			r.ratio = r.seconds / certified
			for _, j := range r.Selection {
				if slices.Contains(in.Selected, j) {
					r.found++
				}
			}
			all[m] = append(all[m], r)
		}
	}
	for m, runs := range all {
		if len(runs) == 0 {
			continue
		}
		column := func(f func(run) float64) float64 { return median(runs, f) }
		proven, found := 0, 0
		for _, r := range runs {
			if r.Status == search.Optimal {
				proven++
			}
			found += r.found
		}
		certificate, gap := fmt.Sprintf("%d of %d", proven, len(runs)), percent(column(func(r run) float64 { return r.gap }))
		if wrong[m] > 0 {
			certificate += fmt.Sprintf("; %d wrong answers", wrong[m])
		}
		if m == 1 {
			certificate, gap = "no", gap+" (sampled)"
		}
		fmt.Printf("| %s | %.3g | %s | %.3g | %.0f | %.0f | %s | %.3g %% | %s | %.3g |\n", name, median(gammas, func(g float64) float64 { return g }),
			methods[m], column(func(r run) float64 { return r.seconds }), column(func(r run) float64 { return float64(r.Cuts) }),
			column(func(r run) float64 { return float64(r.Nodes) }), gap, 100*float64(found)/float64(len(runs)*config.K), certificate,
			column(func(r run) float64 { return r.ratio }))
	}
	return nil
}

// hopeless tells whether a method has met the time limit on its first three
// instances: it is spared the others.
func hopeless(runs []run) bool {
	return len(runs) >= 3 && !slices.ContainsFunc(runs[:3], func(r run) bool { return !r.Status.Early() })
}

// one runs a method, preparation of the data included.
func one(method int, in *synth.Instance, gamma float64, find search.Settings) (r run, err error) {
	ctx := context.Background()
	start := time.Now()
	exact := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0)
	settings := cutplanes.Settings{Search: find, Seed: in.Seed}
	switch method {
	case 0:
		r.Result.Result, err = search.Minimize(ctx, exact, find)
	case 1:
		size := objective.PaperSample(in.Ratings.Matrix(), in.K, 100, 1)
		r.Result, err = cutplanes.OptComplete(ctx, objective.NewSampled(in.Ratings.Matrix(), in.Features, gamma, size, in.Seed, 0), exact, settings)
	case 2:
		r.Result, err = cutplanes.CutPlanes(ctx, exact, settings)
	case 3:
		if settings.Solver, err = milp.New("highs", ""); err != nil {
			return r, err
		}
		r.Result, err = cutplanes.CutPlanes(ctx, exact, settings)
	}
	r.seconds = time.Since(start).Seconds()
	r.gap = min(r.Gap, 1)
	if method == 1 {
		r.gap = r.SampledGap
	}
	return r, err
}

func median[T any](x []T, f func(T) float64) float64 {
	values := make([]float64, len(x))
	for i := range x {
		values[i] = f(x[i])
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// percent prints a fraction; what is left of a proof by rounding is 0.
func percent(x float64) string {
	if math.Abs(x) <= search.Precision {
		return "0"
	}
	return fmt.Sprintf("%.2g %%", 100*x)
}
