package ingest

import (
	"errors"

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
