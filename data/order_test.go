package data

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersInIDsAreOrderedByValue(t *testing.T) {
	want := strings.Fields("-1 0 00 01 1 2 10 10a 10b2 10b10 99999999999999999999 100000000000000000000 A a film film02 film2 film2b film10 films é")
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareIDs)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestOrderIsOfCompareIDs holds that the keys that Order sorts by never contradict
// the comparison, and that the comparison is an order.
func TestOrderIsOfCompareIDs(t *testing.T) {
	id := rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,3}`), rapid.StringMatching(`[0-9]{15,22}`), rapid.StringMatching(`u[0-9]{0,3}[ab]?[0-9]?`),
		rapid.StringMatching(`user_name[0-9]{0,2}`), rapid.StringMatching(`[a-c/:0-9]{0,10}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(id, 3, 12, rapid.ID[string]).Draw(t, "ids")
		for _, a := range ids {
			for _, b := range ids {
				if CompareIDs(a, b) != -CompareIDs(b, a) || (CompareIDs(a, b) == 0) != (a == b) {
					t.Fatalf("%q and %q have no order", a, b)
				}
				for _, c := range ids {
					if CompareIDs(a, b) < 0 && CompareIDs(b, c) < 0 && CompareIDs(a, c) >= 0 {
						t.Fatalf("%q < %q < %q, but not the first before the last", a, b, c)
					}
				}
			}
		}
		want := slices.Clone(ids)
		slices.SortFunc(want, CompareIDs)
		got := slices.Clone(ids)
		if order := Order(ids); order != nil {
			for place, at := range order {
				got[place] = ids[at]
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}
