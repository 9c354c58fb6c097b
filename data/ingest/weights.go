package ingest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"optcomplete/data"
	"optcomplete/internal/record"
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

// Times reads when entries were made: what it gives has a time, in seconds since
// 1970, in the place of each value. Entries are left out, and counted as missing, if
// their value is missing or if they have no time. Of duplicates whose mean is taken
// the last time counts: before it the mean was not known.
//
// It reads the input by itself, so standard input cannot give both: entries hold no
// times, which would take half as much memory again for something few ask for.
func Times(ctx context.Context, paths []string, settings Settings) (*data.Ratings, *Report, error) {
	for _, path := range paths {
		if path == "-" {
			return nil, nil, fault(textfile.StdinName, 0, "the times of entries cannot be read from standard input", "the input is read twice for them: write it to a file and name that")
		}
	}
	settings.times = true
	if settings.Duplicates == Mean {
		settings.Duplicates = latest
	}
	return Ratings(ctx, paths, settings)
}

// findTime finds the column of the times in a header: by its name, or by its role.
func (in *input) findTime(header [][]byte, line int, s *Settings) *data.InputError {
	if !s.times {
		return nil
	}
	if s.TimeName != "" {
		at, fault := in.table(line).Locate(header, []string{s.TimeName})
		if fault == nil {
			in.layout.time = at[0]
		}
		return fault
	}
	at, ok := textfile.Roles(header, textfile.TimeRole)
	if !ok {
		return fault(in.name, line, "the header "+data.QuoteList(textfile.Texts(header))+" does not say which column has the times", "name it with Settings.TimeName")
	}
	in.layout.time = at[0]
	return nil
}

// noTimes is the fault of an input that has none.
func (in *input) noTimes(why string) *data.InputError {
	return fault(in.name, 0, why+", so it has no times to split by", "give the entries as lines with a time: a header that names it (such as timestamp or date), or row, column, value, time as MovieLens has them")
}

// dated takes an entry of a text with a time in the place of its value.
func (w *worker) dated(b *batch, row, column, value, when []byte) {
	key, j, ok := w.place(b, row, column)
	if !ok {
		return
	}
	if w.isMissing(value) || w.isMissing(when) || len(when) == 0 || textfile.MissingWord(when) {
		b.missing++
		return
	}
	seconds, ok := moment(string(when))
	if !ok {
		w.fail(b, "the time "+data.Quote(string(when))+" is not known", "write it as seconds since 1970 or as YYYY-MM-DD, with or without hh:mm:ss; leave it empty where it is not known")
		return
	}
	w.put(b, row, column, key, j, seconds)
}

// layouts of times that can be meant in one way only.
var momentLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-1-2", "2006/1/2", "2.1.2006", "2006-1",
}

// moment reads a time: a number, as momentOf takes it, or a date, in UTC unless it
// says otherwise.
func moment(text string) (seconds float64, ok bool) {
	if v, wrong := textfile.ParseNumber([]byte(text)); wrong == "" {
		return momentOfNumber(v), true
	}
	for _, layout := range momentLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return secondsOf(at), true
		}
	}
	return 0, false
}

func secondsOf(at time.Time) float64 {
	return float64(at.Unix()) + float64(at.Nanosecond())/1e9
}

// momentOfNumber tells what a number means as a time: seconds since 1970, or milli-,
// micro- or nanoseconds where seconds would be beyond the year 5000; 20240131 is a
// day and 2024 is a year, as numbers of seconds they would be in 1970.
func momentOfNumber(v float64) float64 {
	if v == math.Trunc(v) && v >= 1000 && v < 1e8 {
		layout := ""
		switch {
		case v < 3000:
			layout = "2006"
		case v >= 10000101:
			layout = "20060102"
		}
		if layout != "" {
			if at, err := time.Parse(layout, strconv.Itoa(int(v))); err == nil {
				return secondsOf(at)
			}
		}
	}
	for math.Abs(v) >= 1e11 && math.Abs(v) < 1e20 {
		v /= 1000
	}
	return v
}

// momentIn is value x of a vector as a time; unknown: there is none. Not ok: it cannot be
// read.
func momentIn(v *record.Vector, x int) (seconds float64, unknown, ok bool) {
	v, x, unknown = v.At(x)
	switch {
	case unknown:
		return 0, true, true
	case v.Kind == record.Date || v.Kind == record.Time:
		return secondsOf(v.Moment(x)), false, true
	case v.Kind != record.Text:
		number := v.Float(x)
		return momentOfNumber(number), number-number != 0, true
	}
	text := bytes.TrimSpace(v.Text(x))
	if len(text) == 0 || textfile.MissingWord(text) {
		return 0, true, true
	}
	seconds, ok = moment(string(text))
	return seconds, false, ok
}
