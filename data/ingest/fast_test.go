package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "optcomplete/internal/steadyseed"
)

// TestFastLinesEqualGeneralOnes reads texts of awkward lines with and without
// the fast parser: the same entries, or the same error.
func TestFastLinesEqualGeneralOnes(t *testing.T) {
	id := rapid.OneOf(rapid.StringMatching(`[a-z0-9]{1,17}`), rapid.SampledFrom([]string{
		"", "1234567", "12345678", "a longer id", " a", "a ", "\ta", "é", "a\x7f", "a\x00", "a\rb", "a;b", "\xff", "1\t2", ":", "a\n"}))
	number := rapid.SampledFrom([]string{"1", "3.5", "-0", "12345.75", "1e3", "1234567", "12345678", "123456789", "0.1234567890123", "-12345678901234.5", "", "x", "NaN", " 2", "2 ", "2\r", "+1", ".5", "5.", "1\x00"})
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(3, 5).Draw(t, "width")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		delimiter := rapid.SampledFrom([]string{",", "\t", ";"}).Draw(t, "delimiter")
		var text strings.Builder
		text.WriteString("row,column,value,time,more"[:len("row,column,value")+5*(width-3)] + end)
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			fmt.Fprintf(&text, "%s,%s,%s%s", id.Draw(t, "row"), id.Draw(t, "column"), number.Draw(t, "value"),
				strings.Repeat(rapid.SampledFrom([]string{",9", ",1112486027", ",123456789012345", ",1234567890123456", ",", ",é", ", ", ",1,2"}).Draw(t, "rest"), width-3))
			text.WriteString(rapid.SampledFrom([]string{end, end, end, "\n\n", ""}).Draw(t, "line end"))
		}
		table := strings.ReplaceAll(text.String(), ",", delimiter)
		fast, _, errFast := streamOf("r.csv", strings.NewReader(table), Settings{Duplicates: Last}).ratings(context.Background())
		general, _, errGeneral := streamOf("r.csv", strings.NewReader(table), Settings{Duplicates: Last, Missing: []string{"never"}}).ratings(context.Background())
		if fmt.Sprint(errFast) != fmt.Sprint(errGeneral) {
			t.Fatalf("%q: %v, but %v", table, errFast, errGeneral)
		}
		if errFast == nil {
			if d := cmp.Diff(cells(general), cells(fast)); d != "" {
				t.Fatalf("%q: %s", table, d)
			}
		}
	})
}
