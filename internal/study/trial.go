package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/memory"
	"optcomplete/internal/random"
	"optcomplete/spec"
)

// trial is the data of one seed: what a method may see, and what it is scored on.
type trial struct {
	optcomplete.Limits
	seed    uint64
	problem problems
	holdout float64 // fraction that a fit holds out and is scored on by itself; 0: on noisy and clean

	truth        []string     // the true features; nil: nobody knows
	noisy, clean *data.Matrix // entries to predict, as they would be observed and without noise
	clip         bool         // they are ratings from 1 to 5
	generated    bool         // entries are made at every reading

	rank    int     // of SoftImpute at most; 0: any
	gamma   float64 // of all; 0: tuned
	factor  float64 // see paper.Factor
	learned float64 // γ; 0: not yet
}

// problems gives the data as a model wants them: the paper's takes features as
// they are given. All have the same rows, columns and entries.
type problems func(kind spec.Kind) (optcomplete.Problem, error)

// paperNoise is the standard deviation of the paper's noise, N(0,0.01).
const paperNoise = 0.01

// netflixHoldout is the part of the ratings that the paper withholds.
const netflixHoldout = 0.2

// trial makes the data of a row. Of the synthetic matrices a method sees all observed
// entries and is scored on missing ones; of ratings, a fifth is withheld.
func (p *paper) trial(shape Shape, seed uint64) (t *trial, err error) {
	t = &trial{Limits: p.Limits, seed: seed, gamma: p.Gamma, factor: p.Factor, clip: shape.Netflix, generated: p.generated(shape)}
	var source *synth.Source
	if shape.Netflix {
		t.rank = shape.K // "we set the maximum rank of SIALS to be k"
		source, err = synth.Netflix(shape.Rows, shape.Columns, shape.K, shape.Missing, seed)
	} else {
		source, err = synth.NewSource(synth.Config{
			Rows: shape.Rows, Columns: shape.Columns, Features: shape.Features, K: shape.K, Missing: shape.Missing, Noise: paperNoise, Seed: seed,
		})
	}
	if err != nil {
		return nil, err
	}
	t.truth = source.SelectedNames()
	ratings := data.NewRatings(source, source.RowIDs(), source.ColumnIDs())
	if !t.generated {
		made, err := source.Collect()
		if err != nil {
			return nil, err
		}
		ratings = made.Ratings
	}
	if shape.Netflix {
		train, held := evaluate.SplitMatrix(ratings.Matrix(), netflixHoldout, seed)
		ratings, t.noisy = ratings.With(train), held
		if share := float64(p.Test) / float64(held.Observed()); share < 1 {
			t.noisy = held.Filter(func(row int, column int32) bool {
				return random.Unit(random.Hash(seed, testStream, uint64(row), uint64(column))) < share
			})
		}
		t.clean = t.noisy.Map(func(row int, column int32, _ float64) float64 { return source.NoiseFree(row, int(column)) })
	} else if err := t.scoreOn(shape, source.TestEntries(p.Test)); err != nil {
		return nil, err
	}
	t.problem = asGivenOrEncoded(optcomplete.Problem{Ratings: ratings, Features: source.Features}, shape.Netflix)
	return t, nil
}

const testStream = 0x7061706572 // "paper"

// asGivenOrEncoded poses a problem as the command line would: film features are in
// units of their own (runtimes, budgets, indicators) and are encoded, as those of
// any file are, but for the paper's model. The synthetic features have one unit.
func asGivenOrEncoded(given optcomplete.Problem, films bool) problems {
	var encoded *optcomplete.Problem
	return func(kind spec.Kind) (optcomplete.Problem, error) {
		if kind.AsGiven() || !films {
			return given, nil
		}
		if encoded == nil {
			features := given.Features
			var cells []string
			for j := range features.IDs {
				for _, v := range features.Row(j) {
					cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
				}
			}
			encoding, made, _, err := encode.Learn(context.Background(), data.NewRawTable("films", features.IDs, features.Names, cells), encode.Options{})
			if err != nil {
				return given, err
			}
			encoded = &optcomplete.Problem{Ratings: given.Ratings, Features: made, Encoding: encoding}
		}
		return *encoded, nil
	}
}

// scoreOn makes the matrices to score on.
func (t *trial) scoreOn(s Shape, test []synth.TestEntry) (err error) {
	noisy, clean := make([]data.Entry, len(test)), make([]data.Entry, len(test))
	for x, e := range test {
		noisy[x], clean[x] = e.Entry, e.Entry
		clean[x].Value = e.NoiseFree
	}
	if t.noisy, err = data.NewMatrix(s.Rows, s.Columns, noisy); err == nil {
		t.clean, err = data.NewMatrix(s.Rows, s.Columns, clean)
	}
	return err
}

// score measures the errors against the noisy and the noise-free values. Ratings are
// known to be from 1 to 5, so predictions of any method are kept within that.
func (t *trial) score(ctx context.Context, by evaluate.Predictor, c *cell) (err error) {
	if t.noisy == nil || by == nil {
		return nil
	}
	if t.clip {
		by = evaluate.Clipped{By: by, Low: 1, High: 5}
	}
	if c.Holdout, err = evaluate.Score(ctx, t.noisy, by, t.Threads); err != nil {
		return err
	}
	clean, err := evaluate.Score(ctx, t.clean, by, t.Threads)
	c.CleanMAPE = clean.MAPE.Value
	return err
}

// gammaOf is the γ of the methods of the paper's model: learned from the variances of the rows'
// coefficients, once for all.
func (t *trial) gammaOf(ctx context.Context, k int) (float64, error) {
	if t.gamma > 0 {
		return t.gamma, nil
	}
	if t.learned == 0 {
		problem, err := t.problem(spec.Paper)
		if err != nil {
			return 0, err
		}
		s := optcomplete.Settings{Model: spec.Paper}
		t.settings(&s, k)
		s.TimeLimit, s.NearTies = 0, 0
		if t.learned, err = optcomplete.ChooseGamma(ctx, problem, s); err != nil {
			return 0, err
		}
	}
	return t.learned * cmp.Or(t.factor, 1), nil
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
func (p *paper) generated(s Shape) bool {
	all, rest := memoryFor(s)
	return p.Memory > 0 && all > p.Memory && rest <= p.Memory && !s.Netflix
}

// A generated row takes about this many passes, of so long for an entry on one
// processor: making it, the arithmetic, and fetching its features.
const (
	generatedPasses = 10
	generatedEntry  = 200 * time.Nanosecond
)

// misfit says why a row cannot be run in the time and memory given; empty: it
// can.
func (p *paper) misfit(s Shape) string {
	all, rest := memoryFor(s)
	if s.Netflix {
		rest = all
	}
	if p.Memory > 0 && rest > p.Memory {
		return fmt.Sprintf("it needs about %s of memory, and may take %s", memory.Format(rest), memory.Format(p.Memory))
	}
	need := time.Duration(generatedPasses * float64(generatedEntry) * s.entries() / float64(p.Threads))
	if p.generated(s) && p.TimeLimit > 0 && need > p.TimeLimit {
		return fmt.Sprintf("its entries need about %s of memory and it may take %s; made anew at every pass they would take about %v",
			memory.Format(all), memory.Format(p.Memory), need.Round(time.Second))
	}
	return ""
}
