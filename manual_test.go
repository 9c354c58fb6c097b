package optcomplete_test

import (
	"context"
	"fmt"
	"testing"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/synth"
)

// The Go of docs that is no whole program, line by line (held by TestManualGo in
// cmd/optcomplete).

// TestManualLarge runs what docs/large.md shows: a selection from samples of data
// that are nowhere.
func TestManualLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("generates 5,000 entries for each row it looks at")
	}
	ctx := context.Background()
	source, err := synth.NewSource(synth.Config{Rows: 1_000_000, Columns: 100_000, Features: 50, K: 5, Missing: 0.95, Noise: 0.01, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ratings := data.NewRatings(source, source.RowIDs(), source.ColumnIDs())
	problem := optcomplete.Problem{Ratings: ratings, Features: source.Features}
	selection, err := optcomplete.Select(ctx, problem, optcomplete.Settings{K: 5, Model: optcomplete.Paper, Gamma: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(selection.Selected, selection.Stable)
	if got, want := fmt.Sprint(selection.Selected), fmt.Sprint(source.SelectedNames()); got != want {
		t.Errorf("selected %s, want %s", got, want)
	}
}
