package data

import (
	"slices"
	"testing"

	"optcomplete/internal/must"
)

// TestBasis: what a source is a view of is found through keys, rows and numbers.
func TestBasis(t *testing.T) {
	m := must.Get(NewMatrixByRows(2, []int{0, 1, 2, 3}, []int32{0, 1, 0}, []float64{1, 2, 3}))(t)
	generated := struct{ Source }{m}
	ids := []string{"a", "b", "c"}
	source := NewRatings(Renumber(generated, 3, []int32{2, 0}), ids, ids).WithEntries(1).Source()
	source = NewRatings(Rows(source, []int{2, 0}), ids[:2], ids).Source()
	base, columns, ranks, rows := Basis(source)
	if base != Source(generated) || columns != 3 || !slices.Equal(ranks, []int32{2, 0}) || !slices.Equal(rows, []int{2, 0}) {
		t.Errorf("%T, %d columns, ranks %v, rows %v", base, columns, ranks, rows)
	}
	if _, _, ranks, rows := Basis(Renumber(generated, 3, []int32{0, 1})); ranks != nil || rows != nil {
		t.Errorf("the numbers are as they are, not %v; rows %v", ranks, rows)
	}
}
