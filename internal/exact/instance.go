package exact

import (
	"math"
	"math/rand/v2"
)

// Entry is an observed one.
type Entry struct {
	Row, Column int
	Value       float64
	Weight      float64 // 0: they have none
}

// Instance is a small problem.
type Instance struct {
	Rows, Columns, P, K int
	Gamma, Gamma0       float64 // Gamma0 = 0: no population
	Features            [][]float64
	RowFeatures         [][]float64 // two of each row
	Entries             []Entry
	Kind                string // what makes it hard
}

// Nasty draws an instance: 5 to 40 entries; features that repeat each other, exactly
// or nearly, or stand far from 0; scales from 1e-8 to 1e8; γ up to 1e12; values up
// to 1e100, with and without noise.
func Nasty(seed uint64) *Instance {
	r := rand.New(rand.NewPCG(seed, 0x6e61737479))
	in := &Instance{
		Rows: 1 + r.IntN(6), Columns: 2 + r.IntN(7), P: 2 + r.IntN(7),
		Gamma: math.Pow(10, -3+15*r.Float64()),
	}
	if r.IntN(3) == 0 {
		in.Gamma = math.Pow(10, float64(r.IntN(13)))
	}
	in.K = 1 + r.IntN(min(in.P, 6))
	in.Features = in.draw(r)
	for range in.Rows {
		in.RowFeatures = append(in.RowFeatures, []float64{1, math.Pow(10, -4+8*r.Float64()) * r.NormFloat64()})
	}
	in.observe(r)
	return in
}

// Weigh gives the entries weights: whole numbers, or from 1e-6 to 1e6.
func (in *Instance) Weigh(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x7765696768))
	whole := r.IntN(3) == 0
	for e := range in.Entries {
		in.Entries[e].Weight = math.Pow(10, 12*r.Float64()-6)
		if whole {
			in.Entries[e].Weight = float64(1 + r.IntN(4))
		}
	}
}

// draw makes the features.
func (in *Instance) draw(r *rand.Rand) [][]float64 {
	features := make([][]float64, in.Columns)
	for c := range features {
		features[c] = make([]float64, in.P)
	}
	spread := []float64{0, 2, 8}[r.IntN(3)]
	offset := []float64{0, 0, 1e3, 1e6}[r.IntN(4)]
	for j := range in.P {
		scale := math.Pow(10, spread*(2*r.Float64()-1))
		kind := r.IntN(8)
		from, also := r.IntN(max(j, 1)), r.IntN(max(j, 1))
		for c := range features {
			x := r.NormFloat64()
			switch {
			case j > 0 && kind == 0: // a copy
				x = features[c][from]
			case j > 0 && kind == 1: // the same in another unit
				x = features[c][from] * 0.85
			case j > 0 && kind == 2: // nearly the same
				x = features[c][from] * (1 + 1e-9*x)
			case j > 0 && kind == 3: // the sum of two
				x = features[c][from] + features[c][also]
			case kind == 4: // years
				x = float64(1900 + r.IntN(125))
			case kind == 5: // zero, mostly
				if r.IntN(3) > 0 {
					x = 0
				}
			default:
				x = scale * (x + offset)
			}
			features[c][j] = x
		}
	}
	return features
}

// observe makes the entries.
func (in *Instance) observe(r *rand.Rand) {
	scale := math.Pow(10, -2+6*r.Float64())
	switch r.IntN(10) {
	case 0:
		scale = 1e100 / 8
	case 1:
		scale = 1e-60
	}
	noise := []float64{0, 1e-9, 1e-2, 1}[r.IntN(4)]
	u := make([]float64, in.P)
	explained := 0.0
	for i := range in.Rows {
		for j := range u {
			u[j] = 0
			if r.IntN(2) == 0 {
				u[j] = r.NormFloat64()
			}
		}
		for c := range in.Columns {
			if r.Float64() < 0.3 && len(in.Entries) > 5 || len(in.Entries) == 40 {
				continue
			}
			x := 0.0
			for j, b := range in.Features[c] {
				x += u[j] * b
			}
			explained = max(explained, math.Abs(x))
			in.Entries = append(in.Entries, Entry{Row: i, Column: c, Value: x})
		}
	}
	for e := range in.Entries {
		x := &in.Entries[e].Value
		if explained > 0 {
			*x /= explained
		}
		*x = scale * (*x + noise*r.NormFloat64())
	}
}
