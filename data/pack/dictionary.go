package pack

import "math"

// dictionary numbers distinct values in the order they come. It is an open
// hash table on the bits, so that 0 and −0 stay apart.
type dictionary struct {
	values []float64
	most   int
	slots  []int32 // code+1; 0: free. A power of two, at most half full
	shift  uint
}

// newDictionary returns an empty dictionary for up to most values.
func newDictionary(most int) *dictionary {
	d := &dictionary{most: most, shift: 64}
	size := 1
	for size < 2*most {
		size *= 2
		d.shift--
	}
	d.slots = make([]int32, size)
	return d
}

// code returns the number of a value, and adds it if it is new; -1 if the
// dictionary is full.
func (d *dictionary) code(value float64) int {
	bits := math.Float64bits(value)
	for at := d.slot(bits); ; at = (at + 1) & (len(d.slots) - 1) {
		x := d.slots[at]
		if x == 0 {
			if len(d.values) == d.most {
				return -1
			}
			d.values = append(d.values, value)
			d.slots[at] = int32(len(d.values))
			return len(d.values) - 1
		}
		if math.Float64bits(d.values[x-1]) == bits {
			return int(x - 1)
		}
	}
}

// slot is where a value's search begins. Fibonacci hashing: the high bits of a
// product with 2⁶⁴/φ.
func (d *dictionary) slot(bits uint64) int { return int(bits * 0x9e3779b97f4a7c15 >> d.shift) }

// encode puts the codes of values into codes, which has their length, and tells
// whether all of them fit in the dictionary.
func encode[T uint8 | uint16](d *dictionary, codes []T, values []float64) bool {
	for x, v := range values {
		bits := math.Float64bits(v)
		// Most values are found in their first slot, without a call.
		if at := d.slots[d.slot(bits)]; at > 0 && math.Float64bits(d.values[at-1]) == bits {
			codes[x] = T(at - 1)
			continue
		}
		code := d.code(v)
		if code < 0 {
			return false
		}
		codes[x] = T(code)
	}
	return true
}

// isFloat32 tells whether a value is a float32, to the bit.
func isFloat32(value float64) bool {
	return math.Float64bits(float64(float32(value))) == math.Float64bits(value)
}

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
