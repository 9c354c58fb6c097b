package exact_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/formulation"
	"optcomplete/internal/attack"
	"optcomplete/internal/exact"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// claim is what a run says of its selection.
type claim struct {
	cost, bound, gap float64
	status           string
	proven           bool // there is a bound
}

// tally counts what came of the runs of one kind.
type tally struct{ tried, optimal, stopped, limit, wrong int }

// few is how many instances a test tries unless OPTCOMPLETE_ATTACK says otherwise.
func few() int {
	if testing.Short() {
		return 15
	}
	return 60
}

// seeds calls try for many seeds, in parallel, and tells what came of them.
func seeds(t *testing.T, few int, kind string, try func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float)) {
	var all tally
	var mu sync.Mutex
	next := make(chan uint64)
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			for seed := range next {
				got, in, own, best := try(seed, rand.New(rand.NewPCG(seed, 7)))
				mu.Lock()
				all.judge(t, seed, got, in, own, best)
				mu.Unlock()
			}
		})
	}
	for seed := range attack.Rounds(few) {
		next <- seed
	}
	close(next)
	done.Wait()
	attack.Report(t, kind, all.tried, all.wrong, "%d optimal, %d stopped early, %d at a numerical limit", all.optimal, all.stopped, all.limit)
}

// judge compares a claim with the exact cost of its selection and the least cost.
func (c *tally) judge(t *testing.T, seed uint64, got claim, in *exact.Instance, own, best *big.Float) {
	c.tried++
	wrong := func(format string, args ...any) {
		c.wrong++
		t.Errorf("seed %d (%d entries, p %d, k %d, γ %.3g): %s: %+v, exactly %.17g, best %.17g", seed, len(in.Entries), in.P, in.K, in.Gamma, fmt.Sprintf(format, args...), got, own, best)
	}
	gap := (got.cost - got.bound) / got.cost
	switch {
	case got.proven && exact.Above(got.bound, best) > 1e-13:
		wrong("the bound is above the least cost by %.2g", exact.Above(got.bound, best))
	case got.proven && got.bound < 0:
		wrong("the bound is negative")
	case exact.Above(got.cost, own) < -1e-9:
		wrong("the cost is below the selection's by %.2g", exact.Above(got.cost, own))
	case got.status == "optimal" && gap > search.Precision:
		wrong("optimal with a gap of %.2g", gap)
	case got.status == "optimal" && exact.Above(got.cost, best) > 1e-9:
		wrong("optimal, but above the least cost by %.2g", exact.Above(got.cost, best))
	case got.status == "gap" && gap > 0.3:
		wrong("a gap of %.2g was not asked for", gap)
	case got.status == "failed": // said by the test
		c.wrong++
	case got.status == "optimal" || got.status == "gap":
		c.optimal++
	case got.status == "numerical_limit":
		c.limit++
		t.Logf("seed %d: numerical limit at gap %.2g (cost %.4g, best %.4g)", seed, gap, got.cost, best)
	default:
		c.stopped++
	}
}

// problem is the instance as the public API takes it.
func problem(in *exact.Instance) formulation.Problem {
	return formulation.Problem{Ratings: ratings(in), Features: features(in)}
}

// paper is the settings of the paper's cost.
func paper(in *exact.Instance) formulation.Settings {
	settings := formulation.Settings{K: in.K, Model: spec.Paper}
	settings.Gamma, settings.Threads = in.Gamma, 1
	return settings
}

func names(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = prefix + strconv.Itoa(i)
	}
	return out
}

func ratings(in *exact.Instance) *data.Ratings {
	return data.NewRatings(matrix(in), names("r", in.Rows), names("c", in.Columns))
}

func matrix(in *exact.Instance) *data.Matrix {
	var entries []data.Entry
	var weights []float64 // entries are by rows and columns already
	for _, e := range in.Entries {
		if e.Weight > 0 {
			weights = append(weights, e.Weight)
		}
		entries = append(entries, data.Entry{Row: int32(e.Row), Column: int32(e.Column), Value: e.Value})
	}
	m, err := data.NewMatrix(in.Rows, in.Columns, entries)
	if err == nil && len(weights) > 0 {
		m, err = m.WithWeights(weights)
	}
	if err != nil {
		panic(err)
	}
	return m
}

func features(in *exact.Instance) *data.Features {
	return data.NewFeatures(names("c", in.Columns), names("f", in.P), slices.Concat(in.Features...))
}

func rowFeatures(in *exact.Instance) *data.Features {
	return data.NewFeatures(names("r", in.Rows), names("x", len(in.RowFeatures[0])), slices.Concat(in.RowFeatures...))
}

// selection finds the indices of names.
func selection(f *data.Features, selected []string) []int {
	var out []int
	for _, name := range selected {
		out = append(out, slices.Index(f.Names, name))
	}
	slices.Sort(out)
	return out
}

func of(s *model.Summary) claim {
	return claim{s.Cost, s.Bound, s.Gap, s.Status.String(), s.Certified}
}

func found(r search.Result) claim {
	return claim{r.Cost, max(r.Bound, 0), r.Gap, r.Status.String(), true}
}

// TestFit runs all methods on the paper's cost, some with a gap that is enough,
// features forced or banned, or an interrupt at a random moment.
func TestFit(t *testing.T) {
	seeds(t, few(), "fit, all methods: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		return fit(t, seed, r, exact.Nasty(seed))
	})
}

// TestWeights is TestFit of entries with weights.
func TestWeights(t *testing.T) {
	seeds(t, few(), "fit of weighted entries, all methods: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		in.Weigh(seed)
		if seed%4 > 0 {
			return fit(t, seed, r, in)
		}
		in.Gamma0 = math.Pow(10, -3+6*r.Float64())
		heaviest := 0.0
		for _, e := range in.Entries {
			heaviest = max(heaviest, e.Weight)
		}
		oracle := objective.NewPooled(objective.NewWeighted(matrix(in), features(in), in.Gamma, heaviest, 1), in.Gamma0)
		result, err := search.Minimize(context.Background(), oracle, search.Settings{K: in.K})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		return found(result), in, in.Cost(result.Selection), exact.Best(in.P, in.K, nil, in.Cost)
	})
}

// fit is one of TestFit.
func fit(t *testing.T, seed uint64, r *rand.Rand, in *exact.Instance) (claim, *exact.Instance, *big.Float, *big.Float) {
	settings := paper(in)
	settings.Seed = seed
	allowed := func([]int) bool { return true }
	switch r.IntN(6) {
	case 0:
		settings.Method = formulation.CutPlanes{}
	case 1:
		settings.Method = formulation.OptComplete{Certify: true}
	case 2:
		settings.Gap = 0.3
	case 3:
		j := r.IntN(in.P)
		if in.P > in.K && r.IntN(2) == 0 {
			settings.Never = []string{"f" + strconv.Itoa(j)}
			allowed = func(s []int) bool { return !slices.Contains(s, j) }
		} else {
			settings.Always = []string{"f" + strconv.Itoa(j)}
			allowed = func(s []int) bool { return slices.Contains(s, j) }
		}
	}
	ctx := context.Background()
	if r.IntN(5) == 0 {
		interrupted, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx = interrupted
		left := r.IntN(60)
		settings.OnEvent = func(search.Event) {
			if left--; left < 0 {
				cancel()
			}
		}
	}
	fitted, err := formulation.Fit(ctx, problem(in), settings)
	if err != nil && errors.Is(err, context.Canceled) {
		return claim{status: "interrupted"}, in, big.NewFloat(0), big.NewFloat(0)
	}
	if err != nil {
		t.Errorf("seed %d, %v: %v", seed, settings.Method, err)
		return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
	}
	best := exact.Best(in.P, in.K, allowed, in.Cost)
	removals(t, seed, in, &fitted.Summary)
	return of(&fitted.Summary), in, in.Cost(selection(features(in), fitted.Summary.Selected)), best
}

// removals checks what the summary says of the selection without each feature.
func removals(t *testing.T, seed uint64, in *exact.Instance, s *model.Summary) {
	all := selection(features(in), s.Selected)
	for _, removal := range s.Removal {
		gone := slices.Index(features(in).Names, removal.Name)
		want := in.Cost(slices.DeleteFunc(slices.Clone(all), func(j int) bool { return j == gone }))
		if off := exact.Above(removal.Cost, want); math.Abs(off) > 1e-6 {
			t.Errorf("seed %d: without %s a cost of %v, exactly %.17g", seed, removal.Name, removal.Cost, want)
		}
	}
}

// TestResume interrupts a fit at a random moment and continues from its checkpoint.
func TestResume(t *testing.T) {
	seeds(t, few(), "fit interrupted and resumed: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		settings := paper(in)
		settings.Checkpoint = t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		left := r.IntN(40)
		settings.OnEvent = func(search.Event) {
			if left--; left < 0 {
				cancel()
			}
		}
		_, _ = formulation.Fit(ctx, problem(in), settings)
		cancel()
		settings.OnEvent = nil
		fitted, err := formulation.Fit(context.Background(), problem(in), settings)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		best := exact.Best(in.P, in.K, nil, in.Cost)
		return of(&fitted.Summary), in, in.Cost(selection(features(in), fitted.Summary.Selected)), best
	})
}

// TestPath solves every k at once.
func TestPath(t *testing.T) {
	seeds(t, few(), "path: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		settings := paper(in)
		settings.K = 0
		path, err := formulation.Path(context.Background(), problem(in), settings, optcomplete.PathSettings{KMax: in.K, Folds: 2})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		p := path.Points[r.IntN(len(path.Points))]
		best := exact.Best(in.P, p.K, nil, in.Cost)
		return claim{p.Cost, p.Bound, p.Gap, p.Status.String(), true}, in, in.Cost(selection(features(in), p.Selected)), best
	})
}

// TestPooled searches the cost with a population.
func TestPooled(t *testing.T) {
	seeds(t, few(), "pooled model: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		for in.K > 3 || len(in.Entries) > 20 { // the brute force has many unknowns
			seed += 1 << 32
			in = exact.Nasty(seed)
		}
		in.Gamma0 = in.Gamma * []float64{1, 1e-3, 1e3}[r.IntN(3)]
		oracle := objective.NewPooled(objective.NewExact(matrix(in), features(in), in.Gamma, 1), in.Gamma0)
		result, err := search.Minimize(context.Background(), oracle, search.Settings{K: in.K})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		return found(result), in, in.Cost(result.Selection), exact.Best(in.P, in.K, nil, in.Cost)
	})
}

// TestGroups searches features that are selected together.
func TestGroups(t *testing.T) {
	seeds(t, few(), "groups: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		var groups [][]int
		for j := range in.P {
			if j > 0 && r.IntN(3) == 0 {
				groups[len(groups)-1] = append(groups[len(groups)-1], j)
			} else {
				groups = append(groups, []int{j})
			}
		}
		k := min(in.K, len(groups))
		grouped := objective.NewGrouped(objective.NewExact(matrix(in), features(in), in.Gamma, 1), groups)
		result, err := search.Minimize(context.Background(), grouped, search.Settings{K: k})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		cost := func(selection []int) *big.Float { return in.Cost(grouped.Members(selection)) }
		return found(result), in, cost(result.Selection), exact.Best(len(groups), k, nil, cost)
	})
}

// TestTwoSided selects products of row and column features.
func TestTwoSided(t *testing.T) {
	seeds(t, few(), "products of row and column features: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		for e := range in.Entries {
			if x := &in.Entries[e].Value; math.Abs(*x) > 1e50 {
				*x *= 0x1p-200 // products of three numbers of 1e100 are refused
			}
		}
		if seed%3 == 0 {
			in.Weigh(seed)
		}
		in.K = min(in.K, 4)
		return products(t, in)
	})
}

// TestEffects: with effects of rows and columns, cost and bound are those of the reduced
// problem: of what effects leave, by centred and scaled features.
func TestEffects(t *testing.T) {
	seeds(t, few(), "products beside effects: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		for in.Rows < 3 || len(in.Entries) < 6 {
			seed += 1000003
			in = exact.Nasty(seed)
		}
		for e := range in.Entries {
			if x := &in.Entries[e].Value; math.Abs(*x) > 1e50 {
				*x *= 0x1p-200
			}
		}
		if seed%3 == 0 {
			in.Weigh(seed)
		}
		for i := range in.RowFeatures { // a flag of most rows, one of few, a number far from 0
			in.RowFeatures[i] = []float64{float64(min(i, 1)), float64(max(i-in.Rows+2, 0)), 1990 + 10*r.NormFloat64()}
		}
		problem := twosided.Problem{Ratings: ratings(in), Rows: rowFeatures(in), Columns: features(in)}
		reduced, err := twosided.Reduced(context.Background(), problem)
		var none *spec.Error
		if errors.As(err, &none) { // features that are the same wherever there are entries: nothing to select
			return claim{status: "optimal", proven: true}, in, big.NewFloat(0), big.NewFloat(0)
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		out := *in
		out.P, out.Features, out.RowFeatures, out.Entries = len(reduced.Columns.Names), nil, nil, nil
		for j := range reduced.Columns.IDs {
			out.Features = append(out.Features, reduced.Columns.Row(j))
		}
		for i := range reduced.Rows.IDs {
			out.RowFeatures = append(out.RowFeatures, reduced.Rows.Row(i))
		}
		at := 0
		for i := range in.Rows {
			_, values := reduced.Ratings.Matrix().Row(i)
			for _, v := range values {
				e := in.Entries[at]
				e.Value = v
				out.Entries, at = append(out.Entries, e), at+1
			}
		}
		out.K = min(in.K, 3, out.P*len(out.RowFeatures[0]))
		settings := twosided.Settings{K: out.K}
		settings.Gamma, settings.Threads = in.Gamma, 1
		fitted, err := twosided.Fit(context.Background(), problem, settings)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		var selected []int
		for _, p := range fitted.Summary.Products {
			selected = append(selected, slices.Index(reduced.Rows.Names, p.Row)*out.P+slices.Index(reduced.Columns.Names, p.Column))
		}
		slices.Sort(selected)
		return of(&fitted.Summary.Summary), &out, out.Regression(selected), exact.Best(len(reduced.Rows.Names)*out.P, out.K, nil, out.Regression)
	})
}

// products fits a two-sided model.
func products(t *testing.T, in *exact.Instance) (claim, *exact.Instance, *big.Float, *big.Float) {
	settings := twosided.Settings{K: in.K, Effects: twosided.NoEffects}
	settings.Gamma, settings.Threads = in.Gamma, 1
	rows, columns := rowFeatures(in), features(in)
	fitted, err := twosided.Fit(context.Background(), twosided.Problem{Ratings: ratings(in), Rows: rows, Columns: columns}, settings)
	if err != nil {
		t.Error(err)
		return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
	}
	var at []int
	for _, p := range fitted.Summary.Products {
		at = append(at, slices.Index(rows.Names, p.Row)*in.P+slices.Index(columns.Names, p.Column))
	}
	slices.Sort(at)
	return of(&fitted.Summary.Summary), in, in.Regression(at), exact.Best(len(rows.Names)*in.P, in.K, nil, in.Regression)
}

// TestHeredity: a product with the second row feature needs that with the first.
func TestHeredity(t *testing.T) {
	seeds(t, few(), "products with heredity: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		find := search.Settings{K: min(in.K, 4)}
		for j := range in.P {
			find.Requires = append(find.Requires, search.Requirement{Feature: in.P + j, Parents: []int{j}})
		}
		allowed := func(selection []int) bool {
			return !slices.ContainsFunc(selection, func(j int) bool { return j >= in.P && !slices.Contains(selection, j-in.P) })
		}
		products := must.Get(objective.NewTwoSided(context.Background(), matrix(in), rowFeatures(in), features(in), 1))(t)
		oracle := objective.NewQuadratic(products, in.Gamma, float64(in.Rows)*float64(in.Columns))
		result, err := search.Minimize(context.Background(), oracle, find)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		return found(result), in, in.Regression(result.Selection), exact.Best(2*in.P, find.K, allowed, in.Regression)
	})
}

// TestTable searches a regression that is given as a table: that of the first row
// feature alone.
func TestTable(t *testing.T) {
	seeds(t, few(), "regression on a table: certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
		in := exact.Nasty(seed)
		values := make([]float64, len(in.Entries))
		for e, entry := range in.Entries {
			values[e] = entry.Value
		}
		table := objective.NewTable(values, in.P, func(i int, row []float64) { copy(row, in.Features[in.Entries[i].Column]) }, 1)
		oracle := objective.NewQuadratic(table, in.Gamma, float64(in.Rows)*float64(in.Columns))
		result, err := search.Minimize(context.Background(), oracle, search.Settings{K: in.K})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return claim{status: "failed"}, in, big.NewFloat(0), big.NewFloat(0)
		}
		return found(result), in, in.Regression(result.Selection), exact.Best(in.P, in.K, nil, in.Regression)
	})
}
