package ingest

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"time"

	"optcomplete/data"
	"optcomplete/internal/record"
	"optcomplete/internal/textfile"
)

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
