package attack

import (
	"slices"
	"testing"
)

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		many, from string
		want       []uint64
	}{
		{"", "", []uint64{0, 1, 2}},
		{"", "7", []uint64{7, 8, 9}},
		{"2", "7", []uint64{7, 8}},
		{"1ns", "5", []uint64{5}},
	} {
		t.Setenv("OPTCOMPLETE_ATTACK", c.many)
		t.Setenv("OPTCOMPLETE_ATTACK_FROM", c.from)
		if got := slices.Collect(Rounds(3)); !slices.Equal(got, c.want) {
			t.Errorf("%q from %q: %v, want %v", c.many, c.from, got, c.want)
		}
	}
	t.Setenv("OPTCOMPLETE_ATTACK", "1h")
	last := uint64(0)
	for round := range Rounds(3) {
		if last = round; round == 50 {
			break
		}
	}
	if last != 50 {
		t.Errorf("an hour ended after %d rounds", last)
	}
}
