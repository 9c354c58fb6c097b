package remainder

import (
	"context"
	"encoding/json"
	"math"

	"optcomplete/internal/dense"
	"optcomplete/pass"
)

// Implicit is implicit feedback: it lets the mean of a row's parameters depend on which columns it has entries
// of, whatever their values and weights: θ_i ~ N(m + B z_i, Σ), where z_i is how many
// they are and their mean design. B is normal itself, with the covariance Σ over the
// parameters and a learned variance 1/λ for each of z; it is integrated out, so that
// what tells nothing gets no weight. (SVD++ and the implicit features of
// collective matrix factorization are of this kind.)
//
// An Implicit is never changed: every step makes another.
type Implicit struct {
	Usual        []float64 `json:"usual"`        // the design of the typical entry's column
	Center       []float64 `json:"center"`       // the mean of z over the rows, which is taken off
	Coefficients []float64 `json:"coefficients"` // B, size×(Known+1)
	Precision    []float64 `json:"precision"`    // λ
}

// UnmarshalJSON also reads the name that programs up to format 7 wrote for B.
func (h *Implicit) UnmarshalJSON(text []byte) error {
	type plain Implicit
	read := struct {
		*plain
		Lean []float64 `json:"lean"`
	}{plain: (*plain)(h)}
	err := json.Unmarshal(text, &read)
	if read.Lean != nil {
		h.Coefficients = read.Lean
	}
	return err
}

// Fits tells whether the numbers are as many as a fit needs, and finite.
func (h *Implicit) Fits(known, rank int) bool {
	if len(h.Usual) != known || len(h.Center) != known+1 || len(h.Precision) != known+1 || len(h.Coefficients) != (known+rank)*(known+1) {
		return false
	}
	for _, list := range [][]float64{h.Usual, h.Center, h.Precision, h.Coefficients} {
		for _, v := range list {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// fewEntries is how many typical entries every row is counted with in z, so that the
// a row with few entries is not thought extreme.
const fewEntries = 5

// firstPrecision is λ to begin with, as a part of the sum of squares of z.
const firstPrecision = 0.02

// of sets z of a row with this many entries, whose designs have this sum.
func (h *Implicit) of(z, designs []float64, entries int) {
	z[0] = math.Log1p(float64(entries))
	for x, v := range h.Usual {
		z[1+x] = (designs[x] + fewEntries*v) / (float64(entries) + fewEntries)
	}
	for x, v := range h.Center {
		z[x] -= v
	}
}

// pulled is Σ⁻¹B.
func (h *Implicit) pulled(inverse []float64, d int) []float64 {
	q := len(h.Center)
	out := make([]float64, d*q)
	for x := range d {
		for y := range d {
			dense.Axpy(inverse[x*d+y], h.Coefficients[y*q:][:q], out[x*q:][:q])
		}
	}
	return out
}

// turned is with other coordinates of the rows' parameters: a has a line for each
// of the new ones. nil stays nil.
func (h *Implicit) turned(a [][]float64) *Implicit {
	if h == nil {
		return nil
	}
	out, q := *h, len(h.Center)
	out.Coefficients = make([]float64, len(a)*q)
	for x, line := range a {
		for y, v := range line {
			if v != 0 {
				dense.Axpy(v, h.Coefficients[y*q:][:q], out.Coefficients[x*q:][:q])
			}
		}
	}
	return &out
}

// beyond is with the B that lies this many times as far from that of another.
func (h *Implicit) beyond(from *Implicit, by float64) *Implicit {
	if h == nil {
		return nil
	}
	out := *h
	out.Coefficients = make([]float64, len(h.Coefficients))
	for x, v := range h.Coefficients {
		out.Coefficients[x] = from.Coefficients[x] + by*(v-from.Coefficients[x])
	}
	return &out
}

// startImplicit reads the rows' z, and begins with a B of 0.
func (l *learner) startImplicit(ctx context.Context) (*Implicit, error) {
	known := l.Known
	q := known + 1
	h := &Implicit{Usual: make([]float64, known), Precision: make([]float64, q), Coefficients: make([]float64, l.Known*q)}
	for j, count := range l.count {
		dense.Axpy(float64(count)/max(l.entries, 1), l.Design[j*known:][:known], h.Usual)
	}
	sums, err := pass.One[*pass.Sums](ctx, l.Values, l.threads, counting{Usual: h.Usual, Design: l.design})
	if err != nil {
		return nil, err
	}
	n := max(l.rows, 1)
	h.Center, l.implicit = make([]float64, q), make([]float64, q*q)
	for x := range q {
		h.Center[x] = sums.Values[x] / n
	}
	for x := range q {
		for y := range q {
			l.implicit[x*q+y] = sums.Values[q+x*q+y] - n*h.Center[x]*h.Center[y]
		}
		mean := sums.Values[q+x*q+x] / n
		if h.Precision[x] = firstPrecision * l.implicit[x*q+x]; !(l.implicit[x*q+x] > 1e-9*n*mean) { // the same in every row
			h.Precision[x] = 1
			for y := range q {
				l.implicit[x*q+y], l.implicit[y*q+x] = 0, 0
			}
		}
	}
	return h, nil
}

// counting adds up z of every row and its products.
type counting struct {
	Usual  []float64
	Design *pass.Shared[[]float64]
}

// Cost is next to nothing.
func (p counting) Cost(*pass.Input) int { return len(p.Usual) * len(p.Usual) / 16 }

// Start makes a worker.
func (p counting) Start(*pass.Input) (pass.Worker, error) {
	known, design, h := len(p.Usual), p.Design.Get(), &Implicit{Usual: p.Usual}
	q := known + 1
	z, sum := make([]float64, q), make([]float64, known)
	return pass.EachRow(func() *pass.Sums { return pass.NewSums(q + q*q) }, func(part *pass.Sums, _ int, columns []int32, _ []float64) error {
		if len(columns) == 0 {
			return nil
		}
		clear(sum)
		for _, j := range columns {
			dense.Axpy(1, design[int(j)*known:][:known], sum)
		}
		h.of(z, sum, len(columns))
		add(part.Values[:q], z)
		for x, v := range z {
			dense.Axpy(v, z, part.Values[q+x*q:][:q])
		}
		return nil
	}), nil
}

func init() { pass.Register("implicit feedback", counting{}, new(pass.Sums)) }

// system is ZᵀZ + Λ, inverted, and the logarithm of its determinant over that of Λ.
func (l *learner) system(h *Implicit) (inverted []float64, logs float64) {
	q := len(h.Center)
	a := append([]float64(nil), l.implicit...)
	for x, v := range h.Precision {
		a[x*q+x] += v
		logs -= log(v)
	}
	inverted, own := inverse(a, q)
	return inverted, own + logs
}

// second is Σ S + θ̂θ̂ᵀ of θ less B z, with what the prior of B adds: BΛBᵀ.
func (l *learner) second(s *Sums) []float64 {
	h := l.fit.Implicit
	if h == nil {
		return s.Second
	}
	d, q := l.fit.size(), len(h.Center)
	out := append([]float64(nil), s.Second...)
	for x := range d {
		bx := h.Coefficients[x*q:][:q]
		both := product(l.implicit, bx, q)
		for y, v := range bx {
			both[y] += h.Precision[y] * v
		}
		for y := range d {
			by := h.Coefficients[y*q:][:q]
			out[x*d+y] += dense.Dot(both, by) - dense.Dot(bx, s.Cross[y*q:][:q]) - dense.Dot(by, s.Cross[x*q:][:q])
		}
	}
	return out
}

// implicitDistance is what integrating B out adds to the divergence of the rows.
func (l *learner) implicitDistance() float64 {
	h := l.fit.Implicit
	if h == nil {
		return 0
	}
	_, logs := l.system(h)
	return 0.5 * float64(l.fit.size()) * logs
}

// setImplicit sets B given Σ; its precisions λ follow when Σ is known.
func (l *learner) setImplicit(s *Sums) {
	h := l.fit.Implicit
	if h == nil {
		return
	}
	out, q := *h, len(h.Center)
	system, _ := l.system(h)
	out.Coefficients = make([]float64, len(h.Coefficients))
	for x := range l.fit.size() {
		copy(out.Coefficients[x*q:], product(system, s.Cross[x*q:][:q], q))
	}
	l.fit.Implicit = &out
}

// setPrecision sets λ = d / diag(BᵀΣ⁻¹B + d(ZᵀZ + Λ)⁻¹).
func (l *learner) setPrecision() {
	f := l.fit
	h := f.Implicit
	if h == nil {
		return
	}
	d, q := f.size(), len(h.Center)
	inverse, _ := inverse(f.Spread, d)
	coefficients := h.pulled(inverse, d)
	system, _ := l.system(h)
	out := *h
	out.Precision = make([]float64, q)
	for y := range q {
		sum := float64(d) * system[y*q+y]
		for x := range d {
			sum += coefficients[x*q+y] * h.Coefficients[x*q+y]
		}
		out.Precision[y] = float64(d) / max(sum, tiny)
	}
	f.Implicit = &out
}
