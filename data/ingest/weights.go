package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

// An entry with a weight is two entries of a batch: the value, and behind it the weight
// in the place of a value. Whatever moves and sorts entries keeps the order of those of
// one row and column, and does not know of it. Nothing is as large as that without
// weights.

// NoWeights as the name of the column of weights means that there are none.
const NoWeights = "none"

// weightColumn is where a file has its weights.
type weightColumn struct {
	is   bool
	at   int    // the field, or the place in a record
	name string // what the file calls it
}

// isWeight tells whether a column is called as weights are.
func isWeight(name []byte) bool {
	plain := strings.ToLower(string(name))
	return plain == "weight" || plain == "weights"
}

// asksForWeights tells whether the column of the weights was named.
func (s *Settings) asksForWeights() bool {
	return s.Weight != "" && s.Weight != NoWeights && !s.times
}

// findWeights finds the column of the weights in a header, or in the names of a table:
// the one that is asked for, or that is called so. at has the columns that are taken
// already.
func (in *input) findWeights(header [][]byte, line int, at []int, s *Settings) *data.InputError {
	in.weight = weightColumn{}
	switch {
	case s.times || s.Weight == NoWeights:
	case s.asksForWeights():
		named, wrong := in.table(line).Locate(header, []string{s.Weight})
		if wrong != nil {
			return wrong
		}
		if slices.Contains(at, named[0]) {
			return fault(in.name, line, fmt.Sprintf("column %s is to be the weight, but is the row, the column or the value", data.Quote(s.Weight)), "name another with Settings.Weight, or none")
		}
		in.weight = weightColumn{true, named[0], string(header[named[0]])}
	default:
		for x, name := range header {
			if !isWeight(name) || slices.Contains(at, x) {
				continue
			}
			if in.weight.is {
				return fault(in.name, line, fmt.Sprintf("the header %s names several weights", data.QuoteList(textfile.Texts(header))), "say which with Settings.Weight")
			}
			in.weight = weightColumn{true, x, string(name)}
		}
	}
	return nil
}

// endsInWeights tells whether a header has three names and behind them those of weights
// only: the three are then the row, the column and the value, as in one without.
func endsInWeights(header [][]byte, s *Settings) bool {
	return len(header) > 3 && !s.times && !slices.ContainsFunc(header[3:], func(name []byte) bool {
		return !isWeight(name) && !(s.asksForWeights() && string(name) == s.Weight)
	})
}

// noWeights is the fault of an input that has none, if they were asked for.
func (in *input) noWeights(why string, s *Settings) *data.InputError {
	if !s.asksForWeights() {
		return nil
	}
	return fault(in.name, 0, fmt.Sprintf("%s, so there is no column %s of weights", why, data.Quote(s.Weight)), "give the entries as lines with a header that names it, such as row,column,value,weight, or leave out Settings.Weight")
}

// checkColumns refuses the formats that have no times or weights, if some were asked
// for.
func (in *input) checkColumns(s *Settings) *data.InputError {
	switch in.format {
	case Packed:
		if s.times {
			return in.noTimes("a pack holds values only")
		}
		return in.noWeights("what a pack has beside its values has no name", s)
	case MatrixMarket:
		return in.noColumns("Matrix Market holds values only", s)
	case Npy, Npz:
		return in.noColumns("NumPy files hold values only", s)
	case Wide:
		return in.noColumns("a wide matrix holds values only", s)
	case Netflix:
		return in.noWeights("the Netflix Prize files hold values and dates only", s)
	}
	return nil
}

// noColumns is the fault of an input that has neither times nor weights, if some were
// asked for.
func (in *input) noColumns(why string, s *Settings) *data.InputError {
	if s.times {
		return in.noTimes(why)
	}
	return in.noWeights(why, s)
}

// weightOf reads the weight of an entry from the fields of its line; not ok if the
// entry is left out, or a fault.
func (w *worker) weightOf(b *batch, fields [][]byte) (ok bool) {
	text, number, problem := textfile.Trim(fields[b.file.weight.at]), 0.0, ""
	if len(text) == 0 {
		problem = "the weight is blank"
	} else {
		var wrong textfile.NumberFault
		if number, wrong = textfile.ParseNumber(text); wrong != "" {
			problem = "the weight " + data.Quote(string(text)) + " is not a finite number"
		} else if number == 0 && bytes.ContainsAny(bytes.SplitN(bytes.ToLower(text), []byte("e"), 2)[0], "123456789") {
			problem = fmt.Sprintf("the weight is %s, below %g", text, data.LeastWeight) // too small for a number, and not 0
		}
	}
	return w.takes(b, number, problem)
}

const weightRemedy = "weights are positive numbers: write 1 for an entry that counts once"

// takes keeps a weight for the entry at hand. It is false if the entry is left out, or
// for a fault: a problem, or a weight that is not valid.
func (w *worker) takes(b *batch, number float64, problem string) bool {
	if problem == "" && number == 0 {
		b.zeros++
		return false
	}
	if problem == "" && !data.ValidWeight(number) {
		problem = fmt.Sprintf("the weight is %g", number)
		switch {
		case number > data.MostWeight:
			problem += fmt.Sprintf(", above %g", data.MostWeight)
		case number > 0:
			problem += fmt.Sprintf(", below %g", data.LeastWeight)
		}
	}
	if problem != "" {
		w.fail(b, problem, weightRemedy+", and 0 for one that is to be left out")
		return false
	}
	w.weight = number
	return true
}

// oneKind makes sure that the entries of all inputs have weights, or none of them.
func (c *collector) oneKind(b *batch) *data.InputError {
	in := b.file
	if b.given == 0 {
		return nil
	}
	if c.first == nil {
		c.first, c.sink.weighted, c.report.Weighted = in, in.weight.is, in.weight.is
		if in.weight.is && in.format != Packed {
			c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: entries are weighted by the column %s (Settings.Weight none ignores it)", in.name, data.Quote(in.weight.name)))
		}
	}
	if in.weight.is == c.first.weight.is {
		return nil
	}
	with, without := in.name, c.first.name
	if c.first.weight.is {
		with, without = without, with
	}
	return fault(in.name, 0, fmt.Sprintf("%s has weights of entries, and %s has none", with, without), "give weights in all files, or ignore them with Settings.Weight none")
}

// weighedMean is the mean of values by their weights, which may be large, and the weight
// of all of them.
func weighedMean(values, weights []float64) (mean, all float64) {
	for _, x := range weights {
		all += x
	}
	for x, v := range values {
		mean += v * (weights[x] / all)
	}
	return mean, all
}
