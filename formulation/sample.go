package formulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"optcomplete/data"
	"optcomplete/internal/progress"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Sampling says whether large data are first searched on samples.
type Sampling int

const (
	AutoSampling Sampling = iota // where there are sampleFrom entries or more
	NoSampling
	AlwaysSampling
)

// Numbers of the growing samples: the first has about firstEntries entries and at
// least leastRows rows, each next one growBy times the rows, the last about
// mostEntries entries. A row with more than longRow entries is thinned to about
// this many.
const (
	sampleFrom      = 2_000_000
	firstEntries    = 40_000
	leastRows       = 64
	leastCandidates = 8192 // rows to draw samples from
	growBy          = 4
	mostEntries     = 1_000_000
	longRow         = 2_000
	sampleShare     = 4 // a sample is at most this part of the rows: more would cost as much as all of them
	sure            = 4 // standard errors by which a selection must be better than the next
)

// sampled is what growing samples lead to.
type sampled struct {
	selections [][]int       // of the oracle: the best on the sample, then its near-ties
	gap        float64       // between cost and bound on the last sample; proves nothing
	rows       int           // of the last sample
	stable     bool          // two samples agree, and the selection is better than the next beyond doubt
	guide      search.Curved // the cost of the last sample, in the scale of all data
	elapsed    time.Duration
}

// sample searches growing samples until the selection no longer changes and is
// better than its near-ties by several standard errors, or the samples end.
func (t *formulation) sample(ctx context.Context, values data.Source, c selection.Learned, find search.Settings, seed uint64) (*sampled, error) {
	start := time.Now()
	from := newSampler(values, seed)
	found := &sampled{selections: find.Start}
	for _, g := range from.sizes() {
		drawing := progress.Start(ctx, fmt.Sprintf("Drawing a sample of %d rows", g), 0, "")
		s, scale, err := t.sampleCost(ctx, from, g, c)
		drawing.Done()
		if err != nil {
			return nil, err
		}
		s.Oracle = c.Remember(s.Oracle, t.memory, fmt.Sprintf("sample of %d", g), t.find.K)
		s.Find.NearTies, s.Find.Start = 3, found.selections
		s.Find.MaxNodes, s.Find.MaxPasses = 1, selection.TrialPasses
		s.Find.Gap, s.Find.TimeLimit = find.Gap, remaining(find.TimeLimit, start)
		s.Find.SearchTime, s.Find.OnEvent = 0, nil
		if find.OnEvent != nil {
			s.Find.OnEvent = func(e search.Event) {
				e.Sampled, e.Cost, e.Bound, e.Elapsed = true, e.Cost*scale, e.Bound*scale, time.Since(start)
				find.OnEvent(e)
			}
		}
		here := pass.WithLabel(ctx, "samples") // not of the data
		result, err := search.Minimize(here, s.Oracle, s.Find)
		if found.rows > 0 && errors.Is(err, search.ErrNothingYet) {
			break
		}
		if err != nil {
			return nil, err
		}
		same := found.rows > 0 && slices.Equal(found.selections[0], result.Selection)
		found.selections = [][]int{result.Selection}
		for _, tie := range result.NearTies {
			found.selections = append(found.selections, tie.Selection)
		}
		found.gap, found.rows = result.Gap, g
		if curved, ok := s.Oracle.(search.Curved); ok {
			found.guide = scaled{curved, scale}
		}
		found.elapsed = time.Since(start)
		if ctx.Err() != nil || result.Status == search.TimeLimit {
			break
		}
		if same {
			if found.stable, err = t.beyondDoubt(here, s, found.selections); err != nil || found.stable {
				return found, err
			}
		}
	}
	return found, nil
}

// sampleCost is the cost of a sample of g rows, and its scale in that of all data.
func (t *formulation) sampleCost(ctx context.Context, from *sampler, g int, c selection.Learned) (*cost, float64, error) {
	matrix, err := from.draw(ctx, g, t.Threads)
	if err != nil {
		return nil, 0, err
	}
	// Of a row thinned to a part τ, (1/τ)·(Σ(a − bu)² + τ/γ·‖u‖²) estimates
	// what it costs; the population of a part of the rows weighs as much more.
	n, columns := from.source.Dims()
	c.Gamma /= from.thin
	c.Gamma0 *= from.filled * float64(n) / float64(g)
	c.Row *= from.thin
	part := *t
	matrix, part.features = narrow(matrix, t.features)
	c.Offsets = c.Offsets.Of(t.features.IDs, part.features.IDs)
	_, used := matrix.Dims()
	return part.costOf(matrix, c), from.filled / from.thin * float64(used) / float64(columns), nil
}

// Selection is what Select found.
type Selection struct {
	Selected   []string // the names of the features
	Features   []int    // their indices
	SampledGap float64  // between cost and bound on the last sample: proves nothing
	Rows       int      // of the last sample
	Stable     bool     // two samples agree, and the selection is better than the next beyond doubt
	Elapsed    time.Duration
}

// Select finds a selection on growing samples of the rows, and looks at no others:
// for data too large for a pass over all of them. Nothing is proven. The model is
// the paper's, and γ must be given.
func Select(ctx context.Context, problem Problem, settings Settings) (*Selection, error) {
	t, err := newChecked(ctx, &problem, &settings)
	if err != nil {
		return nil, err
	}
	c := selection.Learned{Gamma: settings.Gamma}
	if !t.Model.AsGiven() || c.Gamma == 0 {
		return nil, spec.Errorf("a search on samples alone is for the model paper, with gamma given")
	}
	values, c, err := t.values(ctx, problem.Ratings.Source(), c)
	if err != nil {
		return nil, err
	}
	find := t.find
	find.OnEvent = settings.OnEvent
	found, err := t.sample(ctx, values, c, find, settings.Seed)
	if err != nil {
		return nil, search.SettingsError(err)
	}
	if found.rows == 0 {
		return nil, spec.Errorf("the data are too small to be sampled (fit them)")
	}
	units := found.selections[0]
	return &Selection{
		Selected: t.names(units), Features: t.members(units), SampledGap: found.gap, Rows: found.rows, Stable: found.stable, Elapsed: found.elapsed,
	}, nil
}

// sampleThenProve finds a selection on samples and proves or improves it on all
// data, guided by the last sample.
func (t *formulation) sampleThenProve(ctx context.Context, s *cost, c selection.Learned, summary *model.Summary) (search.Result, time.Duration, error) {
	first, err := t.sample(ctx, s.values, c, s.Find, t.Seed)
	if err != nil {
		return search.Result{}, 0, err
	}
	find := s.Find
	if len(first.selections) > 0 {
		find.Start, find.Guide = first.selections[:1], first.guide
		summary.SampleRows = first.rows
		if !math.IsInf(first.gap, 0) { // an interrupt may leave a sample without a bound
			summary.SampledGap = &first.gap
		}
	}
	if find.TimeLimit > 0 {
		find.TimeLimit = max(find.TimeLimit-first.elapsed, time.Millisecond)
	}
	find.SearchTime = shorter(find.SearchTime, first.elapsed)
	if find.OnEvent != nil {
		find.OnEvent = func(e search.Event) {
			e.Elapsed += first.elapsed
			s.Find.OnEvent(e)
		}
	}
	result, found, err := minimize(ctx, s.Oracle, find)
	if err != nil {
		return search.Result{}, 0, err
	}
	result.Elapsed += first.elapsed
	if len(first.selections) > 0 && slices.Equal(result.Selection, first.selections[0]) {
		return result, first.elapsed, nil
	}
	return result, found, nil
}

// beyondDoubt tells whether the first selection costs less than each of the
// others by several standard errors of the difference, row by row.
func (t *formulation) beyondDoubt(ctx context.Context, s *cost, selections [][]int) (bool, error) {
	exact := s.exact
	if exact == nil {
		return true, nil // other costs have no costs of single rows: two samples that agree must do
	}
	costs := make([][]float64, len(selections))
	for x, selection := range selections {
		var err error
		if costs[x], err = exact.RowCosts(ctx, search.Indicator(exact.Dim(), selection)); err != nil {
			return false, err
		}
	}
	for _, other := range costs[1:] {
		differences := make([]float64, len(other))
		for i := range other {
			differences[i] = other[i] - costs[0][i]
		}
		if mean, deviation := selection.MeanAndError(differences); mean < sure*deviation {
			return false, nil
		}
	}
	return true, nil
}

// remaining is what is left of a time limit; zero means none.
func remaining(limit time.Duration, start time.Time) time.Duration {
	if limit <= 0 {
		return 0
	}
	return max(limit-time.Since(start), time.Millisecond)
}

// shorter is what is left of a search's own time; zero means none.
func shorter(own, spent time.Duration) time.Duration {
	if own <= 0 {
		return 0
	}
	return max(own-spent, time.Nanosecond)
}

// scaled is a cost times a number.
type scaled struct {
	search.Curved
	by float64
}

func (s scaled) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	cut, err := s.Curved.Eval(pass.WithLabel(ctx, "samples"), weights)
	return s.scale(cut), err
}

func (s scaled) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	cut, hessian, err := s.Curved.EvalHessian(pass.WithLabel(ctx, "samples"), weights)
	for x := range hessian {
		hessian[x] *= s.by
	}
	return s.scale(cut), hessian, err
}

func (s scaled) scale(c search.Cut) search.Cut {
	for j := range c.Gradient {
		c.Gradient[j] *= s.by
	}
	c.Cost *= s.by
	c.Constant *= s.by
	return c
}
