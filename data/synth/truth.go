package synth

import (
	"bufio"
	"cmp"
	"io"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/internal/random"
)

// The file of missing entries, and its header.
const (
	TestFile    = "test.csv"
	TestColumns = "row,column,value,noise_free"
)

// Truth is what truth.json says about an instance.
type Truth struct {
	Generator string   `json:"generator"` // "paper" or "films"
	Seed      uint64   `json:"seed"`
	Rows      int      `json:"rows"`
	Columns   int      `json:"columns"`
	Features  int      `json:"features"`
	K         int      `json:"k"`
	Missing   float64  `json:"missing"` // as asked for; Observed is the result
	Noise     float64  `json:"noise"`
	Observed  int      `json:"observed"`
	Selected  []string `json:"selected"`

	Products []TrueProduct `json:"products,omitempty"` // of cells and drugs: those selected, in their order
	Test     TruthTest     `json:"test"`

	// Files has the SHA-256 of each file that was written beside truth.json, by
	// its name: what differs is not what was generated.
	Files map[string]string `json:"files,omitempty"`
}

// TruthTest says what the file of missing entries holds.
type TruthTest struct {
	File    string `json:"file"`
	Entries int    `json:"entries"` // in the file
	Of      int    `json:"of"`      // missing in all
	Columns string `json:"columns"`
}

// Truth describes the instance; written and of are what WriteTest returned.
func (in *Source) Truth(written, of int) Truth {
	return Truth{
		Generator: in.name,
		Seed:      in.Seed,
		Rows:      in.Rows,
		Columns:   in.Columns,
		Features:  in.Config.Features,
		K:         in.K,
		Missing:   in.Missing,
		Noise:     in.Noise,
		Observed:  in.Observed(),
		Selected:  in.SelectedNames(),
		Test:      TruthTest{File: TestFile, Entries: written, Of: of, Columns: TestColumns},
	}
}

// SelectedNames gives the names of the true selection.
func (in *Source) SelectedNames() []string {
	return lists.Pick(in.Features.Names, in.Selected)
}

// TestEntry is a missing entry with the value that would have been observed and
// the value without its noise.
type TestEntry struct {
	data.Entry
	NoiseFree float64
}

// Unobserved returns the number of missing entries.
func (in *Source) Unobserved() int { return in.Rows*in.Columns - in.Observed() }

// TestEntries gives the missing entries by row and column: all of them, or a
// uniform sample of limit of them if there are more. A limit of 0 means all.
func (in *Source) TestEntries(limit int) []TestEntry {
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
func (in *Source) eachTest(limit int, each func(TestEntry) error) error {
	of := in.Unobserved()
	if limit > 0 && limit < of && !in.Counted() {
		return in.someTest(limit, each)
	}
	all := limit <= 0 || limit >= of
	var sample []int // ranks among the missing entries, counted row by row
	if !all {
		sample = random.New(in.Seed, streamTest).Sample(of, limit)
	}
	rank := 0
	own := in.borrow()
	defer in.spare.Put(own)
	var observed, taken []int32
	for i := range in.Rows {
		if missing := in.Columns - in.Entries(i); !all && (len(sample) == 0 || sample[0] >= rank+missing) {
			rank += missing
			continue
		}
		observed, taken = in.rows.observed(i, own, observed[:0]), taken[:0]
		rest := observed
		for j := range in.Columns {
			if len(rest) > 0 && int(rest[0]) == j {
				rest = rest[1:]
				continue
			}
			if all || len(sample) > 0 && sample[0] == rank {
				taken = append(taken, int32(j))
				if !all {
					sample = sample[1:]
				}
			}
			rank++
		}
		if err := in.testRow(i, taken, each); err != nil {
			return err
		}
	}
	return nil
}

// testRow calls each for columns of row i.
func (in *Source) testRow(i int, columns []int32, each func(TestEntry) error) error {
	noisy, clean := make([]float64, len(columns)), make([]float64, len(columns))
	in.Values(i, columns, noisy, clean)
	for x, j := range columns {
		if err := each(TestEntry{Entry: data.Entry{Row: int32(i), Column: j, Value: noisy[x]}, NoiseFree: clean[x]}); err != nil {
			return err
		}
	}
	return nil
}

// someTest is eachTest where the entries are too many to count, which only the
// paper's generator has: it draws places of the matrix and keeps those that are
// missing, until they are enough.
func (in *Source) someTest(limit int, each func(TestEntry) error) error {
	s := random.New(in.Seed, streamTest)
	paper := in.rows.(*paperRows)
	kept := map[[2]int32]bool{} // whether a place that was drawn is missing
	var observed []int32
	for found := 0; found < limit; {
		place := [2]int32{int32(s.Intn(in.Rows)), int32(s.Intn(in.Columns))}
		if _, again := kept[place]; again {
			continue
		}
		observed = paper.block(int(place[0]), int(place[1])/blockColumns, observed[:0])
		_, is := slices.BinarySearch(observed, place[1])
		if kept[place] = !is; !is {
			found++
		}
	}
	places := make([][2]int32, 0, limit)
	for place, missing := range kept {
		if missing {
			places = append(places, place)
		}
	}
	slices.SortFunc(places, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for from := 0; from < len(places); {
		to := from
		var columns []int32
		for ; to < len(places) && places[to][0] == places[from][0]; to++ {
			columns = append(columns, places[to][1])
		}
		if err := in.testRow(int(places[from][0]), columns, each); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// WriteTest writes TestEntries(limit) as CSV with the header TestColumns, one by
// one, and returns how many were written of how many are missing.
func (in *Source) WriteTest(w io.Writer, limit int) (written, of int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(TestColumns + "\n")
	rows := in.RowIDs()
	var line []byte
	err = in.eachTest(limit, func(e TestEntry) error {
		line = append(append(line[:0], rows[e.Row]...), ',')
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
