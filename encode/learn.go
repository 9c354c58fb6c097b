package encode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"optcomplete/data"
)

// Learn understands a table. It gives the encoding, the encoded features of the
// table's items in its order, and the report. Every fault of the table or of the
// options is an *data.InputError. A context that ends ends it at once.
func Learn(ctx context.Context, table *data.RawTable, options Options) (*Encoding, *data.Features, *Report, error) {
	if err := options.check(table); err != nil {
		return nil, nil, nil, err
	}
	options.defaults()
	l := &learner{ctx: ctx, table: table, options: options, report: &Report{File: table.File, Scale: options.Scale}}
	// A field of millions of items takes seconds: whoever interrupts does not wait
	// for it, and what is under way ends after it.
	var features *data.Features
	learned := make(chan error, 1)
	go func() {
		var err error
		features, err = l.learn()
		learned <- err
	}()
	select {
	case <-ctx.Done():
		return nil, nil, nil, ctx.Err()
	case err := <-learned:
		if err != nil {
			return nil, nil, nil, err
		}
		return l.encoding, features, l.report, nil
	}
}

// learn takes all steps.
func (l *learner) learn() (*data.Features, error) {
	for _, step := range []func() error{
		l.understand, l.complete, l.count, l.shape, l.rename, l.standardise, l.reduce, l.assemble, l.group,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	features, err := l.encode()
	if err != nil {
		return nil, err
	}
	return features, l.finish()
}

func (o *Options) defaults() {
	if o.MaxLevels == 0 {
		o.MaxLevels = DefaultMaxLevels
	}
	if o.MinShare == 0 {
		o.MinShare = DefaultMinShare
	}
	if o.MissingFrom == 0 {
		o.MissingFrom = DefaultMissingFrom
	}
}

// learner is a table being understood, step by step.
type learner struct {
	ctx      context.Context // asked once for each field and each feature
	table    *data.RawTable
	options  Options
	drafts   []*draft // one for each field of the table
	rows     []int    // the items used, in the order of their ids
	others   []int    // those that do not count
	encoding *Encoding
	columns  []column // the features that are kept
	report   *Report
}

// column is a feature of a draft.
type column struct {
	draft   *draft
	feature *Feature
	values  []float64 // before scaling, in the order of the ids
}

func (l *learner) warn(format string, args ...any) {
	l.report.Warnings = append(l.report.Warnings, fmt.Sprintf(format, args...))
}

// understand reads every field of all items.
func (l *learner) understand() error {
	l.rows = make([]int, len(l.table.IDs))
	for j := range l.rows {
		l.rows[j] = j
	}
	slices.SortFunc(l.rows, func(a, b int) int { return cmp.Compare(l.table.IDs[a], l.table.IDs[b]) })
	for i, name := range l.table.Names {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		d := &draft{field: Field{Name: name}, options: l.options.Fields[name]}
		d.report.Name = name
		if l.table.Kinds != nil {
			d.kind = Type(l.table.Kinds[i])
		}
		l.drafts = append(l.drafts, d)
		l.take(d, i)
		if err := d.understand(l.table.File, l.options); err != nil {
			return err
		}
	}
	return nil
}

// take gives a draft the cells of the items used.
func (l *learner) take(d *draft, field int) {
	d.texts, d.lines = make([]string, len(l.rows)), make([]int, len(l.rows))
	for i, j := range l.rows {
		d.texts[i], d.lines[i] = l.table.Row(j)[field], l.table.Lines[j]
	}
}

// complete leaves out the items with blanks, if asked to. Fields that turn out to
// be free text do not count, so the levels are looked at first.
func (l *learner) complete() error {
	if !l.options.CompleteOnly {
		return nil
	}
	gap := make([]bool, len(l.rows))
	for _, d := range l.drafts {
		if !d.used {
			continue
		}
		trial := *d
		if err := trial.shape(l.table.File, l.options); err != nil {
			return err
		}
		var c cell
		for i, text := range d.texts {
			if wrong := d.field.read(text, &c); wrong != nil {
				return wrong.in(l.table.File, d.lines[i], d.field.Name)
			}
			gap[i] = gap[i] || trial.used && c.blank
		}
	}
	var kept []int
	for i, j := range l.rows {
		if !gap[i] {
			kept = append(kept, j)
		}
	}
	l.report.ItemsLeftOut = len(l.rows) - len(kept)
	if len(kept) == 0 {
		return &data.InputError{File: l.table.File, Problem: "every item has a blank in some field", Remedy: "set fields with many blanks to type=ignore, or let blanks be filled in"}
	}
	l.rows = kept
	for i, d := range l.drafts {
		l.take(d, i)
	}
	return nil
}

// count puts the items aside that do not count, unless none is left.
func (l *learner) count() error {
	if l.options.Counts == nil {
		return nil
	}
	var kept []int
	for _, j := range l.rows {
		if l.options.Counts(l.table.IDs[j]) {
			kept = append(kept, j)
		} else {
			l.others = append(l.others, j)
		}
	}
	if len(kept) == 0 || len(l.others) == 0 {
		l.others = nil
		return nil
	}
	l.rows = kept
	for i, d := range l.drafts {
		l.take(d, i)
	}
	return nil
}

// shape makes the features of every field.
func (l *learner) shape() error {
	for _, d := range l.drafts {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if !d.used {
			continue
		}
		if err := d.shape(l.table.File, l.options); err != nil {
			return err
		}
		if !d.used {
			continue
		}
		if err := d.fill(l.table.File, l.options); err != nil {
			return err
		}
		for x := range d.features {
			l.columns = append(l.columns, column{d, &d.features[x], d.values[x]})
		}
	}
	return nil
}

// rename makes the features' names distinct: a level's may be that of a field.
func (l *learner) rename() error {
	taken := map[string]bool{}
	for _, c := range l.columns {
		if c.feature.Part == Value && c.feature.Name == c.draft.field.Name {
			taken[c.feature.Name] = true
		}
	}
	for _, c := range l.columns {
		name := c.feature.Name
		if c.feature.Part == Value && name == c.draft.field.Name {
			continue
		}
		for again := 2; taken[c.feature.Name]; again++ {
			c.feature.Name = fmt.Sprintf("%s (%d)", name, again)
		}
		taken[c.feature.Name] = true
		if c.feature.Name != name {
			l.warn("feature %s of field %s is named %s, because that name is taken", data.Quote(name), data.Quote(c.draft.field.Name), data.Quote(c.feature.Name))
		}
	}
	return nil
}

// assemble puts the features that are kept, and the fields that they come from,
// into the encoding.
func (l *learner) assemble() error {
	e := &Encoding{Version: Version, Scale: l.options.Scale, Fields: []Field{}, Features: []Feature{}, Groups: []Group{}}
	l.encoding = e
	for _, d := range l.drafts {
		at := len(e.Fields)
		for _, c := range l.columns {
			if c.draft == d {
				feature := *c.feature
				feature.Field = at
				e.Features = append(e.Features, feature)
				d.report.Features = append(d.report.Features, feature.Name)
			}
		}
		if len(d.report.Features) > 0 {
			e.Fields = append(e.Fields, d.field)
			d.noteBlanks(l.options.CompleteOnly)
			continue
		}
		e.LeftOut = append(e.LeftOut, d.field.Name)
		if d.options.Always {
			return &data.InputError{File: l.table.File, Problem: "field " + data.Quote(d.field.Name) + " is to be selected always, but nothing of it became a feature", Remedy: d.report.why()}
		}
	}
	if len(e.Features) == 0 {
		return &data.InputError{File: l.table.File, Problem: "no field became a feature", Remedy: l.reasons()}
	}
	return nil
}

// reasons says for the first few fields why they became no feature.
func (l *learner) reasons() string {
	const most = 4
	var out []string
	for i, d := range l.drafts {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, data.Quote(d.field.Name)+": "+d.report.why())
	}
	return strings.Join(out, "; ")
}

// group forms the groups, in the order of their first features.
func (l *learner) group() error {
	e := l.encoding
	at := map[string]int{} // of the families
	for x := range e.Features {
		field := e.Fields[e.Features[x].Field].Name
		o := l.options.Fields[field]
		g, known := at[o.Group]
		if o.Group == "" || !known {
			g = len(e.Groups)
			name := o.Group
			if name == "" {
				name = e.Features[x].Name
			} else {
				at[name] = g
			}
			e.Groups = append(e.Groups, Group{Name: name})
		}
		group := &e.Groups[g]
		group.Features = append(group.Features, x)
		group.Always = group.Always || o.Always
		group.Never = group.Never || o.Never
	}
	seen := map[string]bool{}
	for _, g := range e.Groups {
		_, family := at[g.Name]
		switch {
		case seen[g.Name]:
			return &data.InputError{File: l.table.File, Problem: "the group " + data.Quote(g.Name) + " has the name of a feature outside it", Remedy: "give the group another name"}
		case g.Always && g.Never:
			return &data.InputError{File: l.table.File, Problem: "the group " + data.Quote(g.Name) + " is both always and never to be selected"}
		case family && len(g.Features) == 1:
			l.warn("group %s has one member, %s: grouping changes nothing", data.Quote(g.Name), data.Quote(e.Features[g.Features[0]].Name))
		}
		seen[g.Name] = true
	}
	for _, name := range sortedKeys(l.options.Fields) {
		group := l.options.Fields[name].Group
		if _, made := at[group]; group != "" && !made {
			l.warn("group %s has no member: nothing of field %s became a feature", data.Quote(group), data.Quote(name))
		}
	}
	return nil
}

// encode encodes the items used, in the order of the table, the way that Apply
// does: that the two agree to the bit needs no further care.
func (l *learner) encode() (*data.Features, error) {
	rows := slices.Concat(l.rows, l.others)
	slices.Sort(rows)
	used := &data.RawTable{File: l.table.File, Names: l.table.Names}
	for _, j := range rows {
		used.IDs = append(used.IDs, l.table.IDs[j])
		used.Lines = append(used.Lines, l.table.Lines[j])
		used.Cells = append(used.Cells, l.table.Row(j)...)
	}
	features, notes, err := l.encoding.apply(used, len(l.others) > 0)
	if err == nil && len(l.others) > 0 {
		l.report.Warnings = append(l.report.Warnings, notes.strangers(l.encoding)...)
	}
	return features, err
}
