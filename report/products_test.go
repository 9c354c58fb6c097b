package report

import (
	"bytes"
	"context"
	"flag"
	"os"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/internal/must"
	"optcomplete/result"
	"optcomplete/twosided"
)

var update = flag.Bool("update", false, "write the picture of docs/two-sided.md anew")

// TestPictureOfInteractions: docs/two-sided.svg is the picture of the page's example, as
// this program draws it.
func TestPictureOfInteractions(t *testing.T) {
	in := must.Get(synth.NewCells(synth.Config{Rows: 300, Columns: 120, K: 6, Missing: 0.5, Noise: 1, Seed: 1}, 1))(t)
	problem := twosided.Problem{Ratings: must.Get(in.Ratings())(t), Nouns: result.NounsOf("cell", "drug", "response")}
	for _, side := range []struct {
		table    *data.RawTable
		encoding **encode.Encoding
		features **data.Features
	}{{in.CellTable, &problem.RowEncoding, &problem.Rows}, {in.DrugTable, &problem.ColumnEncoding, &problem.Columns}} {
		var err error
		*side.encoding, *side.features, _, err = encode.Learn(context.Background(), side.table, encode.Options{Scale: encode.AsIs, Keep: true})
		must.Do(t, err)
	}
	m := must.Get(twosided.Fit(context.Background(), problem, twosided.Settings{K: 6}))(t)
	grid := Interactions(&m.Summary)
	if len(grid.Cells) != 6 || len(grid.Rows) != 6 || len(grid.Columns) != 5 {
		t.Errorf("%d marks of %v and %v", len(grid.Cells), grid.Rows, grid.Columns)
	}
	var b bytes.Buffer
	must.Do(t, grid.SVG(&b))
	const path = "../docs/two-sided.svg"
	if *update {
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
	}
	if text := must.Get(os.ReadFile(path))(t); !bytes.Equal(text, b.Bytes()) {
		t.Errorf("%s is not what is drawn: go test ./report -run Interactions -update", path)
	}
}
