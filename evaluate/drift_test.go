package evaluate_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/spec"
)

// drifting is a fit of generated ratings, and later ones of the same rows and columns, which
// move as it is told.
type drifting struct {
	model  *model.Model
	others *data.Features
	later  func(noise, level, effect, other, tilt float64) *data.Ratings
}

func newDrifting(t *testing.T, seed uint64) drifting {
	t.Helper()
	const rows, columns = 150, 60
	s := random.New(seed)
	f := &data.Features{Names: []string{"x", "y", "z"}}
	for j := range columns {
		f.IDs = append(f.IDs, "c"+strconv.Itoa(j))
		f.Values = append(f.Values, s.Normal(), s.Normal(), s.Normal())
	}
	var u [rows][3]float64
	var c [columns]float64
	for j := range c {
		c[j] = 0.5 * s.Normal()
	}
	var ids []string
	var now []data.Entry
	used := map[[2]int]bool{}
	value := func(i, j int, noise, effect, other float64) float64 {
		return 3 + u[i][0] + c[j] + (u[i][1]+effect)*f.Values[3*j] + other*f.Values[3*j+1] + u[i][2]*f.Values[3*j+2] + noise*s.Normal()
	}
	for i := range rows {
		ids = append(ids, "r"+strconv.Itoa(i))
		u[i] = [3]float64{0.6 * s.Normal(), 0.8 * s.Normal(), 0.7 * s.Normal()}
		for j := range columns {
			if s.Float64() < 0.5 {
				used[[2]int{i, j}] = true
				now = append(now, data.Entry{Row: int32(i), Column: int32(j), Value: value(i, j, 0.5, 0, 0)})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(rows, columns, now))(t)
	fitted, err := formulation.Fit(context.Background(), formulation.Problem{Ratings: data.NewRatings(matrix, ids, f.IDs), Features: f},
		formulation.Settings{K: 2, Model: spec.Full, Statistics: spec.Statistics{Holdout: 0.2, Seed: seed}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(fitted.Summary.Selected, []string{"x", "z"}) {
		t.Fatalf("selected %v", fitted.Summary.Selected)
	}
	return drifting{fitted, f, func(noise, level, effect, other, tilt float64) *data.Ratings {
		var later []data.Entry
		for i := range rows {
			for j := range columns {
				if share := 0.2 + tilt*f.Values[3*j]; !used[[2]int{i, j}] && s.Float64() < share {
					later = append(later, data.Entry{Row: int32(i), Column: int32(j), Value: level + value(i, j, noise, effect, other)})
				}
			}
		}
		return data.NewRatings(must.Get(data.NewMatrix(rows, columns, later))(t), ids, f.IDs)
	}}
}

// Where nothing has moved a drift is found about as often as the level says, and each kind of
// drift is found and called by its name.
func TestDriftIsFoundBeyondChance(t *testing.T) {
	alarms, tries := 0, 0
	for seed := range uint64(6) {
		d := newDrifting(t, 11+seed)
		for range 25 {
			found := must.Get(evaluate.FindDrift(d.model, d.later(0.5, 0, 0, 0, 0), d.others))(t)
			if tries++; found.Moved {
				alarms++
			}
		}
		for _, c := range []struct {
			noise, level, effect, other, tilt float64
			want                              string
		}{
			{noise: 0.8, want: "rmse"}, {noise: 0.5, level: 0.3, want: "level"}, {noise: 0.5, effect: 0.4, want: "effect x"},
			{noise: 0.5, other: 0.4, want: "unselected y"}, {noise: 0.5, tilt: 0.35, want: "mean x"},
		} {
			found := must.Get(evaluate.FindDrift(d.model, d.later(c.noise, c.level, c.effect, c.other, c.tilt), d.others))(t)
			named := slices.ContainsFunc(found.Tests, func(test evaluate.DriftTest) bool {
				name := test.What
				if test.Feature != "" {
					name += " " + test.Feature
				}
				return test.Moved && name == c.want
			})
			if !named || !found.Moved {
				t.Errorf("seed %d, %+v: not found in %+v", seed, c, found.Tests)
			}
		}
	}
	// 1 % of 150 is 1.5; more than 7 would come with a probability of 0.0002.
	if alarms > 7 {
		t.Errorf("%d false alarms of %d", alarms, tries)
	}
	t.Logf("%d false alarms of %d", alarms, tries)
}

// Entries that the model was fitted on tell nothing, and neither do three.
func TestDriftOfWhatIsKnown(t *testing.T) {
	d := newDrifting(t, 3)
	few := must.Get(data.NewMatrix(1, 60, []data.Entry{{Row: 0, Column: 1, Value: 9}}))(t)
	if _, err := evaluate.FindDrift(d.model, data.NewRatings(few, []string{"r1"}, d.others.IDs), nil); err != evaluate.ErrTooFewForDrift {
		t.Error(err)
	}
}
