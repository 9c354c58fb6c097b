package kernel

// SplitRoom is how many more numbers than it copies Split may read and write.
const SplitRoom = 16

// splitGo copies the entries of each row, from next[i] on and before ends[i], whose
// columns are below end.
func splitGo(columns []int32, r []float64, at int, spans, next, ends, fromColumns []int32, fromR []float64, end, step int) (after, used int) {
	for i, first := range next {
		row, n := fromColumns[first:ends[i]], 0
		for n < len(row) && int(row[n]) < end {
			n++
		}
		if n == 0 {
			continue
		}
		copy(columns[at:], row[:n])
		copy(r[at:], fromR[first:][:n])
		spans[used], spans[used+1], spans[used+2] = int32(i*step), int32(at), int32(at+n)
		next[i], at, used = first+int32(n), at+n, used+3
	}
	return at, used
}

// Split copies entries of many rows, of increasing columns, to columns and r from at
// on: of row i those from next[i] on and before ends[i] whose columns are below end;
// next[i] is then the first of the others. For each row that has any it appends a span
// for CorrelateSpans, of the place i·step, to spans. It returns where the copies end,
// and the spans.
//
// There must be room behind everything that is copied from and to, and in spans for
// all rows and one more.
func Split(columns []int32, r []float64, at int, spans, next, ends, fromColumns []int32, fromR []float64, end, step int) (int, []int32) {
	kept := len(spans)
	room := spans[kept:cap(spans)]
	need := at
	for i, from := range next {
		need += int(ends[i] - from)
	}
	if len(room) < 3*len(next)+3 || len(next) != len(ends) || len(columns) < need+SplitRoom || len(r) < need+SplitRoom ||
		len(next) > 0 && (len(fromColumns) < int(ends[len(ends)-1])+SplitRoom || len(fromR) < int(ends[len(ends)-1])+SplitRoom) {
		panic(badShape)
	}
	after, used := split(columns, r, at, room, next, ends, fromColumns, fromR, end, step)
	return after, spans[:kept+used]
}
