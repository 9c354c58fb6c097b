package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/random"
	"optcomplete/pass"
	"optcomplete/result"
)

// Race is a choice of γ: on samples of rows, each larger than the last, every γ that
// can still win selects features and is scored by how well they predict.
type Race struct {
	Path   gammapath.Path
	Levels int // samples

	// Select finds a selection on a sample at each γ, increasing, from the one that is
	// given for it; nil: from none.
	Select func(ctx context.Context, level int, gammas []float64, start [][]int) ([][]int, error)
	// Score is the errors of a selection's predictions on a sample.
	Score func(ctx context.Context, level int, gamma float64, selection []int) (*Errors, error)
	// ByGamma: errors depend on γ and not only on the selection.
	ByGamma bool
	// Root tells, about, the gap that the root of a search would leave, and whether
	// rounding errors would hide a proof.
	Root func(ctx context.Context, gamma float64, selection []int) (gap float64, limited bool, err error)

	Names   func(selection []int) []string
	OnPoint func(result.GammaPoint) // called for each γ in the end; may be nil
}

// Won is the outcome of a Race.
type Won struct {
	Gamma     float64
	Selection []int // there, on the last sample; nil: nothing could be tried
	Path      []result.GammaPoint
}

// easy is the gap at the root of a search from which on its proof is easy.
const easy = 0.05

// hopeless is by how many standard errors of the difference a γ must be worse than
// the best to be given up.
const hopeless = 2

// runner is a γ in a race.
type runner struct {
	step      int // along the path
	gamma     float64
	level     int   // of the last sample that it was tried on; -1: none
	selection []int // there
	errors    *Errors
	ratio     float64 // of its error to the least on that sample
	out       bool    // given up
}

// Run runs the race. It begins with three γ around the middle of the path, two steps
// apart. When the context is cancelled, the best so far wins.
func (r *Race) Run(ctx context.Context) (Won, error) {
	steps := int(math.Round((r.Path.Last - r.Path.First) / r.Path.Step))
	if r.Levels == 0 || steps < 0 {
		return Won{Gamma: r.Path.Default()}, nil
	}
	var all []*runner
	for step := max(steps/2-2, 0); step <= min(steps/2+2, steps); step += 2 {
		all = append(all, r.enter(step, nil))
	}
	var err error
	for level := 0; level < r.Levels; level++ {
		all, err = r.lap(ctx, level, all, steps)
		if _, same := left(all); err != nil || same {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		return Won{}, err
	}
	return r.end(ctx, all)
}

// lap runs on one sample: as far to either side as the error falls, then between.
func (r *Race) lap(ctx context.Context, level int, all []*runner, steps int) ([]*runner, error) {
	err := r.run(ctx, level, all)
	for err == nil && !agree(all) {
		first, last := all[0], all[len(all)-1]
		switch {
		case first.best() && first.step >= 2:
			all = append([]*runner{r.enter(first.step-2, first.selection)}, all...)
		case last.best() && last.step+2 <= steps:
			all = append(all, r.enter(last.step+2, last.selection))
		default:
			more := r.between(all)
			if len(more) == len(all) {
				return all, nil
			}
			all = more
		}
		err = r.run(ctx, level, all)
	}
	return all, err
}

// best tells whether no error on its sample was smaller.
func (x *runner) best() bool { return !x.out && x.ratio == 1 }

// enter is a γ that starts from a selection.
func (r *Race) enter(step int, selection []int) *runner {
	gamma := math.Pow(10, r.Path.First+float64(step)*r.Path.Step) / r.Path.Unit
	return &runner{step: step, gamma: gammapath.Round(gamma), level: -1, selection: selection}
}

// run tries on a sample every γ that is not given up and was not tried there, and
// gives up those that are worse than the best beyond chance.
func (r *Race) run(ctx context.Context, level int, all []*runner) error {
	if err := ctx.Err(); err != nil {
		return err // readings of small data are too short to notice
	}
	var in []*runner
	var gammas []float64
	var start [][]int
	for _, x := range all {
		if !x.out && x.level < level {
			in, gammas, start = append(in, x), append(gammas, x.gamma), append(start, x.selection)
		}
	}
	selections, err := r.Select(ctx, level, gammas, start)
	if err != nil {
		return err
	}
	scores := make([]*Errors, len(in))
	known := func(selection []int) *Errors {
		for _, x := range all {
			if !r.ByGamma && x.level == level && slices.Equal(x.selection, selection) {
				return x.errors
			}
		}
		return nil
	}
	for x, runner := range in {
		if scores[x] = known(selections[x]); scores[x] == nil {
			if scores[x], err = r.Score(ctx, level, gammas[x], selections[x]); err != nil {
				return err
			}
		}
		runner.level, runner.selection, runner.errors = level, selections[x], scores[x]
	}
	var best *Errors
	for _, x := range all {
		if !x.out && (best == nil || x.errors.RMSE < best.RMSE) {
			best = x.errors
		}
	}
	for _, x := range all {
		if x.level < level {
			continue
		}
		if x.ratio = 1; best.RMSE > 0 {
			x.ratio = x.errors.RMSE / best.RMSE
		}
		x.out = best.betterBy(x.errors, hopeless)
	}
	return nil
}

// alike tells whether a γ predicts as well as the best: it is not worse beyond chance,
// nor by more than Path.Equal.
func (r *Race) alike(x *runner) bool { return !x.out && x.ratio <= 1+r.Path.Equal }

// between adds the γ between the best and its neighbours, and that below the smallest
// that predicts alike, each with the selection of the one below to start from.
func (r *Race) between(all []*runner) []*runner {
	smallest := slices.IndexFunc(all, r.alike)
	var more []*runner
	for x, a := range all {
		more = append(more, a)
		if x+1 < len(all) && all[x+1].step-a.step > 1 && (a.best() || all[x+1].best() || x+1 == smallest) {
			more = append(more, r.enter(a.step+1, a.selection))
		}
	}
	return more
}

// left counts the γ that can still win, and tells whether all of them select the same
// features.
func left(all []*runner) (count int, same bool) {
	var first []int
	same = true
	for _, x := range all {
		switch {
		case x.out:
		case count == 0:
			first, count = x.selection, 1
		default:
			same = same && slices.Equal(first, x.selection)
			count++
		}
	}
	return count, same
}

// agree tells whether several γ are left and select the same features: none of them,
// and none between them, would do anything else.
func agree(all []*runner) bool {
	count, same := left(all)
	return count > 1 && same
}

// end takes the winner.
func (r *Race) end(ctx context.Context, all []*runner) (Won, error) {
	var tried []*runner
	var best *runner
	for _, x := range all {
		if x.errors == nil {
			continue // an interrupt came first
		}
		tried = append(tried, x)
		if !x.out && (best == nil || x.errors.RMSE < best.errors.RMSE) {
			best = x
		}
	}
	if best == nil {
		return Won{Gamma: r.Path.Default()}, nil
	}
	won := Won{}
	for _, x := range tried {
		point := result.GammaPoint{Gamma: x.gamma, RMSE: x.ratio * best.errors.RMSE, Selected: r.Names(x.selection)}
		won.Path = append(won.Path, point)
		if r.OnPoint != nil {
			r.OnPoint(point)
		}
	}
	chosen, err := r.easiest(ctx, tried)
	if err != nil && ctx.Err() == nil {
		return Won{}, err
	}
	won.Gamma, won.Selection = chosen.gamma, chosen.selection
	return won, nil
}

// easiest is, of the γ that predict as well as the best, the one with the least error
// whose proof is easy; if there is none, the smallest. Where rounding errors would hide
// all proofs, it is a smaller one.
func (r *Race) easiest(ctx context.Context, tried []*runner) (*runner, error) {
	var alike []*runner
	for _, x := range tried {
		if r.alike(x) {
			alike = append(alike, x)
		}
	}
	smallest := alike[0]
	slices.SortStableFunc(alike, func(a, b *runner) int { return cmp.Compare(a.ratio, b.ratio) })
	hidden := map[*runner]bool{}
	for _, x := range alike {
		gap, limited, err := r.Root(ctx, x.gamma, x.selection)
		if err != nil {
			return smallest, err
		}
		if hidden[x] = limited; gap <= easy && !limited {
			return x, nil
		}
	}
	for at := slices.Index(tried, smallest); at > 0 && hidden[smallest]; at-- { // rounding errors grow with γ
		smallest = tried[at-1]
		var err error
		if _, hidden[smallest], err = r.Root(ctx, smallest.gamma, smallest.selection); err != nil {
			return smallest, err
		}
	}
	return smallest, nil
}

// TrialEntries is how many entries choices are made on, at most: of larger data, some
// rows.
const TrialEntries = 800_000

const sampleStream = 0x67616d6d61 // "gamma"

// Samples are nested samples of the rows of a matrix, chosen by a hash of the seed
// and their ids, with about so many entries each; the last is the matrix itself if
// the sizes reach that far. Rows without entries are left out.
func Samples(m *data.Matrix, sizes []int, seed uint64) ([]*data.Matrix, error) {
	n, _ := m.Dims()
	keys := data.KeysOf(m)
	type row struct {
		draw uint64
		at   int
	}
	var rows []row
	for i := range n {
		if m.Entries(i) > 0 {
			rows = append(rows, row{random.Hash(seed, sampleStream, keys.Row(i)), i})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		switch {
		case a.draw != b.draw:
			if a.draw < b.draw {
				return -1
			}
			return 1
		}
		return a.at - b.at
	})
	var samples []*data.Matrix
	for _, size := range sizes {
		if size >= m.Observed() {
			samples = append(samples, m)
			break
		}
		entries, count := 0, 0
		for count < len(rows) && entries < size {
			entries += m.Entries(rows[count].at)
			count++
		}
		at := make([]int, count)
		for x := range at {
			at[x] = rows[x].at
		}
		slices.Sort(at)
		sample, err := data.Collect(m, at)
		if err != nil {
			return nil, err
		}
		samples = append(samples, sample)
	}
	return samples, nil
}

// validationStream keeps the validation part apart from a hold-out of the same
// seed: the same entries would be in both otherwise.
const validationStream = 0x76616c6964 // "valid"

// Part is a training and a validation part of a matrix.
type Part struct{ Train, Held data.Source }

// Validation divides entries, or of larger data those of rows with about so many
// (zero: of all), into a part to train and a share, zero means 0.2, to validate on.
func Validation(ctx context.Context, m data.Source, share float64, entries int, seed uint64, threads int) (Part, error) {
	if entries > 0 {
		var err error
		if m, err = SampleRows(ctx, m, entries, seed, threads); err != nil {
			return Part{}, err
		}
	}
	if share == 0 {
		share = 0.2
	}
	train, held, err := Split(ctx, m, share, random.Hash(seed, validationStream), threads)
	return Part{train, held}, err
}

// SampleRows keeps whole rows, chosen by a hash of the seed and their ids, with about the
// given number of entries together, in memory. The matrix keeps its shape.
func SampleRows(ctx context.Context, s data.Source, entries int, seed uint64, threads int) (*data.Matrix, error) {
	share := 1.0
	if observed := s.Observed(); observed > entries {
		share = float64(entries) / float64(observed)
	} else if all, ok := s.(*data.Matrix); ok {
		return all, nil
	}
	return pass.Collect(context.WithoutCancel(ctx), s, threads, "sample of rows", rowSample{shareKeys(s), seed, share})
}

// FeatureScale is the mean, over rows with entries and over features, of Σ b_j²
// on the row's entries: what γ is measured against.
func FeatureScale(survey *data.Survey, features *data.Features) float64 {
	columns, p := features.Dims()
	sum := 0.0
	for j := range columns {
		for _, b := range features.Row(j) {
			sum += float64(survey.Columns[j]) * b * b
		}
	}
	if survey.Rows == 0 || p == 0 {
		return 0
	}
	return sum / float64(p) / float64(survey.Rows)
}
