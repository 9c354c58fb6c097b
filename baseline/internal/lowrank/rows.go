package lowrank

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/pass"
)

// Rows is a source to be read many times over, in its own unit where values or weights
// are large or small: products of them might leave the range of numbers, and what begins
// at random begins at about 1.
type Rows struct {
	source  data.Source
	reading pass.Here // without what it does
	chunks  int
	Longest int   // most entries of a row
	Columns []int // entries of each column

	// Heaviest is the largest weight of an entry, 1 if entries have none, and
	// ColumnHeaviest that of each column; nil if entries have none.
	Heaviest       float64
	ColumnHeaviest []float64
	// Unit is what values are divided by, and weight what weights are: powers of 4, and 1
	// of ordinary data. Penalties are in the unit of both.
	Unit, weight float64
}

// Penalty is the unit of λ.
func (r *Rows) Penalty() float64 { return r.Unit * r.weight }

// ordinary is how far, as a power of two, data may be from 1 without a unit of their own.
const ordinary = 20

// unit is the power of 4 next to a size, or 1 if that is ordinary.
func unit(size float64) float64 {
	_, exponent := math.Frexp(size)
	if max(exponent, -exponent) <= ordinary {
		return 1
	}
	return math.Ldexp(1, min(max(exponent, -1000), 1000)/2*2)
}

// Row takes a row: its columns, their values and their weights, nil if there are none.
type Row func(i int, columns []int32, values, weights []float64)

// Memory is how many bytes of entries are read into memory instead of at every
// pass, unless a caller says otherwise.
const Memory = 4 << 30

// NewRows cuts a source into parts of about as many entries each, at most this many
// where data.Chunks has more. A source of which the entries fit into memory, in
// bytes (zero means Memory), is read once and kept.
func NewRows(ctx context.Context, source data.Source, parts int, memory int64) (*Rows, error) {
	if memory == 0 {
		memory = Memory
	}
	n, _ := source.Dims()
	r := &Rows{source: source, Heaviest: 1, Unit: 1, weight: 1}
	if fits(source, memory) {
		m, err := pass.Collect(ctx, source, 0, "copy to memory")
		if err != nil {
			return nil, err
		}
		r.source = m
	}
	survey, err := pass.Survey(ctx, r.source, 0)
	if err != nil {
		return nil, err
	}
	r.Columns = survey.Columns
	r.Unit = unit(max(survey.High, -survey.Low))
	in := &pass.Input{Source: r.source, Chunks: data.Chunks(r.source)}
	r.reading = pass.Here{Called: "low-rank sweep", Price: in.Work() / max(1, parts)}
	r.chunks = r.reading.Parts(in)
	for i := range n {
		r.Longest = max(r.Longest, source.Entries(i))
	}
	if data.IsWeighted(source) {
		r.weight = unit(survey.Heaviest)
		r.Heaviest = survey.Heaviest / r.weight
		return r, r.weigh(ctx)
	}
	return r, nil
}

// weigh finds the largest weight of each column.
func (r *Rows) weigh(ctx context.Context) error {
	parts := make([][]float64, r.Chunks())
	err := r.Each(ctx, 0, func(c int) Row {
		most := make([]float64, len(r.Columns))
		parts[c] = most
		return func(_ int, columns []int32, _, weights []float64) {
			for e, j := range columns {
				most[j] = max(most[j], weights[e])
			}
		}
	})
	r.ColumnHeaviest = make([]float64, len(r.Columns))
	for _, part := range parts {
		for j, w := range part {
			r.ColumnHeaviest[j] = max(r.ColumnHeaviest[j], w)
		}
	}
	return err
}

// fits tells whether the entries of a source take at most this many bytes.
func fits(source data.Source, memory int64) bool {
	n, _ := source.Dims()
	bytes := int64(12)
	if data.IsWeighted(source) {
		bytes += 8
	}
	return int64(source.Observed())*bytes+int64(n)*8 <= memory
}

// ChunksFor is how many chunks to cut a source into if each adds up tables of so
// many numbers a column: so that adding the chunks up costs little beside the
// entries, and takes at most 1 GiB.
func ChunksFor(source data.Source, numbers int) int {
	_, m := source.Dims()
	table := max(m*numbers, 1)
	return max(1, min(64, source.Observed()/max(4*m, 1), (1<<30)/(8*table)))
}

// Chunks is the number of parts.
func (r *Rows) Chunks() int { return r.chunks }

// Dims returns the number of rows and of columns.
func (r *Rows) Dims() (rows, columns int) { return r.source.Dims() }

// Each reads every row once. begin is called for every part, by that many
// goroutines at once, and gives the function that gets the part's rows in order.
// The slices are valid until it returns.
func (r *Rows) Each(ctx context.Context, threads int, begin func(part int) Row) error {
	reading := r.reading
	reading.Begin = func(part int) func(c *pass.Chunk, i int) error {
		row := begin(part)
		var v, w []float64
		return func(c *pass.Chunk, i int) error {
			columns, values := c.Row(i)
			weights := c.Weights(i)
			v, values = divided(v, values, r.Unit)
			w, weights = divided(w, weights, r.weight)
			row(i, columns, values, weights)
			return nil
		}
	}
	return pass.RunTasks(ctx, r.source, threads, &pass.Task{Pass: &reading})
}

// divided is numbers in a unit, in the room that is given and returned.
func divided(room, numbers []float64, unit float64) ([]float64, []float64) {
	if unit == 1 || numbers == nil {
		return room, numbers
	}
	room = room[:0]
	for _, x := range numbers {
		room = append(room, x/unit)
	}
	return room, room
}

// Blocks calls work for blocks of the given length that cover 0..n-1, by that many
// goroutines: for results that each have a place of their own.
func Blocks(n, block, threads int, work func(lo, hi int)) {
	// Without a context nothing can fail.
	_ = parallel.Do(context.Background(), (n+block-1)/block, threads, func(int) func(int) error {
		return func(x int) error {
			work(x*block, min((x+1)*block, n))
			return nil
		}
	})
}

// Normal is XᵀX v for the rows' matrix X with zeros in place of what is missing, and every
// value times its weight.
func (r *Rows) Normal(ctx context.Context, v []float64, threads int) ([]float64, error) {
	parts := make([][]float64, r.Chunks())
	err := r.Each(ctx, threads, func(c int) Row {
		sum := make([]float64, len(v))
		parts[c] = sum
		var scaled []float64
		return func(_ int, columns []int32, values, weights []float64) {
			if weights != nil {
				scaled = scaled[:0]
				for e, x := range values {
					scaled = append(scaled, weights[e]*x)
				}
				values = scaled
			}
			y := 0.0
			for e, j := range columns {
				y += values[e] * v[j]
			}
			for e, j := range columns {
				sum[j] += values[e] * y
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(v))
	for _, part := range parts {
		Add(out, part)
	}
	return out, nil
}
