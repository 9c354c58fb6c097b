package twosided

import (
	"context"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/lists"
	"optcomplete/internal/suggest"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// sides is a problem with its feature tables brought into line.
type sides struct {
	rows    *data.Features // features of products, of the matrix's rows in its order
	known   *data.Features // the same of all rows with features
	columns *data.Features // the same of the columns

	ofRows, ofColumns           scaling
	rowEncoding, columnEncoding *encode.Encoding
	ids                         []string // of the matrix's rows
	effects                     Effects
	nouns                       *result.Nouns
	by                          loss.Scaled // what is minimised
}

// align checks the problem and brings its tables into line. Features are centred and
// scaled over what has entries in train.
func align(ctx context.Context, p Problem, train *data.Matrix, constants bool, effects Effects) (*sides, error) {
	n, m := p.Ratings.Dims()
	if columns, _ := p.Columns.Dims(); columns != m {
		panic("twosided: the ratings and the features have different numbers of columns")
	}
	if n == 0 || p.Ratings.Observed() == 0 || train.Observed() == 0 {
		return nil, spec.Errorf("there are no observed entries")
	}
	s := &sides{rowEncoding: p.RowEncoding, columnEncoding: p.ColumnEncoding, ids: p.Ratings.RowIDs, effects: effects, nouns: p.Nouns}
	if unknown, entries := p.UnknownRows(); len(unknown) > 0 {
		return nil, spec.Errorf("%d rows with %d entries have no row features, such as %q", len(unknown), entries, unknown[0])
	}
	if err := finite(ctx, p); err != nil {
		return nil, err
	}
	at := places(p.Rows.IDs)
	if effects == NoEffects {
		s.known, s.columns = p.Rows, p.Columns
		if constants {
			var err error
			if s.known, err = withConstant(p.Rows); err != nil {
				return nil, err
			}
			if s.columns, err = withConstant(p.Columns); err != nil {
				return nil, err
			}
		}
		s.ofRows, s.ofColumns = asGiven(p.Rows, s.known), asGiven(p.Columns, s.columns)
	} else {
		if constants {
			return nil, spec.Errorf("a constant says nothing beside the effects of rows and columns, which stand for all terms of one side (leave it out, or use Settings.Effects none)")
		}
		rows, columns := make([]bool, len(p.Rows.IDs)), make([]bool, m)
		eachEntry(train, func(i int, j int32, _, _ float64) { rows[at[s.ids[i]]], columns[j] = true, true })
		s.known, s.ofRows = standardised(p.Rows, rows)
		s.columns, s.ofColumns = standardised(p.Columns, columns)
		for _, side := range []struct {
			f    *data.Features
			what string
		}{{s.known, "row"}, {s.columns, "column"}} {
			if len(side.f.Names) == 0 {
				return nil, spec.Errorf("every %s feature has one value on all %ss with entries, so no product says anything beside the effects", side.what, side.what)
			}
		}
	}
	if problem, many := TooManyProducts(len(s.known.Names), len(s.columns.Names)); many {
		return nil, spec.Errorf("%s", problem)
	}
	s.ofRows.group(s.known.Names, p.RowEncoding)
	s.ofColumns.group(s.columns.Names, p.ColumnEncoding)
	values := make([]float64, 0, n*len(s.known.Names))
	for _, id := range s.ids {
		values = append(values, s.known.Row(at[id])...)
	}
	s.rows = data.NewFeatures(s.ids, s.known.Names, values)
	return s, nil
}

// largest is the largest number that may occur: products of two features and
// their squares, summed over any number of entries, stay finite.
const largest = 1e60

func finite(ctx context.Context, p Problem) error {
	for _, table := range []*data.Features{p.Rows, p.Columns} {
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

// count is how many units there are: a product, or all products of two groups.
func (s *sides) count() int { return len(s.ofRows.units) * len(s.ofColumns.units) }

// unitName is that of a unit.
func (s *sides) unitName(u int) string {
	n2 := len(s.ofColumns.units)
	return s.ofRows.units[u/n2].name + separator + s.ofColumns.units[u%n2].name
}

// grouped tells whether any unit has more than one product.
func (s *sides) grouped() bool { return s.count() < len(s.known.Names)*len(s.columns.Names) }

// groups are the products of each unit; nil: each is one.
func (s *sides) groups() (all [][]int) {
	if s.grouped() {
		for u := range s.count() {
			all = append(all, s.members([]int{u}))
		}
	}
	return all
}

// members are the products of selected units, increasing.
func (s *sides) members(units []int) (products []int) {
	p2, n2 := len(s.columns.Names), len(s.ofColumns.units)
	for _, u := range units {
		for _, q := range s.ofRows.units[u/n2].features {
			for _, l := range s.ofColumns.units[u%n2].features {
				products = append(products, q*p2+l)
			}
		}
	}
	slices.Sort(products)
	return products
}

// unitOf is that of a product.
func (s *sides) unitOf(product int) int {
	p2 := len(s.columns.Names)
	return s.ofRows.unitOf[product/p2]*len(s.ofColumns.units) + s.ofColumns.unitOf[product%p2]
}

func (s *sides) names(units []int) []string { return lists.Each(units, s.unitName) }

// equals are the names of other products that no data tell from this one.
func (s *sides) equals(product int) (names []string) {
	p2 := len(s.columns.Names)
	row, column := product/p2, product%p2
	for _, a := range append([]string{s.known.Names[row]}, s.ofRows.same[row]...) {
		for _, b := range append([]string{s.columns.Names[column]}, s.ofColumns.same[column]...) {
			names = append(names, a+separator+b)
		}
	}
	return names[1:]
}

// RowsPrefix and ColumnsPrefix say which table a name is in, where both have it.
const (
	RowsPrefix    = "rows:"
	ColumnsPrefix = "columns:"
)

// indices finds units. A name is that of a product or of two groups, where people may write x or *
// for ×, or of two fields; in the list of what is never selected also that of a
// feature or a field, for all products with it.
func (s *sides) indices(names []string, list string) ([]int, error) {
	var found []int
	for _, name := range names {
		some, err := s.find(name, list)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return lists.Distinct(found), nil
}

// cross are the units of some of the rows with some of the columns.
func (s *sides) cross(rows, columns []int) (out []int) {
	for _, q := range rows {
		for _, l := range columns {
			out = append(out, q*len(s.ofColumns.units)+l)
		}
	}
	return out
}

func (s *sides) find(name, list string) ([]int, error) {
	p1, p2 := len(s.ofRows.units), len(s.ofColumns.units)
	for _, between := range []string{separator, " x ", " * ", "*"} {
		for from := 0; ; {
			at := strings.Index(name[from:], between)
			if at < 0 {
				break
			}
			at += from
			rows := s.ofRows.find(strings.TrimPrefix(name[:at], RowsPrefix), s.rowEncoding)
			columns := s.ofColumns.find(strings.TrimPrefix(name[at+len(between):], ColumnsPrefix), s.columnEncoding)
			if out := s.cross(rows, columns); len(out) == 1 || len(out) > 1 && list != "always" {
				return out, nil
			} else if len(out) > 1 {
				return nil, spec.Errorf("the always list names %q, which is %d products: name the ones to select, such as %q", name, len(out), s.unitName(out[0]))
			}
			from = at + len(between)
		}
	}
	rows, columns := s.ofRows.find(strings.TrimPrefix(name, RowsPrefix), s.rowEncoding), s.ofColumns.find(strings.TrimPrefix(name, ColumnsPrefix), s.columnEncoding)
	switch {
	case strings.HasPrefix(name, RowsPrefix) && len(rows) > 0:
		columns = nil
	case strings.HasPrefix(name, ColumnsPrefix) && len(columns) > 0:
		rows = nil
	}
	switch {
	case len(rows) > 0 && len(columns) > 0:
		return nil, spec.Errorf("the %s list names %q, which both tables have: write %s%s or %s%s", list, name, RowsPrefix, name, ColumnsPrefix, name)
	case len(rows) == 0 && len(columns) == 0:
		if slices.Contains(s.ofRows.constant, strings.TrimPrefix(name, RowsPrefix)) || slices.Contains(s.ofColumns.constant, strings.TrimPrefix(name, ColumnsPrefix)) {
			return nil, spec.Errorf("the %s list names %q, which has one value wherever there are entries and is in no product (leave it out)", list, name)
		}
		return nil, spec.Errorf("the %s list names %q, which is not a product (write row feature × column feature)%s", list, name, suggest.After(name, s.near(name)))
	case list == "always":
		return nil, spec.Errorf("the always list names the feature %q: name a product, such as %q", name, s.unitName(append(s.cross(rows, []int{0}), s.cross([]int{0}, columns)...)[0]))
	case len(rows) > 0:
		return s.cross(rows, upto(p2)), nil
	}
	return s.cross(upto(p1), columns), nil
}

// near are names that may have been meant: of products only where there are few.
func (s *sides) near(string) []string {
	names := slices.Concat(s.known.Names, s.columns.Names)
	if s.count() <= 10000 {
		names = append(names, s.names(upto(s.count()))...)
	}
	return names
}

// requirements are the parents of every product of two features that are not
// constant.
func (s *sides) requirements(h Heredity) ([]search.Requirement, error) {
	if h == NoHeredity {
		return nil, nil
	}
	if s.effects != NoEffects {
		return nil, spec.Errorf("with effects of rows and columns every product has all terms of one side beside it, so heredity holds for any selection (leave it out, or use Settings.Effects none)")
	}
	q0, l0 := constantOf(s.rows), constantOf(s.columns)
	if q0 < 0 || l0 < 0 {
		return nil, spec.Errorf("heredity needs the one-sided terms, and so a constant feature on either side (add constants)")
	}
	q0, l0 = s.ofRows.unitOf[q0], s.ofColumns.unitOf[l0]
	p2 := len(s.ofColumns.units)
	var all []search.Requirement
	for q := range s.ofRows.units {
		for l := range p2 {
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

func upto(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
