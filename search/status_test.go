package search_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/search"
	"optcomplete/spec"
)

// loose lowers the constant of every cut by a part of the cost, as an oracle that
// rounds badly would.
type loose struct {
	search.Oracle
	by float64
}

func (l loose) Eval(ctx context.Context, w []float64) (search.Cut, error) {
	cut, err := l.Oracle.Eval(ctx, w)
	cut.Constant -= l.by * cut.Cost
	return cut, err
}

// TestOptimalMeansThatTheGapIsClosed: with cuts that do not reach the costs, the
// status follows from the cost and the bound, whatever regions are left.
func TestOptimalMeansThatTheGapIsClosed(t *testing.T) {
	d := distance{
		a:      [][]float64{{7, 2, 5, 1, 3, 4}, {0, 3, 1, 2, 1, 0}},
		target: []float64{1, 0.9, 0, 0.8, 0, 0},
	}
	for _, c := range []struct {
		by, asked float64
		want      search.Status
	}{
		{0, 0, search.Optimal},
		{1e-9, 0, search.NumericalLimit},
		{1e-3, 0, search.NumericalLimit},
		{1e-3, 0.1, search.GapReached},
		{1e6, 0, search.NumericalLimit},
		{1e6, 0.1, search.NumericalLimit},
	} {
		got := must.Get(search.Minimize(context.Background(), loose{d, c.by}, search.Settings{K: 3, Gap: c.asked}))(t)
		if got.Status != c.want {
			t.Errorf("cuts looser by %v, gap %v asked for: %v with gap %v, want %v", c.by, c.asked, got.Status, got.Gap, c.want)
		}
		if got.Bound < 0 || got.Bound > got.Cost || got.Gap != search.RelativeGap(got.Cost, got.Bound) {
			t.Errorf("cost %v, bound %v, gap %v", got.Cost, got.Bound, got.Gap)
		}
		if early := c.want == search.NumericalLimit; got.Status.Early() != early {
			t.Errorf("%v is early: %v", got.Status, !early)
		}
	}
}

// TestCertify: a cost that is computed again moves gap and status with it.
func TestCertify(t *testing.T) {
	r := search.Result{Bound: 1, Status: search.Optimal}
	if r.Certify(1.5, 0); r.Status != search.NumericalLimit || r.Gap != 1/3.0 {
		t.Errorf("%v, gap %v", r.Status, r.Gap)
	}
	if r.Certify(1, 0); r.Status != search.Optimal || r.Gap != 0 {
		t.Errorf("%v, gap %v", r.Status, r.Gap)
	}
	r = search.Result{Bound: -1, Status: search.TimeLimit}
	if r.Certify(1, 0); r.Status != search.TimeLimit || r.Bound != 0 || r.Gap != 1 {
		t.Errorf("%v, bound %v, gap %v", r.Status, r.Bound, r.Gap)
	}
	if gap := search.RelativeGap(0, 0); gap != 0 || search.RelativeGap(1, math.Inf(-1)) != math.Inf(1) {
		t.Errorf("gap %v", gap)
	}
}

// TestLimitsAreChecked: what only the command line refused before is refused here.
func TestLimitsAreChecked(t *testing.T) {
	for _, bad := range []search.Settings{{K: 1, Gap: math.NaN()}, {K: 1, Gap: 1}, {K: 1, TimeLimit: -1}, {K: 1, MaxNodes: -1}} {
		if err := bad.Validate(3); !errors.As(err, new(*spec.Error)) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
