package twosided

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/objective"
	"optcomplete/spec"
)

// mostExpanded is how many numbers all products of all entries may be, about half a
// gigabyte, where they are made one by one: for losses other than squares and for proofs.
const mostExpanded = 1 << 26

// lossNewtonMost is the largest support for which second derivatives of such a loss pay.
const lossNewtonMost = 256

// tooLarge refuses what a setting needs all products of all entries for.
func (s *sides) tooLarge(setting string, entries *data.Matrix) error {
	numbers := float64(entries.Observed()) * float64(len(s.known.Names)) * float64(len(s.columns.Names))
	if numbers <= mostExpanded {
		return nil
	}
	return &spec.Error{Setting: setting, Problem: fmt.Sprintf("needs the products of every entry, %d × %d × %d numbers, and may have %d (leave it out, or leave out features)",
		entries.Observed(), len(s.known.Names), len(s.columns.Names), mostExpanded)}
}

// expand is entries as the one row of a matrix: a column for each entry, whose features are
// all products. It is the same problem, of a regression: what a product is for.
func (s *sides) expand(p part) (*data.Matrix, *data.Features) {
	var ids, names []string
	var values, products []float64
	eachEntry(p.entries, func(i int, j int32, a, _ float64) {
		ids, values = append(ids, s.ids[i]+separator+s.columns.IDs[j]), append(values, a)
		for _, x := range p.rows.Row(i) {
			for _, b := range s.columns.Row(int(j)) {
				products = append(products, x*b)
			}
		}
	})
	at := make([]int32, len(ids))
	for e := range at {
		at[e] = int32(e)
	}
	row, err := data.NewMatrixByRows(len(ids), []int{0, len(ids)}, at, values)
	if err == nil && p.entries.Weighted() {
		row, err = row.WithWeights(p.entries.Weights())
	}
	if err != nil {
		panic(err) // they were those of a matrix
	}
	for product := range len(p.rows.Names) * len(s.columns.Names) {
		names = append(names, s.name(product))
	}
	return row, data.NewFeatures(ids, names, products)
}

// convex is the cost of products by a loss, with what effects say of the entries as their
// offsets, divided by the cells of the matrix.
func (s *sides) convex(p part, start *levels, threads int) (*objective.Convex, error) {
	if err := s.tooLarge("loss", p.entries); err != nil {
		return nil, err
	}
	row, features := s.expand(p)
	offsets := &objective.Offsets{Weight: slices.Clone(p.entries.Weights())}
	if start != nil {
		offsets.Column = start.sums(p.entries, nil)
	}
	if row.Weighted() {
		row, _ = row.WithWeights(nil) // the offsets have them
	}
	n, m := p.entries.Dims()
	return objective.NewConvex(row, features, 1, s.by, offsets, nil, threads).Per(float64(n) * float64(m)), nil
}

// chooseLoss checks the loss against the entries, and sets what it leaves open.
func (f *formulation) chooseLoss(train *data.Matrix) error {
	s := &f.settings
	if s.Loss == loss.Auto {
		return spec.Errorf("the loss is left to the values: ask SuitableLoss")
	}
	var wrong error
	eachEntry(train, func(_ int, _ int32, a, _ float64) {
		if wrong == nil && !s.Loss.Allows(a) {
			wrong = &spec.Error{Setting: "loss", Problem: fmt.Sprintf("is %v, for %s, but an entry is %g", s.Loss, s.Loss.Values(), a)}
		}
	})
	if wrong != nil {
		return wrong
	}
	f.by = loss.Scaled{Loss: s.Loss}
	if s.Loss.HasUnit() {
		if f.by.Unit = s.Delta; f.by.Unit == 0 {
			f.by.Unit = f.usualDelta(train)
		}
	}
	for _, need := range []struct {
		setting string
		is      bool
	}{{"loss", s.Loss != loss.Squared}, {"proof", s.Proof != nil}} {
		if need.is {
			if err := f.tooLarge(need.setting, train); err != nil {
				return err
			}
		}
	}
	return nil
}

// usualDelta is that of Huber's loss: of what effects leave, or of the values.
func (f *formulation) usualDelta(train *data.Matrix) float64 {
	if f.effects != NoEffects {
		train = learnLevels(train, loss.Scaled{}).residuals(train)
	}
	var far []float64
	eachEntry(train, func(_ int, _ int32, a, _ float64) { far = append(far, math.Abs(a)) })
	slices.Sort(far)
	if half := far[len(far)/2]; half > 0 {
		return 1.345 * 1.4826 * half
	}
	return 1
}

// SuitableLoss is the loss of settings that leave it to the values: logistic if all are 0 or
// 1, both occur, and nothing is asked for that only squares have; else squares.
func SuitableLoss(p Problem, s Settings) loss.Loss {
	entries := p.Ratings.Matrix()
	if s.Loss != loss.Auto {
		return s.Loss
	}
	p1, p2 := len(p.Rows.Names), len(p.Columns.Names)
	if entries == nil || s.Refit == spec.LeastSquares || s.Proof != nil || float64(entries.Observed())*float64(p1+1)*float64(p2+1) > mostExpanded {
		return loss.Squared
	}
	var no, yes, other bool
	eachEntry(entries, func(_ int, _ int32, a, _ float64) {
		no, yes, other = no || a == 0, yes || a == 1, other || a != 0 && a != 1
	})
	if no && yes && !other {
		return loss.OfYesAndNo
	}
	return loss.Squared
}

// Name is that of the product.
func (p *Product) Name() string { return strings.Join([]string{p.Row, p.Column}, separator) }
