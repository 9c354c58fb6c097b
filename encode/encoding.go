package encode

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/internal/suggest"
)

// Version is the version of Encoding's JSON that this package writes and reads.
// It changes when an older program could misread a newer encoding.
const Version = 1

// Encoding turns raw records into features. It is learned from a table and must
// not be changed afterwards; any number of goroutines may then use it.
type Encoding struct {
	Version  int       `json:"version"`
	Scale    Scale     `json:"scale,omitempty"`    // "" is the z-score
	Fields   []Field   `json:"fields"`             // those that a record must have
	LeftOut  []string  `json:"left_out,omitempty"` // other fields of the table: a record may have them
	Features []Feature `json:"features"`           // p, in the order of the encoded values
	Groups   []Group   `json:"groups"`             // every feature is in exactly one
}

// Field is how the cells of one field are read.
type Field struct {
	Name      string      `json:"name"`
	Type      Type        `json:"type"` // numeric, indicator, text, list or date
	Transform Transform   `json:"transform,omitempty"`
	Number    *NumberForm `json:"number,omitempty"`    // how its numbers are written; nil: plainly
	Edges     []float64   `json:"edges,omitempty"`     // between the bins
	Separator string      `json:"separator,omitempty"` // of a list
	Format    string      `json:"format,omitempty"`    // of a date
	Blank     []string    `json:"blank,omitempty"`     // words that mean blank
	Levels    []string    `json:"levels,omitempty"`    // the frequent ones, most frequent first
	Pooled    []string    `json:"pooled,omitempty"`    // the other ones that the table has, sorted
}

// Part says what of a field a feature is.
type Part string

const (
	Value Part = "value"   // the number, transformed
	Level Part = "level"   // 1 where the cell is, or lists, the level
	Other Part = "other"   // 1 where the cell is, or lists, a level that is not one of Field.Levels
	Bin   Part = "bin"     // 1 where the number is in the interval
	Year  Part = "year"    // of a date
	Month Part = "month"   // of a date, 1 to 12
	Blank Part = "missing" // 1 where the cell is blank
)

// Feature is one encoded feature: (x − Centre)/Scale, where x is the part of the
// field that it stands for, in the unit of the file, or Fill if the cell is blank.
type Feature struct {
	Name   string  `json:"name"`
	Field  int     `json:"field"` // index in Encoding.Fields
	Part   Part    `json:"part"`
	Level  string  `json:"level,omitempty"`
	Bin    int     `json:"bin,omitempty"` // how many edges lie at or below it
	Fill   float64 `json:"fill"`          // the mean of the filled cells
	Centre float64 `json:"centre"`
	Scale  float64 `json:"scale"` // positive
}

// Group is what a selection counts as one of its k: a single feature, or all of
// a family.
type Group struct {
	Name     string `json:"name"`     // the feature's, or the family's
	Features []int  `json:"features"` // increasing indices in Encoding.Features
	Always   bool   `json:"always,omitempty"`
	Never    bool   `json:"never,omitempty"`
}

// Plain is the encoding of a table of numbers: every field is a feature, as it is.
// values are the table, row by row: the mean of a field stands for later blanks.
func Plain(names []string, values []float64) *Encoding {
	e := &Encoding{Version: Version, Scale: AsIs}
	rows := float64(len(values) / max(len(names), 1))
	for j, name := range names {
		mean := 0.0
		for at := j; at < len(values); at += len(names) {
			mean += values[at] / rows
		}
		e.Fields = append(e.Fields, Field{Name: name, Type: Numeric})
		e.Features = append(e.Features, Feature{Name: name, Field: j, Part: Value, Fill: mean, Scale: 1})
		e.Groups = append(e.Groups, Group{Name: name, Features: []int{j}})
	}
	return e
}

// Names gives the names of the features, in order.
func (e *Encoding) Names() []string {
	return lists.Each(e.Features, func(f Feature) string { return f.Name })
}

// Resolve finds the groups that names stand for, without duplicates and in order
// of their indices. A name is a group's, a feature's or a field's, in this order;
// a field's means all groups that hold a feature of it. A name with commas may have been
// cut at them: names that follow each other are joined where that makes one.
func (e *Encoding) Resolve(names []string) ([]int, error) {
	var found []int
	for len(names) > 0 {
		n, here := 1, e.groupsOf(names[0])
		for len(here) == 0 && n < len(names) {
			n++
			here = e.groupsOf(strings.Join(names[:n], ","))
		}
		if len(here) == 0 {
			return nil, e.unknownName(names[0])
		}
		found, names = append(found, here...), names[n:]
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func (e *Encoding) groupsOf(name string) []int {
	if g := slices.IndexFunc(e.Groups, func(g Group) bool { return g.Name == name }); g >= 0 {
		return []int{g}
	}
	holds := func(match func(f *Feature) bool) []int {
		var found []int
		for g, group := range e.Groups {
			if slices.ContainsFunc(group.Features, func(j int) bool { return match(&e.Features[j]) }) {
				found = append(found, g)
			}
		}
		return found
	}
	if found := holds(func(f *Feature) bool { return f.Name == name }); len(found) > 0 {
		return found
	}
	return holds(func(f *Feature) bool { return e.Fields[f.Field].Name == name })
}

func (e *Encoding) unknownName(name string) error {
	if slices.Contains(e.LeftOut, name) {
		return fmt.Errorf("nothing of the field %s became a feature", data.Quote(name))
	}
	var names []string
	for _, g := range e.Groups {
		names = append(names, g.Name)
	}
	for _, f := range e.Features {
		names = append(names, f.Name)
	}
	for _, f := range e.Fields {
		names = append(names, f.Name)
	}
	return fmt.Errorf("there is no feature, group or field %s%s", data.Quote(name), suggest.After(name, names))
}

// Select gives the encoding of some features alone, in the given order. It needs
// no more of a record than the fields that they come from. Groups keep what is
// left of them.
func (e *Encoding) Select(features []int) *Encoding {
	out := &Encoding{Version: e.Version, Scale: e.Scale, LeftOut: slices.Clone(e.LeftOut)}
	at := make(map[int]int, len(features)) // of features in out
	for i, j := range features {
		at[j] = i
		out.Features = append(out.Features, e.Features[j])
	}
	field := make(map[int]int)
	for i, f := range e.Fields {
		if slices.ContainsFunc(out.Features, func(x Feature) bool { return x.Field == i }) {
			field[i] = len(out.Fields)
			out.Fields = append(out.Fields, f)
		} else {
			out.LeftOut = append(out.LeftOut, f.Name)
		}
	}
	for i := range out.Features {
		out.Features[i].Field = field[out.Features[i].Field]
	}
	for _, g := range e.Groups {
		group := g
		group.Features = nil
		for _, j := range g.Features {
			if i, ok := at[j]; ok {
				group.Features = append(group.Features, i)
			}
		}
		if slices.Sort(group.Features); len(group.Features) > 0 {
			out.Groups = append(out.Groups, group)
		}
	}
	return out
}

// UnmarshalJSON reads an encoding and checks that it can be applied.
func (e *Encoding) UnmarshalJSON(text []byte) error {
	type plain Encoding
	var read plain
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.Version != Version {
		return fmt.Errorf("encode: the encoding has version %d, but this program reads version %d", read.Version, Version)
	}
	if err := (*Encoding)(&read).check(); err != nil {
		return err
	}
	*e = Encoding(read)
	return nil
}

// check refuses an encoding that Apply could not use.
func (e *Encoding) check() error {
	for i := range e.Fields {
		f := &e.Fields[i]
		_, format := dateLayout(f.Format)
		switch f.Type {
		case Numeric, Indicator, Text, Date:
		case List:
			if f.Separator == "" {
				return fmt.Errorf("encode: the list %s has no separator", data.Quote(f.Name))
			}
		default:
			return fmt.Errorf("encode: field %s has the type %s", data.Quote(f.Name), data.Quote(string(f.Type)))
		}
		if !increasing(f.Edges) || format != nil {
			return fmt.Errorf("encode: field %s has edges that do not increase, or a format that is none", data.Quote(f.Name))
		}
	}
	for i := range e.Features {
		f := &e.Features[i]
		finite := !math.IsInf(f.Fill, 0) && !math.IsInf(f.Centre, 0) && !math.IsInf(f.Scale, 0)
		if f.Field < 0 || f.Field >= len(e.Fields) || !finite || !(f.Scale > 0) {
			return fmt.Errorf("encode: feature %s has no field, or no positive scale", data.Quote(f.Name))
		}
	}
	times := make([]int, len(e.Features))
	for _, g := range e.Groups {
		for _, j := range g.Features {
			if j < 0 || j >= len(times) {
				return fmt.Errorf("encode: group %s has the feature %d of %d", data.Quote(g.Name), j, len(times))
			}
			times[j]++
		}
	}
	if j := slices.IndexFunc(times, func(n int) bool { return n != 1 }); j >= 0 {
		return fmt.Errorf("encode: feature %s is in %d groups", data.Quote(e.Features[j].Name), times[j])
	}
	return nil
}
