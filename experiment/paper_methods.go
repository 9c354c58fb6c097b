package experiment

import (
	"context"
	"fmt"
	"strings"
	"time"

	"optcomplete"
	"optcomplete/baseline/effects"
	"optcomplete/baseline/imc"
	"optcomplete/baseline/softimpute"
	"optcomplete/evaluate"
	"optcomplete/internal/lists"
	"optcomplete/model/estimate"
	"optcomplete/spec"
)

// method is a way to complete a matrix.
type method struct {
	name   string
	limits int // it is cancelled after this many time limits; 0: never, its search sees to the limit
	run    func(ctx context.Context, t *trial) (*outcome, error)
}

// outcome is what a method found.
type outcome struct {
	predict  evaluate.Predictor
	selected []string // nil: it selects no features
	gamma    float64
	bounded  bool // gap is proven
	gap      float64
	status   string

	cuts, nodes, passes int
	seconds             PaperSeconds // a Total of 0: the whole run
}

const oracleName = "oracle"

// oracleMethod knows the true features: the best that any selection can do.
// Its coefficients are fitted as those of the other methods are. All others are
// measured against it, so it has no limit.
var oracleMethod = method{name: oracleName, run: func(ctx context.Context, t *trial) (*outcome, error) {
	chosen, k := estimate.Chosen(t.problem.Features, t.source.Selected), len(t.source.Selected)
	parts, err := estimate.FitParts(ctx, t.train(), chosen, k, estimate.Recipe{Kind: spec.Paper, Threads: t.Threads})
	if err != nil {
		return nil, err
	}
	return &outcome{predict: parts.Predictor(chosen, k), selected: t.source.SelectedNames()}, nil
}}

// baseline is the settings of a method that selects nothing.
func (t *trial) baseline() effects.Settings {
	return effects.Settings{Seed: t.seed, Threads: t.Threads, Memory: t.Memory}
}

// methods are all that can be compared. A new one needs a line here.
var methods = []method{
	oracleMethod,
	selecting(optcomplete.Certified{}),
	selecting(optcomplete.OptComplete{}),
	selecting(optcomplete.CutPlanes{}),
	full(spec.Full.String(), 0),
	full(Remainder, optcomplete.AutoRank),
	{name: IMC, limits: 1, run: func(ctx context.Context, t *trial) (*outcome, error) {
		problem, err := t.asGiven(ctx)
		if err != nil {
			return nil, err
		}
		return predicted(imc.Fit(ctx, t.train(), problem.Features, imc.Settings{Settings: t.baseline()}))
	}},
	{name: SoftImpute, limits: 1, run: func(ctx context.Context, t *trial) (*outcome, error) {
		s := softimpute.Settings{Settings: t.baseline()}
		if t.Netflix {
			s.Rank = t.K // "we set the maximum rank of SIALS to be k"
		}
		return predicted(softimpute.Fit(ctx, t.train(), s))
	}},
	{name: Effects, limits: 1, run: func(ctx context.Context, t *trial) (*outcome, error) {
		return predicted(effects.Fit(ctx, t.train(), t.baseline()))
	}},
}

// predicted is the outcome of a method that only predicts.
func predicted[P evaluate.Predictor](by P, err error) (*outcome, error) {
	return &outcome{predict: by}, err
}

// selecting is one of the program's own ways to select, with the paper's model.
// Of the γ that are equally good each gets the one that suits it.
func selecting(which optcomplete.Method) method {
	return method{name: which.String(), run: func(ctx context.Context, t *trial) (*outcome, error) {
		found, err := t.chooseGamma(ctx)
		if err != nil {
			return nil, err
		}
		start, gamma := time.Now(), found.easiest
		if which != (optcomplete.Certified{}) {
			if gamma, err = t.tune(ctx, which, found); err != nil {
				return nil, err
			}
		}
		took := (found.took + time.Since(start)).Seconds()
		out, err := t.fit(ctx, t.problem, t.paperSettings(which, gamma))
		if err != nil {
			return nil, err
		}
		out.seconds.Choose += took
		out.seconds.Total += took
		return out, nil
	}}
}

func (t *trial) paperSettings(which optcomplete.Method, gamma float64) optcomplete.Settings {
	switch which.(type) {
	case optcomplete.CutPlanes:
		which = optcomplete.CutPlanes{Solver: t.Solver}
	case optcomplete.OptComplete:
		which = optcomplete.OptComplete{Solver: t.Solver}
	}
	return optcomplete.Settings{Model: spec.Paper, Statistics: optcomplete.Statistics{Gamma: gamma}, Method: which}
}

// full is the program's own model: effects, and coefficients with a learned
// prior, selected by the certified search; with a remainder of low rank or not.
func full(name string, rank int) method {
	limits := 0
	if rank != 0 {
		limits = 4 // choosing, searching, fitting, and a remainder, which has no limit of its own
	}
	return method{name: name, limits: limits, run: func(ctx context.Context, t *trial) (*outcome, error) {
		problem, err := t.asGiven(ctx)
		if err != nil {
			return nil, err
		}
		return t.fit(ctx, problem, optcomplete.Settings{Model: spec.Full, Statistics: optcomplete.Statistics{Gamma: t.Gamma}, ResidualRank: rank})
	}}
}

// fit runs one of the program's own methods.
func (t *trial) fit(ctx context.Context, problem optcomplete.Problem, s optcomplete.Settings) (*outcome, error) {
	start := time.Now()
	fitted, err := optcomplete.Fit(ctx, problem, t.settings(s))
	if err != nil {
		return nil, err
	}
	sum := &fitted.Summary
	return &outcome{
		predict: fitted, selected: sum.Selected, gamma: sum.Gamma,
		bounded: sum.Certified, gap: min(sum.Gap, 1), status: sum.Status.String(), // a cost is never below 0
		cuts: sum.Cuts, nodes: sum.Nodes, passes: sum.Passes,
		seconds: PaperSeconds{
			Choose: sum.Seconds.Choose, Search: sum.Seconds.Select - sum.Seconds.Choose + sum.Seconds.Certify, Total: time.Since(start).Seconds(),
		},
	}, nil
}

// settings fills in what all methods share.
func (t *trial) settings(s optcomplete.Settings) optcomplete.Settings {
	s.K, s.TimeLimit, s.NearTies, s.Seed, s.Threads = t.K, t.TimeLimit, -1, t.seed, t.Threads
	return s
}

// MethodNames lists what can be compared.
func MethodNames() []string {
	return lists.Each(methods, func(m method) string { return m.name })
}

func methodOf(name string) (method, error) {
	for _, m := range methods {
		if m.name == name {
			return m, nil
		}
	}
	return method{}, fmt.Errorf("%q is not a method: they are %s", name, strings.Join(MethodNames(), ", "))
}
