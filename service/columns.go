package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/model/diagnose"
)

// column tells who likes a column. Rows count that have entries.
func (x *matrix) Column(ctx context.Context, q *ColumnRequest) (*ColumnAnswer, error) {
	top := 5
	if err := number("top", q.Top, &top, 0, mostTop); err != nil {
		return nil, err
	}
	m, id, out := x.m, q.Column, &ColumnAnswer{Column: q.Column, Warnings: []string{}, Scale: x.about.Scale}
	if q.Features != nil {
		if x.m.ByFeatures {
			return nil, bad("ask for columns of the model", "new columns cannot be added to the model %s here", x.info.Name)
		}
		id = cmp.Or(id, "new "+m.Summary.Nouns.Item())
		if _, taken := m.Column(id); taken {
			return nil, bad("give another id, or none", "%s is a column of the model already", data.Quote(id))
		}
		features, warnings, err := x.features(id, q.Features)
		if err != nil {
			return nil, err
		}
		if m, err = m.WithColumns(features); err != nil {
			return nil, err
		}
		out.Column, out.Warnings = id, some(warnings)
	}
	j, known := m.Column(id)
	if !known {
		return nil, faultf(http.StatusNotFound, `give the features of a new column: {"features": {FIELD: VALUE}}`, "%s is not a column of the model", data.Quote(id))
	}
	return out, x.judge(ctx, m, j, top, out)
}

// judge fills in what all rows are predicted for a column.
func (x *matrix) judge(ctx context.Context, m *model.Model, j, top int, out *ColumnAnswer) error {
	of := m.Fitted()
	effect, b, _ := of.ColumnParts(j)
	out.Name, out.Entries, out.Effect, out.Features = x.name(j), int(m.ColumnEntries[j]), effect, []Value{}
	for f, name := range m.Summary.Terms {
		out.Features = append(out.Features, Value{name, x.units.Names[f], x.units.Raw(f, b[f])})
	}
	type scored struct {
		row       int
		at, value float64
	}
	var all []scored
	for i := range m.RowIDs {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.Entries[i] > 0 {
			a := of.AnswerAt(i, j)
			all = append(all, scored{i, a.Unclipped, a.Value})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.at > b.at:
			return -1
		case a.at < b.at:
			return 1
		}
		return 0
	})
	values := make([]float64, len(all))
	for n, s := range all {
		values[n] = s.value
	}
	out.Rows, out.Spread = len(all), model.SpreadOf(values) // it sorts them
	out.Counts = diagnose.Middle(values)
	list := func(from []scored, backwards bool) []RowOfColumn {
		rows := []RowOfColumn{}
		for _, s := range from {
			rows = append(rows, RowOfColumn{Row: m.RowIDs[s.row], Prediction: s.value, Whys: m.WhyRow(s.row, j, backwards)})
		}
		return rows
	}
	top = min(top, len(all))
	out.Highest = list(all[:top], false)
	last := slices.Clone(all[len(all)-top:])
	slices.Reverse(last)
	out.Lowest = list(last, true)
	return nil
}

func (x *matrix) IDs(rows bool, search string, most int) *IDList {
	if rows {
		return find(search, most, len(x.m.RowIDs), func(i int) ID { return ID{ID: x.m.RowIDs[i], Entries: int(x.m.Entries[i])} })
	}
	return find(search, most, len(x.m.ColumnIDs), func(j int) ID {
		return ID{ID: x.m.ColumnIDs[j], Name: x.name(j), Entries: int(x.m.ColumnEntries[j])}
	})
}

// mostSeen is how many seen columns a row is shown with.
const mostSeen = 2000

func (x *matrix) Row(id string) (*RowAnswer, error) {
	i, known := x.m.Row(id)
	if !known {
		return nil, faultf(http.StatusNotFound, "ask for /rows?search=TEXT", "%s is not a row of the model", data.Quote(id))
	}
	seen, _, err := x.m.Seen(i)
	if err != nil {
		return nil, err
	}
	out := &RowAnswer{ID: id, Entries: int(x.m.Entries[i]), Seen: []ID{}}
	for _, j := range seen[:min(len(seen), mostSeen)] {
		out.Seen = append(out.Seen, ID{ID: x.m.ColumnIDs[j], Name: x.name(int(j)), Entries: int(x.m.ColumnEntries[j])})
	}
	if ratings, known := x.ratings.of(id); known {
		out.Ratings = &ratings
	}
	return out, nil
}

// withColumns is the model with columns of which a request gives the features.
func (x *matrix) withColumns(fresh map[string]Record) (*model.Model, error) {
	if x.m.ByFeatures {
		return nil, bad("ask for columns of the model", "new columns cannot be added to the model %s here", x.info.Name)
	}
	if len(fresh) > mostColumns {
		return nil, bad("send them in several requests", "new_columns has %d columns, of at most %d", len(fresh), mostColumns)
	}
	var ids []string
	var values []float64
	for id, record := range fresh {
		if _, known := x.m.Column(id); known {
			return nil, bad("leave it out of new_columns, or use another id", "%s is a column of the model already", data.Quote(id))
		}
		features, _, err := x.features(id, record)
		if err != nil {
			return nil, err
		}
		ids, values = append(ids, id), append(values, features.Values...)
	}
	return x.m.WithColumns(data.NewFeatures(ids, x.m.FeaturesUsed(), values))
}

// features understands the record of one column. A field that is left out is blank.
func (x *matrix) features(id string, record Record) (*data.Features, []string, error) {
	var names, cells []string
	for _, f := range x.info.Fields {
		names, cells = append(names, f.Name), append(cells, "")
	}
	for name, raw := range record {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, nil, bad("the description of the model lists the fields", "column %s has a field %s that the model does not use", data.Quote(id), data.Quote(name))
		}
		var err error
		if cells[at], err = cellOf(raw); err != nil {
			return nil, nil, bad("give a text, a number, true, false or null", "column %s: the field %s is %v", data.Quote(id), data.Quote(name), err)
		}
	}
	table := data.NewRawTable("column "+data.Quote(id), []string{id}, names, cells)
	table.Lines = []int{0} // of no file
	return x.m.ColumnsFrom(table)
}

// Known is the ratings of rows, where the service is given them.
type Known struct {
	ratings *data.Ratings
	rows    map[string]int
}

// NewKnown keeps ratings that are in memory.
func NewKnown(r *data.Ratings) *Known {
	k := &Known{ratings: r, rows: make(map[string]int, len(r.RowIDs))}
	for i, id := range r.RowIDs {
		k.rows[id] = i
	}
	return k
}

// of is the ratings of a row, which the caller may change.
func (k *Known) of(id string) (Ratings, bool) {
	if k == nil {
		return nil, false
	}
	i, known := k.rows[id]
	if !known {
		return nil, false
	}
	out := Ratings{}
	columns, values := k.ratings.Matrix().Row(i)
	for x, j := range columns {
		out[k.ratings.ColumnIDs[j]] = &values[x]
	}
	return out, true
}

// cellOf is a value of JSON as a file has it; null is blank.
func cellOf(raw json.RawMessage) (string, error) {
	text := string(bytes.TrimSpace(raw))
	switch {
	case text == "null" || text == "":
		return "", nil
	case text == "true":
		return "1", nil
	case text == "false":
		return "0", nil
	case text[0] == '"':
		err := json.Unmarshal(raw, &text)
		return text, err
	case text[0] == '[' || text[0] == '{':
		return "", errors.New("a list or an object")
	}
	return text, nil
}

// mostFound is how many ids one answer lists.
const mostFound = 100

// find lists what has a text in its id or name: first those that begin with it.
func find(search string, most, n int, item func(int) ID) *IDList {
	search = strings.ToLower(strings.TrimSpace(search))
	out := &IDList{Items: []ID{}, Of: n}
	var later []ID
	for i := range n {
		one := item(i)
		id, name := strings.ToLower(one.ID), strings.ToLower(one.Name)
		switch {
		case strings.HasPrefix(id, search) || strings.HasPrefix(name, search):
			out.Items = append(out.Items, one)
		case len(later) < most && (strings.Contains(id, search) || strings.Contains(name, search)):
			later = append(later, one)
		}
		if len(out.Items) == most {
			break
		}
	}
	out.Items = append(out.Items, later[:min(len(later), most-len(out.Items))]...)
	return out
}
