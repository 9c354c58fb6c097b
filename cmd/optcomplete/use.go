package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/progress"
	"optcomplete/internal/textfile"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/pass"
)

// writeResult writes to a file, all or nothing, or to stdout without one.
func writeResult(c *common, path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		w := bufio.NewWriterSize(c.stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	if kept := c.kept[path]; kept != nil {
		return write(kept)
	}
	return atomicfile.File(path, write)
}

// formatOf is what the name of an output asks for: CSV where it is stdout.
func (c *common) formatOf(output string) (tables.Format, error) {
	format, err := tables.CSV, error(nil)
	if output != "" && output != "-" {
		if format, err = tables.FormatOf(output); err != nil {
			return format, &usageError{err}
		}
	}
	if format == tables.CSV && c.rawNames {
		format = tables.RawCSV
	}
	return format, nil
}

// cell is a name as CSV files have it.
func (c *common) cell(text string) string {
	if c.rawNames {
		return text
	}
	return textfile.SafeCell(text)
}

// safe is a table with names as CSV files have them.
func (c *common) safe(f *data.Features) *data.Features {
	out := *f
	out.IDs, out.Names = slices.Clone(f.IDs), slices.Clone(f.Names)
	for _, list := range [][]string{out.IDs, out.Names} {
		for x := range list {
			list[x] = c.cell(list[x])
		}
	}
	return &out
}

// whileWriting is the context to write a result with: no bars where it goes to
// the same terminal.
func (c *common) whileWriting(ctx context.Context, path string) context.Context {
	if (path == "" || path == "-") && c.outTerminal.is {
		return progress.NewContext(ctx, nil)
	}
	return ctx
}

// working shows on a terminal that something is under way, until the function that
// it gives is called. path is where the result goes: see whileWriting.
func (c *common) working(label, path string) (done func()) {
	return progress.Start(c.whileWriting(c.ctx, path), label, 0, "").Done
}

// threadsOf is the number of processors to use.
func threadsOf(c *common) int {
	if c.threads > 0 {
		return c.threads
	}
	return runtime.GOMAXPROCS(0)
}

// loadWith opens a saved model and adds the columns of a file of raw records, if
// one is given.
func loadWith(c *common, path, records string) (*model.Model, error) {
	m, err := loadModel(c, path)
	if err != nil || records == "" {
		return m, err
	}
	if err := kindAt(path).takesColumns(path, m); err != nil {
		return nil, err
	}
	return withRecords(c, m, records)
}

// withRecords adds columns that the model does not know from their raw records.
// Records of columns that it knows are left out: their features are part of it. The field
// of the id is that of the table it was fitted on.
func withRecords(c *common, m *model.Model, path string) (*model.Model, error) {
	table, err := data.ReadRawTable(path, data.FeaturesOptions{ID: m.Summary.Settings["id"], Context: c.ctx})
	if err != nil {
		return nil, err
	}
	var fresh []int32
	for j, id := range table.IDs {
		if _, known := m.Column(id); !known {
			fresh = append(fresh, int32(j))
		}
	}
	if known := len(table.IDs) - len(fresh); known > 0 {
		c.notef("%s of %s already in the model: the model's own features are used", counted(known, "column is", "columns are"), path)
	}
	features, warnings, err := m.ColumnsFrom(table.Some(fresh))
	if err != nil {
		return nil, err
	}
	c.warn(path, warnings)
	return m.WithColumns(features)
}

// loadModel opens a saved model; one that cannot be read is bad input.
func loadModel(c *common, path string) (*model.Model, error) {
	defer c.working("Reading the model", "nowhere")()
	m, err := c.models.load(path)
	if err != nil {
		if errors.As(err, new(*usageError)) {
			return nil, err
		}
		return nil, &usageError{err}
	}
	return m, nil
}

func completeCommand(c *common) *cobra.Command {
	var (
		output   string
		rows     []string
		wide     bool
		shards   string
		observed observedFlags
		remote   engineFlags
	)
	cmd := verb("complete", func(cmd *cobra.Command, args []string) error {
		var each int64 // the size of a file; 0: no folder
		err := memoryFlag("shards", shards, &each)
		if err != nil {
			return err
		}
		format := tables.Parquet
		if each == 0 {
			format, err = c.formatOf(output)
		} else if output == "" || output == "-" {
			err = usagef("--shards writes a folder: name it with -o")
		}
		if err != nil {
			return err
		}
		if wide {
			if observed.mark {
				return usagef("--mark-observed adds a field to the long table: leave out --wide, or use --keep-observed RATINGS")
			}
			format = format.Wide()
		}
		ended, err := remote.use(cmd, c)
		if err != nil {
			return err
		}
		defer ended()
		m, err := loadModel(c, args[0])
		if err != nil {
			return err
		}
		wanted, err := rowsOf(m, rows)
		if err != nil {
			return err
		}
		entries, err := observed.entries(cmd.Context(), c, m)
		if err != nil {
			return err
		}
		if each > 0 {
			return tables.CompleteFolder(cmd.Context(), m, output, format, wanted, entries, int(each/valueBytes), threadsOf(c))
		}
		return writeResult(c, output, func(w io.Writer) error {
			return tables.Complete(c.whileWriting(cmd.Context(), output), m, w, format, wanted, entries, threadsOf(c))
		})
	})
	flags := flagsOf(cmd)
	flags.Bind("output", &output)
	flags.Bind("rows", &rows)
	flags.Bind("raw-names", &c.rawNames)
	flags.Bind("wide", &wide)
	flags.Bind("mark-observed", &observed.mark)
	flags.Bind("keep-observed", &observed.keep)
	flags.BindFields(&observed.options)
	flags.Bind("shards", &shards)
	flags.BindFields(&remote)
	return cmd
}

// valueBytes is about what a value takes in a Parquet file, with its ids.
const valueBytes = 8

// rowsOf finds rows by id; nil means all.
func rowsOf(m *model.Model, ids []string) ([]int, error) {
	if len(ids) == 1 && strings.HasPrefix(ids[0], "@") {
		path := ids[0][1:]
		text, err := textfile.Whole(path, 256<<20)
		if err != nil {
			return nil, &data.InputError{File: path, Problem: "cannot be read: " + rootCause(err), Err: err}
		}
		ids = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
		if len(ids) == 0 {
			return nil, &data.InputError{File: path, Problem: "holds no row ids", Remedy: "write one id a line"}
		}
	}
	var rows []int
	for _, id := range ids {
		i, ok := m.Row(id)
		if !ok {
			return nil, usagef("--rows names %q, which is not a row of the model", id)
		}
		rows = append(rows, i)
	}
	return rows, nil
}

// rootCause is the innermost error's text: "no such file or directory".
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// modelCache keeps the model that was used last, for a server whose requests use
// one model again and again. A model that was written anew is loaded anew. A nil
// cache keeps nothing.
type modelCache struct {
	path    string
	written time.Time
	model   *model.Model
}

func newModelCache() *modelCache { return &modelCache{} }

func (c *modelCache) load(path string) (*model.Model, error) {
	if c == nil {
		return kindAt(path).load(path)
	}
	info, err := os.Stat(filepath.Join(path, "model.json"))
	if err == nil && c.model != nil && c.path == path && c.written.Equal(info.ModTime()) {
		return c.model, nil
	}
	m, err := kindAt(path).load(path)
	if err != nil {
		return nil, err
	}
	if info != nil {
		c.path, c.written, c.model = path, info.ModTime(), m
	}
	return m, nil
}

// observedFlags are the flags of complete that treat observed entries apart.
type observedFlags struct {
	mark    bool
	keep    string // file of the entries; empty: predictions stay
	options ingest.Settings
}

// entries is what complete does with observed entries.
func (f *observedFlags) entries(ctx context.Context, c *common, m *model.Model) (o tables.Observed, err error) {
	o.Mark = f.mark
	switch {
	case f.keep != "":
		o.Entries, err = f.kept(ctx, c, m)
	case f.mark:
		o.Entries, err = seenEntries(m)
	}
	return o, err
}

// kept reads the entries whose values are kept.
func (f *observedFlags) kept(ctx context.Context, c *common, m *model.Model) (func(i int) ([]int32, []float64), error) {
	options := f.options
	options.Weight = ingest.NoWeights // values are kept as they are, whatever they weigh
	ratings, _, err := readNewRatings(ctx, c, f.keep, m, options)
	if err != nil {
		return nil, err
	}
	defer ratings.Close()
	matrix, err := pass.Collect(ctx, ratings.Source(), c.threads, "copy to memory")
	if err != nil {
		return nil, err
	}
	at := make(map[int]int, len(ratings.RowIDs)) // rows of the file, by rows of the model
	for x, id := range ratings.RowIDs {
		if i, known := m.Row(id); known {
			at[i] = x
		}
	}
	switch unknown := len(ratings.RowIDs) - len(at); {
	case len(at) == 0:
		return nil, &data.InputError{File: f.keep, Problem: "none of its rows is in the model", Remedy: "give the ratings that the model was fitted on"}
	case unknown > 0:
		c.notef("warning: %s: %s not in the model%s", f.keep, counted(unknown, "row is", "rows are"), data.LeftOut)
	}
	return func(i int) ([]int32, []float64) {
		x, ok := at[i]
		if !ok {
			return nil, nil
		}
		return matrix.Row(x)
	}, nil
}

// seenEntries are the entries that the fit was given, without their values.
func seenEntries(m *model.Model) (func(i int) ([]int32, []float64), error) {
	seen, _, err := m.SeenAndFitted()
	if err != nil {
		return nil, &usageError{err}
	}
	if !seen.Known() {
		return nil, usagef("the model was saved without which entries it was given: name the ratings with --keep-observed RATINGS")
	}
	return func(i int) ([]int32, []float64) {
		columns, _, _ := m.Seen(i) // a saved model has them in memory
		return columns, nil
	}, nil
}
