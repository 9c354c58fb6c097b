package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/textfile"
)

// Pack reads observed entries, however many, and writes them to a pack. What
// stands at output is replaced only by a whole one.
func Pack(ctx context.Context, paths []string, output string, settings Settings) (*Packing, error) {
	t, err := newStream(paths, &settings)
	if err != nil {
		return nil, err
	}
	done, _, err := t.pack(ctx, output)
	return done, err
}

// pack reads the inputs and writes the pack.
func (t *stream) pack(ctx context.Context, output string) (*Packing, *collector, error) {
	settings := t.settings
	temp := &spill{path: output}
	if settings.Temp != "" {
		temp.path = filepath.Join(settings.Temp, filepath.Base(output))
		atomicfile.RemoveStale(temp.path, SpillKind)
	}
	defer temp.close()
	atomicfile.RemoveStale(output, SpillKind)
	sink := &buckets{spill: temp}
	if settings.Memory > 0 {
		sink.budget = func() int64 { return t.pageBytes(settings.Memory) }
	}
	c, err := t.gather(ctx, sink)
	if err != nil {
		return nil, c, err
	}
	options := pack.WriterOptions{Rows: c.rows.count, Observed: c.sink.observed(), Weighted: c.report.Weighted}
	options.Values, options.Float32 = c.values().encoding(settings)
	w, err := pack.Create(output, c.columnIDs(), options)
	if err != nil {
		return nil, c, err
	}
	defer w.Abort()
	err = c.eachSorted(ctx, func(b *sorted) error {
		begin := 0
		for x, end := range b.ends {
			var weights []float64
			if c.report.Weighted {
				weights = b.weights[begin:end]
			}
			if err := w.AppendWeighed(c.rowID(b.first+x), b.columns[begin:end], b.values[begin:end], weights); err != nil {
				return err
			}
			begin = end
		}
		return nil
	})
	if err != nil {
		return nil, c, err
	}
	if err := w.Close(); err != nil {
		return nil, c, err
	}
	return &Packing{Report: c.report, Rows: c.rows.count, Columns: c.columns.count, Spilled: temp.offset}, c, nil
}

// encoding is which values a pack lists, and whether they have four bytes if it lists
// none.
func (s *values) encoding(settings *Settings) (list []float64, float32 bool) {
	if settings.Duplicates == Mean { // means may be other values
		return nil, settings.Float32
	}
	float32 = settings.Float32 || !s.precise
	if float32 == !s.precise { // rounded values are others too
		list = s.list()
	}
	return list, float32
}

// pageBytes is the part of the memory allowed that is left for entries. A fifth of it is
// for the garbage of the runtime and for sorting.
func (t *stream) pageBytes(memory int64) int64 {
	batches := int64(2*len(t.workers)+2) * batchBytes
	const program = 24 << 20 // what the program takes itself
	return max(memory-memory/5-program-batches-t.rows.bytes()-t.columns.bytes(), 1<<20)
}

// Packing is what Pack has written.
type Packing struct {
	Report
	Rows, Columns int
	Spilled       int64 // bytes of entries that did not fit into memory
}

// Tables that are large may be packed in parts, in several processes: each takes all
// entries of some rows (PackPart), and one of them puts together what they counted
// (JoinParts). pack.Merge makes one source of their packs.

// Part is what PackPart has written.
type Part struct {
	Packing
	Values  []float64 // the distinct ones
	Many    bool      // they are too many to be listed
	Precise bool      // some are no float32
	Unknown []string  // columns that are not known
}

// TableColumns are the columns of a table that hold the entries.
type TableColumns struct {
	Row, Column, Value string
	Weight             string // empty: there is none
}

// All are the names of all of them: the row, the column, the value and the weight.
func (c TableColumns) All() []string {
	all := []string{c.Row, c.Column, c.Value}
	if c.Weight != "" {
		all = append(all, c.Weight)
	}
	return all
}

// WithWeight is the settings that ask for this column of weights, or for none if it is
// empty, for PackPart.
func (s Settings) WithWeight(name string) Settings {
	switch {
	case name == "":
		name = NoWeights
	case slices.Contains(s.names(), name): // there the lines have the names that these have by themselves
		name = "weight"
	}
	s.Weight = name
	return s
}

// FindColumns finds them by the names of a table's columns. Not ok: they do not say it,
// so the content has to.
func FindColumns(table string, names []string, s Settings) (c TableColumns, ok bool, err error) {
	in := &input{name: table}
	at, err := in.recordColumns(names, &s)
	if err != nil || !in.layout.header {
		return c, false, err
	}
	if fault := in.findWeights(headerOf(names), 0, at, &s); fault != nil {
		return c, false, fault
	}
	return TableColumns{names[at[0]], names[at[1]], names[at[2]], in.weight.name}, true, nil
}

// PackPart packs entries that come as lines: row, column, value, and the weight
// that Settings.WithWeight names, with tabs between them. In a field, tabs,
// ends of lines and backslashes are \t, \n and \\, and \N is one without a value. Values
// are texts, as in CSV, or numbers, as in Parquet. Without entries nothing is written.
func PackPart(ctx context.Context, lines io.Reader, texts bool, table, output string, settings Settings) (*Part, error) {
	in := &input{name: table, format: escaped, from: lines, part: true, texts: texts}
	settings.RowName, settings.ColumnName, settings.ValueName = "row", "column", "value"
	in.layout = layout{delimiter: '\t', width: 3, column: 1, value: 2, header: true, called: [3]string(settings.names())}
	done, c, err := newStreamOf([]*input{in}, &settings).pack(ctx, output)
	if errors.Is(err, errNothing) {
		done, err = &Packing{Report: c.report}, nil
	}
	if err != nil {
		var wrong *data.InputError
		if errors.As(err, &wrong) {
			wrong.Line = 0 // of these lines, which nobody else sees
		}
		return nil, err
	}
	p := &Part{Packing: *done}
	seen := c.values()
	p.Values, p.Precise = seen.list(), seen.precise
	p.Many = p.Values == nil && done.Entries > 0
	for id := range c.unknown {
		p.Unknown = append(p.Unknown, id)
	}
	slices.SortFunc(p.Unknown, data.CompareIDs)
	return p, nil
}

// JoinParts is what the parts are together, and how their packs are to be written as
// shards, but for the columns. Settings must have no duplicates and not round: what is
// written then depends on more than these.
func JoinParts(table string, parts []*Part, settings Settings) (*Packing, *pack.ShardOptions, error) {
	all, seen, unknown := &Packing{}, &values{}, map[string]bool{}
	for _, p := range parts {
		r := &all.Report
		r.Lines += p.Lines
		r.Entries += p.Entries
		r.Missing += p.Missing
		r.Zeros += p.Zeros
		r.Weighted = r.Weighted || p.Weighted
		r.UnknownEntries += p.UnknownEntries
		r.Bytes += p.Bytes
		all.Rows += p.Rows
		all.Spilled += p.Spilled
		for _, note := range p.Notes {
			if !slices.Contains(r.Notes, note) {
				r.Notes = append(r.Notes, note)
			}
		}
		for _, id := range p.Unknown {
			unknown[id] = true
		}
		other := &values{many: p.Many, precise: p.Precise}
		for _, v := range p.Values {
			other.add(v)
		}
		seen.join(other)
	}
	slices.Sort(all.Notes)
	all.UnknownColumns = len(unknown)
	for id := range unknown {
		all.UnknownExamples = append(all.UnknownExamples, id)
	}
	slices.SortFunc(all.UnknownExamples, data.CompareIDs)
	all.UnknownExamples = all.UnknownExamples[:min(len(unknown), unknownExamples)]
	if all.Entries == 0 {
		return nil, nil, all.nothing(table, settings.Columns)
	}
	o := &pack.ShardOptions{Weighted: all.Weighted}
	if o.Values, o.Float32 = seen.encoding(&settings); o.Values != nil {
		o.Float32 = false // as of a pack that lists its values
	}
	return all, o, nil
}

var unescapeField = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")

// parseEscaped takes the lines of a part. Readers put a character in the place of what
// they cannot read: ids that differ there would be one.
func (w *worker) parseEscaped(b *batch) {
	in := b.file
	for text := b.text; len(text) > 0 && b.fault == nil; {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		b.lines++
		if !utf8.Valid(line) || in.texts && bytes.ContainsRune(line, utf8.RuneError) {
			w.fail(b, "it holds text that is not UTF-8", "save the file as UTF-8")
			return
		}
		fields := bytes.Split(line, []byte{'\t'})
		if len(fields) != in.layout.width {
			w.fail(b, "a line of entries has another number of fields than expected", "")
			return
		}
		for x, field := range fields {
			switch {
			case string(field) == `\N`:
				fields[x] = nil
			case bytes.IndexByte(field, '\\') >= 0:
				fields[x] = []byte(unescapeField.Replace(string(field)))
			}
			if err := textfile.CheckLine(in.name, b.lines, fields[x]); err != nil && in.texts {
				errors.As(err, &b.fault)
				return
			}
		}
		w.entry(b, fields[0], fields[1], fields[2], fields)
	}
	if b.fault == nil && b.broken != nil {
		errors.As(textfile.ReadError(in.name, b.lines+1, b.broken), &b.fault)
	}
}
