package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/memory"
)

// oldDictionary is what old programs call both a dictionary and places in it.
const oldDictionary format.Encoding = 2

// content is what a page of data holds.
type content struct {
	cells      int     // values, with those that are missing
	repetition []uint8 // for each cell, where it continues a list; nil if it is in none
	definition []uint8 // for each cell, how much of it is there; nil if all is
	values     Vector  // those that are there, or of the dictionary
	places     []int32 // of the values in the dictionary, if they are written so
}

// open reads a page: into the content, or the dictionary.
func (c *cursor) open(p *page) error {
	switch p.kind {
	case format.DictionaryPage, format.DataPage, format.DataPageV2:
	default:
		return nil // an index, which is not needed
	}
	data, err := c.held.fetch(c.from, p)
	if err != nil {
		return err
	}
	levels := data[:p.repetitionBytes+p.definitionBytes]
	data = data[len(levels):]
	if !p.plain {
		if data, err = c.held.unpack(c.codec, data, p.unpacked-len(levels)); err != nil {
			return err
		}
	}
	if p.kind == format.DictionaryPage {
		known, err := c.column.decode(p.encoding, data, p.values)
		c.known = &known
		return err
	}
	in := content{cells: p.values}
	if p.kind == format.DataPage {
		if in.repetition, data, err = levelsBefore(data, p.repetition, c.column.repeats, p.values); err == nil {
			in.definition, data, err = levelsBefore(data, p.definition, c.column.most, p.values)
		}
	} else if in.repetition, err = levelsOf(levels[:p.repetitionBytes], format.RLE, c.column.repeats, p.values); err == nil {
		in.definition, err = levelsOf(levels[p.repetitionBytes:], format.RLE, c.column.most, p.values)
	}
	if err != nil {
		return err
	}
	there := p.values
	if in.definition != nil {
		there = 0
		for _, level := range in.definition {
			if level == c.column.most {
				there++
			}
		}
	}
	if p.encoding == format.RLEDictionary || p.encoding == oldDictionary {
		if c.known == nil {
			return errors.New("its dictionary is missing")
		}
		in.values = *c.known
		in.places, err = placesOf(data, there, c.known.Len())
	} else {
		in.values, err = c.column.decode(p.encoding, data, there)
	}
	c.content, c.at, c.taken = in, 0, 0
	return err
}

// levelsBefore reads the levels that a page of the first version begins with, and
// gives what follows them.
func levelsBefore(data []byte, e format.Encoding, most uint8, n int) (levels []uint8, rest []byte, err error) {
	if most == 0 {
		return nil, data, nil
	}
	size := (n*bits.Len8(most) + 7) / 8
	if e == format.RLE {
		if len(data) < 4 {
			return nil, nil, errors.New("a page ends within its levels")
		}
		size, data = int(binary.LittleEndian.Uint32(data)), data[4:]
	}
	if size > len(data) {
		return nil, nil, errors.New("a page ends within its levels")
	}
	levels, err = levelsOf(data[:size], e, most, n)
	return levels, data[size:], err
}

func levelsOf(data []byte, e format.Encoding, most uint8, n int) (levels []uint8, err error) {
	if most == 0 {
		return nil, nil // some programs write levels nonetheless
	}
	width := bits.Len8(most)
	switch e {
	case format.RLE:
		if err := runs(data, width, n); err != nil {
			return nil, err
		}
		levels, err = (&rle.Encoding{BitWidth: width}).DecodeLevels(make([]uint8, 0, n+8), data)
	case format.BitPacked:
		levels, err = (&bitpacked.Encoding{BitWidth: width}).DecodeLevels(make([]uint8, 0, n+8), data)
	default:
		err = fmt.Errorf("levels are written as %v", e)
	}
	if err == nil && len(levels) < n {
		err = fmt.Errorf("a page has %d levels for %d values", len(levels), n)
	}
	if err != nil {
		return nil, err
	}
	return levels[:n], nil
}

// runs adds up what the runs of RLE announce, before memory is taken for it.
func runs(data []byte, width, n int) error {
	total := uint64(0)
	for len(data) > 0 {
		head, size := binary.Uvarint(data)
		if size <= 0 {
			return errors.New("a page ends within a run")
		}
		count := head >> 1
		skip := uint64(width+7) / 8
		if head&1 == 1 {
			if count > uint64(len(data)) && width > 0 {
				return errors.New("a page ends within a run")
			}
			skip, count = count*uint64(width), 8*count
		}
		if total += count; count > math.MaxInt32 || total > uint64(max(n, freeValues)) {
			return fmt.Errorf("a page has runs of %d values or more, not %d", total, n)
		}
		data = data[size:]
		data = data[min(skip, uint64(len(data))):]
	}
	return nil
}

// placesOf reads where n values are in a dictionary of so many.
func placesOf(data []byte, n, known int) ([]int32, error) {
	if n == 0 {
		return []int32{}, nil
	}
	if len(data) == 0 || data[0] > 32 {
		return nil, errors.New("a page does not say where its values are in the dictionary")
	}
	if err := runs(data[1:], int(data[0]), n); err != nil {
		return nil, err
	}
	places, err := new(rle.DictionaryEncoding).DecodeInt32(make([]int32, 0, n+8), data)
	if err != nil {
		return nil, err
	}
	if len(places) < n {
		return nil, fmt.Errorf("a page has %d values of %d", len(places), n)
	}
	for _, x := range places[:n] {
		if x < 0 || int(x) >= known {
			return nil, fmt.Errorf("a page has value %d of a dictionary of %d", x, known)
		}
	}
	return places[:n], nil
}

// decode reads n values, none of them missing.
func (c *Column) decode(as format.Encoding, data []byte, n int) (v Vector, err error) {
	v.Kind = c.Kind
	if n == 0 {
		return v, nil // some programs write no bytes then
	}
	if c.stored == format.Boolean {
		v.Ints, err = flags(as, data, n)
		return v, err
	}
	e, err := encodingOf(as, data, n)
	if err != nil {
		return v, err
	}
	if c.stored == format.ByteArray && as == format.DeltaByteArray {
		// Each text may repeat all of the one before.
		size := e.EstimateDecodeByteArraySize(data)
		if size < 0 {
			return v, errors.New("a page announces texts of more bytes than there can be")
		}
		if err := memory.Take(int64(size)); err != nil {
			return v, err
		}
	}
	got := 0
	var ints []int64
	var texts []byte
	var stops []int
	switch c.stored {
	case format.Int32:
		if as == format.DeltaBinaryPacked {
			// Some programs write differences of more than 32 bits, which the library
			// takes for values of 32. They are written as those of 64 are, and programs
			// that let them overflow mean the same up to multiples of 2^32.
			ints, err = e.DecodeInt64(nil, data)
		} else {
			var narrow []int32
			narrow, err = e.DecodeInt32(nil, data)
			for _, x := range narrow[:min(n, len(narrow))] {
				ints = append(ints, int64(x))
			}
		}
		got = len(ints)
		for x, wide := range ints {
			if c.Kind == Uint {
				ints[x] = int64(uint32(wide))
			} else {
				ints[x] = int64(int32(wide))
			}
		}
	case format.Int64:
		ints, err = e.DecodeInt64(nil, data)
		got = len(ints)
	case format.Float:
		var narrow []float32
		narrow, err = e.DecodeFloat(nil, data)
		got = len(narrow)
		for _, x := range narrow[:min(n, got)] {
			v.Floats = append(v.Floats, float64(x))
		}
	case format.Double:
		v.Floats, err = e.DecodeDouble(nil, data)
		got = len(v.Floats)
	case format.ByteArray:
		var starts []uint32
		texts, starts, err = e.DecodeByteArray(nil, data, nil)
		got = len(starts) - 1 // and where the last ends
		for x := range min(n, got) {
			stops = append(stops, int(starts[x+1]))
		}
	case format.FixedLenByteArray:
		if c.length <= 0 {
			return v, fmt.Errorf("its values have %d bytes", c.length)
		}
		texts, err = e.DecodeFixedLenByteArray(nil, data, c.length)
		got = len(texts) / c.length
		for x := range min(n, got) {
			stops = append(stops, (x+1)*c.length)
		}
	}
	if err == nil && got < n {
		err = fmt.Errorf("a page has %d values of %d", max(got, 0), n)
	}
	if err != nil {
		return v, err
	}
	switch {
	case stops != nil:
		c.ofTexts(&v, texts, stops)
	case ints != nil:
		c.ofInts(&v, ints[:n])
	default:
		v.Floats = v.Floats[:n]
	}
	return v, nil
}

// flags reads n values that are true or false. Runs of them are levels up to 1:
// the library takes their lengths for multiples of 8.
func flags(as format.Encoding, data []byte, n int) (ints []int64, err error) {
	switch as {
	case format.Plain:
		if 8*len(data) < n {
			return nil, fmt.Errorf("a page has %d values of %d", 8*len(data), n)
		}
		for x := range n {
			ints = append(ints, int64(data[x/8]>>(x%8)&1))
		}
	case format.RLE:
		levels, _, err := levelsBefore(data, as, 1, n)
		if err != nil {
			return nil, err
		}
		for _, x := range levels {
			ints = append(ints, int64(x&1))
		}
	default:
		return nil, fmt.Errorf("values are written as %v, which is not known here", as)
	}
	return ints, nil
}

// encodingOf is what decodes data, once it does not announce far more than n values.
func encodingOf(as format.Encoding, data []byte, n int) (encoding.Encoding, error) {
	switch as {
	case format.Plain, oldDictionary: // the latter of a dictionary itself
		return new(plain.Encoding), nil
	case format.ByteStreamSplit:
		return new(bytestreamsplit.Encoding), nil
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		rest, total := data, uint64(0)
		for range 3 { // sizes of a block, and how many values there are
			x, size := binary.Uvarint(rest)
			if size <= 0 {
				return nil, errors.New("a page ends within its values")
			}
			rest, total = rest[size:], x
		}
		if total > uint64(max(n, freeValues)) {
			return nil, fmt.Errorf("a page has %d values, not %d", total, n)
		}
		switch as {
		case format.DeltaBinaryPacked:
			return new(delta.BinaryPackedEncoding), nil
		case format.DeltaLengthByteArray:
			return new(delta.LengthByteArrayEncoding), nil
		}
		return new(delta.ByteArrayEncoding), nil
	}
	return nil, fmt.Errorf("values are written as %v, which is not known here", as)
}

// ofInts makes values of those that are stored as whole numbers.
func (c *Column) ofInts(v *Vector, ints []int64) {
	if c.Kind != Number {
		v.Ints = ints
		return
	}
	for _, x := range ints {
		v.Floats = append(v.Floats, decimal(big.NewInt(x), c.scale))
	}
}

// ofTexts makes values of those that are stored as bytes.
func (c *Column) ofTexts(v *Vector, all []byte, stops []int) {
	if c.Kind == Text {
		v.Texts, v.Stops = all, stops
		return
	}
	from := 0
	for _, stop := range stops {
		text := all[from:stop]
		from = stop
		if c.Kind == Float { // of 16 bits
			v.Floats = append(v.Floats, half(binary.LittleEndian.Uint16(text)))
			continue
		}
		unscaled := new(big.Int).SetBytes(text) // big-endian, two's complement
		if len(text) > 0 && text[0]&0x80 != 0 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
		}
		v.Floats = append(v.Floats, decimal(unscaled, c.scale))
	}
}

// decimal is the number nearest to unscaled/10^scale.
func decimal(unscaled *big.Int, scale int) float64 {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(min(max(scale, 0), 400))), nil)
	x, _ := new(big.Rat).SetFrac(unscaled, power).Float64()
	return x
}

// half is the number of IEEE 754's binary16.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
