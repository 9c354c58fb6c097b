package lowrank

import (
	"fmt"
	"slices"
	"testing"
)

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		given, most int
		want        []int
	}{{0, 100, []int{2, 4, 8, 16, 32}}, {0, 5, []int{2, 4, 5}}, {0, 1, []int{1}}, {0, 0, []int{1}}, {7, 5, []int{7}}} {
		if got := Ranks(c.given, 2, 32, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A trial ends when a larger rank does not help it, or when it is left far behind.
func TestRace(t *testing.T) {
	errors := [][]float64{{1, 0.8, 0.7999, 0.1}, {1.05, 0.9, 0.5, 0.4}, {0.95, 0.6, 0.4, 0.3}}
	var tried []string
	ranks := []int{2, 4, 8, 16}
	err := Race(ranks, 3, func(trial, rank int) (float64, error) {
		tried = append(tried, fmt.Sprint(trial, ":", rank))
		return errors[trial][slices.Index(ranks, rank)], nil
	})
	// After rank 2 the second is a tenth behind the third, after 4 the first too.
	want := []string{"0:2", "1:2", "2:2", "0:4", "2:4", "2:8", "2:16"}
	if err != nil || !slices.Equal(tried, want) {
		t.Errorf("%v, want %v (%v)", tried, want, err)
	}
}

func TestPathFallsInGrowingSteps(t *testing.T) {
	path := Path(8)
	last, ratio := 8.0, 1.0
	for _, x := range path {
		if !(x > 0 && x/last < ratio) {
			t.Fatalf("%v", path)
		}
		last, ratio = x, x/last
	}
	if last > 1e-4 {
		t.Errorf("the path ends at %v", last)
	}
}
