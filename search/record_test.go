package search_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// recording keeps a proof as it comes.
type recording struct {
	points [][]float64
	nodes  map[int]*recorded
}

type recorded struct {
	fixes   []recordedFix
	ends    int
	split   int // feature, −1: not split
	parts   [2]int
	cut     int
	entries bool // enumerated
	model   bool // from the cut's weights
}

type recordedFix struct {
	feature, cut int
	in           bool
}

func (r *recording) node(label int) *recorded {
	if r.nodes[label] == nil {
		r.nodes[label] = &recorded{split: -1, cut: -1}
	}
	return r.nodes[label]
}

func (r *recording) Cut(weights []float64) { r.points = append(r.points, slices.Clone(weights)) }
func (r *recording) Fix(node, feature int, in bool, cut int) {
	r.node(node).fixes = append(r.node(node).fixes, recordedFix{feature, cut, in})
}
func (r *recording) Split(node, feature, inside, outside int) {
	n := r.node(node)
	n.split, n.parts = feature, [2]int{inside, outside}
	n.ends++
}
func (r *recording) Close(node, cut int) {
	n := r.node(node)
	n.cut = cut
	n.ends++
}
func (r *recording) Model(node, _ int, _ []float64)              { r.node(node).model = true }
func (r *recording) Tangent(int, []int, []float64, []int, []int) {}
func (r *recording) List(int)                                    {}
func (r *recording) Enumerate(node int) {
	n := r.node(node)
	n.entries = true
	n.ends++
}

// ruledOut follows a selection down the tree to what rules it out: a cut, or
// (−1) an enumeration or a model, or (−2) nothing.
func (r *recording) ruledOut(t *rapid.T, selection []int) int {
	for label := 0; ; {
		n := r.nodes[label]
		if n == nil {
			t.Fatalf("node %d, which holds %v, has no end", label, selection)
		}
		for _, f := range n.fixes {
			if slices.Contains(selection, f.feature) != f.in {
				return f.cut
			}
		}
		switch {
		case n.model: // what follows is the model's, which package proof checks
			return -1
		case n.ends != 1:
			t.Fatalf("node %d ends %d times", label, n.ends)
		case n.split >= 0 && slices.Contains(selection, n.split):
			label = n.parts[0]
		case n.split >= 0:
			label = n.parts[1]
		case n.entries:
			return -1
		case n.cut < 0:
			return -2
		default:
			return n.cut
		}
	}
}

// TestRecordProvesTheBound: whatever ended the search, everything that the record
// says to rule a selection out is at least the bound there.
func TestRecordProvesTheBound(t *testing.T) {
	models := 0
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		_, p := in.Features.Dims()
		exact := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		var oracle search.Oracle = exact
		switch rapid.IntRange(0, 3).Draw(t, "oracle") {
		case 1:
			oracle = curvedOnly{exact}
		case 2:
			oracle = bare{exact}
		case 3:
			oracle = modelsOnly{exact, exact, &models}
		}
		record := &recording{nodes: map[int]*recorded{}}
		settings := search.Settings{K: in.K, Always: subset(t, p, "always"), Recorder: record}
		settings.Always = settings.Always[:min(len(settings.Always), in.K/2)]
		settings.MaxNodes = rapid.IntRange(0, 3).Draw(t, "nodes")
		settings.MaxPasses = rapid.IntRange(0, 20).Draw(t, "passes")
		result := must.Get(search.Minimize(context.Background(), oracle, settings))(t)
		if len(record.points) < result.Cuts {
			t.Fatalf("%d points recorded, %d cuts made", len(record.points), result.Cuts)
		}
		testkit.Selections(p, in.K, settings.Always, nil, func(selection []int) {
			value := math.Inf(-1)
			switch by := record.ruledOut(t, selection); by {
			case -2:
			case -1:
				value = in.Precise(search.Indicator(p, selection))
			default:
				cut := must.Get(exact.Eval(context.Background(), record.points[by]))(t)
				value = cut.Constant
				for _, j := range selection {
					value += cut.Gradient[j]
				}
			}
			value = max(value, 0) // no cost is below
			if value < result.Bound-slack(in, result.Bound) {
				t.Fatalf("%v is ruled out at %v, but the bound is %v", selection, value, result.Bound)
			}
		})
	})
}

func TestRecordRefusesRequirements(t *testing.T) {
	d := distance{a: [][]float64{{1, 2, 3}}, target: []float64{1, 1, 0}}
	_, err := search.Minimize(context.Background(), d, search.Settings{
		K: 2, Requires: []search.Requirement{{Feature: 0, Parents: []int{1}}}, Recorder: &recording{nodes: map[int]*recorded{}},
	})
	if err == nil || errors.Is(err, search.ErrInfeasible) {
		t.Fatalf("requirements were recorded: %v", err)
	}
}
