package formulation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"optcomplete/model"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Method is a way to select features, with the settings that are its own:
// [Certified], which nil stands for, and the paper's [CutPlanes] and [OptComplete];
// or, to compare with, one that selects nothing: [SoftImpute], [IMC], [EffectsOnly].
type Method interface {
	// String is the name by which flags and files call the method.
	String() string

	// check refuses settings of the method that cannot be meant, or that the problem
	// cannot meet.
	check(problem Problem) error
}

// selecting is a method that selects.
type selecting interface {
	Method

	// search selects, and records in the summary what only this method has. It also
	// tells when the selection was found; the time after that went into its proof.
	search(ctx context.Context, t *formulation, s *cost, c selection.Learned, summary *model.Summary) (search.Result, time.Duration, error)

	// checkProof says why no proof can be written of the method; nil: one can.
	checkProof() error

	// recorded are those settings of the method that a model tells, by the names of
	// their flags. Those at their defaults are left out.
	recorded() map[string]string
}

var methods = []Method{Certified{}, CutPlanes{}, OptComplete{}, SoftImpute{}, IMC{}, EffectsOnly{}}

// ParseMethod finds a method by its name. Its settings are the defaults.
func ParseMethod(name string) (Method, error) {
	var names []string
	for _, m := range methods {
		if name == m.String() {
			return m, nil
		}
		names = append(names, m.String())
	}
	last := len(names) - 1
	return nil, fmt.Errorf("method %q is unknown: it must be %s or %s", name, strings.Join(names[:last], ", "), names[last])
}

// Certified is branch and bound on relaxations, proven; see package search.
type Certified struct {
	Sampling Sampling // whether samples are searched before all data; zero: of large data
}

var _ selecting = Certified{}

func (Certified) String() string { return "certified" }

func (m Certified) check(Problem) error {
	if m.Sampling < AutoSampling || m.Sampling > AlwaysSampling {
		return spec.Errorf("the sampling is %d, which does not exist", m.Sampling)
	}
	return nil
}

func (Certified) checkProof() error { return nil }

func (Certified) recorded() map[string]string { return nil }

func (m Certified) search(ctx context.Context, t *formulation, s *cost, c selection.Learned, summary *model.Summary) (search.Result, time.Duration, error) {
	summary.Certified = true
	if m.Sampling == AlwaysSampling || m.Sampling == AutoSampling && s.values.Observed() >= sampleFrom {
		return t.sampleThenProve(ctx, s, c, summary)
	}
	return minimize(ctx, s.Oracle, s.Find)
}

// minimize is the certified search.
func minimize(ctx context.Context, oracle search.Oracle, find search.Settings) (search.Result, time.Duration, error) {
	var found time.Duration
	find.OnEvent = selection.Stamp(find.OnEvent, &found)
	result, err := search.Minimize(ctx, oracle, find)
	return result, found, err
}

// certify proves, or improves, a selection that was found on samples, in the
// time that is left. Passes and times are those of both.
func certify(ctx context.Context, oracle search.Oracle, find search.Settings, sampled search.Result) (search.Result, time.Duration, error) {
	find.Start = [][]int{sampled.Selection}
	if find.TimeLimit > 0 {
		find.TimeLimit = max(find.TimeLimit-sampled.Elapsed, time.Millisecond)
	}
	find.SearchTime = shorter(find.SearchTime, sampled.Elapsed)
	result, found, err := minimize(ctx, oracle, find)
	result.Passes += sampled.Passes
	result.Elapsed += sampled.Elapsed
	return result, sampled.Elapsed + found, err
}
