package model

import (
	"context"

	"optcomplete/data"
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
// effect, if the refit has one. If a number is out of range, that number is bad.
type solveRow func(at []int32, a, u []float64) (effect, bad float64, ok bool)

// rowFit is a refit of which all that rows share is known: each row then is a
// matter of its own entries.
type rowFit struct {
	values  data.Source // what the coefficients are to explain
	k       int
	start   func() solveRow // for one goroutine
	effects bool            // solving gives effects too
	// unseen is the effect and the coefficients of a row without entries; nil:
	// those that solving gives.
	unseen []float64
}

// fill fits the rows lo..hi, lo being where a block of rows begins: their
// coefficients, and into effects, unless it is nil, what the refit has to say of
// their effects. Both begin with row lo. It does not depend on the number of
// threads.
func (f *rowFit) fill(ctx context.Context, lo, hi, threads int, effects, out []float64) error {
	first, k := lo, f.k
	return data.ForBlocksOf(ctx, f.values, lo, hi, threads, func(r *data.RowReader) func(lo, hi int) error {
		solve := f.start()
		return func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				at, a, err := r.Row(i)
				if err != nil {
					return err
				}
				x := i - first
				u := out[x*k : (x+1)*k]
				if len(at) == 0 && f.unseen != nil {
					copy(u, f.unseen[1:])
					if effects != nil {
						effects[x] = f.unseen[0]
					}
					continue
				}
				effect, bad, ok := solve(at, a, u)
				if !ok {
					return &RangeError{Row: i, Value: bad}
				}
				if f.effects {
					effects[x] = effect
				}
			}
			return nil
		}
	})
}

// stream fits all rows, groupRows of them at a time, and gives them to the sink.
// effects is of all rows, or nil.
func (f *rowFit) stream(ctx context.Context, threads int, effects []float64, sink RowSink) error {
	n, _ := f.values.Dims()
	u, entries := make([]float64, min(n, groupRows)*f.k), make([]int32, min(n, groupRows))
	for lo := 0; lo < n; lo += groupRows {
		hi := min(n, lo+groupRows)
		b := RowBlock{First: lo, Entries: entries[:hi-lo], Coefficients: u[:(hi-lo)*f.k]}
		if effects != nil {
			b.Effects = effects[lo:hi]
		}
		if err := f.fill(ctx, lo, hi, threads, b.Effects, b.Coefficients); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			b.Entries[i-lo] = int32(f.values.Entries(i))
		}
		if err := sink(b); err != nil {
			return err
		}
	}
	return nil
}

// StreamCoefficients is Coefficients for any number of rows: what it would
// return goes to the sink, block by block.
func StreamCoefficients(ctx context.Context, s data.Source, f *data.Features, selected []int, refit Refit, gamma float64, threads int, sink RowSink) error {
	fit, err := fitOf(s, Chosen(f, selected), len(selected), refit, gamma)
	if err != nil {
		return err
	}
	return fit.stream(ctx, threads, nil, sink)
}

// posteriorFit is the refit with a learned prior. What it is told of the design
// begins with a constant if effects is true: its coefficient is the row's effect.
func posteriorFit(values data.Source, p *priorState, design []float64, d int, effects bool) *rowFit {
	f := &rowFit{values: values, k: d, effects: effects}
	if effects {
		f.k--
	}
	f.start = func() solveRow {
		s, all := newPosterior(d), make([]float64, d)
		return func(at []int32, a, u []float64) (effect, bad float64, ok bool) {
			if !effects {
				s.solve(p, design, at, a, u)
				return 0, 0, true
			}
			s.solve(p, design, at, a, all)
			copy(u, all[1:])
			return all[0], 0, true
		}
	}
	return f
}
