package experiment

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/memory"
	"optcomplete/internal/random"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// paperNoise is the standard deviation of the paper's noise, N(0,0.01).
const paperNoise = 0.01

// netflixHoldout is the part of the ratings that the paper withholds.
const netflixHoldout = 0.2

// trial is the data of one row and seed: what a method may see, and what it is
// scored on.
type trial struct {
	*paperRun
	Shape
	seed    uint64
	source  *synth.Source
	problem optcomplete.Problem // the training entries, and the features as they were made
	noisy   *data.Matrix        // entries to predict, as they would be observed
	clean   *data.Matrix        // the same without noise

	gammas  *gammas              // nil until they are chosen
	encoded *optcomplete.Problem // nil until it is asked for
}

// trial makes the data. Of the synthetic matrices a method sees all observed
// entries and is scored on missing ones; of ratings, a fifth is withheld.
func (r *paperRun) trial(shape Shape, seed uint64) (*trial, error) {
	t := &trial{paperRun: r, Shape: shape, seed: seed}
	var err error
	if shape.Netflix {
		t.source, err = synth.Netflix(shape.Rows, shape.Columns, shape.K, shape.Missing, seed)
	} else {
		t.source, err = synth.NewSource(synth.Config{
			Rows: shape.Rows, Columns: shape.Columns, Features: shape.Features, K: shape.K, Missing: shape.Missing, Noise: paperNoise, Seed: seed,
		})
	}
	if err != nil {
		return nil, err
	}
	t.problem = optcomplete.Problem{Ratings: data.NewRatings(t.source, t.source.RowIDs(), t.source.ColumnIDs()), Features: t.source.Features}
	if r.generated(shape) {
		return t, t.scoreOn(t.source.TestEntries(r.Test))
	}
	made, err := t.source.Collect()
	if err != nil {
		return nil, err
	}
	t.problem.Ratings = made.Ratings
	if !shape.Netflix {
		return t, t.scoreOn(t.source.TestEntries(r.Test))
	}
	train, held := evaluate.SplitMatrix(made.Ratings.Matrix(), netflixHoldout, seed)
	t.problem.Ratings = made.Ratings.With(train)
	t.noisy = held
	if share := float64(r.Test) / float64(held.Observed()); share < 1 {
		t.noisy = held.Filter(func(row int, column int32) bool {
			return random.Unit(random.Hash(seed, testStream, uint64(row), uint64(column))) < share
		})
	}
	t.clean = t.noisy.Map(func(row int, column int32, _ float64) float64 { return t.source.NoiseFree(row, int(column)) })
	return t, nil
}

const testStream = 0x7061706572 // "paper"

// asGiven is the problem as the command line would pose it: film features are in
// units of their own (runtimes, budgets, indicators) and are encoded, as those of
// any file are. The synthetic features have one unit.
func (t *trial) asGiven(ctx context.Context) (optcomplete.Problem, error) {
	if !t.Netflix {
		return t.problem, nil
	}
	if t.encoded == nil {
		features := t.problem.Features
		var cells []string
		for j := range features.IDs {
			for _, v := range features.Row(j) {
				cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		encoding, encoded, _, err := encode.Learn(ctx, data.NewRawTable("films", features.IDs, features.Names, cells), encode.Options{})
		if err != nil {
			return optcomplete.Problem{}, err
		}
		t.encoded = &optcomplete.Problem{Ratings: t.problem.Ratings, Features: encoded, Encoding: encoding}
	}
	return *t.encoded, nil
}

// scoreOn makes the matrices to score on.
func (t *trial) scoreOn(test []synth.TestEntry) (err error) {
	noisy, clean := make([]data.Entry, len(test)), make([]data.Entry, len(test))
	for x, e := range test {
		noisy[x], clean[x] = e.Entry, e.Entry
		clean[x].Value = e.NoiseFree
	}
	if t.noisy, err = data.NewMatrix(t.Rows, t.Columns, noisy); err == nil {
		t.clean, err = data.NewMatrix(t.Rows, t.Columns, clean)
	}
	return err
}

// train is what a method may see.
func (t *trial) train() data.Source { return t.problem.Ratings.Source() }

// score gives the MAPE against the noisy and the noise-free values. Ratings are
// known to be from 1 to 5, so predictions of any method are kept within that.
func (t *trial) score(ctx context.Context, by evaluate.Predictor) (noisy, clean float64, err error) {
	if t.Netflix {
		by = evaluate.Clipped{By: by, Low: 1, High: 5}
	}
	a, err := evaluate.Score(ctx, t.noisy, by, t.Threads)
	if err != nil {
		return 0, 0, err
	}
	b, err := evaluate.Score(ctx, t.clean, by, t.Threads)
	return a.MAPE.Value, b.MAPE.Value, err
}

// gammas are those that validation finds equally good, a fifth of the training
// entries held out as in the paper: since coefficients are refitted by least
// squares, many γ lead to the same predictions.
type gammas struct {
	easiest float64   // for relaxations
	equal   []float64 // increasing: cuts at single selections are the steeper the larger γ is
	rmse    float64   // the least on the validation part
	took    time.Duration
}

// equalError is how near two validation errors are, relatively, to be the same.
const equalError = 1e-3

// chooseGamma finds the γ once for all methods that need one.
func (t *trial) chooseGamma(ctx context.Context) (gammas, error) {
	if t.Gamma > 0 {
		return gammas{easiest: t.Gamma, equal: []float64{t.Gamma}}, nil
	}
	if t.gammas != nil {
		return *t.gammas, nil
	}
	start := time.Now()
	var path []result.GammaPoint
	found := gammas{rmse: math.Inf(1)}
	var err error
	found.easiest, err = optcomplete.ChooseGamma(ctx, t.problem, optcomplete.Settings{
		K:          t.K,
		Model:      spec.Paper,
		Statistics: optcomplete.Statistics{Seed: t.seed},
		Limits:     optcomplete.Limits{Threads: t.Threads},
		OnGamma: func(p result.GammaPoint) {
			path, found.rmse = append(path, p), min(found.rmse, p.RMSE)
		},
	})
	if err != nil {
		return gammas{}, err
	}
	for _, p := range path {
		if p.RMSE <= found.rmse*(1+equalError) {
			found.equal = append(found.equal, p.Gamma)
		}
	}
	if len(found.equal) == 0 {
		found.equal = []float64{found.easiest} // nothing could be validated
	}
	found.took = time.Since(start)
	t.gammas = &found
	return found, nil
}

// tune gives a method of the paper the smallest of the equally good γ at which it
// does that well itself: a search on samples may miss at a small γ what it finds
// at a larger one. Each γ is tried on the entries that it was found on, until one
// is good or its search meets the limit. Failing all, it is the best.
func (t *trial) tune(ctx context.Context, which optcomplete.Method, found gammas) (float64, error) {
	if len(found.equal) == 1 {
		return found.equal[0], nil
	}
	part, err := evaluate.Validation(ctx, t.train(), 0.2, evaluate.TrialEntries, t.seed, t.Threads)
	if err != nil {
		return 0, err
	}
	problem := t.problem
	problem.Ratings = problem.Ratings.With(part.Train)
	survey, err := pass.Survey(ctx, part.Train, t.Threads)
	if err != nil {
		return 0, err
	}
	gamma, best := 0.0, math.Inf(1)
	for _, g := range found.equal {
		fitted, err := optcomplete.Fit(ctx, problem, t.settings(t.paperSettings(which, g)))
		if err != nil {
			return 0, err
		}
		fitted.Clip = &result.Range{Low: survey.Low, High: survey.High} // as in the trials that γ was found by
		score, err := evaluate.Score(ctx, part.Held, fitted, t.Threads)
		if err != nil {
			return 0, err
		}
		if score.RMSE < best {
			gamma, best = g, score.RMSE
		}
		if best <= found.rmse*(1+equalError) || fitted.Summary.Status == result.TimeLimit {
			break
		}
	}
	return gamma, nil
}

// memoryFor is about how many bytes a row takes with its entries in memory, of
// ratings also as parts of them, and without: its features and what is made of
// them, and every row's coefficients.
func memoryFor(s Shape) (all, rest int64) {
	parts := 1.2
	if s.Netflix {
		parts = 3
	}
	entries := 12 * parts * s.entries()
	other := 16*float64(s.Columns)*float64(s.Features) + 200*float64(s.Rows) + 16*float64(s.Rows)*float64(s.K)
	return int64(entries + other), int64(other)
}

// entries is how many entries a row has, about.
func (s Shape) entries() float64 { return float64(s.Rows) * float64(s.Columns) * (1 - s.Missing) }

// generated tells whether the entries of a row are made when they are read,
// because they do not fit in memory.
func (r *paperRun) generated(s Shape) bool {
	all, rest := memoryFor(s)
	return r.Memory > 0 && all > r.Memory && rest <= r.Memory && !s.Netflix
}

// A generated row takes about this many passes, of so long for an entry on one
// processor: making it, the arithmetic, and fetching its features.
const (
	generatedPasses = 10
	generatedEntry  = 200 * time.Nanosecond
)

// misfit says why a row cannot be run in the time and memory given; empty: it
// can.
func (r *paperRun) misfit(s Shape) string {
	if r.Memory == 0 {
		return ""
	}
	all, rest := memoryFor(s)
	switch {
	case r.generated(s):
		need := time.Duration(generatedPasses * float64(generatedEntry) * s.entries() / float64(r.Threads))
		if r.TimeLimit > 0 && need > r.TimeLimit {
			return fmt.Sprintf("its entries need about %s of memory and it may take %s; made anew at every pass they would take about %v", memory.Format(all), memory.Format(r.Memory), need.Round(time.Second))
		}
	case s.Netflix && all > r.Memory:
		return fmt.Sprintf("it needs about %s of memory, and may take %s", memory.Format(all), memory.Format(r.Memory))
	case rest > r.Memory:
		return fmt.Sprintf("it needs about %s of memory, and may take %s", memory.Format(rest), memory.Format(r.Memory))
	}
	return ""
}

// watchMemory looks at the memory in use every few milliseconds until the
// function it returns is called, which gives the largest that was seen.
func watchMemory() (peak func() int64) {
	debug.FreeOSMemory() // what came before does not count
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var most int64
	look := func() {
		metrics.Read(samples)
		most = max(most, int64(samples[0].Value.Uint64()-samples[1].Value.Uint64()))
	}
	look()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				look()
				return
			case <-tick.C:
				look()
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return most
	}
}
