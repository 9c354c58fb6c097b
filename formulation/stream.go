package formulation

import (
	"context"
	"io"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
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
	n, _ := train.Dims()
	members := t.members(units)
	terms := lists.Pick(t.features.Names, members)
	effects := t.Model.Effects().Rows
	var shards *store.RowShards
	var elsewhere func() (*estimate.ShardSink, error)
	if pass.Remote(ctx) && slices.Equal(rowIDs, estimate.RowIDsOf(train)) {
		elsewhere = func() (sink *estimate.ShardSink, err error) {
			if shards, err = store.CreateRowShards(t.Folder, terms, effects, t.Threads); err != nil {
				return nil, err
			}
			return &estimate.ShardSink{By: shards.Writer(), Work: shardWork, Take: shards.Take}, nil
		}
	}
	var file *store.RowFile
	var take estimate.RowSink
	if 8*n*len(members) >= streamFrom {
		var err error
		if file, err = store.CreateRowFile(t.Folder, rowIDs, terms, effects, t.Threads); err != nil {
			return nil, err
		}
		take = file.Take
	}
	parts, err := t.partsTo(ctx, train, units, c, take, elsewhere)
	switch {
	case shards != nil && err == nil:
		parts.Coefficients = shards
	case file != nil && shards == nil && err == nil:
		err = file.Finish()
		parts.Coefficients = file
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
