package pack

// trial holds the first rows of a pack until they tell how to store it.
type trial struct {
	ids     []string
	start   []int
	columns []int32
	values  []float64
	weights []float64
}

func newTrial() *trial { return &trial{start: []int{0}} }

func (t *trial) add(id string, columns []int32, values, weights []float64) {
	t.ids = append(t.ids, id)
	t.columns = append(t.columns, columns...)
	t.values = append(t.values, values...)
	t.weights = append(t.weights, weights...)
	t.start = append(t.start, len(t.columns))
}

// encoding is the smallest that the rows so far call for.
func (t *trial) encoding() Encoding {
	distinct := newDictionary(Dictionary16.most())
	single, full := true, false
	for _, v := range t.values {
		single = single && isFloat32(v)
		full = full || distinct.code(v) < 0
	}
	switch n := len(distinct.values); {
	case !full && n <= Dictionary8.most():
		return Dictionary8
	case !full && n*dictionaryUse <= len(t.values):
		return Dictionary16
	case single:
		return Float32
	default:
		return Float64
	}
}
