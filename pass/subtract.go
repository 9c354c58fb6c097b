package pass

// Subtract takes a mean, and effects of rows and of columns, away from the values. What
// is nil takes nothing away.
type Subtract struct {
	Mean          float64
	Rows, Columns *Shared[[]float64]
}

// Drops is false.
func (s Subtract) Drops() bool { return false }

// Apply subtracts.
func (s Subtract) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	effect := 0.0
	if s.Rows != nil {
		effect = s.Rows.Get()[row]
	}
	var effects []float64
	if s.Columns != nil {
		effects = s.Columns.Get()
	}
	for x, c := range columns {
		values[x] -= s.Mean
		if effects != nil {
			values[x] -= effects[c]
		}
		values[x] -= effect
	}
	return columns, values
}

func init() { RegisterTransform(Subtract{}) }
