package synth

import (
	"optcomplete/data"
	"optcomplete/internal/random"
)

// Generate makes an instance of the paper's section "Synthetic Data Experiments":
// A = UV + E with U (n×k) and V (k×m) uniform on [0,1] and E normal, each entry
// missing with probability Missing by itself; the features are V and p−k others
// that are uniform too. The true features stand at random places among the p.
//
// A row may have no observed entry, as in the paper. The paper writes the noise
// as N(0,0.01); Config.Noise is a standard deviation.
func Generate(c Config) (*Instance, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	values := make([]float64, c.Columns*c.Features)
	inParallel(c.Columns, func(low, high int) {
		for j := low; j < high; j++ {
			s := random.New(c.Seed, streamFeatures, uint64(j))
			for f := range c.Features {
				values[j*c.Features+f] = s.Float64()
			}
		}
	})
	in := &Instance{
		Config:   c,
		Features: data.NewFeatures(numbered("c", c.Columns), numbered("f", c.Features), values),
		Selected: random.New(c.Seed, streamSelection).Sample(c.Features, c.K),
		name:     "paper",
		rows:     newPaperRows(c),
	}
	return in.observe(numbered("r", c.Rows))
}

// paperRows makes the rows of the paper's generator.
type paperRows struct {
	Config
	logMissing float64 // ln μ; 0 when nothing is missing
}

func newPaperRows(c Config) *paperRows {
	r := &paperRows{Config: c}
	if c.Missing > 0 {
		r.logMissing = random.Log(c.Missing)
	}
	return r
}

func (r *paperRows) coefficients(i int, u []float64) []float64 {
	s := random.New(r.Seed, streamCoefficients, uint64(i))
	for range r.K {
		u = append(u, s.Float64())
	}
	return u
}

// observed goes from one observed column to the next: the number of missing
// entries between them is at least g with probability μᵍ, so it is ⌊ln u / ln μ⌋
// for u uniform on (0,1] (Devroye, "Non-uniform random variate generation",
// 1986, section X.2). This costs as much as is observed, not as there are columns.
func (r *paperRows) observed(i int, columns []int32) []int32 {
	s := random.New(r.Seed, streamObserved, uint64(i))
	for j := 0; ; j++ {
		if r.Missing > 0 {
			gap := random.Log(1-s.Float64()) / r.logMissing
			if gap >= float64(r.Columns-j) {
				return columns
			}
			j += int(gap)
		}
		if j >= r.Columns {
			return columns
		}
		columns = append(columns, int32(j))
	}
}

func (r *paperRows) noisy(i, j int, clean float64) float64 {
	return clean + float64(r.Noise*noise(r.Seed, i, j))
}
