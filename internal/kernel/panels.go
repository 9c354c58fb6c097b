package kernel

// PanelWidth is how many columns a panel has. A matrix in panels keeps eight
// columns at a time together, row after row, so that products of columns
// stream: the rest of the last panel is zeros.
const PanelWidth = 8

// Panels is the number of panels of n columns.
func Panels(n int) int { return (n + PanelWidth - 1) / PanelWidth }

// PanelProducts adds AᵀB to the 8×8 block dst (rows of the given stride) for two
// panels of that many rows.
func PanelProducts(dst []float64, stride int, a, b []float64, rows int) {
	if rows == 0 {
		return
	}
	if len(a) < rows*PanelWidth || len(b) < rows*PanelWidth || len(dst) < (PanelWidth-1)*stride+PanelWidth {
		panic(badShape)
	}
	var tile [32]float64
	for half := 0; half < PanelWidth; half += 4 {
		gramTile(tile[:], a[half:], b, rows, PanelWidth)
		for x := range 4 {
			out := (*[PanelWidth]float64)(dst[(half+x)*stride:])
			from := (*[PanelWidth]float64)(tile[x*8:])
			for y := range out {
				out[y] += from[y]
			}
		}
	}
}

// PackedGram adds the lower triangle of VᵀV, packed row by row, for the rows×t
// matrix V, whose rows lie width apart (GramWidth(t) or more).
func PackedGram(triangle, v []float64, rows, width, t int) {
	if rows == 0 {
		return
	}
	if len(v) < (rows-1)*width+GramWidth(t) || len(triangle) < Tri(t) {
		panic(badShape)
	}
	var tile [32]float64
	for i := 0; i < t; i += 4 {
		for j := 0; j < min(i+4, t); j += 8 {
			gramTile(tile[:], v[i:], v[j:], rows, width)
			for x := range min(4, t-i) {
				out := triangle[Tri(i+x)+j:][:min(8, i+x+1-j)]
				for y, value := range tile[x*8:][:len(out)] {
					out[y] += value
				}
			}
		}
	}
}
