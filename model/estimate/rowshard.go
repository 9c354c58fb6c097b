package estimate

import (
	"context"
	"fmt"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/pass"
)

// RowShard is a file of consecutive rows of a fit, as who wrote it tells.
type RowShard struct {
	File     string // its name, in the folder that was agreed
	Rows     int
	Checksum string
}

// RowWriter writes rows to files where they are fitted. It is part of a pass: its type
// is registered with encoding/gob.
type RowWriter interface {
	// WriteRows writes a block to a file of its own, under a name that no other attempt
	// has; nil if this process cannot write there, and the rows must be given back.
	WriteRows(b RowBlock, ids []string) (*RowShard, error)
}

// ShardSink takes the rows of a fit as files, in order. here tells that this process had
// to write one, because who fitted the rows could not.
type ShardSink struct {
	By   RowWriter
	Work int // entries and rows that a file is made from, at least
	Take func(s RowShard, here bool) error
}

// mostShards is how many files of rows there are at most, about.
const mostShards = 4096

// RowIDsOf is the ids of the rows of a source that is stored with them; nil: it is not.
func RowIDsOf(s data.Source) []string {
	base, _, _, rows := data.Basis(pass.Base(s))
	stored, ok := base.(interface{ RowIDs() []string })
	if !ok {
		return nil
	}
	ids := stored.RowIDs()
	if rows == nil || ids == nil {
		return ids
	}
	return lists.Pick(ids, rows)
}

// writeWith lets the rows be written where they are fitted. effects are those known so
// far, of all rows; nil: rows have none.
func (f *rowFit) writeWith(sink *ShardSink, effects []float64) {
	f.Write, f.FileWork, f.HasEffects = sink.By, sink.Work, effects != nil
	if effects != nil && !f.Effects {
		f.Known = pass.Share(slices.Clone(effects)) // those of rows without entries change
	}
}

// writing is a worker that writes its parts.
type writing struct {
	pass.Worker
	fit *rowFit
	ids []string
}

func (f *rowFit) writer(w pass.Worker, s data.Source) (pass.Worker, error) {
	n, _ := s.Dims()
	ids := RowIDsOf(s)
	if len(ids) != n {
		return nil, fmt.Errorf("the source has %d ids for %d rows", len(ids), n)
	}
	return &writing{w, f, ids}, nil
}

func (w *writing) Part() (pass.Part, error) {
	made, err := w.Worker.Part()
	if err != nil {
		return nil, err
	}
	part := made.(*fittedRows)
	if part.Failed != nil || len(part.Entries) == 0 {
		return part, nil
	}
	if part.Shard, err = w.fit.Write.WriteRows(w.fit.block(part), w.ids[part.First:][:len(part.Entries)]); err != nil {
		return nil, err
	}
	if part.Shard != nil {
		part.Coefficients = nil
		if !w.fit.Effects {
			part.Effects = nil
		}
	}
	return part, nil
}

// Release ends the work.
func (w *writing) Release() {
	if r, ok := w.Worker.(interface{ Release() }); ok {
		r.Release()
	}
}

// block is a part with the effects that its rows have.
func (f *rowFit) block(part *fittedRows) RowBlock {
	b := RowBlock{First: part.First, Entries: part.Entries, Coefficients: part.Coefficients}
	if f.HasEffects {
		b.Effects = make([]float64, len(part.Entries))
		if f.Known != nil {
			copy(b.Effects, f.Known.Get()[part.First:])
		}
		f.note(part, b.Effects)
	}
	return b
}

// shards fits all rows and gives the files that they were written to to the sink.
// effects is of all rows, or nil.
func (f *rowFit) shards(ctx context.Context, threads int, effects []float64, sink *ShardSink) error {
	f.writeWith(sink, effects)
	first := 0
	return pass.Stream(ctx, f.values, threads, f, func(part *fittedRows) error {
		if part.Failed != nil {
			return part.Failed
		}
		rows := len(part.Entries)
		if rows == 0 {
			return nil
		}
		shard := part.Shard
		if shard == nil { // who fitted the rows could not write them
			var err error
			if shard, err = f.Write.WriteRows(f.block(part), RowIDsOf(f.values)[first:][:rows]); err != nil {
				return err
			}
			if shard == nil {
				return fmt.Errorf("the rows cannot be written here either")
			}
		}
		if effects != nil {
			f.note(part, effects[first:])
		}
		first += rows
		return sink.Take(*shard, part.Shard == nil)
	})
}
