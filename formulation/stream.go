package formulation

import (
	"context"
	"io"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/selection"
)

// streamFrom is the size of all rows' coefficients, in bytes, from which they are
// streamed: less is quicker in memory.
var streamFrom = 16 << 20

// shardWork is how many entries and rows a file is made from that is written elsewhere.
var shardWork = 1 << 21

// allParts is parts for the model itself: where the coefficients of all rows are
// many, they go to the file of rows of the model to be, and are read back from it.
// Where they are fitted elsewhere, they are written there, to several files.
func (t *formulation) allParts(ctx context.Context, rowIDs []string, train data.Source, units []int, c selection.Learned) (*estimate.Parts, error) {
	if t.Folder == "" || t.ResidualRank != 0 {
		return t.parts(ctx, train, units, c)
	}
	to, err := model.NeedStorage()
	if err != nil {
		return nil, err
	}
	n, _ := train.Dims()
	members := t.members(units)
	terms := lists.Pick(t.features.Names, members)
	effects := t.Model.Effects().Rows
	var shards, file io.Closer // nil: the rows are in no such files
	var rows estimate.RowStore
	finish := func() error { return nil }
	var elsewhere func() (*estimate.ShardSink, error)
	if pass.Remote(ctx) && slices.Equal(rowIDs, estimate.RowIDsOf(train)) {
		elsewhere = func() (*estimate.ShardSink, error) {
			begun, sink, err := to.RowShards(t.Folder, terms, effects, t.Threads)
			if err != nil {
				return nil, err
			}
			rows, shards, sink.Work = begun, begun, shardWork
			return sink, nil
		}
	}
	var take estimate.RowSink
	if 8*n*len(members) >= streamFrom {
		begun, err := to.RowFile(t.Folder, rowIDs, terms, effects, t.Threads)
		if err != nil {
			return nil, err
		}
		rows, file, take, finish = begun, begun, begun.Take, begun.Finish
	}
	parts, err := t.partsTo(ctx, train, units, c, take, elsewhere)
	if err == nil && shards == nil {
		err = finish()
	}
	if file != nil && (err != nil || shards != nil) {
		file.Close()
	}
	if shards != nil && err != nil {
		shards.Close()
	}
	if err != nil {
		return nil, err
	}
	if rows != nil {
		parts.Coefficients = rows
	}
	return parts, nil
}

// learnMemory is what learning a prior may keep of the rows: the default, and no
// more than half of a limit that was given.
func (t *formulation) learnMemory() int64 {
	if t.Memory > 0 && t.Memory/2 < 512<<20 {
		return t.Memory / 2
	}
	return 0
}

// closeRows gives up the file of rows, if there is one.
func closeRows(parts *estimate.Parts) {
	if file, ok := parts.Coefficients.(io.Closer); ok {
		file.Close()
	}
}
