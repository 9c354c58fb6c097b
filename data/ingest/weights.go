package ingest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

// A weighted entry is two entries of a batch, the value and behind it the weight in
// the place of a value: whatever moves and sorts entries keeps the order of those of
// one row and column, and does not know of it. Nothing is as large as that without
// weights.

// NoWeights as the name of the column of weights means that there are none.
const NoWeights = "none"

// isWeight tells whether a column is one of weights, as its name says.
func isWeight(name []byte) bool {
	plain := strings.ToLower(string(name))
	return plain == "weight" || plain == "weights"
}

// findWeight finds the column of the weights in a header, or in the names of a
// table: the one that is asked for, or the one that is called so. at has the
// columns that are taken already.
func (in *input) findWeight(header [][]byte, line int, at []int, s *Settings) *data.InputError {
	if s.times || s.Weight == NoWeights {
		return nil
	}
	found := []int{}
	if s.Weight != "" {
		named, wrong := in.table(line).Locate(header, []string{s.Weight})
		if wrong != nil {
			return wrong
		}
		if slices.Contains(at, named[0]) {
			return fault(in.name, line, "column "+data.Quote(s.Weight)+" is to be the weight, but is the row, the column or the value", "name another with Settings.Weight, or none")
		}
		found = named
	} else {
		for x, name := range header {
			if isWeight(name) && !slices.Contains(at, x) {
				found = append(found, x)
			}
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		in.weighted, in.layout.weight = true, found[0]
		return nil
	}
	return fault(in.name, line, "the header "+data.QuoteList(textfile.Texts(header))+" names several weights", "say which with Settings.Weight")
}

// endsInWeight tells whether a header has three names and behind them that of the
// weights: the three are then the row, the column and the value, as in one without.
func endsInWeight(header [][]byte, s *Settings) bool {
	return len(header) == 4 && !s.times && (isWeight(header[3]) || s.Weight != "" && string(header[3]) == s.Weight)
}

// noWeights is the fault of an input that has none, if weights were asked for.
func (in *input) noWeights(why string, s *Settings) *data.InputError {
	if s.times || s.Weight == "" || s.Weight == NoWeights {
		return nil
	}
	return fault(in.name, 0, why+", so there is no column "+data.Quote(s.Weight)+" of weights", "give the entries as lines with a header that names it, such as row,column,value,weight, or leave out Settings.Weight")
}

// checkWeights refuses the formats that have no weights, if they were asked for.
func (in *input) checkWeights(s *Settings) *data.InputError {
	switch in.format {
	case Packed:
		return in.noWeights("a pack has the weights that it was made with and no names for them", s)
	case MatrixMarket:
		return in.noWeights("Matrix Market holds values only", s)
	case Npy, Npz:
		return in.noWeights("NumPy files hold values only", s)
	case Wide:
		return in.noWeights("a wide matrix holds values only", s)
	case Netflix:
		return in.noWeights("the Netflix Prize files hold values and dates only", s)
	}
	return nil
}

// weightOf reads the weight of an entry of a text; not ok if the entry is left out,
// or a fault.
func (w *worker) weightOf(b *batch, text []byte) (weight float64, ok bool) {
	if len(text) == 0 {
		return 0, w.weighs(b, 0, "the weight is blank")
	}
	weight, wrong := textfile.ParseNumber(text)
	problem := ""
	if wrong != "" {
		problem = "the weight " + data.Quote(string(text)) + " is not a finite number"
	}
	return weight, w.weighs(b, weight, problem)
}

// weighs tells whether an entry of this weight is kept: not if there is a problem
// with it, or if it is negative, which are faults, nor if it is 0.
func (w *worker) weighs(b *batch, weight float64, problem string) bool {
	if problem == "" && weight == 0 {
		b.weightless++
		return false
	}
	if problem == "" && !data.ValidWeight(weight) {
		problem = fmt.Sprintf("the weight is %g", weight)
		switch {
		case weight > data.MaxWeight:
			problem += fmt.Sprintf(", above %g", data.MaxWeight)
		case weight > 0:
			problem += fmt.Sprintf(", below %g", data.MinWeight)
		}
	}
	if problem != "" {
		w.fail(b, problem, "weights are positive numbers: write 1 for an entry that counts once, and 0 for one that is to be left out")
	}
	return problem == ""
}

// weightsOf gives the values of an array as weights.
func weightsOf(in *input, from arrow.Array) (func(int) (v float64, null bool), error) {
	number, err := numberOf(in, from)
	var wrong *data.InputError
	if errors.As(err, &wrong) {
		return nil, fault(in.name, 0, strings.Replace(wrong.Problem, "the values are", "the weights are", 1), "name the column of the weights with Settings.Weight, or none")
	}
	return number, err
}

// oneKind makes sure that all inputs have weights, or none.
func (c *collector) oneKind(b *batch) *data.InputError {
	in := b.file
	if b.given == 0 {
		return nil
	}
	if c.first == nil {
		c.first, c.sink.weighted = in, in.weighted
		c.report.Weighted = in.weighted
		if in.weighted && in.format != Packed {
			c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: entries are weighted by the column %s (Settings.Weight none ignores it)", in.name, data.Quote(in.weightName)))
		}
	}
	if in.weighted == c.first.weighted {
		return nil
	}
	with, without := in.name, c.first.name
	if c.first.weighted {
		with, without = without, with
	}
	return fault(in.name, 0, fmt.Sprintf("%s has weights of entries, and %s has none", with, without), "give weights in all files, or ignore them with Settings.Weight none")
}

// mergeWeighed is merge of entries with weights. Of several entries of one row and
// column, the mean is by their weights, and weighs as much as they do together.
func (w *sorter) mergeWeighed(to *sorted) {
	begin, kept, count := 0, 0, len(to.columns)/2
	to.weights = to.weights[:0]
	for row, end := range to.ends {
		columns := to.columns[begin:end]
		for at := 0; at < len(columns); {
			same := at + 2
			for same < len(columns) && columns[same] == columns[at] {
				same += 2
			}
			pairs := to.values[begin+at : begin+same]
			if len(pairs) > 2 && w.duplicates == Refuse {
				to.twice = &data.Entry{Row: int32(to.first + row), Column: columns[at]}
				return
			}
			value, weight := mergedPair(pairs, w.duplicates)
			to.columns[kept], to.values[kept] = columns[at], value
			to.weights = append(to.weights, weight)
			kept++
			at = same
		}
		begin, to.ends[row] = end, kept
	}
	to.dropped = count - kept
	to.columns, to.values = to.columns[:kept], to.values[:kept]
}

// mergedPair is merged for values that each have a weight behind them.
func mergedPair(pairs []float64, how Duplicates) (value, weight float64) {
	switch {
	case len(pairs) == 2 || how == First:
		return pairs[0], pairs[1]
	case how == Last:
		return pairs[len(pairs)-2], pairs[len(pairs)-1]
	}
	list := make([][2]float64, 0, len(pairs)/2)
	for x := 0; x < len(pairs); x += 2 {
		list = append(list, [2]float64{pairs[x], pairs[x+1]})
	}
	slices.SortFunc(list, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	for _, p := range list {
		weight += p[1]
	}
	for _, p := range list {
		value += p[0] * (p[1] / weight)
	}
	return value, weight
}
