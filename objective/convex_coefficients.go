package objective

import (
	"context"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
	"optcomplete/search"
)

// Coefficients gives the coefficients of the selected features to each, row after
// row: zeros for a row without entries. The slice is each's to read, not to keep.
func (o *Convex) Coefficients(ctx context.Context, selection []int, each func(row int, u []float64) error) error {
	weights := search.Indicator(o.of.p, selection)
	w := o.weighting(weights)
	place := make([]int, len(selection)) // of each selected feature in the support, which is sorted
	for x, j := range selection {
		place[x] = slices.Index(w.support, j)
	}
	row, u := 0, make([]float64, len(selection))
	return pass.Stream(ctx, o.of.matrix, o.of.threads, &convexFitting{convexEvaluation{
		Of: o.of.described(), Loss: o.loss, Offsets: o.offsets, Nonnegative: o.nonnegative, Weights: weights, at: &w,
	}}, func(part *convexPart) error {
		for at := 0; at < part.Rows; at++ {
			for x, y := range place {
				u[x] = part.U[at*len(place)+y]
			}
			if err := each(row, u); err != nil {
				return err
			}
			row++
		}
		return nil
	})
}

// convexFitting is the pass of Convex.Coefficients.
type convexFitting struct{ Of convexEvaluation }

// Start makes a worker.
func (p *convexFitting) Start(in *pass.Input) (pass.Worker, error) {
	w, err := p.Of.Start(in)
	if err != nil {
		return nil, err
	}
	return &convexFitter{convexWorker: w.(*convexWorker), made: pass.Makes(func() *convexPart { return new(convexPart) })}, nil
}

// convexPart is the coefficients of consecutive rows.
type convexPart struct {
	Rows int
	U    []float64
}

// Merge adds the rows that follow.
func (p *convexPart) Merge(o pass.Part) {
	after := o.(*convexPart)
	p.Rows, p.U = p.Rows+after.Rows, append(p.U, after.U...)
}

type convexFitter struct {
	*convexWorker
	made pass.Making[*convexPart]
}

// Part is the coefficients so far.
func (w *convexFitter) Part() (pass.Part, error) { return w.made.Part() }

// Add fits the rows of a chunk.
func (w *convexFitter) Add(c *pass.Chunk) error {
	at, t := len(w.made.Now.U), len(w.support)
	w.made.Now.Rows += c.End - c.First
	w.made.Now.U = append(w.made.Now.U, make([]float64, t*(c.End-c.First))...)
	for group := range slices.Chunk(w.order[c.Number], kernel.Lanes) {
		w.panel.empty() // correlations are not needed
		w.group.read(c, group)
		w.solveGroup(c, group)
		for lane, i := range group {
			copy(w.made.Now.U[at+t*(int(i)-c.First):], w.rows[lane].u)
		}
	}
	return nil
}

func init() {
	pass.Register("coefficients", &convexFitting{}, new(convexPart))
}
