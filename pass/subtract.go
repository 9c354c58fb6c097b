package pass

// Subtract takes a mean, effects of rows and of columns, and products of factors
// away from the values. What is nil takes nothing away.
type Subtract struct {
	Mean          float64
	Rows, Columns *Shared[[]float64]
	// Left and Right have Rank factors for each row and for each column.
	Rank        int
	Left, Right *Shared[[]float64]
}

// Drops is false.
func (s Subtract) Drops() bool { return false }

// Shares are the effects and the factors.
func (s Subtract) Shares() (all []any) {
	for _, v := range []*Shared[[]float64]{s.Rows, s.Columns, s.Left, s.Right} {
		if v != nil {
			all = append(all, v)
		}
	}
	return all
}

// Apply subtracts.
func (s Subtract) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	effect := 0.0
	if s.Rows != nil {
		effect = s.Rows.Get()[row]
	}
	var effects, left, right []float64
	if s.Columns != nil {
		effects = s.Columns.Get()
	}
	if s.Rank > 0 {
		left, right = s.Left.Get()[row*s.Rank:][:s.Rank], s.Right.Get()
	}
	for x, c := range columns {
		values[x] -= s.Mean
		if effects != nil {
			values[x] -= effects[c]
		}
		values[x] -= effect
		if s.Rank > 0 {
			product := 0.0
			for f, v := range right[int(c)*s.Rank:][:s.Rank] {
				product += left[f] * v
			}
			values[x] -= product
		}
	}
	return columns, values
}

func init() { RegisterTransform(Subtract{}) }
