package evaluate_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
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
	later  func(move) *data.Ratings
}

// move is by how much later ratings are others: their noise, their mean, the mean effect of x and
// of y, how many there are of columns with x, and by how much rows' own effects of x and y have changed.
type move struct{ noise, level, effect, other, tilt, rowsX, rowsY float64 }

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
	var changed [rows][2]float64
	var c [columns]float64
	for j := range c {
		c[j] = 0.5 * s.Normal()
	}
	var ids []string
	var now []data.Entry
	used := map[[2]int]bool{}
	value := func(i, j int, by move) float64 {
		x, y, z := f.Values[3*j], f.Values[3*j+1], f.Values[3*j+2]
		return 3 + by.level + u[i][0] + c[j] + (u[i][1]+by.effect+by.rowsX*changed[i][0])*x + (by.other+by.rowsY*changed[i][1])*y + u[i][2]*z + (0.5+by.noise)*s.Normal()
	}
	for i := range rows {
		ids = append(ids, "r"+strconv.Itoa(i))
		u[i] = [3]float64{0.6 * s.Normal(), 0.8 * s.Normal(), 0.7 * s.Normal()}
		changed[i] = [2]float64{s.Normal(), s.Normal()}
		for j := range columns {
			if s.Float64() < 0.5 {
				used[[2]int{i, j}] = true
				now = append(now, data.Entry{Row: int32(i), Column: int32(j), Value: value(i, j, move{})})
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
	return drifting{fitted, f, func(by move) *data.Ratings {
		var later []data.Entry
		for i := range rows {
			for j := range columns {
				if share := 0.2 + by.tilt*f.Values[3*j]; !used[[2]int{i, j}] && s.Float64() < share {
					later = append(later, data.Entry{Row: int32(i), Column: int32(j), Value: value(i, j, by)})
				}
			}
		}
		return data.NewRatings(must.Get(data.NewMatrix(rows, columns, later))(t), ids, f.IDs)
	}}
}

// Where nothing has moved a drift is found about as often as the level says, and each kind of
// drift is found and called by its name.
func TestDriftIsFoundBeyondChance(t *testing.T) {
	alarms, tries, kinds := 0, 0, map[string]int{}
	for seed := range uint64(8) {
		d := newDrifting(t, 11+seed)
		for range 40 {
			found := must.Get(evaluate.FindDrift(d.model, d.later(move{}), d.others))(t)
			if tries++; found.Moved {
				alarms++
			}
			for _, test := range found.Tests {
				if test.P < 0.01 {
					kinds[test.What]++
				}
			}
		}
		for _, c := range []struct {
			by   move
			want string
		}{
			{move{noise: 0.3}, "rmse"}, {move{level: 0.3}, "level"}, {move{effect: 0.4}, "effect x"}, {move{other: 0.4}, "unselected y"},
			{move{tilt: 0.35}, "mean x"}, {move{rowsX: 1.8}, "spread x"}, {move{rowsY: 1.6}, "selection y for "},
		} {
			found := must.Get(evaluate.FindDrift(d.model, d.later(c.by), d.others))(t)
			named := slices.ContainsFunc(found.Tests, func(test evaluate.DriftTest) bool {
				name := test.What
				if test.Feature != "" {
					name += " " + test.Feature
				}
				return test.Moved && strings.HasPrefix(name, c.want)
			})
			if !named || !found.Moved {
				t.Errorf("seed %d, %+v: not found in %+v", seed, c, found.Tests[len(found.Tests)-1])
			}
		}
	}
	// 1 % of 320 is 3.2; more than 10 would come with a probability of 0.0005.
	if alarms > 10 {
		t.Errorf("%d false alarms of %d", alarms, tries)
	}
	t.Logf("%d false alarms of %d; below 0.01: %v", alarms, tries, kinds)
}

// Entries that the model was fitted on tell nothing, and neither do three.
func TestDriftOfWhatIsKnown(t *testing.T) {
	d := newDrifting(t, 3)
	few := must.Get(data.NewMatrix(1, 60, []data.Entry{{Row: 0, Column: 1, Value: 9}}))(t)
	if _, err := evaluate.FindDrift(d.model, data.NewRatings(few, []string{"r1"}, d.others.IDs), nil); err != evaluate.ErrTooFewForDrift {
		t.Error(err)
	}
}
