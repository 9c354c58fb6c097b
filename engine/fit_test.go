package engine

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/data"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/model/store"
	"optcomplete/model/tables"
	"optcomplete/pass"
	"optcomplete/spec"
)

// TestRepeatedTasksLeaveNothingInTheModel: every task is done twice, the first time for
// nothing, as if its executor had died once it had written its rows.
func TestRepeatedTasksLeaveNothingInTheModel(t *testing.T) {
	p, _ := packed(t)
	problem := formulation.Problem{Ratings: data.NewRatings(p, p.RowIDs(), p.ColumnIDs()), Features: &data.Features{IDs: p.ColumnIDs()}}
	for f := range 6 {
		problem.Features.Names = append(problem.Features.Names, fmt.Sprint("f", f))
	}
	for j := range p.ColumnIDs() {
		for f := range 6 {
			problem.Features.Values = append(problem.Features.Values, math.Sin(float64(j*7+f*f*3)))
		}
	}
	settings := formulation.Settings{K: 2, Model: spec.Paper, Statistics: spec.Statistics{Gamma: 0.5}, Limits: spec.Limits{NearTies: -1}}
	dir := t.TempDir()
	table := func(ctx context.Context, name string) []byte {
		t.Helper()
		settings.Folder = filepath.Join(dir, name)
		m := must.Get(formulation.Fit(ctx, problem, settings))(t)
		defer m.Close()
		must.Do(t, store.Save(m, settings.Folder))
		loaded := must.Get(store.Load(settings.Folder))(t)
		var out bytes.Buffer
		must.Do(t, tables.Complete(context.Background(), loaded, &out, tables.WideCSV, nil, tables.Observed{}, 1))
		return out.Bytes()
	}
	want := table(context.Background(), "here")
	f := newFake(t)
	f.twice = true
	s, log := f.open(t)
	if got := table(pass.WithRunner(context.Background(), s), "there"); !bytes.Equal(got, want) {
		t.Errorf("the predictions differ\n%s", log)
	}
	if rows, _ := filepath.Glob(filepath.Join(dir, "there", "rows-*.parquet")); len(rows) != 1 {
		t.Errorf("the rows are in %v", rows)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%v are left", left)
	}
}
