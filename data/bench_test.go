package data

import (
	"bytes"
	"fmt"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

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
	must.Do(b, WriteFeatures(&text, f))
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := readFeatures(bytes.NewReader(text.Bytes()), "features.csv", FeaturesOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
