package data

// Map is the source of the same entries whose values are those of f. For a
// Matrix they are computed at once; otherwise nothing is copied, and f is asked
// at every reading, by many goroutines.
func Map(s Source, f func(row int, column int32, value float64) float64) Source {
	if m, ok := s.(*Matrix); ok {
		return m.Map(f)
	}
	return &mapped{Source: s, f: f}
}

type mapped struct {
	Source
	f func(row int, column int32, value float64) float64
}

func (m *mapped) Reader() Reader { return &mappedReader{m.Source.Reader(), m.f} }

type mappedReader struct {
	from Reader
	f    func(row int, column int32, value float64) float64
}

func (r *mappedReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	at := len(values)
	columns, values, err := r.from.Append(i, columns, values)
	if err != nil {
		return columns, values, err
	}
	for x := at; x < len(values); x++ {
		values[x] = r.f(i, columns[x], values[x])
	}
	return columns, values, nil
}

// Filter is the source of the same shape with the entries for which keep is
// true. A Matrix gives another one; any other source is read once, to count the
// entries, and copied nowhere.
func Filter(s Source, keep func(row int, column int32) bool) (Source, error) {
	if m, ok := s.(*Matrix); ok {
		return m.Filter(keep), nil
	}
	n, _ := s.Dims()
	out := &filtered{from: s, keep: keep, entries: make([]int32, n)}
	err := ForEach(s, func(i int, columns []int32, _ []float64) error {
		for _, c := range columns {
			if keep(i, c) {
				out.entries[i]++
			}
		}
		out.observed += int(out.entries[i])
		return nil
	})
	return out, err
}

type filtered struct {
	from     Source
	keep     func(row int, column int32) bool
	entries  []int32 // of each row
	observed int
}

func (f *filtered) Dims() (rows, columns int) { return f.from.Dims() }
func (f *filtered) Observed() int             { return f.observed }
func (f *filtered) Entries(i int) int         { return int(f.entries[i]) }
func (f *filtered) Reader() Reader            { return &filteredReader{f.from.Reader(), f.keep} }

type filteredReader struct {
	from Reader
	keep func(row int, column int32) bool
}

func (r *filteredReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	to := len(columns)
	columns, values, err := r.from.Append(i, columns, values)
	if err != nil {
		return columns, values, err
	}
	for x := to; x < len(columns); x++ {
		if r.keep(i, columns[x]) {
			columns[to], values[to] = columns[x], values[x]
			to++
		}
	}
	return columns[:to], values[:to], nil
}

// Rows is the source of some rows of another, in the order given.
func Rows(s Source, rows []int) Source {
	out := &someRows{Source: s, rows: rows}
	for _, i := range rows {
		out.observed += s.Entries(i)
	}
	return out
}

type someRows struct {
	Source
	rows     []int
	observed int
}

func (s *someRows) Dims() (rows, columns int) {
	_, columns = s.Source.Dims()
	return len(s.rows), columns
}
func (s *someRows) Observed() int     { return s.observed }
func (s *someRows) Entries(i int) int { return s.Source.Entries(s.rows[i]) }
func (s *someRows) Reader() Reader    { return &someRowsReader{s.Source.Reader(), s.rows} }

type someRowsReader struct {
	from Reader
	rows []int
}

func (r *someRowsReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	return r.from.Append(r.rows[i], columns, values)
}

// Widen is the same source with more columns, which have no entries.
func Widen(s Source, columns int) Source {
	if _, m := s.Dims(); columns < m {
		panic("data: a wider source cannot have fewer columns")
	}
	return &widened{s, columns}
}

type widened struct {
	Source
	columns int
}

func (w *widened) Dims() (rows, columns int) {
	rows, _ = w.Source.Dims()
	return rows, w.columns
}
