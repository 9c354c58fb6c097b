package remainder

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRankIsFound: as many traits as there are, with no limit and with any that is larger;
// a smaller limit is kept.
func TestRankIsFound(t *testing.T) {
	for _, rank := range []int{0, 12} {
		w := made(t, 21, 250, 90, 3, rank, 0.6)
		free := learn(t, w, Settings{Rank: -1, Threads: 2})
		if free.Rank != rank {
			t.Errorf("rank %d of data of rank %d", free.Rank, rank)
		}
		if diff := cmp.Diff(free.Columns, learn(t, w, Settings{Rank: 60, Threads: 2}).Columns); rank > 0 && diff != "" {
			t.Error("a larger limit changes the columns:", diff)
		}
		if f := learn(t, w, Settings{Rank: 5, Threads: 2}); f.Rank > 5 {
			t.Errorf("rank %d, the limit is 5", f.Rank)
		}
		// As good as with the rank known.
		if known := learn(t, w, Settings{Rank: max(rank, 1), Threads: 2}); rmse(t, w, free) > 1.002*rmse(t, w, known) {
			t.Errorf("RMSE %v, and %v where the rank is known", rmse(t, w, free), rmse(t, w, known))
		}
	}
}
