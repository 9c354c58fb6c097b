package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/internal/gammapath"
	"optcomplete/internal/must"
	"optcomplete/result"
)

// raced is a made-up race along γ = 0.01 … 100: the selection and the error at each
// half decade, and how many entries of each level were read.
type raced struct {
	selection func(level, step int) int
	error     func(level, step int) float64
	easiest   float64 // the γ without a gap at the root
	limited   float64 // γ from here on end at the numerical limit; zero: none
	tried     []int   // steps, in order
	levels    int     // the last one
}

func (r *raced) run(t *testing.T, ctx context.Context) Won {
	t.Helper()
	path := gammapath.Path{Unit: 1, First: -2, Last: 2, Step: 0.5, Equal: 5e-4}
	step := func(gamma float64) int {
		for s := range 9 {
			if (&Race{Path: path}).enter(s, nil).gamma == gamma {
				return s
			}
		}
		t.Fatalf("γ %v is not on the path", gamma)
		return 0
	}
	race := Race{
		Path: path, Levels: 3,
		Select: func(ctx context.Context, level int, gammas []float64, start [][]int) ([][]int, error) {
			var out [][]int
			r.levels = level
			for _, gamma := range gammas {
				r.tried = append(r.tried, step(gamma))
				out = append(out, []int{r.selection(level, step(gamma))})
			}
			return out, ctx.Err()
		},
		Score: func(_ context.Context, level int, gamma float64, selection []int) (*Errors, error) {
			e := r.error(level, step(gamma))
			errors := &Errors{}
			for g := range errors.squares { // groups differ, more so on smaller samples
				errors.squares[g] = e * e * (1 + float64((step(gamma)*7+g*5)%3-1)*0.004/float64(1+9*level))
			}
			errors.RMSE = e
			return errors, nil
		},
		Root: func(_ context.Context, gamma float64, _ []int) (float64, error) {
			return math.Abs(math.Log(gamma / r.easiest)), nil
		},
		Many: r.easiest > 0,
		Limited: func(_ context.Context, gamma float64, _ []int) (bool, error) {
			return r.limited > 0 && gamma >= r.limited, nil
		},
		Names: func(selection []int) []string { return nil },
	}
	won := must.Get(race.Run(ctx))(t)
	return won
}

func TestRaceTakesTheBest(t *testing.T) {
	each := func(level, step int) int { return step }
	valley := func(at int) func(int, int) float64 {
		return func(_, step int) float64 { return 1 + 0.01*float64((step-at)*(step-at)) }
	}
	for at, want := range map[int]float64{0: 0.01, 1: 0.032, 4: 1, 7: 32, 8: 100} {
		r := &raced{selection: each, error: valley(at)}
		if won := r.run(t, context.Background()); won.Gamma != want || won.Selection[0] != at {
			t.Errorf("the least error is at step %d: γ %v with %v, tried %v", at, won.Gamma, won.Selection, r.tried)
		}
	}
}

func TestRaceEndsWhereAllSelectTheSame(t *testing.T) {
	r := &raced{selection: func(int, int) int { return 0 }, error: func(int, int) float64 { return 1 }}
	if won := r.run(t, context.Background()); won.Gamma != 0.1 || len(r.tried) != 3 || r.levels != 0 {
		t.Errorf("γ %v, tried %v up to level %d", won.Gamma, r.tried, r.levels)
	}
}

// TestRaceGivesUpWhatCannotWin: on the last sample, only what is near the best is tried.
func TestRaceGivesUpWhatCannotWin(t *testing.T) {
	r := &raced{selection: func(_, step int) int { return step }, error: func(_, step int) float64 {
		if step == 4 || step == 5 {
			return 1 + 0.0001*float64(step-4)
		}
		return 1.2
	}}
	won := r.run(t, context.Background())
	if won.Gamma != 1 || !slices.Equal(r.tried, []int{2, 4, 6, 2, 4, 6, 3, 5, 4, 3, 5}) || r.levels != 2 {
		t.Errorf("γ %v, tried %v up to level %d", won.Gamma, r.tried, r.levels)
	}
}

// TestRaceKeepsFewSelections: of many that predict alike, the best go on.
func TestRaceKeepsFewSelections(t *testing.T) {
	r := &raced{selection: func(_, step int) int { return step }, error: func(_, step int) float64 { return 1 + 1e-6*math.Abs(float64(step)-4) }}
	if won := r.run(t, context.Background()); won.Gamma != 0.32 || len(r.tried) != 3+5+3 {
		t.Errorf("γ %v, tried %v", won.Gamma, r.tried)
	}
}

// TestRaceTriesNeighboursAgain: what a small sample showed of a γ is not held against it
// where it is next to the best.
func TestRaceTriesNeighboursAgain(t *testing.T) {
	r := &raced{selection: func(_, step int) int { return step }, error: func(level, step int) float64 {
		if level < 2 {
			return 1 + 0.01*math.Abs(float64(step)-4)
		}
		return 1 + 0.01*math.Abs(float64(step)-1)
	}}
	if won := r.run(t, context.Background()); won.Gamma != 0.032 {
		t.Errorf("γ %v, tried %v", won.Gamma, r.tried)
	}
}

// TestRaceDoesNotTrustTheSmallestSample: where selections differ there, a larger one decides.
func TestRaceDoesNotTrustTheSmallestSample(t *testing.T) {
	r := &raced{selection: func(level, step int) int { return max(step, 4-3*level) }, error: func(level, step int) float64 {
		if level == 0 && step < 5 {
			return 1.3
		}
		return 1 + 0.01*float64(step)
	}}
	if won := r.run(t, context.Background()); won.Gamma != 0.01 {
		t.Errorf("γ %v, tried %v", won.Gamma, r.tried)
	}
}

// TestRacePrefersTheSmallestOfEquals: by less than chance, and by less than matters.
func TestRacePrefersTheSmallestOfEquals(t *testing.T) {
	for by, want := range map[float64]float64{0.00002: 1, 0.0006: 3.2} {
		r := &raced{selection: func(_, step int) int { return step }, error: func(_, step int) float64 {
			return map[bool]float64{true: 2 - by*float64(step), false: 2.6}[step >= 3 && step <= 5]
		}}
		won := r.run(t, context.Background())
		if won.Gamma != want || len(won.Path) < 4 || !slices.IsSortedFunc(won.Path, func(a, b result.GammaPoint) int { return cmp.Compare(a.Gamma, b.Gamma) }) {
			t.Errorf("γ %v of %v", won.Gamma, won.Path)
		}
	}
}

// Without noise a larger γ is the easier one: it is taken where it changes nothing.
func TestRaceTakesTheEasiestOfTwins(t *testing.T) {
	r := &raced{selection: func(int, int) int { return 1 }, error: func(int, int) float64 { return 1 }, easiest: 10}
	if won := r.run(t, context.Background()); won.Gamma != 10 {
		t.Errorf("γ %v, tried %v", won.Gamma, r.tried)
	}
	r = &raced{selection: func(_, step int) int { return step }, error: func(int, int) float64 { return 1 }, easiest: 10}
	if won := r.run(t, context.Background()); won.Gamma == 10 {
		t.Errorf("another selection: γ %v, tried %v", won.Gamma, r.tried)
	}
}

func TestRaceAvoidsNumericalLimits(t *testing.T) {
	r := &raced{selection: func(_, step int) int { return step }, error: func(_, step int) float64 { return 2 - 0.1*float64(step) }, limited: 10}
	won := r.run(t, context.Background())
	if won.Gamma >= 10 || won.Selection == nil || !slices.ContainsFunc(won.Path, func(p result.GammaPoint) bool { return p.Limited }) {
		t.Errorf("γ %v of %v", won.Gamma, won.Path)
	}
}

func TestRaceThatIsCutShortHasAnAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &raced{selection: func(_, step int) int { return step }, error: func(int, int) float64 { return 1 }}
	if won := r.run(t, ctx); won.Gamma != 1 || won.Selection != nil || won.Path != nil {
		t.Errorf("%+v", won)
	}
}
