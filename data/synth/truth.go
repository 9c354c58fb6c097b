package synth

import (
	"bufio"
	"io"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// The file of missing entries, and its header.
const (
	TestFile    = "test.csv"
	TestColumns = "row,column,value,noise_free"
)

// Truth is what truth.json says of an instance.
type Truth struct {
	Generator string    `json:"generator"` // "paper" or "films"
	Seed      uint64    `json:"seed"`
	Rows      int       `json:"rows"`
	Columns   int       `json:"columns"`
	Features  int       `json:"features"`
	K         int       `json:"k"`
	Missing   float64   `json:"missing"` // as asked for; Observed says what came of it
	Noise     float64   `json:"noise"`
	Observed  int       `json:"observed"`
	Selected  []string  `json:"selected"`
	Test      TruthTest `json:"test"`
}

// TruthTest says what the file of missing entries holds.
type TruthTest struct {
	File    string `json:"file"`
	Entries int    `json:"entries"` // in the file
	Of      int    `json:"of"`      // missing in all
	Columns string `json:"columns"`
}

// Truth describes the instance; written and of are what WriteTest returned.
func (in *Instance) Truth(written, of int) Truth {
	return Truth{
		Generator: in.name,
		Seed:      in.Seed,
		Rows:      in.Rows,
		Columns:   in.Columns,
		Features:  in.Config.Features,
		K:         in.K,
		Missing:   in.Missing,
		Noise:     in.Noise,
		Observed:  in.Ratings.Observed(),
		Selected:  in.SelectedNames(),
		Test:      TruthTest{File: TestFile, Entries: written, Of: of, Columns: TestColumns},
	}
}

// SelectedNames gives the names of the true selection.
func (in *Instance) SelectedNames() []string {
	names := make([]string, len(in.Selected))
	for at, f := range in.Selected {
		names[at] = in.Features.Names[f]
	}
	return names
}

// TestEntry is a missing entry with the value that would have been observed and
// the value without its noise.
type TestEntry struct {
	data.Entry
	NoiseFree float64
}

// Unobserved returns the number of missing entries.
func (in *Instance) Unobserved() int { return in.Rows*in.Columns - in.Ratings.Observed() }

// TestEntries gives the missing entries by row and column: all of them, or a
// uniform sample of limit of them if there are more. A limit of 0 means all.
func (in *Instance) TestEntries(limit int) []TestEntry {
	of := in.Unobserved()
	if limit > 0 {
		of = min(of, limit)
	}
	out := make([]TestEntry, 0, of)
	_ = in.eachTest(limit, func(e TestEntry) error { // append does not fail
		out = append(out, e)
		return nil
	})
	return out
}

// eachTest calls each for the entries of TestEntries, one by one.
func (in *Instance) eachTest(limit int, each func(TestEntry) error) error {
	of := in.Unobserved()
	all := limit <= 0 || limit >= of
	var sample []int // ranks among the missing entries, counted row by row
	if !all {
		sample = random.New(in.Seed, streamTest).Sample(of, limit)
	}
	rank := 0
	var u []float64
	for i := range in.Rows {
		observed, _ := in.Ratings.Row(i)
		missing := in.Columns - len(observed)
		if !all && (len(sample) == 0 || sample[0] >= rank+missing) {
			rank += missing
			continue
		}
		u = in.rows.coefficients(i, u[:0])
		for j := range in.Columns {
			if len(observed) > 0 && int(observed[0]) == j {
				observed = observed[1:]
				continue
			}
			taken := all || len(sample) > 0 && sample[0] == rank
			rank++
			if !taken {
				continue
			}
			if !all {
				sample = sample[1:]
			}
			clean := in.product(u, j)
			e := TestEntry{Entry: data.Entry{Row: int32(i), Column: int32(j), Value: in.rows.noisy(i, j, clean)}, NoiseFree: clean}
			if err := each(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteTest writes TestEntries(limit) as CSV with the header TestColumns, one by
// one, and returns how many were written of how many are missing.
func (in *Instance) WriteTest(w io.Writer, limit int) (written, of int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(TestColumns + "\n")
	var line []byte
	err = in.eachTest(limit, func(e TestEntry) error {
		line = append(append(line[:0], in.Ratings.RowIDs[e.Row]...), ',')
		line = append(append(line, in.Features.IDs[e.Column]...), ',')
		line = append(data.AppendNumber(line, e.Value), ',')
		line = append(data.AppendNumber(line, e.NoiseFree), '\n')
		written++
		_, err := out.Write(line)
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	return written, in.Unobserved(), err
}
