package remainder

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// stepping is the reading of a step: it solves all rows given the columns and adds
// up what the step needs.
type stepping struct {
	Of
}

// solving gives θ̂ of every row, one after the other. A row without entries has the
// prior's mean.
type solving struct {
	Of
}

// Of is what the rows are solved with.
type Of struct {
	Fit    *pass.Shared[Fit] // without its design
	Design *pass.Shared[[]float64]
	ready  *prepared // where the pass was made
}

// Shares are large.
func (p Of) Shares() []any { return []any{p.Fit, p.Design} }

// prepared is what all workers use.
func (p Of) prepared() *prepared {
	if p.ready != nil {
		return p.ready
	}
	fit := p.Fit.Get()
	fit.Design = p.Design.Get()
	return prepare(&fit)
}

// of prepares passes with the fit as it is now.
func of(f *Fit, design *pass.Shared[[]float64]) Of {
	now := *f
	now.Design = nil
	now.Columns, now.Error = slices.Clone(f.Columns), slices.Clone(f.Error) // columns are solved in place
	out := Of{Fit: pass.Share(now), Design: design}
	now.Design = design.Get()
	out.ready = prepare(&now)
	return out
}

// Name is "remainder".
func (stepping) Name() string { return "remainder" }

// Label is what progress shows.
func (stepping) Label() string { return "Fitting the remainder" }

// Cost is that of the columns' sums. A row's solution takes some hundred times as
// long as adding a number, so that parts may be small.
func (p stepping) Cost(in *pass.Input) int {
	_, m := in.Source.Dims()
	fit := p.Fit.Get()
	return m * fit.stride() / 32
}

// Start makes a worker.
func (p stepping) Start(*pass.Input) (pass.Worker, error) {
	s := newSolver(p.prepared())
	d := s.fit.size()
	return &stepper{solver: s, mean: make([]float64, d*kernel.Lanes), second: make([]float64, kernel.Tri(d)*kernel.Lanes), into: s.fit.newSums()}, nil
}

// stepper adds rows up.
type stepper struct {
	*solver
	mean, second []float64 // sums by lanes
	into         *Sums
	short        *short // nil until there is a short row
}

func (w *stepper) Add(c *pass.Chunk) error {
	lanes := 0
	flush := func() {
		if lanes > 0 {
			w.solve(lanes)
			w.collect(lanes)
			lanes = 0
		}
	}
	for i := c.First; i < c.End; i++ {
		columns, values := c.Row(i)
		if len(columns) == 0 {
			continue
		}
		if w.isShort(len(columns)) {
			w.solveShort(columns, values)
			continue
		}
		w.into.Square += w.fill(lanes, columns, values)
		if lanes++; lanes == kernel.Lanes {
			flush()
		}
	}
	flush()
	return nil
}

func (w *stepper) Part() (pass.Part, error) {
	d, into := w.fit.size(), w.into
	for x := range d {
		into.Mean[x] = total(w.mean, x)
		for y := range x + 1 {
			v := total(w.second, kernel.Tri(x)+y)
			into.Second[x*d+y], into.Second[y*d+x] = v, v
		}
	}
	if w.short != nil {
		w.short.give(into, w.spread, w.width, d)
	}
	clear(w.mean)
	clear(w.second)
	w.into = w.fit.newSums()
	return into, nil
}

// total is the sum of a lane array.
func total(x []float64, at int) float64 {
	v := (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

// Sums is what a step needs of the rows, given the columns.
type Sums struct {
	Mean      []float64 // Σ θ̂
	Second    []float64 // Σ S + θ̂θ̂ᵀ, d×d
	Logs      float64   // Σ log|S|
	Square    float64   // Σ E (x − μ − c)²
	Explained float64   // Σ θ̂ᵀy, y = Σ_j E h_j (x − μ − c)
	// Columns has of every column K, a packed triangle, and R:
	// K = Σ_i E w̃w̃ᵀ and R = Σ_i E w̃(x − μ − designᵀθ), w̃ = (1, w).
	Columns []float64
	Cross   []float64 // Σ θ̂zᵀ, z being the row's habits; none: empty
}

// stride is how many numbers the sums have of a column.
func (f *Fit) stride() int { return kernel.Tri(f.own()) + f.own() }

func (f *Fit) newSums() *Sums {
	d, m := f.size(), 0
	if own := f.own(); own > 0 {
		m = len(f.Columns) / own
	}
	return &Sums{Mean: make([]float64, d), Second: make([]float64, d*d), Columns: make([]float64, m*f.stride()), Cross: make([]float64, d*f.habits())}
}

// Merge adds.
func (s *Sums) Merge(o pass.Part) {
	t := o.(*Sums)
	s.Logs += t.Logs
	s.Square += t.Square
	s.Explained += t.Explained
	add(s.Mean, t.Mean)
	add(s.Second, t.Second)
	add(s.Columns, t.Columns)
	add(s.Cross, t.Cross)
}

func add(to, from []float64) {
	for x, v := range from {
		to[x] += v
	}
}

// Name is "rows of the remainder".
func (solving) Name() string { return "rows of the remainder" }

// Label is what progress shows.
func (solving) Label() string { return "Fitting every row" }

// Cost of an empty part is nothing.
func (solving) Cost(*pass.Input) int { return 0 }

// Start makes a worker.
func (p solving) Start(*pass.Input) (pass.Worker, error) {
	return &solvingWorker{newSolver(p.prepared()), new(pass.List), nil}, nil
}

type solvingWorker struct {
	*solver
	part *pass.List
	rows []int // those in the lanes, by their place in the part
}

func (w *solvingWorker) Add(c *pass.Chunk) error {
	d := w.fit.size()
	flush := func() {
		w.solve(len(w.rows))
		for lane, at := range w.rows {
			w.lane(lane)
			copy(w.part.Values[at:], w.theta)
		}
		w.rows = w.rows[:0]
	}
	for i := c.First; i < c.End; i++ {
		at := len(w.part.Values)
		w.part.Values = append(w.part.Values, w.fit.Prior...)
		columns, values := c.Row(i)
		if len(columns) == 0 || d == 0 {
			continue
		}
		w.fill(len(w.rows), columns, values)
		if w.rows = append(w.rows, at); len(w.rows) == kernel.Lanes {
			flush()
		}
	}
	if len(w.rows) > 0 {
		flush()
	}
	return nil
}

func (w *solvingWorker) Part() (pass.Part, error) {
	part := w.part
	w.part = new(pass.List)
	return part, nil
}

func init() { pass.Register(stepping{}, new(Sums)); pass.Register(solving{}, new(pass.List)) }

// Rows solves all rows of a source and gives θ̂ of each to the function, in their
// order. A row without entries gets the prior's mean.
func (f *Fit) Rows(ctx context.Context, values data.Source, threads int, give func(i int, theta []float64)) error {
	d, i := f.size(), 0
	if d == 0 {
		return nil
	}
	return pass.Stream(ctx, values, threads, solving{of(f, pass.Share(f.Design))}, func(part *pass.List) error {
		for theta := range slices.Chunk(part.Values, d) {
			give(i, theta)
			i++
		}
		return nil
	})
}
