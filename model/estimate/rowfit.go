package estimate

import (
	"context"

	"optcomplete/data"
	"optcomplete/pass"
)

// RowBlock is consecutive rows as they were fitted.
type RowBlock struct {
	First        int       // the index of the first row
	Entries      []int32   // of each row
	Effects      []float64 // of each row; nil in Paper
	Coefficients []float64 // k of each row
}

// RowSink takes all rows of a fit, block by block and in order, so that nobody
// has to hold the coefficients of all of them. What a block holds is valid until
// the sink returns. An error ends the fit.
type RowSink func(RowBlock) error

// solveRow writes the coefficients of a row to u and returns its
// effect, if the refit has one. The weights are nil if there are none. If a number is
// out of range, that number is bad.
type solveRow func(at []int32, a, weights, u []float64) (effect, bad float64, ok bool)

// rowFit is a refit of which all that rows share is known: each row then is a
// matter of its own entries. It is a pass over what the coefficients are to
// explain, which gives the rows.
type rowFit struct {
	Design *pass.Shared[[]float64] // K numbers for each column, or with Effects a constant before them
	K      int
	Lambda float64 // 1/γ; zero is least squares
	Prior  *Prior  // nil: none, each row by itself
	// Effects tells that the first coefficient, that of the constant, is the row's
	// effect.
	Effects bool
	// Unseen is the effect and the coefficients of a row without entries; nil:
	// those that solving gives.
	Unseen []float64
	// Link fits rows by a loss of its own, besides the mean and the column effects;
	// nil: by squares, of what is left of the values.
	Link    *Link
	Mean    float64
	Columns *pass.Shared[[]float64]
	// Write writes the rows where they are fitted, with their effects if they have any:
	// those Known before where solving gives none; nil: rows are given back.
	Write      RowWriter
	FileWork   int // of a file, at least
	HasEffects bool
	Known      *pass.Shared[[]float64]

	values data.Source
}

// Cost of an empty part is nothing; of a file, much.
func (f *rowFit) Cost(in *pass.Input) int {
	if f.Write != nil {
		return max(f.FileWork, in.Work()/mostShards)
	}
	return 0
}

// Back is the coefficients, unless they are written.
func (f *rowFit) Back(in *pass.Input) int {
	n, _ := in.Source.Dims()
	if f.Write != nil {
		return 4 * n
	}
	return 8 * n * (f.K + 1)
}

// Start makes a worker.
func (f *rowFit) Start(in *pass.Input) (pass.Worker, error) {
	solve, err := f.solver()
	if err != nil {
		return nil, err
	}
	each := pass.EachWeighed(func() *fittedRows { return new(fittedRows) }, func(part *fittedRows, i int, at []int32, a, weights []float64) error {
		if len(part.Entries) == 0 {
			part.First = i
		}
		from := len(part.Coefficients)
		part.Coefficients = append(part.Coefficients, make([]float64, f.K)...)
		part.Entries = append(part.Entries, int32(len(at)))
		u, effect := part.Coefficients[from:], 0.0
		if len(at) == 0 && f.Unseen != nil {
			copy(u, f.Unseen[1:])
			effect = f.Unseen[0]
		} else {
			var bad float64
			var ok bool
			if effect, bad, ok = solve(at, a, weights, u); !ok && part.Failed == nil {
				part.Failed = &RangeError{Row: i, Value: bad}
			}
		}
		part.Effects = append(part.Effects, effect)
		return nil
	})
	if f.Write != nil {
		return f.writer(each, in.Source)
	}
	return each, nil
}

// solver fits rows, on one goroutine.
func (f *rowFit) solver() (solveRow, error) {
	if f.Link != nil {
		_, solve := f.solveLink()
		return solve, nil
	}
	design := f.Design.Get()
	if f.Prior == nil {
		solver, roots := newRowSolver(f.K, f.Lambda), newRooted(f.K)
		return func(at []int32, a, weights, u []float64) (effect, bad float64, ok bool) {
			design, at, a := roots.row(design, at, a, weights)
			bad, ok = solver.solve(design, at, a, u)
			return 0, bad, ok
		}, nil
	}
	prior := &priorState{Prior: *f.Prior}
	if err := prior.invert(); err != nil {
		return nil, err
	}
	d := len(prior.Mean)
	s, all, roots := newPosterior(d), make([]float64, d), newRooted(d)
	return func(at []int32, a, weights, u []float64) (effect, bad float64, ok bool) {
		design, at, a := roots.row(design, at, a, weights)
		if !f.Effects {
			s.solve(prior, design, at, a, u)
			return 0, 0, true
		}
		s.solve(prior, design, at, a, all)
		copy(u, all[1:])
		return all[0], 0, true
	}, nil
}

// fittedRows is consecutive rows, fitted.
type fittedRows struct {
	First        int
	Entries      []int32
	Effects      []float64
	Coefficients []float64
	Failed       *RangeError // of the first row that has one
	Shard        *RowShard   // where they were written, if they were: then there are no coefficients
}

// Merge adds the rows that follow.
func (r *fittedRows) Merge(o pass.Part) {
	after := o.(*fittedRows)
	r.Entries = append(r.Entries, after.Entries...)
	r.Effects = append(r.Effects, after.Effects...)
	r.Coefficients = append(r.Coefficients, after.Coefficients...)
	if r.Failed == nil {
		r.Failed = after.Failed
	}
}

// fill fits all rows: their coefficients, and into effects, unless it is nil, what
// the refit has to say of their effects.
func (f *rowFit) fill(ctx context.Context, threads int, effects, out []float64) error {
	first := 0
	return pass.Stream(ctx, f.values, threads, f, func(part *fittedRows) error {
		if part.Failed != nil {
			return part.Failed
		}
		copy(out[first*f.K:], part.Coefficients)
		f.note(part, effects[min(first, len(effects)):])
		first += len(part.Entries)
		return nil
	})
}

// note writes what is known about the effects.
func (f *rowFit) note(part *fittedRows, effects []float64) {
	for x := range min(len(effects), len(part.Entries)) {
		switch {
		case f.Effects:
			effects[x] = part.Effects[x]
		case part.Entries[x] == 0 && f.Unseen != nil:
			effects[x] = f.Unseen[0]
		}
	}
}

// stream fits all rows and gives them to the sink, a group of them at a time.
// effects is of all rows, or nil.
func (f *rowFit) stream(ctx context.Context, threads int, effects []float64, sink RowSink) error {
	n, _ := f.values.Dims()
	b := RowBlock{}
	give := func(rows int) error {
		out := RowBlock{First: b.First, Entries: b.Entries[:rows], Coefficients: b.Coefficients[:rows*f.K]}
		if effects != nil {
			out.Effects = effects[b.First:][:rows]
		}
		err := sink(out)
		b.First += rows
		b.Entries = b.Entries[:copy(b.Entries, b.Entries[rows:])]
		b.Coefficients = b.Coefficients[:copy(b.Coefficients, b.Coefficients[rows*f.K:])]
		return err
	}
	err := pass.Stream(ctx, f.values, threads, f, func(part *fittedRows) error {
		if part.Failed != nil {
			return part.Failed
		}
		if effects != nil {
			f.note(part, effects[b.First+len(b.Entries):])
		}
		b.Entries = append(b.Entries, part.Entries...)
		b.Coefficients = append(b.Coefficients, part.Coefficients...)
		for len(b.Entries) >= BlockRows {
			if err := give(BlockRows); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && b.First < n {
		err = give(n - b.First)
	}
	return err
}

// posteriorFit is the refit with a learned prior. What it is told of the design
// begins with a constant if effects is true: its coefficient is the row's effect.
func posteriorFit(values data.Source, p *priorState, design []float64, d int, effects bool) *rowFit {
	f := &rowFit{values: values, Design: pass.Share(design), K: d, Prior: &p.Prior, Effects: effects}
	if effects {
		f.K--
	}
	return f
}

func init() { pass.Register("coefficients", &rowFit{}, new(fittedRows)) }

// BlockRows is the number of rows in a row group of a saved model: what is
// converted and held in memory at a time.
const BlockRows = 1 << 16
