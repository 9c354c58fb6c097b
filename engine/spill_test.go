package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/sourcetest"
)

// TestSpilledWeights: data in memory that are written for the executors keep the
// weights of their entries.
func TestSpilledWeights(t *testing.T) {
	matrix, err := data.NewMatrix(3, 4, []data.Entry{{Row: 0, Column: 1, Value: 2}, {Row: 0, Column: 3, Value: 1}, {Row: 2, Column: 0, Value: 5}})
	if err == nil {
		matrix, err = matrix.WithWeights([]float64{3, 0.5, 7})
	}
	if err != nil {
		t.Fatal(err)
	}
	file := must.Get(spillTo(filepath.Join(t.TempDir(), "1.pack"), matrix))(t)
	defer file.Close()
	sourcetest.Run(t, file, matrix)
	view := must.Get((base{Columns: 4}).view(file))(t)
	sourcetest.Run(t, view, matrix)
}

// TestNothingStaysOfKilledProcesses: the next one removes their folders, but none that
// somebody uses.
func TestNothingStaysOfKilledProcesses(t *testing.T) {
	in := t.TempDir()
	used, done, err := temporary(in)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	left := filepath.Join(in, fmt.Sprintf(".optcomplete-engine-%d.tmp-0123abcd", os.Getuid()))
	must.Do(t, os.Mkdir(left, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(left, "1.pack"), []byte("x"), 0o600))
	other, end, err := temporary(in)
	if err != nil {
		t.Fatal(err)
	}
	end()
	if isFile(left) || !isFile(used) || isFile(other) {
		t.Errorf("left: %v, used: %v, other: %v", isFile(left), isFile(used), isFile(other))
	}
}
