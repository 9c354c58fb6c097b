package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/formulation"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/chart"
	"optcomplete/internal/rounding"
	"optcomplete/result"
	"optcomplete/selection"
)

func pathCommand(c *common) *cobra.Command {
	var (
		f      fitFlags
		in     inputFlags
		two    twoSidedFlags
		path   selection.PathSettings
		output string
		plot   string
		asJSON bool
		remote engineFlags
	)
	var live liveFlag
	cmd := verb("path", func(cmd *cobra.Command, args []string) error {
		start := time.Now()
		settings, err := f.resolve(cmd, c)
		if err != nil {
			return err
		}
		if path.KMax == 0 {
			return usagef("up to how many features? Give their number with --k-max")
		}
		twoSided := two.asked()
		method, kind := kindOf(settings, twoSided)
		if err := checkApplies(cmd, method, kind); err != nil {
			return err
		}
		if settings.Split, err = in.splitOf(cmd); err != nil {
			return err
		}
		settings.Began = start
		if cmd.Flags().Changed("max-nodes") && settings.MaxNodes == 0 {
			path.Passes = -1 // any number
			if !cmd.Flags().Changed("search-time") {
				settings.SearchTime = 0
			}
		}
		ended, err := remote.use(cmd, c)
		if err != nil {
			return err
		}
		defer ended()
		watch(c, &path)
		var result *selection.PathResult
		units := math.MaxInt
		if twoSided {
			result, err = two.path(cmd, c, &in, args[0], settings, path)
		} else {
			var problem formulation.Problem
			if problem, _, err = in.load(cmd, c, args[0], settings.Model); err != nil {
				return err
			}
			units = choices(problem)
			log := newSearchLog(c)
			if _, err := c.suit(cmd.Context(), problem, &settings, log); err != nil {
				return err
			}
			result, err = formulation.Path(cmd.Context(), problem, settings, path)
		}
		if err != nil {
			return err
		}
		worse := []string{}
		if w := result.Warning(); w != "" {
			worse = append(worse, w)
			c.warn("", worse)
		}
		if err := writePath(result, output, plot, c.cell); err != nil {
			return err
		}
		if asJSON {
			out := json.NewEncoder(c.stdout)
			out.SetIndent("", "  ")
			err = out.Encode(struct {
				*selection.PathResult
				Warnings []string `json:"warnings,omitempty"`
				Engine   any      `json:"engine,omitempty"`
			}{result, worse, remote.did()})
		} else {
			err = printPath(c.stdout, result, units)
		}
		if err != nil {
			return err
		}
		return stoppedPath(cmd, c, result)
	})
	flags := flagsOf(cmd)
	live.wrap(cmd, c, flags)
	flags.Bind("output", &output)
	flags.Bind("raw-names", &c.rawNames)
	flags.Bind("plot", &plot)
	flags.Bind("json", &asJSON)
	f.register(flags)
	flags.Bind("bootstrap-k", &path.K)
	flags.BindFields(&path)
	in.register(flags)
	two.register(flags)
	flags.BindFields(&remote)
	return cmd
}

// printChoice prints the k that a path recommends.
func printChoice(w io.Writer, k int, selected []string) {
	fmt.Fprintf(w, "Choice    k = %d: %s\n", k, strings.Join(selected, ", "))
}

// printPath prints the path for people.
func printPath(w io.Writer, r *selection.PathResult, units int) error {
	fmt.Fprintf(w, "%3s %10s %19s %9s  %s\n", "k", "training", "validation ± se", "gap", "entering and leaving")
	unproven := false
	validated := func(v *selection.Validated) string {
		switch {
		case r.Folds == 0:
			return "-"
		case r.Folds == 1: // one tells no standard error
			return fmt.Sprintf("%.5f", v.Validation)
		}
		return fmt.Sprintf("%.5f ± %.5f", v.Validation, v.Error)
	}
	if v := r.Without; v != nil {
		fmt.Fprintf(w, "%3d %10.5f %19s %9s  %s\n", 0, v.Train, validated(v), "-", withoutFeatures(r.Model))
	}
	for _, p := range r.Points {
		validation, mark := validated(&p.Validated), ""
		if p.K == r.Chosen {
			mark += "  ← one standard error"
		}
		if p.K == r.Best {
			mark += "  ← least error"
		}
		fmt.Fprintf(w, "%3d %10.5f %19s %9s  %s%s\n", p.K, p.Train, validation, rounding.PercentUp(p.Gap), moves(p), mark)
		unproven = unproven || p.Status != result.Optimal
	}
	fmt.Fprintf(w, "%s on %s%s\n", cmp.Or(r.Measure, "RMSE"), count(r.Folds, "fold"), map[bool]string{true: " of time, each scored by what was fitted to the entries before it"}[r.ByTime])
	if r.Learned {
		times := ""
		if r.Gamma != 1 {
			times = fmt.Sprintf(", times %.4g", r.Gamma)
		}
		fmt.Fprintf(w, "Gamma     learned for each feature%s, the same for every k, so that costs can be compared; fit learns the same on the same entries\n", times)
	} else {
		fmt.Fprintf(w, "Gamma     %.3g for every k, so that costs can be compared\n", r.Gamma)
	}
	if unproven {
		fmt.Fprintln(w, "Not proven: a better selection may exist, at most by the gap; what enters and leaves may then be where the search stopped, not the data")
	}
	if r.Chosen > 0 {
		printChoice(w, r.Chosen, selectedAt(r, r.Chosen))
	}
	printEnds(w, r.AtEnd(units), r.Needless(), "k-max")
	if r.Stability != nil {
		printStability(w, r)
	}
	return nil
}

// withoutFeatures says what k = 0 is in a model.
func withoutFeatures(model string) string {
	switch model {
	case "full":
		return "no features: mean, row and column effects alone"
	case "pooled":
		return "no features: mean and row effects alone"
	case "twosided":
		return "no products: mean, row and column effects alone, where the model has them"
	}
	return "nothing selected"
}

// printEnds says what the ends of a path tell: that it ended too early, or that no
// feature is needed.
func printEnds(w io.Writer, more, needless bool, flag string) {
	if more {
		fmt.Fprintf(w, "Note      the least error is at the largest k tried: more features may predict better (a larger --%s)\n", flag)
	}
	if needless {
		fmt.Fprintln(w, "Note      without features (k = 0) the error is within one standard error of the least: these features may tell nothing new")
	}
}

// printPathGamma says whose γ it is: a fit of one k may choose another.
func printPathGamma(w io.Writer, gamma float64, at int, verb, same string) {
	if at > 0 {
		fmt.Fprintf(w, "Gamma     %.3g for every k, so that costs can be compared; chosen at k = %d (%s -k K chooses its own: %s)\n", gamma, at, verb, same)
	}
}

func selectedAt(r *selection.PathResult, k int) []string {
	for _, p := range r.Points {
		if p.K == k {
			return p.Selected
		}
	}
	return nil
}

// mostReplacements is how many exchanges are printed; --json has all.
const mostReplacements = 10

func printStability(w io.Writer, r *selection.PathResult) {
	s := r.Stability
	printFrequencies(w, s)
	for _, p := range r.Points {
		if p.K != s.K || len(s.NearTies) == 0 {
			continue
		}
		fmt.Fprintln(w, "Next best selections seen on all rows")
		for _, tie := range s.NearTies {
			fmt.Fprintf(w, "  cost +%-10s %s\n", percent((tie.Cost-p.Cost)/max(p.Cost, 1e-300)), exchange(s.Selected, tie.Selected))
		}
	}
}

// printFrequencies tells how often resamples select what.
func printFrequencies(w io.Writer, s *selection.Stability) {
	fmt.Fprintf(w, "Stability of k = %d: %d of %s of the rows give the same selection\n", s.K, s.Same, count(s.Resamples, "resample"))
	has := map[string]bool{}
	for _, name := range s.Selected {
		has[name] = true
	}
	for _, f := range s.Features {
		mark := " "
		if has[f.Feature] {
			mark = "*"
		}
		fmt.Fprintf(w, "  %s %4.0f %%  %s\n", mark, 100*float64(f.Times)/float64(max(s.Resamples, 1)), f.Feature)
	}
	fmt.Fprintln(w, "  * selected on all rows")
	for i, swap := range s.Replacements {
		if i == mostReplacements {
			break
		}
		fmt.Fprintf(w, "  %4.0f %%  %s instead of %s\n", 100*float64(swap.Times)/float64(max(s.Resamples, 1)), swap.In, swap.Out)
	}
}

// writePath writes the plot data and the plot.
func writePath(r *selection.PathResult, output, plot string, cell func(string) string) error {
	if output != "" {
		if err := atomicfile.File(output, func(w io.Writer) error { return pathCSV(w, r, cell) }); err != nil {
			return err
		}
	}
	if plot != "" {
		return atomicfile.File(plot, func(w io.Writer) error { return pathChart(r).SVG(w) })
	}
	return nil
}

func pathCSV(w io.Writer, r *selection.PathResult, cell func(string) string) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"k", "train_rmse", "validation_rmse", "standard_error", "cost", "bound", "gap", "status", "least_error", "one_standard_error", "entering", "leaving", "selected", "moves_proven"}}
	f := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, p := range r.Points {
		validation, deviation := f(p.Validation), f(p.Error)
		if r.Folds == 0 {
			validation, deviation = "", ""
		}
		rows = append(rows, []string{
			strconv.Itoa(p.K), f(p.Train), validation, deviation, f(p.Cost), f(p.Bound), f(p.Gap), p.Status.String(),
			strconv.FormatBool(p.K == r.Best), strconv.FormatBool(p.K == r.Chosen),
			cell(strings.Join(p.Entering, "|")), cell(strings.Join(p.Leaving, "|")), cell(strings.Join(p.Selected, "|")), strconv.FormatBool(p.Settled),
		})
	}
	return out.WriteAll(rows)
}

func pathChart(r *selection.PathResult) *chart.Chart {
	training, validation := chart.Series{Name: "training", Marks: true}, chart.Series{Name: "validation", Marks: true}
	for _, p := range r.Points {
		training.Points = append(training.Points, chart.Point{X: float64(p.K), Y: p.Train})
		if r.Folds > 0 {
			validation.Points = append(validation.Points, chart.Point{X: float64(p.K), Y: p.Validation, Error: p.Error})
		}
	}
	c := &chart.Chart{Title: "Error by number of features, model " + r.Model, X: "k, features selected", Y: cmp.Or(r.Measure, "RMSE"), Series: []chart.Series{validation, training}}
	if r.Chosen > 0 {
		c.Note = fmt.Sprintf("Bars: one standard error over %d folds. Least error at k = %d; one-standard-error choice k = %d.", r.Folds, r.Best, r.Chosen)
	}
	return c
}
