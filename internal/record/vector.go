package record

import "time"

// Vector is a run of values of one column. Of Texts, Ints and Floats the one
// that belongs to its kind has the values; a missing one is there as zero.
type Vector struct {
	Kind   Kind
	Null   []bool        // which values are missing; nil: none
	Begins []int         // of a list: where the values of each row begin; nil: where those before end
	Ends   []int         // of a list: where the values of each row end; else nil
	Texts  []byte        // of Text, one after the other,
	Stops  []int         // and where each of them ends
	Ints   []int64       // of Int, Uint (its bits), Bool (0 or 1), Date and Time
	Floats []float64     // of Float and Number
	Unit   time.Duration // of Time

	Codes []int32 // of a column with a dictionary: the places of its values,
	Known *Vector // which are these; it is the same for all batches with this dictionary
}

// Len is the number of values.
func (v *Vector) Len() int { return max(len(v.Stops), len(v.Ints), len(v.Floats), len(v.Codes)) }

// Rows is the number of rows that they belong to.
func (v *Vector) Rows() int {
	if v.Ends != nil {
		return len(v.Ends)
	}
	return v.Len()
}

// Text is value x of a Text. It is a part of the vector's memory, which goes on behind it.
func (v *Vector) Text(x int) []byte {
	from := 0
	if x > 0 {
		from = v.Stops[x-1]
	}
	return v.Texts[from:v.Stops[x]]
}

// At finds value x, which may stand in a dictionary: it is value at of the vector given.
func (v *Vector) At(x int) (of *Vector, at int, null bool) {
	if v.Null != nil && v.Null[x] {
		return v, x, true
	}
	if v.Codes != nil {
		return v.Known.At(int(v.Codes[x]))
	}
	return v, x, false
}

// IsNumber tells whether values of a kind can be computed with.
func (k Kind) IsNumber() bool {
	return k == Int || k == Uint || k == Float || k == Bool || k == Number
}

// Float is value x of a kind that IsNumber.
func (v *Vector) Float(x int) float64 {
	switch v.Kind {
	case Float, Number:
		return v.Floats[x]
	case Uint:
		return float64(uint64(v.Ints[x]))
	}
	return float64(v.Ints[x])
}

// Moment is value x of Date or Time.
func (v *Vector) Moment(x int) time.Time {
	if v.Kind == Date {
		return time.Unix(v.Ints[x]*86400, 0).UTC()
	}
	ticks := int64(time.Second / v.Unit)
	return time.Unix(v.Ints[x]/ticks, v.Ints[x]%ticks*int64(v.Unit)).UTC()
}
