package engine

import (
	"path/filepath"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/sourcetest"
)

// TestSpilledWeights: data in memory that are written for the executors keep their
// weights.
func TestSpilledWeights(t *testing.T) {
	matrix, err := data.NewMatrix(3, 4, []data.Entry{{Row: 0, Column: 1, Value: 2}, {Row: 0, Column: 3, Value: 1}, {Row: 2, Column: 0, Value: 5}})
	if err == nil {
		matrix, err = matrix.WithWeights([]float64{3, 0.5, 7})
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := spillTo(filepath.Join(t.TempDir(), "1.pack"), matrix)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sourcetest.Run(t, file, matrix)
	view, err := (base{Columns: 4}).view(file)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Run(t, view, matrix)
}
