package estimate

import (
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

// rowProducts is the features of a row's entries with their values beside them,
// [V a], and the products of its columns. It serves one row after the other.
type rowProducts struct {
	k, width int
	v        []float64 // by entries, width each: k features, the value, zeros; with room for kernel.Combine
	square   []float64 // the lower triangle of [V a]ᵀ[V a], rows of width
	r        []float64 // room for residuals
	w, z     []float64 // width each
	order    []int32   // 0, 1, 2 and so on
}

func newRowProducts(k int) *rowProducts {
	width := kernel.TableWidth(k)
	return &rowProducts{k: k, width: width, square: make([]float64, (k+1)*width), w: make([]float64, width), z: make([]float64, width)}
}

// load takes a row.
func (p *rowProducts) load(features []float64, columns []int32, values []float64) {
	k, width := p.k, p.width
	if size := (len(columns) + kernel.CombineRoom) * width; cap(p.v) < size {
		p.v = make([]float64, size, size+size/2) // what follows the value stays zero
	}
	p.v = p.v[:cap(p.v)]
	for e, j := range columns {
		to := p.v[e*width:][:k+1]
		copy(to, features[int(j)*k:][:k])
		to[k] = values[e]
	}
	clear(p.square)
	kernel.AddGram(p.square, p.v, len(columns), width, k+1)
}

// product is that of the features f ≥ g; feature k is the values.
func (p *rowProducts) product(f, g int) float64 { return p.square[f*p.width+g] }

// residuals computes Vᵀ(a − Vu); the result is valid until the next call.
func (p *rowProducts) residuals(values, u []float64) []float64 {
	for f, x := range u {
		p.w[f] = -x
	}
	p.w[p.k] = 1
	p.r = dense.Resize(p.r, len(values)+kernel.CombineRoom)
	kernel.Combine(p.r, p.v, p.w, values, p.width)
	for e := len(p.order); e < len(values); e++ {
		p.order = append(p.order, int32(e))
	}
	kernel.Correlate(p.z, p.r[:len(values)], p.order[:len(values)], p.v, p.width)
	return p.z[:p.k]
}
