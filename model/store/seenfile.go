package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"optcomplete/internal/checksum"
	"optcomplete/internal/columnar"
	"optcomplete/model"
	"optcomplete/model/estimate"
)

const (
	seenFile  = "seen.parquet"
	seenCells = 1 << 20 // of a row group
)

// SaveSeen writes the seen entries into a saved model, unless there are none
// known or too many.
func SaveSeen(m *model.Model, dir string) error {
	seen, fitted, err := m.SeenAndFitted()
	if err != nil {
		return err
	}
	total := 0
	for i := range m.RowIDs {
		total += seen.Count(i)
	}
	if !seen.Known() || total > model.MaxSeen {
		return nil
	}
	return writeFile(dir, seenFile, func(w io.Writer) error { return writeSeen(m, w, seen, fitted) })
}

func writeSeen(m *model.Model, w io.Writer, seen, fittedTo *model.Seen) error {
	out := columnar.NewWriter(w, []columnar.Field{{Name: "row", Kind: columnar.Text}, {Name: "column", Kind: columnar.Text}, {Name: "held_out", Kind: columnar.Int}})
	row, fittedOn := seen.Reader(), fittedTo.Reader()
	var rows, columns, held []int32
	for lo := 0; lo < len(m.RowIDs); {
		hi, cells := lo, 0
		for hi < len(m.RowIDs) && (cells == 0 || cells+seen.Count(hi) <= seenCells) {
			cells += seen.Count(hi)
			hi++
		}
		rows, columns, held = rows[:0], columns[:0], held[:0]
		for i := lo; i < hi; i++ {
			at, err := row(i)
			if err != nil {
				return err
			}
			fitted, err := fittedOn(i)
			if err != nil {
				return err
			}
			for _, j := range at { // both increase
				for len(fitted) > 0 && fitted[0] < j {
					fitted = fitted[1:]
				}
				out := int32(1)
				if len(fitted) > 0 && fitted[0] == j {
					out = 0
				}
				rows, held = append(rows, int32(i-lo)), append(held, out)
			}
			columns = append(columns, at...)
		}
		if err := out.WriteGroup(columnar.Coded{Texts: m.RowIDs[lo:hi], Codes: rows}, columnar.Coded{Texts: m.ColumnIDs, Codes: columns}, held); err != nil {
			return err
		}
		lo = hi
	}
	return out.Close()
}

// ReadSeen reads what SaveSeen wrote beside the files of sums; nil: it is not there.
func ReadSeen(m *model.Model, dir string, sums checksum.Sums) (seen, fitted [][]int32, err error) {
	if _, saved := sums[seenFile]; !saved {
		return nil, nil, nil
	}
	path := filepath.Join(dir, seenFile)
	if err := sums.Check(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	return readSeen(m, path)
}

// readSeen reads what writeSeen wrote: all columns seen, and those fitted on. Pairs
// whose row or column the model does not have are an error: they belong to another
// model. Earlier programs did not tell what was held out.
func readSeen(m *model.Model, path string) (columns, fitted [][]int32, err error) {
	in, err := columnar.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // who does not want to pass the entries on may delete the file
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: damaged or not a Parquet file: %w", path, err)
	}
	defer in.Close()
	if c := in.Columns; len(c) < 2 || len(c) > 3 || c[0].Kind != columnar.Text || c[1].Kind != columnar.Text || c[0].List || c[1].List ||
		len(c) == 3 && (c[2].Kind != columnar.Int || c[2].List) {
		return nil, nil, fmt.Errorf("%s: its columns are not the ids of rows and columns, and held_out", path)
	}
	columns, fitted = make([][]int32, len(m.RowIDs)), make([][]int32, len(m.RowIDs))
	err = in.Scan(context.Background(), []int{0, 1, 2}[:len(in.Columns)], estimate.BlockRows, func(batch []columnar.Vector) error {
		var held []int64
		if len(batch) == 3 {
			held = batch[2].Ints
		}
		return takeSeen(m, &batch[0], &batch[1], held, columns, fitted)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Clean(path), err)
	}
	for i := range columns {
		slices.Sort(columns[i]) // another program may have written it in another order
		slices.Sort(fitted[i])
	}
	return columns, fitted, nil
}

func takeSeen(m *model.Model, rowIDs, columnIDs *columnar.Vector, held []int64, columns, fitted [][]int32) error {
	row, at := "", -1 // of the pair before: they stand by rows
	for x := range rowIDs.Len() {
		if id := rowIDs.Text(x); at < 0 || string(id) != row {
			i, known := m.Row(string(id))
			if !known {
				return fmt.Errorf("row %q is not in the model", id)
			}
			row, at = string(id), i
		}
		j, known := m.Column(string(columnIDs.Text(x)))
		if !known {
			return fmt.Errorf("column %q is not in the model", columnIDs.Text(x))
		}
		columns[at] = append(columns[at], int32(j))
		if held == nil || held[x] == 0 {
			fitted[at] = append(fitted[at], int32(j))
		}
	}
	return nil
}
