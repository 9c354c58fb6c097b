package data

import (
	"fmt"
	"slices"
	"strings"
)

// Entries may have properties beside their values, such as a weight: numbers, one for
// each entry. Whoever carries entries (matrices, views, packs, shards, passes, the
// engine) carries whatever properties they have, and names none. A property is named
// where it is defined (weights.go), where its column is found (data/ingest), and
// where it is used.

// Property is a number that entries may have beside their values: all entries of a
// source, or none.
type Property struct {
	Name, Plural string  // such as "weight" and "weights"; packs call their section by the name
	Least, Most  float64 // of its numbers

	at int // in Numbers
}

// mostProperties is how many properties there can be; a matrix has room for each.
const mostProperties = 4

// properties are all that there are, and lists those of each set, in the order of their
// names: in that they are carried, whatever the order in which they were made.
var (
	properties []*Property
	lists      [1 << mostProperties][]*Property
)

// NewProperty makes a property known. It is called when the program starts.
func NewProperty(p Property) *Property {
	if p.at = len(properties); p.at == mostProperties {
		panic("data: too many properties")
	}
	properties = append(properties, &p)
	slices.SortFunc(properties, func(a, b *Property) int { return strings.Compare(a.Name, b.Name) })
	for s := range lists {
		lists[s] = nil
		for _, p := range properties {
			if Properties(s).Has(p) {
				lists[s] = append(lists[s], p)
			}
		}
	}
	return &p
}

// Valid tells whether an entry can have this number.
func (p *Property) Valid(x float64) bool { return x >= p.Least && x <= p.Most }

// Invalid says what is wrong with a number that is not.
func (p *Property) Invalid(x float64) string {
	return fmt.Sprintf("the %s %v, which is not a number from %g to %g", p.Name, x, p.Least, p.Most)
}

// Properties is a set of them.
type Properties uint8

// Has tells whether a property is among them.
func (s Properties) Has(p *Property) bool { return s>>p.at&1 != 0 }

// With is the set with one more.
func (s Properties) With(p *Property) Properties { return s | 1<<p.at }

// List is them in their order. It must not be changed.
func (s Properties) List() []*Property { return lists[s] }

// Names are theirs, in their order; nil if there are none.
func (s Properties) Names() (names []string) {
	for _, p := range s.List() {
		names = append(names, p.Name)
	}
	return names
}

// PropertiesNamed is the set of these names, which are in their order; not ok if one
// is unknown.
func PropertiesNamed(names []string) (s Properties, ok bool) {
	for _, p := range properties {
		if slices.Contains(names, p.Name) {
			s = s.With(p)
		}
	}
	return s, slices.Equal(s.Names(), names)
}

// Numbers are the properties of some entries: of each property that they have, one
// number for each entry, and nil of the others.
type Numbers [mostProperties][]float64

// NoNumbers is of no entries that have properties.
func NoNumbers(s Properties) (n Numbers) {
	for _, p := range s.List() {
		n[p.at] = []float64{}
	}
	return n
}

// Of is the numbers of a property; nil: the entries do not have it.
func (n *Numbers) Of(p *Property) []float64 { return n[p.at] }

// Add puts one number of a property behind the others.
func (n *Numbers) Add(p *Property, x float64) { n[p.at] = append(n[p.at], x) }

// Properties is which ones the entries have.
func (n *Numbers) Properties() (s Properties) {
	for _, p := range properties {
		if n[p.at] != nil {
			s = s.With(p)
		}
	}
	return s
}

// Fit tells whether so many entries have these properties and no others.
func (n *Numbers) Fit(s Properties, entries int) bool {
	for _, p := range properties {
		want := 0
		if s.Has(p) {
			want = entries
		}
		if len(n.Of(p)) != want {
			return false
		}
	}
	return true
}

// Append puts those of other entries behind.
func (n *Numbers) Append(o *Numbers) {
	for at := range n {
		n[at] = append(n[at], o[at]...)
	}
}

// Slice is those of the entries lo..hi−1.
func (n *Numbers) Slice(lo, hi int) (out Numbers) {
	for at := range n {
		if n[at] != nil {
			out[at] = n[at][lo:hi:hi]
		}
	}
	return out
}

// Clear forgets the entries and keeps the memory.
func (n *Numbers) Clear() {
	for at := range n {
		n[at] = n[at][:0]
	}
}

// Pick puts behind n what the entries in some columns of a row have, given all of its
// columns and what they have.
func (n *Numbers) Pick(all []int32, of *Numbers, columns []int32) {
	for at := range n {
		if of[at] != nil {
			n[at] = pick(all, of[at], columns, n[at])
		}
	}
}

// PickProperty is Pick of one property.
func (n *Numbers) PickProperty(p *Property, all []int32, of []float64, columns []int32) {
	n[p.at] = pick(all, of, columns, n[p.at])
}

func pick(all []int32, of []float64, columns []int32, to []float64) []float64 {
	if len(columns) == len(all) {
		return append(to, of...)
	}
	at := 0
	for _, c := range columns {
		for all[at] != c {
			at++
		}
		to = append(to, of[at])
	}
	return to
}

// withProperties is a source that may have some.
type withProperties interface{ Properties() Properties }

// PropertyReader is a Reader of a source whose entries have properties.
type PropertyReader interface {
	Reader

	// AppendNumbers appends all properties of the entries of row i in these columns,
	// which are increasing and all of them observed. The numbers are valid.
	AppendNumbers(i int, columns []int32, to *Numbers) error
}

// PropertiesOf is which properties the entries of a source have.
func PropertiesOf(s Source) Properties {
	if w, ok := s.(withProperties); ok {
		return w.Properties()
	}
	return 0
}

// NumbersFrom is a reader of a source as one that gives properties; nil if the
// entries have none.
func NumbersFrom(s Source, r Reader) PropertyReader {
	if PropertiesOf(s) == 0 {
		return nil
	}
	return r.(PropertyReader)
}

// Properties is which ones the entries have.
func (m *Matrix) Properties() Properties { return m.numbers.Properties() }

// AppendNumbers appends those of row i; see PropertyReader.
func (m *Matrix) AppendNumbers(i int, columns []int32, to *Numbers) error {
	all, _ := m.Row(i)
	of := m.RowNumbers(i)
	to.Pick(all, &of, columns)
	return nil
}

// Numbers are the properties of all entries, row by row. They are the matrix's own and
// must not be changed.
func (m *Matrix) Numbers() Numbers { return m.numbers }

// RowNumbers are the properties of the entries of row i. They are the matrix's own and
// must not be changed.
func (m *Matrix) RowNumbers(i int) Numbers { return m.numbers.Slice(m.start[i], m.start[i+1]) }

// RowProperty is one property of the entries of row i; nil: they do not have it. The
// slice is the matrix's own and must not be changed.
func (m *Matrix) RowProperty(p *Property, i int) []float64 {
	if m.numbers[p.at] == nil {
		return nil
	}
	lo, hi := m.start[i], m.start[i+1]
	return m.numbers[p.at][lo:hi:hi]
}

// WithProperty is the same matrix with a property: a number for each entry, row by
// row; nil: without it. It keeps the slice. A number that is not valid is an error.
func (m *Matrix) WithProperty(p *Property, numbers []float64) (*Matrix, error) {
	all := m.numbers
	all[p.at] = numbers
	return m.WithNumbers(all)
}

// WithNumbers is the same matrix with these properties and no others. It keeps the
// slices. A number that is not valid is an error.
func (m *Matrix) WithNumbers(numbers Numbers) (*Matrix, error) {
	for _, p := range properties {
		if of := numbers.Of(p); of != nil && len(of) != len(m.value) {
			panic(fmt.Sprintf("data: %d %s for %d entries", len(of), p.Plural, len(m.value)))
		}
		for at, x := range numbers.Of(p) {
			if !p.Valid(x) {
				i, _ := slices.BinarySearchFunc(m.start, at, func(start, at int) int {
					if start <= at {
						return -1
					}
					return 1
				})
				return nil, fmt.Errorf("data: row %d, column %d has %s", i-1, m.column[at], p.Invalid(x))
			}
		}
	}
	return &Matrix{columns: m.columns, start: m.start, column: m.column, value: m.value, numbers: numbers, keys: m.keys}, nil
}

// Properties is those of what some rows are shown of.
func (s *someRows) Properties() Properties { return PropertiesOf(s.Source) }

func (r *someRowsReader) AppendNumbers(i int, columns []int32, to *Numbers) error {
	return r.from.(PropertyReader).AppendNumbers(r.rows[i], columns, to)
}

// Properties is those of what has keys.
func (w *withKeys) Properties() Properties { return PropertiesOf(w.Source) }

// Properties is those of what is renumbered.
func (n *renumbered) Properties() Properties { return PropertiesOf(n.Source) }

func (r *renumberedReader) AppendNumbers(i int, columns []int32, to *Numbers) error {
	from, back := r.from.(PropertyReader), r.by.inverse()
	r.columns, r.places = r.columns[:0], r.places[:0]
	for x, c := range columns {
		r.columns, r.places = append(r.columns, back[c]), append(r.places, x)
	}
	if r.by.rising {
		return from.AppendNumbers(i, r.columns, to)
	}
	slices.SortFunc(r.places, func(x, y int) int { return int(back[columns[x]]) - int(back[columns[y]]) })
	slices.Sort(r.columns)
	r.numbers.Clear()
	if err := from.AppendNumbers(i, r.columns, &r.numbers); err != nil {
		return err
	}
	for at, numbers := range r.numbers {
		if len(numbers) == 0 {
			continue
		}
		begin := len(to[at])
		to[at] = append(to[at], numbers...)
		for x, place := range r.places {
			to[at][begin+place] = numbers[x]
		}
	}
	return nil
}

// inverse is which column of the source each column is.
func (n *renumbered) inverse() []int32 {
	n.once.Do(func() {
		n.back = make([]int32, n.columns)
		for from, to := range n.ranks {
			n.back[to] = int32(from)
		}
	})
	return n.back
}
