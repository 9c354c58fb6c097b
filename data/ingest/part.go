package ingest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"optcomplete/data"
	"optcomplete/data/pack"
)

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
	in := &input{name: table, format: Arrow, part: true}
	from, to := io.Pipe()
	in.from = from
	send := numbersTo
	if texts {
		in.format, send = CSV, textsTo
		settings.Delimiter = ','
	}
	settings.RowName, settings.ColumnName, settings.ValueName = "row", "column", "value"
	header := settings.names()
	if settings.asksForWeights() {
		header = append(header, settings.Weight)
	} else {
		settings.Weight = NoWeights
	}
	sent := make(chan error, 1)
	go func() {
		err := send(to, header, lines)
		sent <- err
		to.CloseWithError(err)
	}()
	defer from.Close()
	done, c, err := newStreamOf([]*input{in}, &settings).pack(ctx, output)
	if errors.Is(err, errNothing) {
		done, err = &Packing{Report: c.report}, nil
	}
	if err != nil {
		from.Close()
		if errors.Is(<-sent, errNotUTF8) {
			return nil, fault(table, 0, errNotUTF8.Error(), "save the file as UTF-8")
		}
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

// eachEscaped hands the fields of lines to take; null tells which have no value.
func eachEscaped(lines io.Reader, width int, take func(fields []string, null []bool) error) error {
	in := bufio.NewReaderSize(lines, 1<<16)
	fields, null := make([]string, width), make([]bool, width)
	for {
		line, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			var rest []byte
			line = bytes.Clone(line)
			rest, err = in.ReadBytes('\n')
			line = append(line, rest...)
		}
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		rest := strings.TrimSuffix(string(line), "\n")
		for x := range fields {
			field, after, more := strings.Cut(rest, "\t")
			if more != (x+1 < width) {
				return errors.New("a line of entries has another number of fields than expected")
			}
			rest = after
			if null[x] = field == `\N`; null[x] {
				field = ""
			} else if strings.IndexByte(field, '\\') >= 0 {
				field = unescapeField.Replace(field)
			}
			fields[x] = field
		}
		if err := take(fields, null); err != nil {
			return err
		}
	}
}

// errNotUTF8 is of a text with the character that readers put in the place of what they
// cannot read: ids that differ there would be one.
var errNotUTF8 = errors.New("it holds text that is not UTF-8")

// textsTo writes the lines as CSV.
func textsTo(to io.Writer, header []string, lines io.Reader) error {
	out := csv.NewWriter(to)
	if err := out.Write(header); err != nil {
		return err
	}
	err := eachEscaped(lines, len(header), func(fields []string, _ []bool) error {
		for _, field := range fields {
			if strings.ContainsRune(field, utf8.RuneError) {
				return errNotUTF8
			}
		}
		return out.Write(fields)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// numbersTo writes the lines as Arrow: ids as text, the rest as numbers.
func numbersTo(to io.Writer, header []string, lines io.Reader) error {
	var columns []arrow.Field
	for x, name := range header {
		f := arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
		if x < 2 {
			f.Type = arrow.BinaryTypes.String
		}
		columns = append(columns, f)
	}
	schema := arrow.NewSchema(columns, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	out := ipc.NewWriter(to, ipc.WithSchema(schema))
	count := 0
	flush := func() error {
		record := builder.NewRecordBatch()
		defer record.Release()
		count = 0
		return out.Write(record)
	}
	err := eachEscaped(lines, len(header), func(fields []string, null []bool) error {
		for x, field := range fields {
			switch b := builder.Field(x).(type) {
			case *array.StringBuilder:
				if null[x] {
					b.AppendNull()
				} else {
					b.Append(field)
				}
			case *array.Float64Builder:
				if null[x] {
					b.AppendNull()
					continue
				}
				v, err := strconv.ParseFloat(field, 64)
				if err != nil {
					return err
				}
				b.Append(v)
			}
		}
		if count++; count == recordRows {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	return errors.Join(err, out.Close())
}
