package softimpute

import "optcomplete/baseline/internal/lowrank"

// columnSums is what the columns' part of a step adds up: of the new B BᵀB, of its
// change E the products EᵀE and EᵀB, and −⟨E, new B − B⟩.
type columnSums struct {
	gram, squares, cross []float64
	against              float64
}

// columns gives the columns their new factors, b + (G − λb)(hAᵀA + λ)⁻¹, as B, and puts the
// B before into b. h is no less than the heaviest entry of a column, and 1 without weights.
func (s *solver) columns(gram []float64, lambda float64) columnSums {
	w := s.w
	inverse := s.inverses(gram, lambda)
	blocks := (s.m + columnBlock - 1) / columnBlock
	parts := make([]columnSums, blocks)
	lowrank.Blocks(blocks, 1, s.threads, func(lo, hi int) {
		g, move := make([]float64, w), make([]float64, w)
		for x := lo; x < hi; x++ {
			p := &parts[x]
			p.gram, p.squares, p.cross = make([]float64, w*w), make([]float64, w*w), make([]float64, w*w)
			for j := x * columnBlock; j < min(s.m, (x+1)*columnBlock); j++ {
				b, at := s.b[j*w:][:w], s.bAt[j*w:][:w]
				clear(g)
				for c := range s.chunks {
					lowrank.Axpy(1, s.chunks[c].g[j*w:][:w], g)
				}
				lowrank.Axpy(-lambda, b, g)
				lowrank.Apply(move, g, inverse(j))
				lowrank.Outer(p.squares, move, move)
				lowrank.Outer(p.cross, move, b)
				for y, from := range b {
					to := from + move[y]
					p.against -= move[y] * (to - at[y])
					b[y], at[y] = at[y], to
				}
				lowrank.Outer(p.gram, at, at)
			}
		}
	})
	sum := columnSums{gram: make([]float64, w*w), squares: make([]float64, w*w), cross: make([]float64, w*w)}
	for x := range parts {
		lowrank.Add(sum.gram, parts[x].gram)
		lowrank.Add(sum.squares, parts[x].squares)
		lowrank.Add(sum.cross, parts[x].cross)
		sum.against += parts[x].against
	}
	return sum
}

// inverses gives (hAᵀA + λ)⁻¹ of every column. h is the heaviest weight of all, halved as
// often as that of the column allows, so that few inverses are needed.
func (s *solver) inverses(gram []float64, lambda float64) func(j int) []float64 {
	if s.rows.ColumnHeaviest == nil {
		only := lowrank.InverseRidge(gram, s.r, s.w, lambda)
		return func(int) []float64 { return only }
	}
	place := make([]int, s.m)
	at := map[float64]int{}
	var steps []float64
	for j, most := range s.rows.ColumnHeaviest {
		h := s.rows.Heaviest
		for most > 0 && h/2 >= most {
			h /= 2
		}
		x, known := at[h]
		if !known {
			x = len(steps)
			at[h], steps = x, append(steps, h)
		}
		place[j] = x
	}
	all := lowrank.InverseRidges(gram, s.r, s.w, lambda, steps)
	return func(j int) []float64 { return all[place[j]] }
}

// gramOf is BᵀB, by blocks.
func (s *solver) gramOf(b []float64) []float64 {
	w := s.w
	parts := make([][]float64, (s.m+columnBlock-1)/columnBlock)
	lowrank.Blocks(len(parts), 1, s.threads, func(lo, hi int) {
		for x := lo; x < hi; x++ {
			parts[x] = lowrank.Gram(b[x*columnBlock*w:min(s.m, (x+1)*columnBlock)*w], w)
		}
	})
	sum := make([]float64, w*w)
	for _, p := range parts {
		lowrank.Add(sum, p)
	}
	return sum
}
