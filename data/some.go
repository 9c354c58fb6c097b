package data

// SomeReader is a Reader that can also read a part of a row at the cost of that
// part: for choosing features where rows are long.
type SomeReader interface {
	Reader

	// AppendSome appends at most so many observed entries of row i, as Append
	// does: the row restricted to a set of columns that is drawn for this row
	// and this many, without a look at the values. It is the same set every
	// time; there may be fewer entries than asked for also where the row has
	// more.
	AppendSome(i, most int, columns []int32, values []float64) ([]int32, []float64, error)
}
