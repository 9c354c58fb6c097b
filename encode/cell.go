package encode

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"optcomplete/data"
)

// largest is the largest number a field may hold: its square, summed over any
// number of items, stays finite.
const largest = 1e100

// cell is what a field says about one item.
type cell struct {
	blank  bool
	number float64  // transformed
	bin    int      // edges at or below the number
	levels []string // of text (one) or a list (any number, distinct)
	year   float64
	month  float64 // 0 where the date has none
}

// fault is what is wrong with a cell; the caller knows where it stands.
type fault struct{ problem, remedy string }

func (f *fault) in(file string, line int, field string) *data.InputError {
	return &data.InputError{File: file, Line: line, Problem: "field " + data.Quote(field) + ": " + f.problem, Remedy: f.remedy}
}

// numbers tells whether the usual words for an unknown number are blanks.
func (f *Field) numbers() bool { return f.Type == Numeric || f.Type == Indicator || f.Type == Date }

// isBlank tells whether a cell, without the spaces around it, says nothing.
func (f *Field) isBlank(text string) bool {
	if text == "" || slices.Contains(f.Blank, text) {
		return true
	}
	digit := text[0] >= '0' && text[0] <= '9' // no word for unknown begins with one
	return !digit && f.numbers() && data.MissingWord(text)
}

// read understands a cell. The levels of c are used again.
func (f *Field) read(text string, c *cell) *fault {
	text = strings.TrimSpace(text)
	*c = cell{levels: c.levels[:0]}
	if f.isBlank(text) {
		c.blank = true
		return nil
	}
	switch f.Type {
	case Numeric, Indicator:
		return f.readNumber(text, c)
	case Text:
		c.levels = append(c.levels, text)
	case List:
		c.levels = splitList(text, f.Separator, c.levels)
		c.blank = len(c.levels) == 0 // separators alone
	case Date:
		return f.readDate(text, c)
	}
	return nil
}

func (f *Field) readNumber(text string, c *cell) *fault {
	x, problem, remedy := f.number(text)
	switch {
	case problem != "":
		if remedy == "" {
			remedy = "correct it, or name it as a word that means blank"
		}
		return &fault{data.Quote(text) + " " + problem, remedy}
	case math.Abs(x) > largest:
		return &fault{data.Quote(text) + " is too large to compute with", "give the field in another unit"}
	case f.Type == Indicator && x != 0 && x != 1:
		return &fault{data.Quote(text) + " is neither 0 nor 1, but the field is an indicator", "correct it, or set the type to numeric"}
	case f.Transform == Log && x <= 0:
		return &fault{data.Quote(text) + " has no logarithm", "correct it, or set the transform to log1p, bins or none"}
	case f.Transform == Log1p && x < 0:
		return &fault{data.Quote(text) + " is negative, and has no logarithm of 1+x", "correct it, or set the transform to bins or none"}
	}
	switch f.Transform {
	case Log:
		x = math.Log(x)
	case Log1p:
		x = math.Log1p(x)
	}
	c.number = x
	for c.bin < len(f.Edges) && f.Edges[c.bin] <= x {
		c.bin++
	}
	return nil
}

// brackets is the separator of lists as JSON and Python write them: [3, 71] or ['a', "b, c"].
const brackets = "[]"

func bracketed(text string) bool { return strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") }

// splitList gives the distinct levels of a list, sorted and without the spaces
// around them, in the space of levels.
func splitList(text, separator string, levels []string) []string {
	levels = levels[:0]
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			levels = append(levels, part)
		}
	}
	if separator == brackets && bracketed(text) {
		splitBrackets(text[1:len(text)-1], add)
	} else {
		for part := range strings.SplitSeq(text, separator) {
			add(part)
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// splitBrackets hands on what stands between the commas, without quotes around it and
// backslashes in it.
func splitBrackets(text string, add func(string)) {
	var part []rune
	quote, escaped := rune(0), false
	for _, r := range text {
		switch {
		case escaped:
			part, escaped = append(part, r), false
		case quote != 0 && r == '\\':
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'') && strings.TrimSpace(string(part)) == "":
			part, quote = part[:0], r
		case quote == 0 && r == ',':
			add(string(part))
			part = part[:0]
		default:
			part = append(part, r)
		}
	}
	add(string(part))
}

// The formats of a date that can be meant in one way only. Those with a day come
// first; the last two have no month or no day.
var dateLayouts = []string{
	"2006-1-2", "2006/1/2", "2.1.2006", time.RFC3339, "2006-1-2 15:04:05", "2006-1-2 15:04", "2006-1-2T15:04:05",
	"2006-1", yearLayout,
}

const yearLayout = "2006"

// dateLayout turns a format in YYYY, MM and DD into one of package time.
func dateLayout(format string) (string, error) {
	if format == "" {
		return "", nil
	}
	layout := strings.NewReplacer("YYYY", "2006", "MM", "1", "DD", "2").Replace(format)
	rest := strings.NewReplacer("YYYY", "", "MM", "", "DD", "").Replace(format)
	once := strings.Count(format, "YYYY") == 1 && strings.Count(format, "MM") <= 1 && strings.Count(format, "DD") <= 1
	if !once || strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return "", fmt.Errorf("%s is no format of a date: write it with YYYY, MM and DD, such as DD/MM/YYYY", data.Quote(format))
	}
	return layout, nil
}

func (f *Field) readDate(text string, c *cell) *fault {
	layouts := dateLayouts
	if layout, _ := dateLayout(f.Format); layout != "" {
		layouts = []string{layout}
	}
	for _, layout := range layouts {
		if day, err := time.Parse(layout, text); err == nil {
			c.year = float64(day.Year())
			if strings.Contains(layout, "1") && layout != yearLayout {
				c.month = float64(day.Month())
			}
			return nil
		}
	}
	remedy := "write it as YYYY-MM-DD, or set the format, such as DD/MM/YYYY"
	if f.Format != "" {
		remedy = "the format is " + f.Format
	}
	return &fault{data.Quote(text) + " is not a date", remedy}
}

// raw gives what a feature is of a cell, in the unit of the file. If it is not
// known, because the cell is blank, Fill stands for it.
func (x *Feature) raw(f *Field, c *cell) (value float64, known bool) {
	if x.Part == Blank {
		return truth(c.blank), true
	}
	if c.blank || x.Part == Month && c.month == 0 {
		return 0, false
	}
	switch x.Part {
	case Value:
		return c.number, true
	case Bin:
		return truth(c.bin == x.Bin), true
	case Level:
		return truth(slices.Contains(c.levels, x.Level)), true
	case Other:
		return truth(slices.ContainsFunc(c.levels, func(level string) bool { return !slices.Contains(f.Levels, level) })), true
	case Year:
		return c.year, true
	default:
		return c.month, true
	}
}

// encode gives the feature of a cell.
func (x *Feature) encode(f *Field, c *cell) float64 {
	value, known := x.raw(f, c)
	if !known {
		value = x.Fill
	}
	return (value - x.Centre) / x.Scale
}

// unseen gives the first level that the table did not have; "" if there is none.
func (f *Field) unseen(c *cell) string {
	for _, level := range c.levels {
		if slices.Contains(f.Levels, level) {
			continue
		}
		if _, pooled := slices.BinarySearch(f.Pooled, level); !pooled {
			return level
		}
	}
	return ""
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
