package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"optcomplete"
	"optcomplete/evaluate"
	"optcomplete/internal/chart"
	"optcomplete/internal/lists"
	"optcomplete/milp"
	"optcomplete/model/estimate"
	"optcomplete/search"
	"optcomplete/spec"
)

// method is a way to complete a matrix.
type method struct {
	name    string
	limits  int                // it is cancelled after this many time limits; 0: never, its search sees to the limit
	selects optcomplete.Method // nil: it selects nothing
	fit     func(ctx context.Context, t *trial, c *cell) (evaluate.Predictor, error)
}

// methods are all that can be compared. A new one needs a line here.
var methods = []method{
	selecting("certified", optcomplete.Certified{}),
	selecting("optcomplete", optcomplete.OptComplete{}),
	selecting("cutplanes", optcomplete.CutPlanes{}),
	selecting("cutplanes-highs", optcomplete.CutPlanes{Solver: "highs"}),
	modelled("full", 0, spec.Full, 0),
	modelled("full+remainder", 4, spec.Full, optcomplete.AutoRank), // choosing, searching, fitting, and a remainder, which has no limit of its own
	modelled("pooled", 0, spec.Pooled, 0),
	modelled("paper", 0, spec.Paper, 0),
	predicting("imc", 1, func(*trial) optcomplete.Method { return optcomplete.IMC{} }),
	predicting("softimpute", 1, func(t *trial) optcomplete.Method { return optcomplete.SoftImpute{Rank: t.rank} }),
	effectsAlone,
}

// effectsAlone predicts mean, row and column effects: what real data are measured
// against.
var effectsAlone = predicting("effects", 0, func(*trial) optcomplete.Method { return optcomplete.EffectsOnly{} })

// oracle knows the true features: the best that any selection can do. Its
// coefficients are fitted as those of the paper's methods are. It has no limit.
var oracle = method{name: "oracle", selects: optcomplete.Certified{}, fit: func(ctx context.Context, t *trial, c *cell) (evaluate.Predictor, error) {
	problem, err := t.problem(spec.Paper)
	if err != nil {
		return nil, err
	}
	at, k := lists.Each(t.truth, func(name string) int { return slices.Index(problem.Features.Names, name) }), len(t.truth)
	chosen := estimate.Chosen(problem.Features, at)
	parts, err := estimate.FitParts(ctx, problem.Ratings.Source(), chosen, k, estimate.Recipe{Kind: spec.Paper, Threads: t.Threads})
	if err != nil {
		return nil, err
	}
	c.Selected, c.Observed = t.truth, problem.Ratings.Observed()
	return parts.Predictor(chosen, k), nil
}}

// selecting is a way to select, with the paper's model.
func selecting(name string, which optcomplete.Method) method {
	return method{name: name, selects: which, fit: func(ctx context.Context, t *trial, c *cell) (evaluate.Predictor, error) {
		start := time.Now()
		gamma, err := t.gammaOf(ctx, c.K)
		if err != nil {
			return nil, err
		}
		took := since(start)
		predict, err := t.fit(ctx, c, optcomplete.Settings{Model: spec.Paper, Method: which, Statistics: optcomplete.Statistics{Gamma: gamma}})
		c.Seconds.Choose += took
		var wrong *milp.AnswerError
		if errors.As(err, &wrong) || errors.Is(err, milp.ErrNotFound) {
			c.Skipped, err = err.Error(), nil
		}
		return predict, err
	}}
}

// modelled is one of the program's models, selected by the certified search.
func modelled(name string, limits int, kind spec.Kind, rank int) method {
	return method{name: name, limits: limits, selects: optcomplete.Certified{}, fit: func(ctx context.Context, t *trial, c *cell) (evaluate.Predictor, error) {
		return t.fit(ctx, c, optcomplete.Settings{Model: kind, ResidualRank: rank, Statistics: optcomplete.Statistics{Gamma: t.gamma}})
	}}
}

// predicting selects nothing.
func predicting(name string, limits int, of func(*trial) optcomplete.Method) method {
	return method{name: name, limits: limits, fit: func(ctx context.Context, t *trial, c *cell) (evaluate.Predictor, error) {
		return t.fit(ctx, c, optcomplete.Settings{Method: of(t)})
	}}
}

// fit fits what the settings say to the trial, and notes it in the cell.
func (t *trial) fit(ctx context.Context, c *cell, s optcomplete.Settings) (evaluate.Predictor, error) {
	problem, err := t.problem(s.Model)
	if err != nil {
		return nil, err
	}
	t.settings(&s, c.K)
	start := time.Now()
	s.OnEvent = func(e search.Event) { c.trace(e) }
	fitted, err := optcomplete.Fit(ctx, problem, s)
	if err != nil {
		return nil, err
	}
	sum := &fitted.Summary
	c.Observed, c.Selected, c.Gamma, c.Status = sum.Observed, sum.Selected, sum.Gamma, sum.Status.String()
	c.Bounded, c.Cuts, c.Nodes, c.Passes, c.Coverage = sum.Certified, sum.Cuts, sum.Nodes, sum.Passes, sum.Coverage
	if c.Bounded {
		c.Gap = min(sum.Gap, 1) // a cost is never below 0
	}
	if sum.Holdout != nil {
		c.Holdout = *sum.Holdout
	}
	c.Seconds = seconds{Choose: sum.Seconds.Choose, Search: sum.Seconds.Select - sum.Seconds.Choose + sum.Seconds.Certify, Total: since(start)}
	return fitted, nil
}

// settings fills in what all fits of a trial share.
func (t *trial) settings(s *optcomplete.Settings, k int) {
	s.K, s.Seed, s.Threads, s.Holdout = k, t.seed, t.Threads, max(s.Holdout, t.holdout)
	if k > 0 { // baselines have neither
		s.TimeLimit, s.NearTies = t.TimeLimit, -1
	}
}

// trace keeps a moment at which a search got further: a hundredth of the gap is all
// that a plot can show.
func (c *cell) trace(e search.Event) {
	last := len(c.Trace) - 1
	if math.IsInf(e.Gap, 0) || math.IsNaN(e.Gap) || last >= 0 && e.Kind != search.EventDone && e.Gap > 0.99*c.Trace[last].Y && e.Gap <= c.Trace[last].Y {
		return
	}
	c.Trace = append(c.Trace, chart.Point{X: e.Elapsed.Seconds(), Y: e.Gap})
}

func methodNames() []string { return lists.Each(methods, func(m method) string { return m.name }) }

func methodsOf(names string) (found []method, err error) {
	for _, name := range strings.Split(names, ",") {
		at := slices.Index(methodNames(), name)
		if at < 0 {
			return nil, fmt.Errorf("%q is not a method: they are %s", name, strings.Join(methodNames(), ", "))
		}
		found = append(found, methods[at])
	}
	return found, nil
}
