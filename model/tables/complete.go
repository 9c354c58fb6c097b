package tables

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"optcomplete/internal/dense"
	"optcomplete/internal/parallel"
	"optcomplete/internal/progress"
	"optcomplete/internal/textfile"
	"optcomplete/model"
	"optcomplete/pass"
)

// Format is a file format for a completed matrix.
type Format int

const (
	CSV         Format = iota // with a header; ids quoted where they need it, and no formulas for a spreadsheet
	Parquet                   // ids encoded by a dictionary, so each is stored once
	RawCSV                    // CSV with all ids and names as they are
	WideCSV                   // a line for each row, a field for each column
	WideRawCSV                // likewise, with all ids as they are
	WideParquet               // likewise, as Parquet
)

// FormatOf returns the format that a file's extension stands for.
func FormatOf(path string) (Format, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		return CSV, nil
	case ".parquet":
		return Parquet, nil
	default:
		return 0, fmt.Errorf("%s: no format has the extension %q (use .csv or .parquet)", path, ext)
	}
}

// String returns the format's extension without the dot.
func (f Format) String() string {
	switch f {
	case CSV, RawCSV:
		return "csv"
	case Parquet:
		return "parquet"
	case WideCSV, WideRawCSV:
		return "wide csv"
	case WideParquet:
		return "wide parquet"
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// cell is an id or a name as the format has it.
func (f Format) cell(text string) string {
	if f == CSV || f == WideCSV {
		return textfile.SafeCell(text)
	}
	return text
}

// chunk is a rectangle of the completed matrix: positions in the list of rows,
// and columns.
type chunk struct{ rowLo, rowHi, columnLo, columnHi int }

func (c chunk) cells() int { return (c.rowHi - c.rowLo) * (c.columnHi - c.columnLo) }

// grid divides a rows×columns table into chunks, in reading order: several whole rows,
// or a part of one.
type grid struct{ rows, columns, height, width int }

// gridOf is the grid whose chunks have at most this many cells.
func gridOf(rows, columns, cells int) grid {
	return grid{rows, columns, max(1, cells/max(columns, 1)), min(columns, cells)}
}

// len is the number of chunks.
func (g grid) len() int {
	if g.columns == 0 {
		return 0
	}
	return (g.rows + g.height - 1) / g.height * g.across()
}

// across is how many chunks are beside each other.
func (g grid) across() int { return (g.columns + g.width - 1) / g.width }

// at is a chunk by its number.
func (g grid) at(x int) chunk {
	r, c := x/g.across()*g.height, x%g.across()*g.width
	return chunk{r, min(g.rows, r+g.height), c, min(g.columns, c+g.width)}
}

// Observed says what Complete does with cells that were observed. The zero value does
// nothing: every cell holds a prediction.
type Observed struct {
	// Mark adds a field observed to long formats: 1 where the row has an entry, else 0.
	Mark bool
	// Entries gives the columns, increasing, that row i has entries for, and values
	// to write there instead of predictions; nil values: predictions stay. It is
	// called by several goroutines at once.
	Entries func(i int) (columns []int32, values []float64)
}

// job is a chunk on its way from prepare to write.
type job struct {
	chunk
	values   []float64 // row by row
	observed []int32   // 1 where the cell was observed; only if that is marked
	text     []byte    // what prepare made of them, for CSV
	done     chan struct{}
}

// Complete writes the predictions of all columns, for the given rows in their
// order (nil: all of them), to w as a table with the columns row, column and
// value, or in a wide format as a table with a field for each column. It is computed
// by that many threads (0 means all processors), a bounded part at a time, and the
// bytes do not depend on their number. When ctx ends it stops and returns ctx's
// error; w then holds a part of the table.
func Complete(ctx context.Context, m *model.Model, w io.Writer, format Format, rows []int, observed Observed, threads int) error {
	wanted := rows
	if rows == nil {
		rows = allRows(m)
	}
	for _, i := range rows {
		if i < 0 || i >= len(m.RowIDs) {
			panic(fmt.Sprintf("model: row %d of %d", i, len(m.RowIDs)))
		}
	}
	e, cells, err := newEncoder(m, w, format, rows, observed.Mark)
	if err != nil {
		return err
	}
	if err = compute(ctx, m, e, format, wanted, rows, observed, cells, threads); err != nil {
		return err
	}
	return e.close()
}

// compute computes the chunks here, or elsewhere if that is faster, and writes them.
// wanted is rows, or nil for all.
func compute(ctx context.Context, m *model.Model, e *encoder, format Format, wanted, rows []int, observed Observed, cells, threads int) error {
	if pass.Remote(ctx) {
		p, jobs := completingOf(m, format, wanted, observed, cells, nil)
		if pass.Away(ctx, pass.Reading{Source: jobs, Threads: threads, Tasks: []*pass.Task{{Pass: p}}}) {
			return gather(ctx, p, jobs, e, gridOf(len(rows), len(m.ColumnIDs), cells), threads)
		}
	}
	return stream(ctx, m, e, rows, observed, cells, parallel.Threads(threads))
}

// allRows are the numbers of all rows.
func allRows(m *model.Model) []int {
	rows := make([]int, len(m.RowIDs))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// gather lets the chunks be computed elsewhere and writes them in order.
func gather(ctx context.Context, p completing, jobs pass.Jobs, e *encoder, all grid, threads int) error {
	task := progress.Start(ctx, "Completing", int64(all.rows)*int64(all.columns), "values")
	defer task.Done()
	x := 0
	return pass.Stream(ctx, jobs, threads, p, func(part *piece) error {
		j := &job{chunk: all.at(x), text: part.Text, values: part.Values, observed: part.Observed}
		x++
		task.Add(int64(j.cells()))
		return e.write(j)
	})
}

// stream computes the chunks in parallel and writes them in order. A fixed
// number of jobs goes round, so a slow writer holds the computation back.
func stream(ctx context.Context, m *model.Model, e *encoder, rows []int, observed Observed, cells, threads int) error {
	ctx, stop := context.WithCancel(ctx)
	inFlight := threads + 1
	free := make(chan *job, inFlight)
	for range inFlight {
		free <- new(job)
	}
	work, order := make(chan *job, inFlight), make(chan *job, inFlight)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()

	wg.Go(func() { // deals out the chunks
		defer close(order)
		defer close(work)
		all := gridOf(len(rows), len(m.ColumnIDs), cells)
		for x := range all.len() {
			c := all.at(x)
			select {
			case <-ctx.Done():
				return
			case j := <-free:
				j.chunk, j.done = c, make(chan struct{})
				work <- j
				order <- j
			}
		}
	})
	for range threads {
		wg.Go(func() {
			for j := range work {
				predictChunk(m, rows, j)
				observed.apply(rows, j)
				e.prepare(j)
				close(j.done)
			}
		})
	}
	task := progress.Start(ctx, "Completing", int64(len(rows))*int64(len(m.ColumnIDs)), "values")
	defer task.Done()
	for j := range order {
		<-j.done
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.write(j); err != nil {
			return err
		}
		task.Add(int64(j.cells()))
		free <- j
	}
	return ctx.Err()
}

func predictChunk(m *model.Model, rows []int, j *job) {
	j.values = dense.Resize(j.values, j.cells())
	at := 0
	for _, i := range rows[j.rowLo:j.rowHi] {
		for c := j.columnLo; c < j.columnHi; c++ {
			j.values[at] = m.Value(i, c, m.ColumnFeatures(c))
			at++
		}
	}
}

// apply marks and replaces the cells of a chunk that were observed.
func (o Observed) apply(rows []int, j *job) {
	if o.Entries == nil {
		return
	}
	if o.Mark {
		j.observed = slices.Grow(j.observed[:0], j.cells())[:j.cells()]
		clear(j.observed)
	}
	for x, i := range rows[j.rowLo:j.rowHi] {
		columns, values := o.Entries(i)
		first := x*(j.columnHi-j.columnLo) - j.columnLo
		for e, c := range columns {
			if int(c) < j.columnLo || int(c) >= j.columnHi {
				continue
			}
			if o.Mark {
				j.observed[first+int(c)] = 1
			}
			if values != nil {
				j.values[first+int(c)] = values[e]
			}
		}
	}
}
