package ingest

import (
	"errors"
	"io"
	"os"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/textfile"
)

// packed is a pack that is read.
type packed struct {
	*pack.File
	rowIDs  []string
	known   []int32 // numbers of its columns if no others than the known are taken: −1 for those
	columns []string
}

// packBatch is about how many entries of a pack make a batch.
const packBatch = 1 << 16

// readPack hands the rows of a pack to the pipe.
func (in *input) readPack(p *pipe) error {
	file, err := pack.Open(in.path)
	if err != nil {
		return packError(in.name, err)
	}
	in.weight.is = file.Weighted() && p.settings.Weight != NoWeights
	in.packed = &packed{File: file, rowIDs: file.RowIDs(), columns: file.ColumnIDs()}
	p.closeLater(file)
	if p.columns != nil {
		for _, id := range in.packed.columns {
			in.packed.known = append(in.packed.known, p.columns.find(keyOf([]byte(id)), []byte(id)))
		}
	}
	rows, _ := file.Dims()
	begun := p.bytes
	for from := 0; from < rows || from == 0; {
		b, err := p.next()
		if err != nil {
			return err
		}
		to, entries := from, 0
		for to < rows && entries < packBatch {
			entries += file.Entries(to)
			to++
		}
		b.rows, b.parse, b.end = [2]int{from, to}, (*worker).parsePack, to == rows
		p.bytes = begun + int64(float64(in.size)*float64(to)/float64(max(rows, 1)))
		if err := p.emit(in, b); err != nil {
			return err
		}
		if from = to; rows == 0 {
			break
		}
	}
	return nil
}

func packError(name string, err error) error {
	var known *data.InputError
	if errors.As(err, &known) {
		return err
	}
	return &data.InputError{File: name, Problem: "cannot be read: " + err.Error(), Err: err}
}

// parsePack takes the entries of some rows.
func (w *worker) parsePack(b *batch) {
	k := b.file.packed
	reader := k.Reader()
	for i := b.rows[0]; i < b.rows[1] && b.fault == nil; i++ {
		var err error
		if w.columnsOf, w.valuesOf, err = reader.Append(i, w.columnsOf[:0], w.valuesOf[:0]); err != nil {
			errors.As(packError(b.file.name, err), &b.fault)
			return
		}
		if b.file.weight.is {
			if w.weightsOf, err = reader.(data.WeightReader).AppendWeights(i, w.columnsOf, w.weightsOf[:0]); err != nil {
				errors.As(packError(b.file.name, err), &b.fault)
				return
			}
		}
		row := append(w.scratch[0][:0], k.rowIDs[i]...)
		w.scratch[0] = row
		key, number, found := keyOf(row), int32(0), false
		for x, j := range w.columnsOf {
			b.given++
			if k.known != nil {
				if k.known[j] < 0 {
					id := []byte(k.columns[j])
					w.unknownColumn(b, keyOf(id), id, "row "+textfile.Quote(row)+": ")
					continue
				}
				j = k.known[j]
			} else if w.probe != nil {
				j = b.file.columns[j]
			}
			if !found {
				if number = w.rows.find(key, row); number < 0 {
					number = numberIn(b.newRows, key, row)
				}
				found = true
			}
			if b.file.weight.is {
				w.weight = w.weightsOf[x]
			}
			w.keep(b, number, j, w.valuesOf[x], w.weight)
		}
	}
}

// Stored opens a pack where it is, without reading its entries into memory. Rows
// and columns come in the same order as from Ratings. ok is false if the path is
// not a pack, or one that has columns that Settings.Columns lack: Ratings then
// reads it, or says what is wrong.
func Stored(path string, settings Settings) (ratings *data.Ratings, report *Report, ok bool, err error) {
	if settings.Format != "" && settings.Format != "pack" || settings.asksForWeights() || !IsPacked(path) {
		return nil, nil, false, nil
	}
	file, err := pack.OpenAny(path)
	if err != nil {
		return nil, nil, false, err
	}
	if data.IsWeighted(file) && settings.Weight == NoWeights {
		return nil, nil, false, file.Close()
	}
	ids := settings.Columns
	if ids == nil {
		ids = arranged(file.ColumnIDs(), data.Order(file.ColumnIDs()))
	}
	place := make(map[string]int32, len(ids))
	for j, id := range ids {
		place[id] = int32(j)
	}
	ranks := make([]int32, 0, len(ids))
	for _, id := range file.ColumnIDs() {
		j, known := place[id]
		if !known {
			return nil, nil, false, file.Close()
		}
		ranks = append(ranks, j)
	}
	rows := file.RowIDs()
	if err := file.Err(); err != nil {
		return nil, nil, false, err
	}
	report = &Report{Weighted: data.IsWeighted(file)}
	report.Lines, report.Entries = file.Observed(), file.Observed()
	source := data.Renumber(file, len(ids), ranks)
	if order := data.Order(rows); order != nil { // packs of versions before 0.2 have rows as they came
		rows = arranged(rows, order)
		at := make([]int, len(order))
		for i, from := range order {
			at[i] = int(from)
		}
		source = data.Rows(source, at)
		report.Notes = append(report.Notes, path+" was packed by an older version, in the order of its input: it is read in the order of the ids, which is slower (pack it again)")
	}
	return data.OpenRatings(source, rows, ids, file), report, true, nil
}

// IsPacked tells whether a path is a pack or a folder of packs.
func IsPacked(path string) bool { return path != "-" && (isPack(path) || pack.IsFolder(path)) }

// isPack tells whether a file begins as packs do. A pipe is none: what is read of
// it would be lost.
func isPack(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, pack.StartBytes)
	n, _ := io.ReadFull(f, start)
	return pack.IsPack(start[:n])
}
