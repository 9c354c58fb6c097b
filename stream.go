package optcomplete

import (
	"context"
	"io"

	"optcomplete/data"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
)

// streamFrom is the size of all rows' coefficients, in bytes, from which they are
// streamed: less is quicker in memory.
var streamFrom = 16 << 20

// allParts is parts for the model itself: where the coefficients of all rows are
// many, they go to the file of rows of the model to be, and are read back from it.
func (t *task) allParts(ctx context.Context, rowIDs []string, train data.Source, selection []int, c choices, s *Settings) (*estimate.Parts, error) {
	n, _ := train.Dims()
	members := t.members(selection)
	if s.Folder == "" || s.ResidualRank != 0 || 8*n*len(members) < streamFrom {
		return t.parts(ctx, train, selection, c)
	}
	terms := make([]string, 0, len(members))
	for _, j := range members {
		terms = append(terms, t.features.Names[j])
	}
	file, err := store.CreateRowFile(s.Folder, rowIDs, terms, t.kind.Effects().Rows, t.threads)
	if err != nil {
		return nil, err
	}
	parts, err := t.partsTo(ctx, train, selection, c, file.Take)
	if err == nil {
		err = file.Finish()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	parts.Coefficients = file
	return parts, nil
}

// learnMemory is what learning a prior may keep of the rows: the default, and no
// more than half of a limit that was given.
func (t *task) learnMemory() int64 {
	if t.limit > 0 && t.limit/2 < 512<<20 {
		return t.limit / 2
	}
	return 0
}

// closeRows gives up the file of rows, if there is one.
func closeRows(parts *estimate.Parts) {
	if file, ok := parts.Coefficients.(io.Closer); ok {
		file.Close()
	}
}
