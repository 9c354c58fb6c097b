package imc

import (
	"gonum.org/v1/gonum/mat"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/internal/kernel"
)

// side is a table of features, one line for each row or column of the matrix.
type side struct {
	lines, p int
	values   []float64
	scale    *mat.Cholesky // of Σ_j b_j b_jᵀ, a little stronger on the diagonal; nil: too large
}

// scaleFeatures is the most features for which their products are factored.
const scaleFeatures = 600

func newSide(lines, p int, values []float64) side {
	f := side{lines: lines, p: p, values: values}
	if p > scaleFeatures || p == 0 {
		return f
	}
	g := mat.NewSymDense(p, nil)
	raw := g.RawSymmetric().Data // the upper triangle counts
	for j := range lines {
		line := values[j*p:][:p]
		for x, b := range line {
			if b != 0 {
				to := raw[x*p:][:p]
				for y, c := range line[x:] {
					to[x+y] += b * c
				}
			}
		}
	}
	trace := mat.Trace(g)
	if !(trace > 0) {
		return f
	}
	for x := range p {
		g.SetSym(x, x, g.At(x, x)+1e-3*trace/float64(p))
	}
	f.scale = new(mat.Cholesky)
	if !f.scale.Factorize(g) {
		f.scale = nil
	}
	return f
}

// precondition is (Σ_j b_j b_jᵀ)⁻¹ R Q⁻¹ with the mean Q of all lines, plus λ: the
// inverse of the cost's second derivative, were all lines alike.
func (f *side) precondition(r, q []float64, w int) []float64 {
	if f.scale == nil {
		return r
	}
	in := mat.NewDense(f.p, w, r)
	var half, out mat.Dense
	if err := f.scale.SolveTo(&half, in); err != nil {
		return r // too ill-conditioned to help
	}
	out.Mul(&half, mat.NewDense(w, w, q))
	return out.RawMatrix().Data
}

// typical is the inverse of the mean of the lines' Q, plus λ.
func (of *sums) typical(lambda float64) []float64 {
	g := make([]float64, of.w*of.w)
	lines := len(of.y) / of.w
	for j := range lines {
		at := j * of.t
		for x := range of.r {
			for y := range x + 1 {
				g[x*of.w+y] += of.q[at]
				at++
			}
		}
	}
	for x := range of.r {
		for y := range x + 1 {
			g[x*of.w+y] /= float64(lines)
			g[y*of.w+x] = g[x*of.w+y]
		}
	}
	return lowrank.InverseRidge(g, of.r, of.w, lambda)
}

// sums is what the entries say of the factors of every line: Σ u uᵀ, packed, and
// Σ x u over the line's entries, u being the factors of the other side.
type sums struct {
	r, w, t int // rank, width of a factor, width of a packed triangle
	q, y    []float64
}

func newSums(lines, r int) *sums {
	s := &sums{r: r, w: kernel.Pad(r), t: kernel.Pad(kernel.Tri(r))}
	s.q, s.y = make([]float64, lines*s.t), make([]float64, lines*s.w)
	return s
}

// lineBlock is how many lines are summed together, in a fixed order.
const lineBlock = 256

// project sets out = F S, the factors of every line.
func (f *side) project(out, s []float64, w, threads int) {
	lowrank.Blocks(f.lines, lineBlock, threads, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			line := out[j*w:][:w]
			clear(line)
			for x, b := range f.values[j*f.p:][:f.p] {
				if b != 0 {
					lowrank.Axpy(b, s[x*w:][:w], line)
				}
			}
		}
	})
}

// gather is Σ_j b_j h_jᵀ, p×w, where h is asked for each line.
func (f *side) gather(w, threads int, h func(j int, out []float64)) []float64 {
	blocks := (f.lines + lineBlock - 1) / lineBlock
	parts := make([][]float64, blocks)
	lowrank.Blocks(blocks, 1, threads, func(lo, hi int) {
		line := make([]float64, w)
		for x := lo; x < hi; x++ {
			part := make([]float64, f.p*w)
			parts[x] = part
			for j := x * lineBlock; j < min(f.lines, (x+1)*lineBlock); j++ {
				h(j, line)
				for y, b := range f.values[j*f.p:][:f.p] {
					if b != 0 {
						lowrank.Axpy(b, line, part[y*w:][:w])
					}
				}
			}
		}
	})
	out := make([]float64, f.p*w)
	for _, part := range parts {
		lowrank.Add(out, part)
	}
	return out
}

// times sets out = Q v for a packed lower triangle Q.
func times(out, q, v []float64, r int) {
	clear(out)
	for x := range r {
		row := q[kernel.Tri(x):][:x+1]
		sum := 0.0
		vx := v[x]
		for y, value := range row[:x] {
			sum += value * v[y]
			out[y] += value * vx
		}
		out[x] += sum + row[x]*vx
	}
}

// solve brings the cost of S down by preconditioned conjugate gradients, from the S given, and
// returns by how much. factors is F S, before and after.
//
//	cost(S) = Σ_j (½ v_jᵀQ_j v_j − y_jᵀv_j) + λ/2‖S‖²,   v_j = Sᵀb_j
func (f *side) solve(s, factors []float64, of *sums, lambda float64, threads int) float64 {
	const (
		most   = 30   // steps: more are better spent after new sums
		enough = 1e-6 // of the first residual, squared
	)
	w := of.w
	// residual = −gradient = Σ_j b_j (y_j − Q_j v_j)ᵀ − λS
	residual := f.gather(w, threads, func(j int, out []float64) {
		times(out, of.q[j*of.t:], factors[j*w:][:w], of.r)
		for x, y := range of.y[j*w:][:w] {
			out[x] = y - out[x]
		}
	})
	for x, v := range s {
		residual[x] -= lambda * v
	}
	typical := of.typical(lambda)
	scaled := f.precondition(residual, typical, w)
	direction := append([]float64(nil), scaled...)
	moved := make([]float64, len(factors))
	rho := lowrank.Inner(residual, scaled)
	first, gain := rho, 0.0
	for step := 0; step < most && rho > enough*first && rho > 0; step++ {
		f.project(moved, direction, w, threads)
		image := f.gather(w, threads, func(j int, out []float64) { times(out, of.q[j*of.t:], moved[j*w:][:w], of.r) })
		for x, v := range direction {
			image[x] += lambda * v
		}
		curvature := lowrank.Inner(direction, image)
		if !(curvature > 0) {
			break
		}
		alpha := rho / curvature
		gain += alpha * rho / 2
		for x, v := range direction {
			s[x] += alpha * v
			residual[x] -= alpha * image[x]
		}
		scaled = f.precondition(residual, typical, w)
		next := lowrank.Inner(residual, scaled)
		beta := next / rho
		for x, v := range scaled {
			direction[x] = v + beta*direction[x]
		}
		rho = next
	}
	f.project(factors, s, w, threads)
	return gain
}
