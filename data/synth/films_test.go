package synth

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFilmFeatureNamesAreThePapers(t *testing.T) {
	names := FilmFeatureNames()
	if len(names) != 59 {
		t.Fatalf("%d names, the paper has 59", len(names))
	}
	distinct := slices.Clone(names)
	slices.Sort(distinct)
	if len(slices.Compact(distinct)) != 59 {
		t.Error("a name is there twice")
	}
	in := films(t, 30, 60)
	want := []string{"Drama", "Within last 10 years", "Top 100 Actors", "IMDB Rating", "Constant"}
	if d := cmp.Diff(want, in.SelectedNames()); d != "" {
		t.Error(d)
	}
	for _, g := range genres {
		for _, c := range g.brings {
			if !slices.Contains(names[:24], c.genre) || c.genre == g.name {
				t.Errorf("%s brings %q", g.name, c.genre)
			}
		}
	}
}

func TestFilmFeaturesHoldTogether(t *testing.T) {
	in := films(t, 10, 2000)
	at := func(name string) int { return slices.Index(in.Features.Names, name) }
	column := func(name string) []float64 {
		var out []float64
		for j := range in.Columns {
			out = append(out, in.Features.Row(j)[at(name)])
		}
		return out
	}
	for j := range in.Columns {
		row := in.Features.Row(j)
		exclusive := func(first, last string) float64 {
			sum := 0.0
			for f := at(first); f <= at(last); f++ {
				sum += row[f]
			}
			return sum
		}
		if exclusive("Within last 10 years", "Between 40-50 Years") > 1 || exclusive("February", "December") > 1 || exclusive("English", "Japanese") > 1 {
			t.Fatalf("film %d is in two windows, months or languages", j)
		}
		if g := exclusive("Action", "Western"); g < 1 || g > 7 {
			t.Fatalf("film %d has %v genres", j, g)
		}
		for _, who := range []string{"Actors", "Actresses"} {
			if row[at("Top 100 "+who)] > row[at("Top 250 "+who)] || row[at("Top 250 "+who)] > row[at("Top 1000 "+who)] {
				t.Fatalf("film %d: the top %s are not nested", j, who)
			}
		}
		for f, v := range row {
			if v < 0 || v > 20 {
				t.Fatalf("film %d: %s is %v", j, in.Features.Names[f], v)
			}
		}
	}
	for _, pair := range [][2]string{
		{"Total Production Budget", "Total Box Office Revenue"}, {"Total Box Office Revenue", "Number of Reviews"},
		{"Total Production Budget", "Top 100 Actors"}, {"Number of Reviews", "IMDB Rating"}, {"Biography", "Drama"},
	} {
		if r := correlation(column(pair[0]), column(pair[1])); r < 0.1 || r > 0.95 {
			t.Errorf("%s and %s have a correlation of %v", pair[0], pair[1], r)
		}
	}
	for _, name := range in.SelectedNames() {
		t.Logf("%s has the mean %.2f", name, mean(column(name)))
	}
	for f, name := range in.Features.Names {
		if v := column(name); slices.Max(v) == 0 {
			t.Errorf("no film of 2000 has %s (%d)", name, f)
		}
	}
}

func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xx, yy, xy float64
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

func TestFilmRatingsAreRealistic(t *testing.T) {
	in := films(t, 1500, 400)
	var counts, all []float64
	seen := make([]float64, in.Columns)
	out := 0
	for i := range in.Rows {
		columns, values := in.Ratings.Matrix().Row(i)
		counts = append(counts, float64(len(columns)))
		for e, v := range values {
			seen[columns[e]]++
			all = append(all, v)
			if v < 0.5 || v > 5.5 {
				out++
			}
			if v != oneDecimal(v) {
				t.Fatalf("a rating of %v has more than one decimal", v)
			}
		}
	}
	slices.Sort(counts)
	slices.Sort(seen)
	t.Logf("ratings a viewer: min %v, median %v, 0.9 %v, max %v; a film: min %v, median %v, max %v; mean %.2f, %.2f%% out; missing %.3f",
		counts[0], counts[750], counts[1350], counts[1499], seen[0], seen[200], seen[399], mean(all), 100*float64(out)/float64(len(all)), in.Missing)
	if counts[0] < minRatings || counts[750] < 35 || counts[750] > 45 || counts[1350] < 2.5*counts[750] {
		t.Errorf("ratings a viewer: min %v, median %v, 0.9 quantile %v", counts[0], counts[750], counts[1350])
	}
	if seen[399] < 4*seen[200] || seen[0] == 0 {
		t.Errorf("ratings a film: min %v, median %v, max %v", seen[0], seen[200], seen[399])
	}
	if m := mean(all); m < 2.8 || m > 4 || float64(out) > 0.02*float64(len(all)) {
		t.Errorf("a mean of %v, %d of %d ratings outside 0.5 to 5.5", m, out, len(all))
	}
	if got := 1 - float64(in.Ratings.Observed())/(1500*400); got != in.Missing {
		t.Errorf("missing is %v, want %v", in.Missing, got)
	}
}

// The true selection fits better than any that differs from it in one feature,
// and greedy selection finds it.
func TestFilmTruthIsIdentifiable(t *testing.T) {
	in := films(t, 1500, 400)
	grams := newGrams(in)
	truth := grams.cost(in.Selected)
	best, by := math.Inf(1), ""
	for at, f := range in.Selected {
		for other := range in.Features.Names {
			if slices.Contains(in.Selected, other) {
				continue
			}
			swapped := slices.Clone(in.Selected)
			swapped[at] = other
			if c := grams.cost(swapped); c < best {
				best, by = c, in.Features.Names[f]+" for "+in.Features.Names[other]
			}
		}
	}
	t.Logf("cost of the truth %.1f, of the nearest swap (%s) %.1f", truth, by, best)
	if best < 1.01*truth {
		t.Errorf("the truth costs %v, with %s %v", truth, by, best)
	}
	var greedy []int
	for range in.K {
		best, next := math.Inf(1), -1
		for f := range in.Features.Names {
			if !slices.Contains(greedy, f) {
				if c := grams.cost(append(slices.Clone(greedy), f)); c < best {
					best, next = c, f
				}
			}
		}
		greedy = append(greedy, next)
		t.Logf("greedy: %s, cost %.1f", in.Features.Names[next], best)
	}
	slices.Sort(greedy)
	if !slices.Equal(greedy, in.Selected) {
		t.Errorf("greedy finds %v, want %v", greedy, in.Selected)
	}
}

// grams holds B_iᵀB_i and B_iᵀa_i of every row, for the cost of any selection.
type grams struct {
	p      int
	square float64
	g      [][]float64
	y      [][]float64
}

func newGrams(in *Instance) *grams {
	p := in.Config.Features
	out := &grams{p: p}
	for i := range in.Rows {
		g, y := make([]float64, p*p), make([]float64, p)
		columns, values := in.Ratings.Matrix().Row(i)
		for e, j := range columns {
			b := in.Features.Row(int(j))
			out.square += values[e] * values[e]
			for f, v := range b {
				y[f] += v * values[e]
				for h, w := range b {
					g[f*p+h] += v * w
				}
			}
		}
		out.g, out.y = append(out.g, g), append(out.y, y)
	}
	return out
}

// cost is Σ_i ‖a_i‖² − yᵀ(I/γ + G)⁻¹y with γ = 100, by Cholesky factors.
func (s *grams) cost(selection []int) float64 {
	k := len(selection)
	l, z := make([]float64, k*k), make([]float64, k)
	total := s.square
	for i := range s.g {
		for a, f := range selection {
			z[a] = s.y[i][f]
			for b := range a + 1 {
				v := s.g[i][f*s.p+selection[b]]
				if a == b {
					v += 0.01
				}
				for c := range b {
					v -= l[a*k+c] * l[b*k+c]
				}
				if a == b {
					l[a*k+a] = math.Sqrt(v)
				} else {
					l[a*k+b] = v / l[b*k+b]
				}
			}
			for c := range a {
				z[a] -= l[a*k+c] * z[c]
			}
			z[a] /= l[a*k+a]
			total -= z[a] * z[a]
		}
	}
	return total
}
