package store

import "sync"

// rowGroups are the coefficients of rows on disk, read a group of consecutive rows at a
// time: what files of rows are as a RowStore.
type rowGroups struct {
	k      int                                       // coefficients of a row
	starts []int                                     // the first row of each group, and the end
	floats func(g, term int, out []float64) error    // reads one term of a group
	find   func(starts []int, i int) (g, offset int) // the group of a row
	keep   int                                       // how many groups to keep

	mu     sync.Mutex
	groups map[int][]float64 // those read last
	recent []int             // their numbers, oldest first
	err    error
}

// Row returns the coefficients of row i.
func (r *rowGroups) Row(i int) []float64 {
	g, at := r.find(r.starts, i)
	u := r.group(g)
	return u[at*r.k : (at+1)*r.k]
}

// group returns the coefficients of a group.
func (r *rowGroups) group(g int) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if u, ok := r.groups[g]; ok {
		return u
	}
	u := make([]float64, r.rows(g)*r.k)
	column := make([]float64, r.rows(g))
	for term := range r.k {
		r.read(g, term, column)
		for i, v := range column {
			u[i*r.k+term] = v
		}
	}
	if len(r.recent) == r.keep {
		delete(r.groups, r.recent[0])
		r.recent = r.recent[1:]
	}
	if r.groups == nil {
		r.groups = map[int][]float64{}
	}
	r.groups[g], r.recent = u, append(r.recent, g)
	return u
}

// rows is the number of rows in a group.
func (r *rowGroups) rows(g int) int { return r.starts[g+1] - r.starts[g] }

// Term gives a coefficient of every row.
func (r *rowGroups) Term(term int, row func(i int, u float64)) {
	var column []float64
	for g := range len(r.starts) - 1 {
		if n := r.rows(g); cap(column) < n {
			column = make([]float64, n)
		}
		part := column[:r.rows(g)]
		r.mu.Lock()
		r.read(g, term, part)
		r.mu.Unlock()
		for i, u := range part {
			row(r.starts[g]+i, u)
		}
	}
}

// read reads one term of a group. After an error all is zero.
func (r *rowGroups) read(g, term int, out []float64) {
	if r.err == nil {
		r.err = r.floats(g, term, out)
	}
	if r.err != nil {
		clear(out)
	}
}

// Len is the number of rows.
func (r *rowGroups) Len() int { return r.starts[len(r.starts)-1] }

// Err is what went wrong in reading.
func (r *rowGroups) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// forget gives up what was read.
func (r *rowGroups) forget() { r.groups, r.recent = nil, nil }
