package ingest

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestIDsEqualMap numbers texts of every length, digits or not, and compares
// with a map: whatever way a text is found, it has the map's number.
func TestIDsEqualMap(t *testing.T) {
	text := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 20_000_000), strconv.Itoa),
		rapid.Map(rapid.IntRange(0, 300), strconv.Itoa),
		rapid.StringMatching(`0{0,3}[0-9:/]{1,8}`),
		rapid.StringMatching(`[a-c]{6,8}`),
		rapid.StringMatching(`[ab]{14,17}`),
		rapid.SampledFrom([]string{"", "a", "a\x00", "\x00", "12\x00", "1234567", "12345678", "9999999"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		table, want := newIDs(), map[string]int32{}
		table.decimals = newDecimals()
		check := func(text string, number int32) {
			b := []byte(text)
			k := keyOf(b)
			if got := table.find(k, b); got != number {
				t.Fatalf("%q is found as %d, not %d", text, got, number)
			}
			if got := table.glance(k); got != number && got != -1 {
				t.Fatalf("%q is seen as %d, not %d", text, got, number)
			}
			if k != keyOf(append(b, "behind, and long enough"...)[:len(b)]) {
				t.Fatalf("%q: the key depends on what stands behind", text)
			}
			if !k.long() && string(k.appendText(nil)) != text {
				t.Fatalf("%q: the text of its key is %q", text, k.appendText(nil))
			}
		}
		for _, text := range rapid.SliceOfN(text, 1, 400).Draw(t, "texts") {
			number, known := want[text]
			if !known {
				check(text, -1)
				number = int32(len(want))
				want[text] = number
			}
			if got := table.number(text); got != number {
				t.Fatalf("%q is number %d, not %d", text, got, number)
			}
		}
		for text, number := range want {
			check(text, number)
			if table.text(number) != text {
				t.Fatalf("%d is %q, not %q", number, table.text(number), text)
			}
		}
	})
}

func TestDecimalReadsSmallNumbers(t *testing.T) {
	for n := range 100_000 {
		for _, v := range []int{n, 99 * n} {
			if got, ok := keyOf([]byte(strconv.Itoa(v))).decimal(); !ok || got != uint64(v) {
				t.Fatalf("%d is read as %d, %v", v, got, ok)
			}
		}
	}
	for _, text := range []string{"", "00", "01", "-1", "1.", "12345678", "1e3", "a", "1:", "/1", "1\x00", "\xff1", "9\xb9"} {
		if v, ok := keyOf([]byte(text)).decimal(); ok {
			t.Errorf("%q is read as %d", text, v)
		}
	}
	// Numbers that are not dense stay out, and the table small.
	table := newIDs()
	table.decimals = newDecimals()
	for x := range 1000 {
		table.number(strconv.Itoa(9_000_000 + 997*x))
	}
	if size := table.decimals.bytes(); size > 4*(firstDecimals+2*sparseDecimals*1000) {
		t.Errorf("1000 scattered numbers take %d bytes", size)
	}
}
