package encode

import (
	"fmt"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/memory"
	"optcomplete/internal/textfile"
)

// ApplyTable encodes a table of new items, exactly as the rows of the first were. Its
// fields may stand in any order. These are an *data.InputError: a field that the table
// does not have, a number or a date that is none, and a level that the first table did
// not have, unless rare levels of the field were pooled: then it counts as one of them.
// That, a blank without a feature "NAME missing" to tell it, and names that the first
// table did not have are warnings.
func (e *Encoding) ApplyTable(table *data.RawTable) (*data.Features, []string, error) {
	features, notes, err := e.apply(table, false)
	if err != nil {
		return nil, nil, err
	}
	var warnings []string
	if strange := e.strange(table.Names); len(strange) > 0 {
		warnings = append(warnings, "ignored, because the table did not have it: "+data.QuoteList(strange))
	}
	return features, append(warnings, notes.warnings(e, len(table.IDs))...), nil
}

// apply encodes a table. Lenient takes a level that the first table did not have for none.
func (e *Encoding) apply(table *data.RawTable, lenient bool) (*data.Features, *notes, error) {
	at := make([]int, len(e.Fields))
	var absent []string
	for i := range e.Fields {
		if at[i] = slices.Index(table.Names, e.Fields[i].Name); at[i] < 0 {
			absent = append(absent, e.Fields[i].Name)
		}
	}
	if len(absent) > 0 {
		return nil, nil, AbsentFields(table.File, absent)
	}
	m, p := len(table.IDs), len(e.Features)
	if err := memory.Take(8 * int64(m) * int64(p)); err != nil {
		return nil, nil, textfile.ReadError(table.File, 0, err)
	}
	values := make([]float64, m*p)
	row := rowEncoder{encoding: e, lenient: lenient}
	cells := make([]string, len(at))
	for j := range m {
		raw := table.Row(j)
		for i, a := range at {
			cells[i] = raw[a]
		}
		if field, wrong := row.encode(cells, values[j*p:(j+1)*p]); wrong != nil {
			return nil, nil, wrong.in(table.File, table.Lines[j], e.Fields[field].Name)
		}
	}
	return data.NewFeatures(slices.Clone(table.IDs), e.Names(), values), &row.notes, nil
}

// AbsentFields is the error for a table that lacks fields which a model uses.
func AbsentFields(file string, names []string) error {
	noun, verb := "the field ", "it"
	if len(names) > 1 {
		noun, verb = "the fields ", "them"
	}
	return &data.InputError{
		File: file, Line: 1, Problem: noun + data.QuoteList(names) + ", which the model uses, not given",
		Remedy: "add " + verb + ", blank where unknown",
	}
}

// strange gives the names that the table did not have.
func (e *Encoding) strange(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(e.LeftOut, name) ||
			slices.ContainsFunc(e.Fields, func(f Field) bool { return f.Name == name })
	})
}

// rowEncoder encodes one row after another.
type rowEncoder struct {
	encoding *Encoding
	lenient  bool
	cells    []cell
	notes    notes
}

// encode takes the cells of the encoding's fields. On a fault it gives the field.
func (r *rowEncoder) encode(texts []string, values []float64) (field int, wrong *fault) {
	e := r.encoding
	if r.cells == nil {
		r.cells = make([]cell, len(e.Fields))
	}
	for i := range e.Fields {
		f, c := &e.Fields[i], &r.cells[i]
		if wrong := f.read(texts[i], c); wrong != nil {
			return i, wrong
		}
		if level := f.unseen(c); level != "" {
			if len(f.Pooled) == 0 && !r.lenient {
				return i, &fault{
					fmt.Sprintf("there is no level %s", data.Quote(level)),
					"the table has " + data.QuoteList(f.Levels),
				}
			}
			r.notes.unseen(i, level)
		}
		if c.blank {
			r.notes.blank(i)
		}
	}
	for x := range e.Features {
		feature := &e.Features[x]
		values[x] = feature.encode(&e.Fields[feature.Field], &r.cells[feature.Field])
	}
	return 0, nil
}

// shownLevels is how many unseen levels of a field a warning names.
const shownLevels = 4

// notes gathers what was filled in or pooled, by field.
type notes struct {
	blanks map[int]int
	levels map[int][]string // distinct, the first few
	pooled map[int]int      // items
}

func (n *notes) blank(field int) {
	if n.blanks == nil {
		n.blanks = map[int]int{}
	}
	n.blanks[field]++
}

func (n *notes) unseen(field int, level string) {
	if n.levels == nil {
		n.levels, n.pooled = map[int][]string{}, map[int]int{}
	}
	n.pooled[field]++
	if len(n.levels[field]) < shownLevels && !slices.Contains(n.levels[field], level) {
		n.levels[field] = append(n.levels[field], level)
	}
}

// warnings says it of this many items.
func (n *notes) warnings(e *Encoding, items int) []string {
	of := func(count int) string {
		if items == 1 {
			return ""
		}
		return fmt.Sprintf(" in %d of %d items", count, items)
	}
	var out []string
	for i := range e.Fields {
		name := data.Quote(e.Fields[i].Name)
		if count := n.pooled[i]; count > 0 {
			out = append(out, fmt.Sprintf("field %s has levels that the table did not have%s, such as %s: taken as rare ones",
				name, of(count), data.QuoteList(n.levels[i])))
		}
		told := slices.ContainsFunc(e.Features, func(x Feature) bool { return x.Field == i && x.Part == Blank })
		if count := n.blanks[i]; count > 0 && !told {
			out = append(out, fmt.Sprintf("field %s is blank%s: the mean over the table is used", name, of(count)))
		}
	}
	return out
}

// strangers says which levels no item has that counts.
func (n *notes) strangers(e *Encoding) (out []string) {
	for i, f := range e.Fields {
		if count := n.pooled[i]; count > 0 {
			out = append(out, fmt.Sprintf("field %s has levels that no column with entries has, such as %s%s", data.Quote(f.Name), data.QuoteList(n.levels[i]), data.LeftOut))
		}
	}
	return out
}
