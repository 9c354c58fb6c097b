package encode

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/internal/random"
)

const (
	// mostChecked is the number of features up to which combinations are looked
	// for: the time grows with its cube, and is about a second here.
	mostChecked = 1000
	// dependent is the part of a feature, by its norm, that may be left when those
	// before it are taken away, for it to be a combination of them.
	dependent = 1e-8
	// negligible is the coefficient, between standardised features, that is none.
	negligible = 1e-7
	// shownTerms is how many terms of a combination are written out.
	shownTerms = 4
)

// Combination says that a feature is a sum of others, in the units of the file.
type Combination struct {
	Feature  string  `json:"feature"`
	Terms    []Term  `json:"terms"`
	Constant float64 `json:"constant"`
}

// Term is a part of a combination.
type Term struct {
	Feature     string  `json:"feature"`
	Coefficient float64 `json:"coefficient"`
}

func (c Combination) String() string {
	names := lists.Each(c.Terms, func(t Term) string { return t.Feature })
	if len(c.Terms) > shownTerms {
		return fmt.Sprintf("feature %s is a combination of %d others: %s", data.Quote(c.Feature), len(names), data.QuoteList(names))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "feature %s is a combination of others: it equals ", data.Quote(c.Feature))
	for i, t := range c.Terms {
		writeTerm(&b, i == 0, t.Coefficient, data.Quote(t.Feature))
	}
	if math.Abs(c.Constant) > 1e-9 {
		writeTerm(&b, false, c.Constant, "")
	}
	return b.String()
}

// writeTerm writes "+ 2 x", "− x" or "+ 3".
func writeTerm(b *strings.Builder, first bool, factor float64, name string) {
	switch {
	case first && factor < 0:
		b.WriteString("−")
	case !first && factor < 0:
		b.WriteString(" − ")
	case !first:
		b.WriteString(" + ")
	}
	text := fmt.Sprintf("%.4g", math.Abs(factor))
	switch {
	case name == "":
		b.WriteString(text)
	case text == "1":
		b.WriteString(name)
	default:
		b.WriteString(text + " " + name)
	}
}

// combination is one that was found, by the indices of the columns.
type combination struct {
	column  int
	others  []int
	factors []float64 // between standardised features
}

// collinear finds the features that are combinations of those before them and a
// constant, by orthogonalising the standardised features one by one (modified
// Gram-Schmidt, twice, which is enough: Giraud, Langou and Rozložník, "The loss
// of orthogonality in the Gram-Schmidt orthogonalization process", 2005).
//
// Where there are many more items than features they are first added up in
// buckets with random signs (Clarkson and Woodruff, "Low rank approximation and
// regression in input sparsity time", STOC 2013): what depends on others still
// does. Every find is then checked on all items.
func collinear(ctx context.Context, columns []column) ([]combination, error) {
	var (
		found  []combination
		basis  [][]float64 // orthonormal
		of     []int       // the column that each brought in
		upper  [][]float64 // the column of[b] is Σ upper[b][a]·basis[a], a ≤ b
		sketch = newSketch(columns)
	)
	for x := range columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if columns[x].constant() {
			continue
		}
		rest := sketch.add(&columns[x])
		whole := floats.Norm(rest, 2)
		along := make([]float64, len(basis))
		for range 2 {
			for b, q := range basis {
				d := floats.Dot(q, rest)
				along[b] += d
				floats.AddScaled(rest, -d, q)
			}
		}
		if left := floats.Norm(rest, 2); left > dependent*whole {
			floats.Scale(1/left, rest)
			basis, of, upper = append(basis, rest), append(of, x), append(upper, append(along, left))
			continue
		}
		c := combination{column: x}
		for b := len(basis) - 1; b >= 0; b-- { // back substitution
			factor := along[b] / upper[b][b]
			for a := range b {
				along[a] -= factor * upper[b][a]
			}
			if math.Abs(factor) > negligible {
				c.others, c.factors = append(c.others, of[b]), append(c.factors, factor)
			}
		}
		slices.Reverse(c.others)
		slices.Reverse(c.factors)
		if c.holds(columns) {
			found = append(found, c)
		}
	}
	return found, nil
}

// sketch gives the standardised features as vectors of moderate length.
type sketch struct {
	length  int
	buckets bool
}

func newSketch(columns []column) sketch {
	items, length := len(columns[0].values), 4*len(columns)+64
	return sketch{min(items, length), items > length}
}

func (s sketch) add(c *column) []float64 {
	all := standardised(c)
	if !s.buckets {
		return all
	}
	out := make([]float64, s.length)
	for i, z := range all {
		bits := random.Mix(uint64(i) + 1)
		if bits&1 == 1 {
			z = -z
		}
		out[(bits>>1)%uint64(s.length)] += z
	}
	return out
}

// holds checks a combination on all items, in standard deviations.
func (c *combination) holds(columns []column) bool {
	rest := standardised(&columns[c.column])
	for i, x := range c.others {
		floats.AddScaled(rest, -c.factors[i], standardised(&columns[x]))
	}
	return floats.Norm(rest, math.Inf(1)) <= 1e-6 && len(c.others) > 0
}

func standardised(c *column) []float64 {
	centre := mean(c.values)
	scale := deviation(c.values, centre)
	out := make([]float64, len(c.values))
	for i, v := range c.values {
		out[i] = (v - centre) / scale
	}
	return out
}

// family tells whether all features of a combination come from one field: the
// levels of a text add up to one by construction.
func (c *combination) family(columns []column) bool {
	return !slices.ContainsFunc(c.others, func(x int) bool { return columns[x].draft != columns[c.column].draft })
}

// inUnits turns a combination of standardised features into one in the units of
// the file.
func (c *combination) inUnits(columns []column) Combination {
	this := &columns[c.column]
	centre := mean(this.values)
	scale := deviation(this.values, centre)
	out := Combination{Feature: this.feature.Name, Constant: centre}
	for i, x := range c.others {
		other := &columns[x]
		m := mean(other.values)
		factor := c.factors[i] * scale / deviation(other.values, m)
		out.Terms = append(out.Terms, Term{other.feature.Name, factor})
		out.Constant -= factor * m
	}
	return out
}
