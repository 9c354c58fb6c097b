package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

// An entry with properties is several entries of a batch: the value and behind it each
// property in the place of a value. Whatever moves and sorts entries keeps the order of
// those of one row and column, and does not know of it. Nothing is as large as that
// without properties.

// propertyColumn is how a property is found in the input, and what is said of it.
type propertyColumn struct {
	*data.Property
	setting string                  // in Settings, for people: the name of the column
	asked   func(*Settings) *string // the same; empty: one that is called as the property is, none: no column
	taken   string                  // what it does to entries: "are weighted by"
	remedy  string                  // what its numbers are
	zero    string                  // what 0 means, if such an entry is left out; empty: it is a number like others

	// joined is the number of the mean of several entries of one row and column, and mean
	// their mean value if it depends on the property; nil: it does not.
	joined func(numbers []float64) float64
	mean   func(values, numbers []float64) float64
}

// propertyColumns are those of all properties, in the order of these.
var propertyColumns = inOrder(weightColumn)

func inOrder(columns ...*propertyColumn) []*propertyColumn {
	slices.SortFunc(columns, func(a, b *propertyColumn) int { return strings.Compare(a.Name, b.Name) })
	return columns
}

// none as the name of a column means that there is none.
const none = "none"

// columnOf is how a property is found.
func columnOf(p *data.Property) *propertyColumn {
	return propertyColumns[slices.IndexFunc(propertyColumns, func(c *propertyColumn) bool { return c.Property == p })]
}

// found is the column of a property in a file.
type found struct {
	*propertyColumn
	at   int    // its field, or its place in a record
	name string // what the file calls it
}

// properties is which ones the entries of a file have.
func (in *input) properties() (all data.Properties) {
	for _, f := range in.found {
		all = all.With(f.Property)
	}
	return all
}

// is tells whether a column is called as the property is.
func (c *propertyColumn) is(name []byte) bool {
	plain := strings.ToLower(string(name))
	return plain == c.Name || plain == c.Plural
}

// isAsked tells whether a column was named.
func (c *propertyColumn) isAsked(s *Settings) bool {
	return *c.asked(s) != "" && *c.asked(s) != none && !s.times
}

// findProperties finds the columns of the properties in a header, or in the names of a
// table: those that are asked for, or that are called so. at has the columns that are
// taken already.
func (in *input) findProperties(header [][]byte, line int, at []int, s *Settings) *data.InputError {
	in.found = nil
	for _, c := range propertyColumns {
		place, fault := in.findProperty(c, header, line, at, s)
		if fault != nil {
			return fault
		}
		if place >= 0 {
			in.found = append(in.found, found{c, place, string(header[place])})
			at = append(slices.Clone(at), place)
		}
	}
	return nil
}

// findProperty finds the column of one of them; −1: there is none.
func (in *input) findProperty(c *propertyColumn, header [][]byte, line int, at []int, s *Settings) (int, *data.InputError) {
	if s.times || *c.asked(s) == none {
		return -1, nil
	}
	if c.isAsked(s) {
		named, wrong := in.table(line).Locate(header, []string{*c.asked(s)})
		if wrong != nil {
			return -1, wrong
		}
		if slices.Contains(at, named[0]) {
			return -1, fault(in.name, line, fmt.Sprintf("column %s is to be the %s, but is the row, the column or the value", data.Quote(*c.asked(s)), c.Name), "name another with "+c.setting+", or none")
		}
		return named[0], nil
	}
	place := -1
	for x, name := range header {
		if !c.is(name) || slices.Contains(at, x) {
			continue
		}
		if place >= 0 {
			return -1, fault(in.name, line, fmt.Sprintf("the header %s names several %s", data.QuoteList(textfile.Texts(header)), c.Plural), "say which with "+c.setting)
		}
		place = x
	}
	return place, nil
}

// endsInProperties tells whether a header has three names and behind them those of
// properties only: the three are then the row, the column and the value, as in one without.
func endsInProperties(header [][]byte, s *Settings) bool {
	return len(header) > 3 && !s.times && !slices.ContainsFunc(header[3:], func(name []byte) bool {
		return !slices.ContainsFunc(propertyColumns, func(c *propertyColumn) bool {
			return c.is(name) || c.isAsked(s) && string(name) == *c.asked(s)
		})
	})
}

// asksForProperties tells whether the column of a property was named.
func asksForProperties(s *Settings) bool {
	return slices.ContainsFunc(propertyColumns, func(c *propertyColumn) bool { return c.isAsked(s) })
}

// otherNames are the properties that a header may name, and the settings that name them.
func otherNames() (names, settings string) {
	for x, c := range propertyColumns {
		if x > 0 {
			names, settings = names+" or ", settings+" or "
		}
		names, settings = names+c.Name, settings+c.setting
	}
	return names, settings
}

// noProperties is the fault of an input that has none, if some were asked for.
func (in *input) noProperties(why string, s *Settings) *data.InputError {
	for _, c := range propertyColumns {
		if c.isAsked(s) {
			return fault(in.name, 0, fmt.Sprintf("%s, so there is no column %s of %s", why, data.Quote(*c.asked(s)), c.Plural), "give the entries as lines with a header that names it, such as row,column,value,"+c.Name+", or leave out "+c.setting)
		}
	}
	return nil
}

// checkColumns refuses the formats that have no times or properties, if some were asked
// for.
func (in *input) checkColumns(s *Settings) *data.InputError {
	switch in.format {
	case Packed:
		if s.times {
			return in.noTimes("a pack holds values only")
		}
		return in.noProperties("what a pack has beside its values has no name", s)
	case MatrixMarket:
		return in.noColumns("Matrix Market holds values only", s)
	case Npy, Npz:
		return in.noColumns("NumPy files hold values only", s)
	case Wide:
		return in.noColumns("a wide matrix holds values only", s)
	case Netflix:
		return in.noProperties("the Netflix Prize files hold values and dates only", s)
	}
	return nil
}

// noColumns is the fault of an input that has neither times nor properties, if some were
// asked for.
func (in *input) noColumns(why string, s *Settings) *data.InputError {
	if s.times {
		return in.noTimes(why)
	}
	return in.noProperties(why, s)
}

// numbersOf reads the properties of an entry from the fields of its line; not ok if the
// entry is left out, or a fault.
func (w *worker) numbersOf(b *batch, fields [][]byte) (ok bool) {
	w.numbers = w.numbers[:0]
	for x := range b.file.found {
		f := &b.file.found[x]
		text, number, problem := textfile.Trim(fields[f.at]), 0.0, ""
		if len(text) == 0 {
			problem = "the " + f.Name + " is blank"
		} else {
			var wrong textfile.NumberFault
			if number, wrong = textfile.ParseNumber(text); wrong != "" {
				problem = "the " + f.Name + " " + data.Quote(string(text)) + " is not a finite number"
			} else if number == 0 && f.zero != "" && bytes.ContainsAny(bytes.SplitN(bytes.ToLower(text), []byte("e"), 2)[0], "123456789") {
				problem = fmt.Sprintf("the %s is %s, below %g", f.Name, text, f.Least) // too small for a number, and not 0
			}
		}
		if !w.takes(b, f, number, problem) {
			return false
		}
	}
	return true
}

// numbersAt is numbersOf for a record: more gives its numbers, of each property.
func (w *worker) numbersAt(b *batch, more []func(int) (float64, bool), x int) (ok bool) {
	w.numbers = w.numbers[:0]
	for k, of := range more {
		f, problem := &b.file.found[k], ""
		number, null := of(x)
		if null {
			problem = "the " + f.Name + " is blank"
		}
		if !w.takes(b, f, number, problem) {
			return false
		}
	}
	return true
}

// takes keeps a number for the entry at hand. It is false if the entry is left out, or
// for a fault: a problem, or a number that is not valid.
func (w *worker) takes(b *batch, f *found, number float64, problem string) bool {
	if problem == "" && number == 0 && f.zero != "" {
		if b.zeros == nil {
			b.zeros = map[string]int{}
		}
		b.zeros[f.Name]++
		return false
	}
	if problem == "" && !f.Valid(number) {
		problem = fmt.Sprintf("the %s is %g", f.Name, number)
		switch {
		case number > f.Most:
			problem += fmt.Sprintf(", above %g", f.Most)
		case number > 0:
			problem += fmt.Sprintf(", below %g", f.Least)
		}
	}
	if problem != "" {
		remedy := f.remedy
		if f.zero != "" {
			remedy += ", and 0 for " + f.zero
		}
		w.fail(b, problem, remedy)
		return false
	}
	w.numbers = append(w.numbers, number)
	return true
}

// numbersIn gives the values of an array as numbers of a property.
func numbersIn(in *input, c *propertyColumn, from arrow.Array) (func(int) (v float64, null bool), error) {
	number, err := numberOf(in, from)
	var wrong *data.InputError
	if errors.As(err, &wrong) {
		return nil, fault(in.name, 0, strings.Replace(wrong.Problem, "the values are", "the "+c.Plural+" are", 1), "name the column of the "+c.Plural+" with "+c.setting+", or none")
	}
	return number, err
}

// oneKind makes sure that the entries of all inputs have the same properties.
func (c *collector) oneKind(b *batch) *data.InputError {
	in := b.file
	if b.given == 0 {
		return nil
	}
	has := in.properties()
	if c.first == nil {
		c.first, c.sink.properties = in, has
		c.report.Properties = has
		for _, f := range in.found {
			if in.format != Packed {
				c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: entries %s the column %s (%s none ignores it)", in.name, f.taken, data.Quote(f.name), f.setting))
			}
		}
	}
	differ := (has ^ c.first.properties()).List()
	if len(differ) == 0 {
		return nil
	}
	p, with, without := differ[0], in.name, c.first.name
	if !has.Has(p) {
		with, without = without, with
	}
	return fault(in.name, 0, fmt.Sprintf("%s has %s of entries, and %s has none", with, p.Plural, without), "give "+p.Plural+" in all files, or ignore them with "+columnOf(p).setting+" none")
}
