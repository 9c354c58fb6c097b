package estimate

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/loss"
	"optcomplete/pass"
)

// Link says how sums become predictions, and how a row is fitted to its entries,
// where that is not by squared errors of coefficients of any sign: the effect r and
// the coefficients u of a row minimise
//
//	Σ w_t ℓ(a_t, mean + c_t + r + b_tᵀu) + RowPenalty·r² + Σ_f Penalties_f·u_f²
//
// with the column effects c as they are, and weights w of the entries or 1. The selection is searched by the same, with
// the variances of all features.
type Link struct {
	loss.Scaled
	RowPenalty  float64   `json:"row_penalty"`
	Penalties   []float64 `json:"penalties,omitempty"`   // 1/γ of each term
	Penalty     float64   `json:"penalty,omitempty"`     // of all terms alike, in models of older programs
	Nonnegative []bool    `json:"nonnegative,omitempty"` // of each term: its coefficient must not be negative; nil: of none
	Noise       *Noise    `json:"noise,omitempty"`       // of values, for intervals; nil: not known
}

// NewLink is the link of a fit by these variances. unit is the mean weight of the entries.
func NewLink(l loss.Scaled, unit float64, v *Variances, nonnegative []bool) *Link {
	penalty := func(gamma float64) float64 { return min(max(1/gamma, leastPenalty*unit), unit/leastPenalty) }
	link := &Link{Scaled: l, RowPenalty: penalty(v.Level), Penalties: []float64{}, Nonnegative: nonnegative}
	for _, gamma := range v.Features {
		link.Penalties = append(link.Penalties, penalty(gamma))
	}
	return link
}

// penalty is that of term f.
func (l *Link) penalty(f int) float64 {
	if l.Penalties == nil {
		return l.Penalty
	}
	return l.Penalties[f]
}

// Proper tells whether the link is one that rows of k coefficients can be fitted by.
func (l *Link) Proper(k int) bool {
	positive := func(x float64) bool { return x > 0 && x <= huge }
	for f := range k {
		if l.Penalties != nil && len(l.Penalties) != k || !positive(l.penalty(f)) {
			return false
		}
	}
	return positive(l.RowPenalty) && l.Unit >= 0 && l.Unit <= huge && (l.Nonnegative == nil || len(l.Nonnegative) == k) && (l.Noise == nil || l.Noise.Proper())
}

// Held tells whether the coefficient of term f must not be negative; a nil link holds
// none.
func (l *Link) Held(f int) bool { return l != nil && l.Nonnegative != nil && l.Nonnegative[f] }

// leastPenalty, for entries of weight 1, keeps the systems of rows solvable.
const leastPenalty = 1e-12

// fitLink fits the levels, unless they are known, and tells how to fit rows.
func fitLink(ctx context.Context, s data.Source, survey *data.Survey, chosen []float64, k int, r Recipe) (*Parts, *rowFit, error) {
	effects := r.Levels
	if effects == nil {
		var err error
		if effects, err = FitLevels(ctx, s, r.Loss, r.RowShrinkage, r.ColumnShrinkage, r.Threads); err != nil {
			return nil, nil, err
		}
	}
	n, _ := s.Dims()
	p := &Parts{RowEffects: make([]float64, n)}
	p.Mean = effects.Mean
	p.Link = NewLink(r.Loss, survey.Unit(), r.Variances, r.Nonnegative)
	p.Population = make([]float64, k+1) // what rows are shrunk to
	rows := &rowFit{values: s, Design: pass.Share(chosen), K: k, Effects: true, Link: p.Link, Mean: p.Mean, Columns: pass.Share(effects.Columns)}
	if r.Refine && r.Loss.Loss.Counts() {
		if err := rows.fitLevels(ctx, survey, r.ColumnShrinkage, r.Threads); err != nil {
			return nil, nil, err
		}
	}
	p.Mean = rows.Mean
	p.ColumnEffects = append([]float64(nil), rows.Columns.Get()...)
	p.NewColumn = columnRegression(survey, p.ColumnEffects, chosen, k)
	return p, rows, nil
}

// LinkSolver fits rows by a link, on one goroutine.
type LinkSolver struct {
	link  *Link
	d     int
	ridge []float64 // curvature of the penalties
	theta []float64 // effect and coefficients

	design, offset      []float64 // of the row's entries
	weights             []float64 // of them; nil: all 1
	x, alpha, h         []float64
	g, to, from, system []float64
	fixed               []bool
}

// NewLinkSolver is for rows of k coefficients.
func NewLinkSolver(link *Link, k int) *LinkSolver {
	d := k + 1
	s := &LinkSolver{link: link, d: d, fixed: make([]bool, d), system: make([]float64, d*d)}
	for _, to := range []*[]float64{&s.ridge, &s.theta, &s.g, &s.to, &s.from} {
		*to = make([]float64, d)
	}
	s.ridge[0] = 2 * link.RowPenalty
	for f := 1; f < d; f++ {
		s.ridge[f] = 2 * link.penalty(f-1)
	}
	return s
}

// Begin starts a row.
func (s *LinkSolver) Begin() { s.design, s.offset = s.design[:0], s.offset[:0] }

// Entry adds the next entry of the row: the features of its column and what is
// predicted without the row.
func (s *LinkSolver) Entry(offset float64, features []float64) {
	s.offset = append(s.offset, offset)
	s.design = append(append(s.design, 1), features...)
}

const (
	linkSteps  = 60
	linkHalves = 40
	leastCurve = 1e-9  // of an entry of weight 1 whose loss is straight
	linkGain   = 1e-15 // by which, relatively, a step must lower the cost
)

// Solve fits the row to the values of its entries, by their weights unless those are
// nil: its effect is returned, its coefficients are written to u. Newton steps on the
// coefficients that are not held at zero, each as long as the cost falls.
func (s *LinkSolver) Solve(a, weights, u []float64) (effect float64) {
	s.weights = weights
	for _, to := range []*[]float64{&s.x, &s.alpha, &s.h} {
		*to = dense.Resize(*to, len(a))
	}
	clear(s.theta)
	cost := s.cost(a)
	for range linkSteps {
		s.slopes(a)
		s.step()
		slope := 0.0
		copy(s.from, s.theta)
		for f := range s.to {
			slope += s.g[f] * (s.to[f] - s.theta[f])
		}
		if !(-slope > linkGain*cost) {
			break
		}
		moved, by := false, 1.0
		for range linkHalves {
			for f := range s.theta {
				s.theta[f] = s.from[f] + by*(s.to[f]-s.from[f])
				if s.held(f) {
					s.theta[f] = max(s.theta[f], 0)
				}
			}
			if next := s.cost(a); next < cost && next <= cost+1e-4*by*slope {
				cost, moved = next, true
				break
			}
			by /= 2
		}
		if moved {
			continue
		}
		copy(s.theta, s.from)
		before := cost
		if s.link.Nonnegative != nil {
			cost = s.sweep(a, cost)
		}
		if !(before-cost > linkGain*before) {
			break // rounding is all that is left
		}
	}
	copy(u, s.theta[1:])
	return s.theta[0]
}

// sweep goes along one coefficient after the other, where a step of all of them leads
// nowhere because a part of it would make some negative. It returns the cost.
func (s *LinkSolver) sweep(a []float64, cost float64) float64 {
	for f := range s.theta {
		s.slopes(a)
		curve := s.ridge[f]
		for e, h := range s.h[:len(a)] {
			curve += max(h, s.least(e)) * s.design[e*s.d+f] * s.design[e*s.d+f]
		}
		from, moved := s.theta[f], false
		to := from - s.g[f]/curve
		if s.held(f) {
			to = max(to, 0)
		}
		for by := 1.0; to != from && !moved && by > 1e-9; by /= 2 {
			s.theta[f] = from + by*(to-from)
			if next := s.cost(a); next < cost {
				cost, moved = next, true
			}
		}
		if !moved {
			s.theta[f] = from
		}
	}
	return cost
}

// held tells whether a coefficient must not be negative.
func (s *LinkSolver) held(f int) bool { return f > 0 && s.link.Held(f-1) }

// least is the curvature of an entry at least.
func (s *LinkSolver) least(e int) float64 {
	if s.weights == nil {
		return leastCurve
	}
	return s.weights[e] * leastCurve
}

// cost is that of theta, whose predictions it leaves in x.
func (s *LinkSolver) cost(a []float64) float64 {
	sum := 0.0
	for e, v := range a {
		s.x[e] = s.offset[e] + dense.Dot(s.design[e*s.d:][:s.d], s.theta)
		value := s.link.Value(v, s.x[e])
		if s.weights != nil {
			value *= s.weights[e]
		}
		sum += value
	}
	for f, ridge := range s.ridge {
		sum += ridge / 2 * s.theta[f] * s.theta[f]
	}
	return sum
}

// slopes takes slopes and curvatures at the predictions.
func (s *LinkSolver) slopes(a []float64) {
	for f, ridge := range s.ridge {
		s.g[f] = ridge * s.theta[f]
	}
	for e, v := range a {
		s.x[e] = s.offset[e] + dense.Dot(s.design[e*s.d:][:s.d], s.theta)
		s.alpha[e], s.h[e] = weighedSlope(s.link.Scaled, v, s.x[e], s.weights, e)
		dense.Axpy(s.alpha[e], s.design[e*s.d:][:s.d], s.g)
	}
	for f := range s.fixed {
		s.fixed[f] = s.held(f) && s.theta[f] == 0 && s.g[f] >= 0
	}
}

// step leaves where a whole Newton step leads in to.
func (s *LinkSolver) step() {
	d := s.d
	clear(s.system)
	for e := range s.alpha {
		b := s.design[e*d:][:d]
		h := max(s.h[e], s.least(e))
		for f, v := range b {
			dense.Axpy(h*v, b[:f+1], s.system[f*d:][:f+1])
		}
	}
	for f, ridge := range s.ridge {
		s.system[f*d+f] += ridge
		s.to[f] = -s.g[f]
		if s.fixed[f] {
			for y := range d {
				a, b := max(f, y), min(f, y)
				s.system[a*d+b] = 0
			}
			s.system[f*d+f], s.to[f] = 1, 0
		}
	}
	if !dense.Cholesky(s.system, d, 0) {
		clear(s.to)
	} else {
		dense.CholeskySolve(s.system, d, s.to)
	}
	for f := range s.to {
		s.to[f] += s.theta[f]
	}
}

// solveLink solves rows of which the design and the column effects are known.
func (f *rowFit) solveLink() (*LinkSolver, solveRow) {
	s, design, columns := NewLinkSolver(f.Link, f.K), f.Design.Get(), f.Columns.Get()
	return s, func(at []int32, a, weights, u []float64) (effect, bad float64, ok bool) {
		s.Begin()
		for _, c := range at {
			s.Entry(f.Mean+columns[c], design[int(c)*f.K:][:f.K])
		}
		effect = s.Solve(a, weights, u)
		if x := dense.NotFinite(s.theta); x >= 0 {
			return 0, s.theta[x], false
		}
		return effect, 0, true
	}
}

// Expected is what a sum stands for in the units of the values, a probability or a
// rate where the model has a link, kept in the model's range.
func (p *Structure) Expected(x float64) float64 {
	if p.Link != nil {
		x = p.Link.Mean(x)
	}
	return p.Clipped(x)
}

// LossOf is what the model is fitted by.
func (p *Structure) LossOf() loss.Scaled {
	if p.Link == nil {
		return loss.Scaled{}
	}
	return p.Link.Scaled
}
