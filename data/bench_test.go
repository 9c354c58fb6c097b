package data

import (
	"bytes"
	"fmt"
	"testing"

	"optcomplete/internal/random"
)

// benchRatings is a file as people have it: ids of 4 to 7 digits, values with
// one decimal; sorted by row, or in the order of time.
func benchRatings(lines, rows, columns int, sorted bool) ([]byte, *Features) {
	s := random.New(1)
	ids := make([]string, columns)
	for j := range ids {
		ids[j] = fmt.Sprint(1000 + 7*j)
	}
	var b bytes.Buffer
	b.WriteString("row,column,value\n")
	perRow := lines / rows
	order := s.Perm(rows * perRow)
	for at := range order {
		e := at
		if !sorted {
			e = order[at]
		}
		i := e / perRow
		j := (e%perRow*(columns/perRow) + i) % columns
		fmt.Fprintf(&b, "%d,%s,%.1f\n", 100000+13*i, ids[j], 0.5*float64(1+s.Intn(10)))
	}
	return b.Bytes(), NewFeatures(ids, []string{"one"}, make([]float64, columns))
}

func BenchmarkReadRatings(b *testing.B) {
	for _, sorted := range []bool{true, false} {
		text, features := benchRatings(1<<20, 1<<13, 1<<13, sorted)
		b.Run(fmt.Sprintf("sorted=%v", sorted), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := readRatings(bytes.NewReader(text), "ratings.csv", features, RatingsOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadFeatures(b *testing.B) {
	s := random.New(2)
	f := NewFeatures(make([]string, 5000), make([]string, 100), make([]float64, 500000))
	for i := range f.IDs {
		f.IDs[i] = fmt.Sprint("c", i)
	}
	for i := range f.Names {
		f.Names[i] = fmt.Sprint("f", i)
	}
	for i := range f.Values {
		f.Values[i] = s.Float64()
	}
	var text bytes.Buffer
	if err := WriteFeatures(&text, f); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := readFeatures(bytes.NewReader(text.Bytes()), "features.csv", FeaturesOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
