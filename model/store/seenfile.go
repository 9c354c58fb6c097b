package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"optcomplete/data"
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
	fields := []columnar.Field{{Name: "row", Kind: columnar.Text}, {Name: "column", Kind: columnar.Text}, {Name: "held_out", Kind: columnar.Int}}
	weighted := fittedTo.HasWeights()
	if weighted {
		fields = append(fields, columnar.Field{Name: "weight", Kind: columnar.Float})
	}
	out := columnar.NewWriter(w, fields)
	row, fittedOn := seen.Reader(), fittedTo.Weighed()
	var rows, columns, held []int32
	var weights []float64
	for lo := 0; lo < len(m.RowIDs); {
		hi, cells := lo, 0
		for hi < len(m.RowIDs) && (cells == 0 || cells+seen.Count(hi) <= seenCells) {
			cells += seen.Count(hi)
			hi++
		}
		rows, columns, held, weights = rows[:0], columns[:0], held[:0], weights[:0]
		for i := lo; i < hi; i++ {
			at, err := row(i)
			if err != nil {
				return err
			}
			fitted, by, err := fittedOn(i)
			if err != nil {
				return err
			}
			for _, j := range at { // both increase
				for len(fitted) > 0 && fitted[0] < j {
					fitted, by = fitted[1:], by[min(1, len(by)):]
				}
				out, weight := int32(1), 0.0
				if len(fitted) > 0 && fitted[0] == j {
					if out = 0; weighted {
						weight = by[0]
					}
				}
				rows, held, weights = append(rows, int32(i-lo)), append(held, out), append(weights, weight)
			}
			columns = append(columns, at...)
		}
		group := []any{columnar.Coded{Texts: m.RowIDs[lo:hi], Codes: rows}, columnar.Coded{Texts: m.ColumnIDs, Codes: columns}, held}
		if weighted {
			group = append(group, weights)
		}
		if err := out.WriteGroup(group...); err != nil {
			return err
		}
		lo = hi
	}
	return out.Close()
}

// ReadSeen reads what SaveSeen wrote beside the files of sums; nil: it is not there.
func ReadSeen(m *model.Model, dir string, sums checksum.Sums) (model.Lists, error) {
	if _, saved := sums[seenFile]; !saved {
		return model.Lists{}, nil
	}
	path := filepath.Join(dir, seenFile)
	if err := sums.Check(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return model.Lists{}, err
	}
	return readSeen(m, path)
}

// readSeen reads what writeSeen wrote: all columns seen, and those fitted on, with
// their weights if they have any. Pairs whose row or column the model does not have are an error: they belong to another
// model. Earlier programs did not tell what was held out.
func readSeen(m *model.Model, path string) (out model.Lists, err error) {
	in, err := columnar.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // who does not want to pass the entries on may delete the file
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("%s: damaged or not a Parquet file: %w", path, err)
	}
	defer in.Close()
	kinds := []columnar.Kind{columnar.Text, columnar.Text, columnar.Int, columnar.Float}
	proper := len(in.Columns) >= 2 && len(in.Columns) <= len(kinds)
	for x, c := range in.Columns {
		proper = proper && !c.List && c.Kind == kinds[x]
	}
	if !proper {
		return out, fmt.Errorf("%s: its columns are not the ids of rows and columns, held_out and weight", path)
	}
	out.Seen, out.Fitted = make([][]int32, len(m.RowIDs)), make([][]int32, len(m.RowIDs))
	if len(in.Columns) == len(kinds) {
		out.Weights = make([][]float64, len(m.RowIDs))
	}
	err = in.Scan(context.Background(), []int{0, 1, 2, 3}[:len(in.Columns)], estimate.BlockRows, func(batch []columnar.Vector) error {
		var held []int64
		if len(batch) > 2 {
			held = batch[2].Ints
		}
		var weights []float64
		if out.Weights != nil {
			weights = batch[3].Floats
		}
		return takeSeen(m, &batch[0], &batch[1], held, weights, &out)
	})
	if err != nil {
		return model.Lists{}, fmt.Errorf("%s: %w", filepath.Clean(path), err)
	}
	for i := range out.Seen {
		slices.Sort(out.Seen[i]) // another program may have written it in another order
		if out.Weights != nil && !slices.IsSorted(out.Fitted[i]) {
			sortWeighed(out.Fitted[i], out.Weights[i])
		}
		slices.Sort(out.Fitted[i])
	}
	return out, nil
}

// sortWeighed sorts weights as the columns will be.
func sortWeighed(columns []int32, weights []float64) {
	by := make(map[int32]float64, len(columns))
	for e, c := range columns {
		by[c] = weights[e]
	}
	for e, c := range slices.Sorted(slices.Values(columns)) {
		weights[e] = by[c]
	}
}

func takeSeen(m *model.Model, rowIDs, columnIDs *columnar.Vector, held []int64, weights []float64, out *model.Lists) error {
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
		out.Seen[at] = append(out.Seen[at], int32(j))
		if held != nil && held[x] != 0 {
			continue
		}
		out.Fitted[at] = append(out.Fitted[at], int32(j))
		if weights == nil {
			continue
		}
		if !data.ValidWeight(weights[x]) {
			return fmt.Errorf("row %q, column %q has the weight %v, which is not a positive number", row, columnIDs.Text(x), weights[x])
		}
		out.Weights[at] = append(out.Weights[at], weights[x])
	}
	return nil
}
