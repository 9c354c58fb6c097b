package pass

// Sums is a part of numbers that are added one by one.
type Sums struct{ Values []float64 }

// NewSums is this many zeros.
func NewSums(n int) *Sums { return &Sums{make([]float64, n)} }

// Merge adds.
func (s *Sums) Merge(o Part) {
	for x, v := range o.(*Sums).Values {
		s.Values[x] += v
	}
}

// List is a part of numbers that follow each other: this many for each row.
type List struct{ Values []float64 }

// Merge puts the others behind.
func (l *List) Merge(o Part) { l.Values = append(l.Values, o.(*List).Values...) }

// EachRow is a worker that adds rows to a part, one by one: fresh makes an empty
// one.
func EachRow[P Part](fresh func() P, add func(part P, i int, columns []int32, values []float64) error) Worker {
	return Each(fresh, func(part P, c *Chunk, i int) error {
		columns, values := c.Row(i)
		return add(part, i, columns, values)
	})
}

// Each is EachRow for who takes what it needs of row i from the chunk, as the weights of
// the entries.
func Each[P Part](fresh func() P, add func(part P, c *Chunk, i int) error) Worker {
	return &eachRow[P]{fresh, add, fresh()}
}

type eachRow[P Part] struct {
	fresh func() P
	add   func(part P, c *Chunk, i int) error
	part  P
}

func (w *eachRow[P]) Add(c *Chunk) error {
	for i := c.First; i < c.End; i++ {
		if err := w.add(w.part, c, i); err != nil {
			return err
		}
	}
	return nil
}

func (w *eachRow[P]) Part() (Part, error) {
	part := w.part
	w.part = w.fresh()
	return part, nil
}

// Local is a pass that cannot be sent, because it is made of functions. No runner
// gets it: it is executed in this process, where the source may have to be fetched
// from afar.
type Local interface{ Local() }

// Here is a Local pass that has no result but what its functions keep, for methods that
// change factors of all rows in place. Begin is
// called for each part, by any goroutine, with its number, and what it returns for
// each of its rows in order, with the chunk that has it.
type Here struct {
	Called string
	Price  int // its Cost
	Begin  func(part int) func(c *Chunk, i int) error
}

// Name is as given.
func (p *Here) Name() string { return p.Called }

// Local makes it so.
func (p *Here) Local() {}

// Cost is as given.
func (p *Here) Cost(*Input) int { return p.Price }

// Start makes a worker.
func (p *Here) Start(in *Input) (Worker, error) {
	return &hereWorker{pass: p, grain: (&Plan{Input: *in}).grainOf(p)}, nil
}

// Parts is into how many parts the rows of a source are divided for the pass.
func (p *Here) Parts(in *Input) int { return ceil(len(in.Chunks)-1, (&Plan{Input: *in}).grainOf(p)) }

type hereWorker struct {
	pass  *Here
	grain int
	row   func(c *Chunk, i int) error
}

func (w *hereWorker) Add(c *Chunk) error {
	if w.row == nil {
		w.row = w.pass.Begin(c.Number >> w.grain)
	}
	for i := c.First; i < c.End; i++ {
		if err := w.row(c, i); err != nil {
			return err
		}
	}
	return nil
}

func (w *hereWorker) Part() (Part, error) {
	w.row = nil
	return nothing{}, nil
}

type nothing struct{}

func (nothing) Merge(Part) {}
