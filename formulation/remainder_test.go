package formulation

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/spec"
)

// unnamed makes values that two features and two unnamed directions explain.
func unnamed(t testing.TB) Problem {
	t.Helper()
	const n, m, p = 300, 80, 6
	rng := random.New(11)
	normal := func(size int) []float64 {
		out := make([]float64, size)
		for x := range out {
			out[x] = rng.Normal()
		}
		return out
	}
	b, u, left, right := normal(m*p), normal(n*2), normal(n*2), normal(m*2)
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if rng.Float64() < 0.4 {
				v := 3 + u[i*2]*b[j*p+1] + u[i*2+1]*b[j*p+4] + left[i*2]*right[j*2] + left[i*2+1]*right[j*2+1] + 0.3*rng.Normal()
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	ids := func(prefix byte, size int) []string {
		out := make([]string, size)
		for x := range out {
			out[x] = string([]byte{prefix, byte('0' + x/100), byte('0' + x/10%10), byte('0' + x%10)})
		}
		return out
	}
	f := data.NewFeatures(ids('c', m), ids('f', p), b)
	return Problem{Ratings: data.NewRatings(matrix, ids('r', n), f.IDs), Features: f}
}

func TestRemainderCarriesWhatHasNoName(t *testing.T) {
	problem := unnamed(t)
	fit := func(rank, threads int) *model.Model {
		m, err := Fit(context.Background(), problem, Settings{K: 2, Statistics: spec.Statistics{Gamma: 1, ColumnShrinkage: 4, Holdout: 0.2}, ResidualRank: rank, Limits: spec.Limits{Threads: threads}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	without, auto := fit(0, 2), fit(AutoRank, 2)
	if trial := without.Summary.RemainderTrial; trial == nil || !(trial.Low > 0.4 && trial.High > trial.Low) || auto.Summary.RemainderTrial != nil {
		t.Errorf("the trial of a remainder says %+v, of a model with one %+v", trial, auto.Summary.RemainderTrial)
	}
	if without.Remainder != nil || auto.Remainder == nil || auto.Remainder.Rank < 2 {
		t.Fatalf("remainder %+v and %+v", without.Remainder, auto.Remainder)
	}
	if diff := cmp.Diff(without.Summary.Selected, auto.Summary.Selected); diff != "" {
		t.Errorf("the remainder changes the selection: %s", diff)
	}
	if a, b := auto.Summary.Holdout.RMSE, without.Summary.Holdout.RMSE; a > 0.5*b {
		t.Errorf("RMSE %v with the remainder, %v without", a, b)
	}
	if v := auto.Summary.Variance; math.Abs(v.Remainder-0.5) > 0.15 {
		t.Errorf("the remainder carries %v of the variance, half was made of it", v.Remainder)
	}
	one := fit(1, 2)
	if one.Remainder == nil || one.Remainder.Rank != 1 || one.Summary.Holdout.RMSE < auto.Summary.Holdout.RMSE {
		t.Errorf("rank 1 gives %+v and RMSE %v", one.Remainder, one.Summary.Holdout.RMSE)
	}
	ignore := cmp.Options{cmpopts.IgnoreUnexported(model.Model{}), cmpopts.IgnoreFields(model.Summary{}, "Seconds", "Trace", "Settings")}
	if diff := cmp.Diff(auto.Parts, fit(AutoRank, 1).Parts, ignore); diff != "" {
		t.Errorf("threads change the result: %s", diff)
	}
}

// On pure noise there is nothing to carry.
func TestNoRemainderForNoise(t *testing.T) {
	problem := unnamed(t)
	rng := random.New(3)
	problem.Ratings = data.NewRatings(problem.Ratings.Matrix().Map(func(int, int32, float64) float64 { return rng.Normal() }), problem.Ratings.RowIDs, problem.Ratings.ColumnIDs)
	m, err := Fit(context.Background(), problem, Settings{K: 2, Statistics: spec.Statistics{Gamma: 1e-3, ColumnShrinkage: 4, Holdout: 0.2}, ResidualRank: AutoRank})
	if err != nil {
		t.Fatal(err)
	}
	none := must.Get(Fit(context.Background(), problem, Settings{K: 2, Statistics: spec.Statistics{Gamma: 1e-3, ColumnShrinkage: 4, Holdout: 0.2}}))(t)
	if trial := none.Summary.RemainderTrial; trial == nil || trial.Gain > 0.01 {
		t.Errorf("the trial of a remainder of noise says %+v", trial)
	}
	if m.Remainder != nil && m.Summary.Holdout.RMSE > 1.02 {
		t.Errorf("remainder %+v of noise, RMSE %v", m.Remainder, m.Summary.Holdout.RMSE)
	}
}

func TestBaselinesAreModels(t *testing.T) {
	problem := unnamed(t)
	rmse := map[Method]float64{}
	for _, method := range []Method{EffectsOnly{}, SoftImpute{}, IMC{}} {
		m := must.Get(Fit(context.Background(), problem, Settings{Method: method, Statistics: spec.Statistics{Holdout: 0.2}}))(t)
		loaded := saved(t, m)
		for _, row := range []string{"r003", "nobody"} {
			for _, column := range []string{"c017", "nothing"} {
				if a, b := m.Answer(row, column), loaded.Answer(row, column); a != b {
					t.Errorf("%v: %+v before, %+v after saving", method, a, b)
				}
			}
		}
		if m.Summary.Early() || m.Summary.Certified || m.Summary.Method != method.String() {
			t.Errorf("%+v", m.Summary)
		}
		rmse[method] = m.Summary.Holdout.RMSE
	}
	if !(rmse[SoftImpute{}] < 0.5*rmse[EffectsOnly{}] && rmse[IMC{}] < 0.9*rmse[EffectsOnly{}]) {
		t.Errorf("RMSE %v", rmse)
	}
	if _, err := Fit(context.Background(), problem, Settings{Method: IMC{}, K: 3}); err == nil {
		t.Error("k is accepted for a method that selects nothing")
	}
}

// With the paper's model a baseline is a matrix of low rank and nothing else.
func TestBaselinesObeyThePaperModel(t *testing.T) {
	problem := unnamed(t)
	for _, method := range []Method{SoftImpute{}, IMC{}} {
		m := must.Get(Fit(context.Background(), problem, Settings{Method: method, Model: spec.Paper}))(t)
		if m.Summary.Model != "paper" || m.RowEffects != nil || m.ColumnEffects != nil || m.Mean != 0 || m.Clip != nil {
			t.Errorf("%v: model %s, mean %v, clip %v", method, m.Summary.Model, m.Mean, m.Clip)
		}
	}
}

// failing runs readings, and fails for good at one of those of the remainder, as
// if the run had been killed there.
type failing struct {
	at   int // 0: never
	done int
}

var errKilled = errors.New("killed")

func (f *failing) Run(ctx context.Context, r pass.Reading) error {
	if pass.NameOf(r.Tasks[0].Pass) == "remainder" {
		if f.done+1 == f.at {
			return errKilled
		}
		f.done++
	}
	return pass.ThreadRunner.Run(ctx, r)
}

func TestKilledRemainderGoesOn(t *testing.T) {
	defer func(was int) { longStep = was }(longStep)
	longStep = 0
	problem := unnamed(t)
	settings := Settings{K: 2, Statistics: spec.Statistics{Gamma: 1, ColumnShrinkage: 4}, ResidualRank: 2, Limits: spec.Limits{Threads: 2}}
	fit := func(at int) (*model.Model, int, error) {
		runner := &failing{at: at}
		m, err := Fit(pass.WithRunner(context.Background(), runner), problem, settings)
		return m, runner.done, err
	}
	want, all, err := fit(0)
	if err != nil || all < 5 {
		t.Fatal(all, err)
	}
	settings.Checkpoint = t.TempDir()
	if _, _, err := fit(4); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	got, rest, err := fit(0)
	if err != nil {
		t.Fatal(err)
	}
	if rest != all-3 {
		t.Errorf("%d readings after 3 of %d", rest, all)
	}
	if diff := cmp.Diff(want.Parts, got.Parts, cmpopts.IgnoreUnexported(model.Model{})); diff != "" {
		t.Errorf("a killed run ends elsewhere: %s", diff)
	}
}

// Few entries and many features: the covariance of their coefficients would be that of
// noise. A trial tells whether the other features help.
func TestOtherFeaturesAreTriedOnFewEntries(t *testing.T) {
	const n, m, p = 100, 120, 60
	rng := random.New(8)
	b := make([]float64, m*p)
	for x := range b {
		b[x] = rng.Normal()
	}
	fit := func(signal float64) *model.Model {
		var entries []data.Entry
		for i := range n {
			for j := range m {
				if rng.Float64() < 0.1 {
					v := rng.Normal()
					for f := range 12 {
						v += signal * b[j*p+f] * float64(1-2*(i>>(f%4)&1))
					}
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
				}
			}
		}
		matrix := must.Get(data.NewMatrix(n, m, entries))(t)
		ids := func(prefix string, size int) (out []string) {
			for x := range size {
				out = append(out, prefix+strconv.Itoa(1000+x))
			}
			return out
		}
		f := data.NewFeatures(ids("c", m), ids("f", p), b)
		problem := Problem{Ratings: data.NewRatings(matrix, ids("r", n), f.IDs), Features: f}
		fitted, err := Fit(t.Context(), problem, Settings{K: 2, Statistics: spec.Statistics{Gamma: 0.1, ColumnShrinkage: 4}, ResidualRank: AutoRank, Limits: spec.Limits{MaxNodes: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return fitted
	}
	if noise := fit(0); noise.Remainder != nil || len(noise.Summary.Warnings) == 0 || !strings.Contains(noise.Summary.Warnings[0], "no remainder was fitted: on validation entries") {
		t.Errorf("remainder %+v of noise, warnings %q", noise.Remainder, noise.Summary.Warnings)
	}
	if told := fit(1); told.Remainder == nil || len(told.Remainder.Other) == 0 || told.Remainder.OtherOf != p-2 {
		t.Errorf("remainder %+v where 12 features explain", told.Remainder)
	}
}
