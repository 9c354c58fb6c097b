package twosided

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/lists"
	"optcomplete/pass"
	"optcomplete/search"
	"optcomplete/spec"
)

// Problem is what is to be completed.
type Problem struct {
	Ratings *data.Ratings  // the observed entries
	Columns *data.Features // the features of the columns; the same columns in the same order
	Rows    *data.Features // the features of rows, in any order; those without entries are kept for predictions

	// The encodings tell how the features were made from raw tables; nil: they are
	// numbers, as given.
	ColumnEncoding, RowEncoding *encode.Encoding
}

// Constant is the name of the feature that is 1 everywhere: products with it
// are the one-sided terms.
const Constant = "1"

// MaxProducts is the most products p₁·p₂ that a search takes. Its cuts and the
// columns of G that it keeps need about 25 kB for each.
const MaxProducts = 1 << 15

const bytesPerProduct = 25e3

// Heredity says which other products a product may only be selected with. The
// parents of `age × Drama` are the one-sided terms `age × 1` and `1 × Drama`.
type Heredity int

const (
	NoHeredity     Heredity = iota
	StrongHeredity          // with both parents
	WeakHeredity            // with at least one of them
)

var heredityNames = [...]string{"none", "strong", "weak"}

func (h Heredity) String() string { return heredityNames[h] }

// ParseHeredity is the inverse of String.
func ParseHeredity(name string) (Heredity, error) {
	if h := slices.Index(heredityNames[:], name); h >= 0 {
		return Heredity(h), nil
	}
	return 0, fmt.Errorf("twosided: no heredity is called %q (use strong, weak or none)", name)
}

// UnknownRows returns the ids of the ratings' rows that have no features, and
// the number of their entries.
func (p Problem) UnknownRows() (ids []string, entries int) {
	known := make(map[string]bool, len(p.Rows.IDs))
	for _, id := range p.Rows.IDs {
		known[id] = true
	}
	for i, id := range p.Ratings.RowIDs {
		if !known[id] {
			ids = append(ids, id)
			entries += p.Ratings.Source().Entries(i)
		}
	}
	return ids, entries
}

// WithoutUnknownRows leaves out the rows that have no features. It reads the others
// into memory.
func (p Problem) WithoutUnknownRows(ctx context.Context) (Problem, error) {
	known := make(map[string]bool, len(p.Rows.IDs))
	for _, id := range p.Rows.IDs {
		known[id] = true
	}
	rows, ids := []int{}, []string{}
	for i, id := range p.Ratings.RowIDs {
		if known[id] {
			rows, ids = append(rows, i), append(ids, id)
		}
	}
	matrix, err := pass.Pick(ctx, p.Ratings.Source(), 0, "rows with features", rows)
	if err != nil {
		return p, err
	}
	p.Ratings = data.NewRatings(matrix, ids, p.Ratings.ColumnIDs)
	return p, nil
}

// SharedName returns a name that both a row and a column feature have, if any:
// the two could not be told apart in a product's name.
func (p Problem) SharedName() (name string, shared bool) {
	for _, name := range p.Rows.Names {
		if slices.Contains(p.Columns.Names, name) {
			return name, true
		}
	}
	return "", false
}

// TooManyProducts says what is wrong if the features make too many products for
// the search, with the given number of constants on either side.
func TooManyProducts(rowFeatures, columnFeatures int) (problem string, tooMany bool) {
	products := float64(rowFeatures) * float64(columnFeatures)
	if products <= MaxProducts {
		return "", false
	}
	return fmt.Sprintf("%d row features × %d column features are %.0f products, which would need about %.1f GB; %d at most (leave out features on either side)",
		rowFeatures, columnFeatures, products, products*bytesPerProduct/1e9, MaxProducts), true
}

// sides is a problem with its feature tables brought into line.
type sides struct {
	rows    *data.Features // of the matrix's rows, in its order
	known   *data.Features // of all rows with features
	columns *data.Features
}

// align checks the problem and brings its tables into line.
func align(ctx context.Context, p Problem, constants bool) (*sides, error) {
	n, m := p.Ratings.Dims()
	if columns, _ := p.Columns.Dims(); columns != m {
		panic("twosided: the ratings and the features have different numbers of columns")
	}
	if n == 0 || p.Ratings.Observed() == 0 {
		return nil, spec.Errorf("there are no observed entries")
	}
	if name, shared := p.SharedName(); shared {
		return nil, spec.Errorf("a row feature and a column feature are both named %q (rename one of them)", name)
	}
	s := &sides{known: p.Rows, columns: p.Columns}
	if constants {
		var err error
		if s.known, err = withConstant(p.Rows); err != nil {
			return nil, err
		}
		if s.columns, err = withConstant(p.Columns); err != nil {
			return nil, err
		}
	}
	if problem, many := TooManyProducts(len(s.known.Names), len(s.columns.Names)); many {
		return nil, spec.Errorf("%s", problem)
	}
	if unknown, entries := p.UnknownRows(); len(unknown) > 0 {
		return nil, spec.Errorf("%d rows with %d entries have no row features, such as %q", len(unknown), entries, unknown[0])
	}
	at := make(map[string]int, len(s.known.IDs))
	for i, id := range s.known.IDs {
		at[id] = i
	}
	values := make([]float64, 0, n*len(s.known.Names))
	for _, id := range p.Ratings.RowIDs {
		values = append(values, s.known.Row(at[id])...)
	}
	s.rows = data.NewFeatures(p.Ratings.RowIDs, s.known.Names, values)
	return s, s.finite(ctx, p)
}

// largest is the largest number that may occur: products of two features and
// their squares, summed over any number of entries, stay finite.
const largest = 1e60

func (s *sides) finite(ctx context.Context, p Problem) error {
	for _, table := range []*data.Features{s.known, s.columns} {
		for at, v := range table.Values {
			if !(math.Abs(v) <= largest) {
				return spec.Errorf("feature %q has the value %g: too large to compute with (rescale it)", table.Names[at%len(table.Names)], v)
			}
		}
	}
	survey, err := pass.Survey(ctx, p.Ratings.Source(), 0)
	if err == nil && max(-survey.Low, survey.High) > largest {
		err = spec.Errorf("the values are from %g to %g: too large to compute with (rescale them)", survey.Low, survey.High)
	}
	return err
}

// withConstant adds the feature that is 1 everywhere.
func withConstant(f *data.Features) (*data.Features, error) {
	if slices.Contains(f.Names, Constant) {
		return nil, spec.Errorf("a feature is named %q, like the constant that is added (rename it)", Constant)
	}
	values := make([]float64, 0, len(f.Values)+len(f.IDs))
	for j := range f.IDs {
		values = append(append(values, 1), f.Row(j)...)
	}
	return data.NewFeatures(f.IDs, append([]string{Constant}, f.Names...), values), nil
}

// name is that of a product.
func (s *sides) name(product int) string {
	p2 := len(s.columns.Names)
	return s.known.Names[product/p2] + separator + s.columns.Names[product%p2]
}

const separator = " × "

func (s *sides) names(selection []int) []string { return lists.Each(selection, s.name) }

// indices finds products by name; people may write x or * for ×.
func (s *sides) indices(names []string, list string) ([]int, error) {
	at := make(map[string]int, len(s.known.Names)*len(s.columns.Names))
	for j := range len(s.known.Names) * len(s.columns.Names) {
		at[s.name(j)] = j
	}
	var found []int
	for _, name := range names {
		j, ok := at[name]
		for _, other := range []string{" x ", " * ", "*"} {
			if !ok {
				j, ok = at[strings.Replace(name, other, separator, 1)]
			}
		}
		if !ok {
			return nil, spec.Errorf("the %s list names %q, which is not a product (write row feature × column feature)", list, name)
		}
		found = append(found, j)
	}
	return found, nil
}

// requirements are the parents of every product of two features that are not
// constant.
func (s *sides) requirements(h Heredity) ([]search.Requirement, error) {
	if h == NoHeredity {
		return nil, nil
	}
	q0, l0 := constantOf(s.rows), constantOf(s.columns)
	if q0 < 0 || l0 < 0 {
		return nil, spec.Errorf("heredity needs the one-sided terms, and so a constant feature on either side (add constants)")
	}
	p2 := len(s.columns.Names)
	var all []search.Requirement
	for q := range s.known.Names {
		for l := range s.columns.Names {
			if q != q0 && l != l0 {
				all = append(all, search.Requirement{Feature: q*p2 + l, Parents: []int{q*p2 + l0, q0*p2 + l}, Any: h == WeakHeredity})
			}
		}
	}
	return all, nil
}

// constantOf is the first feature that has the same value, not 0, everywhere.
func constantOf(f *data.Features) int {
	for q := range f.Names {
		same := f.Row(0)[q] != 0
		for i := range f.IDs {
			same = same && f.Row(i)[q] == f.Row(0)[q]
		}
		if same {
			return q
		}
	}
	return -1
}
