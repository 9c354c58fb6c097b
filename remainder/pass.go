package remainder

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/dense"
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
	f := s.fit
	own, beside := f.own(), f.size()+f.implicit()
	return &stepper{
		solver: s, into: f.newSums(), moments: newStack(kernel.Pad(beside), beside), wide: kernel.Pad(f.Rank),
		outer: make([]float64, kernel.Tri(own)), traits: make([]float64, f.Rank), cross: make([]float64, f.size()*kernel.Pad(f.Rank)),
		told: make([]float64, kernel.Pad(f.Rank)), line: make([]float64, s.width), within: make([]float64, f.Rank*f.Rank), less: make([]float64, f.Rank*kernel.Pad(f.Rank)),
	}, nil
}

// stepper adds rows up.
type stepper struct {
	*solver
	into    *Sums
	moments stack // of (θ̂', z)
	fewRows int   // rows with few entries

	wide       int       // of the lines of cross
	traits     []float64 // ŵ
	cross      []float64 // S between θ' and w, in lines for each of θ'
	within     []float64 // S of w: the lower triangle
	less       []float64 // and negative, in lines
	outer      []float64 // E w̃w̃ᵀ, packed
	told, line []float64
}

func (w *stepper) Add(c *pass.Chunk) error {
	d, q, into := w.fit.size(), w.fit.implicit(), w.into
	for i := c.First; i < c.End; i++ {
		columns, values := c.Row(i)
		if len(columns) == 0 {
			continue
		}
		w.solve(columns, values, c.Weights(i))
		into.Square += w.square
		if d > 0 {
			into.Logs += w.logs
			into.Explained += dense.Dot(w.theta[:d], w.y)
			add(into.Mean, w.theta[:d])
			line := w.moments.top(1)
			copy(line, w.theta[:d])
			copy(line[d:], w.z[:q])
			w.moments.keep(1)
			at := 0
			if w.few {
				w.fewRows++
				at = 1
			}
			w.stacks[at].keep(w.lines)
		}
		w.forColumns()
	}
	return nil
}

func (w *stepper) Part() (pass.Part, error) {
	d, q, into := w.fit.size(), w.fit.implicit(), w.into
	if d > 0 {
		w.sumUp(d, q, into)
	}
	w.into, w.fewRows = w.fit.newSums(), 0
	return into, nil
}

// sumUp sets the moments.
func (w *stepper) sumUp(d, q int, into *Sums) {
	many, less, both := w.stacks[0].give(), w.stacks[1].give(), w.moments.give()
	for x := range d {
		for y := range x + 1 {
			at, v := x*w.width+y, 0.0
			if both != nil {
				v = both[x*w.moments.width+y]
			}
			if many != nil {
				v += many[at]
			}
			if less != nil {
				v -= less[at]
			}
			if x == y {
				v += float64(w.fewRows)
			}
			into.Second[x*d+y], into.Second[y*d+x] = v, v
		}
		for y := range q {
			if both != nil {
				into.Cross[x*q+y] = both[(d+y)*w.moments.width+x]
			}
		}
	}
}

// forColumns adds the row to the sums of its columns.
func (w *stepper) forColumns() {
	f := w.fit
	own, first, stride, d := f.own(), f.levels(), f.stride(), f.size()
	if own == 0 {
		return
	}
	if d > 0 {
		w.fitEntries()
		w.spreadTraits()
	}
	if f.Levels {
		w.outer[0] = 1
	}
	for x, wx := range w.traits {
		out := w.outer[kernel.Tri(first+x):]
		if f.Levels {
			out[0] = wx
		}
		for y := range x + 1 {
			out[first+y] = w.within[x*f.Rank+y] + wx*w.traits[y]
		}
	}
	tri := kernel.Tri(own)
	for e, c := range w.columns {
		j := int(c)
		phi := f.Columns[j*own:][:own]
		y := w.targets[e]
		if d > 0 {
			y -= w.fitted[e]
		}
		if f.Levels {
			y += phi[0]
		}
		to, weight := w.into.Columns[j*stride:][:stride], 1.0
		if w.weights != nil {
			weight = w.weights[e]
			dense.Axpy(weight, w.outer, to[:tri])
		} else {
			add(to[:tri], w.outer)
		}
		right := to[tri:]
		if f.Rank > 0 { // what the traits explain is what the column is asked for
			v := phi[first:]
			y += dense.Dot(v, w.traits)
			if f.Known > 0 { // the covariance of w with h'ᵀθ' less that with vᵀw
				kernel.Correlate(w.told, w.table[j*w.width:][:d], w.all[:d], w.cross, w.wide)
				combine(w.told, w.all[:f.Rank], v, w.less, w.wide)
			}
			for x, wx := range w.traits {
				right[first+x] += weight * (wx*y - w.told[x])
			}
		}
		if f.Levels {
			right[0] += weight * y
		}
	}
}

// spreadTraits sets the traits of the row, and how sure they are: w = R_w θ' with the
// last rows of R, so that Cov(w, θ') = R_w S'.
func (w *stepper) spreadTraits() {
	f := w.fit
	d, known, r := f.size(), f.Known, f.Rank
	if r == 0 {
		return
	}
	clear(w.cross)
	for x := range r { // a line of S' at a time
		by := w.by[:w.lines]
		for l := range by {
			by[l] = w.w[l*w.width+known+x]
			if w.few {
				by[l] = -by[l]
			}
		}
		clear(w.line)
		combine(w.line, w.all[:w.lines], by, w.w, w.width)
		if w.few {
			w.line[known+x]++
		}
		for y, v := range w.line[:d] {
			for z := range x + 1 {
				w.cross[y*w.wide+z] += w.root[(known+z)*d+known+x] * v
			}
		}
	}
	for x := range r {
		row := w.root[(known+x)*d+known:][:r]
		w.traits[x] = dense.Dot(row[x:], w.theta[known+x:d])
		for y := range x + 1 {
			sum := 0.0
			for z := x; z < r; z++ {
				sum += row[z] * w.cross[(known+z)*w.wide+y]
			}
			w.within[x*r+y] = sum
			w.less[x*w.wide+y], w.less[y*w.wide+x] = -sum, -sum
		}
	}
}

// Sums is what a step needs of the rows, given the columns. A pass gives Mean, Second
// and Cross of θ' (see prepared).
type Sums struct {
	Mean      []float64 // Σ θ̂
	Second    []float64 // Σ S + θ̂θ̂ᵀ, d×d
	Logs      float64   // Σ log|S|
	Square    float64   // Σ E (x − μ − c)²
	Explained float64   // Σ θ̂ᵀy, y = Σ_j E h_j (x − μ − c)
	// (Sums over entries count by their weights.)
	// Columns has of every column K, a packed triangle, and R:
	// K = Σ_i E w̃w̃ᵀ and R = Σ_i E w̃(x − μ − designᵀθ), w̃ = (1, w).
	Columns []float64
	Cross   []float64 // Σ θ̂zᵀ, z being the row's implicit feedback; none: empty
	// inside is Σ over the rows of θ̂ᵀΣ⁻¹(m + Bz) − tr Σ⁻¹(S + θ̂θ̂ᵀ).
	inside float64
}

// stride is how many numbers the sums have of a column.
func (f *Fit) stride() int { return kernel.Tri(f.own()) + f.own() }

func (f *Fit) newSums() *Sums {
	d, m := f.size(), 0
	if own := f.own(); own > 0 {
		m = len(f.Columns) / own
	}
	return &Sums{Mean: make([]float64, d), Second: make([]float64, d*d), Columns: make([]float64, m*f.stride()), Cross: make([]float64, d*f.implicit())}
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

// Label is what progress shows.
func (solving) Label() string { return "Fitting every row" }

// Start makes a worker.
func (p solving) Start(*pass.Input) (pass.Worker, error) {
	return &solvingWorker{newSolver(p.prepared()), new(pass.List)}, nil
}

type solvingWorker struct {
	*solver
	part *pass.List
}

func (w *solvingWorker) Add(c *pass.Chunk) error {
	d := w.fit.size()
	for i := c.First; i < c.End; i++ {
		at := len(w.part.Values)
		w.part.Values = append(w.part.Values, w.fit.Prior...)
		if columns, values := c.Row(i); len(columns) > 0 && d > 0 {
			w.fitRow(columns, values, c.Weights(i))
			w.parameters(w.part.Values[at:])
		}
	}
	return nil
}

func (w *solvingWorker) Part() (pass.Part, error) {
	part := w.part
	w.part = new(pass.List)
	return part, nil
}

func init() {
	pass.Register("remainder", stepping{}, new(Sums))
	pass.Register("rows of the remainder", solving{}, new(pass.List))
}

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
