package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"optcomplete/internal/suggest"
	"optcomplete/spec"
)

// Type says what a setting holds, and what it may be bound to.
type Type int

const (
	Text     Type = iota // *string
	File                 // *string, completed as a file
	Folder               // *string, completed as a folder
	Whole                // *int or *uint64
	Number               // *float64; a word such as auto stands for 0
	Switch               // *bool
	Duration             // *time.Duration; a word such as none stands for 0
	Names                // *[]string, with commas
	Repeated             // *[]string, the flag once for each
)

// String is the type's name.
func (t Type) String() string {
	return [...]string{"text", "file", "folder", "whole", "number", "switch", "duration", "names", "repeated"}[t]
}

// shown is what stands for the value in help.
func (t Type) shown() string {
	return [...]string{"TEXT", "FILE", "FOLDER", "N", "X", "", "TIME", "NAMES", "TEXT"}[t]
}

// Setting is a line of the table.
type Setting struct {
	Name  string
	Short string // one letter, or none
	Type  Type
	// Default is as one would write it on the command line. For a number, and a
	// time, none is 0: not given.
	Default string
	// Range is what may be given, parts with | between: words, and intervals of
	// numbers or times such as [0, 1) and (0, ∞). None: anything of the type.
	Range string
	Blank bool     // of Names: "" is a name, not an empty list
	Group string   // its heading in help
	Verbs []string // that take it; none: all
	Use   spec.Use // the fits that it does something in
	Help  string   // one sentence, without a full stop
}

// Flag is the setting as one types it: --gap, -k.
func (s *Setting) Flag() string {
	if s.Short == s.Name {
		return "-" + s.Name
	}
	return "--" + s.Name
}

// Table is all the settings of a program. A name may stand in it several times,
// for different verbs.
type Table []Setting

// Find returns the setting of a verb.
func (t Table) Find(verb, name string) *Setting {
	for i := range t {
		if t[i].Name == name && (verb == "" && t[i].Verbs == nil || slices.Contains(t[i].Verbs, verb)) {
			return &t[i]
		}
	}
	return nil
}

// interval is a part of the numbers.
type interval struct {
	low, high         float64
	lowOpen, highOpen bool
}

func (v interval) holds(x float64) bool {
	return (x > v.low || !v.lowOpen && x == v.low) && (x < v.high || !v.highOpen && x == v.high)
}

// parts splits a range into its words and its interval; none: everything.
func (s *Setting) parts() (words []string, numbers *interval) {
	for _, part := range strings.Split(s.Range, "|") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case part[0] == '[' || part[0] == '(':
			low, high, ok := strings.Cut(part[1:len(part)-1], ",")
			v := interval{lowOpen: part[0] == '(', highOpen: strings.HasSuffix(part, ")")}
			if v.low = s.end(low); !ok {
				panic("settings: range of " + s.Name)
			}
			v.high = s.end(high)
			numbers = &v
		default:
			words = append(words, part)
		}
	}
	return words, numbers
}

// end reads an end of an interval; a range that cannot be read is a
// programming error.
func (s *Setting) end(text string) float64 {
	text = strings.TrimSpace(text)
	if text == "∞" {
		return math.Inf(1)
	}
	x, err := s.number(text)
	if err != nil {
		panic("settings: range of " + s.Name + ": " + text)
	}
	return x
}

// number reads a number, or a time in seconds.
func (s *Setting) number(text string) (float64, error) {
	if s.Type == Duration {
		d, err := time.ParseDuration(text)
		return d.Seconds(), err
	}
	return strconv.ParseFloat(text, 64)
}

// Words are those that may be given; where it takes no others, they are all.
func (s *Setting) Words() []string {
	words, _ := s.parts()
	return words
}

// RangeError is a value that a setting does not take.
type RangeError struct {
	Setting *Setting
	Value   string
}

func (e *RangeError) Error() string {
	value := strconv.Quote(e.Value)
	if _, err := strconv.ParseFloat(e.Value, 64); err == nil {
		value = e.Value
	}
	text := fmt.Sprintf("is %s, but must be %s", value, e.Setting.Takes())
	if words := e.Setting.Words(); len(words) > 0 {
		if hint := suggest.Hint(e.Value, words); hint != "" {
			text += ": " + hint
		}
	}
	return text
}

// Check tells whether one value (of a list, one element) is in the range.
func (s *Setting) Check(text string) error {
	words, numbers := s.parts()
	if slices.Contains(words, text) {
		return nil
	}
	bad := &RangeError{s, text}
	switch s.Type {
	case Whole:
		if _, err := strconv.ParseInt(text, 0, 64); err != nil {
			if _, err := strconv.ParseUint(text, 0, 64); err != nil {
				return bad
			}
		}
	case Number, Duration:
		if x, err := s.number(text); err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return bad
		}
	case Switch:
		if _, err := strconv.ParseBool(text); err != nil {
			return bad
		}
		return nil
	default:
		if len(words) > 0 {
			return bad
		}
		return nil
	}
	if numbers != nil {
		if x, err := s.number(text); err == nil && !numbers.holds(x) {
			return bad
		}
	}
	return nil
}

// Takes says in words what may be given: "a positive number or auto".
func (s *Setting) Takes() string {
	words, numbers := s.parts()
	switch s.Type {
	case Whole, Number, Duration:
		return or(append([]string{s.numbersTaken(numbers)}, words...))
	case Switch:
		return "true or false"
	}
	if len(words) == 0 {
		return "text"
	}
	return or(words)
}

func (s *Setting) numbersTaken(v *interval) string {
	what := map[Type]string{Whole: "whole number", Number: "number", Duration: "time such as 90s or 5m"}[s.Type]
	switch {
	case v == nil:
		return "a " + what
	case v.low == 0 && v.lowOpen && math.IsInf(v.high, 1):
		return "a positive " + what
	case v.low == 0 && math.IsInf(v.high, 1):
		return "a " + what + ", not negative"
	}
	text := fmt.Sprintf("a %s of at least %s", what, s.show(v.low))
	if v.lowOpen {
		text = fmt.Sprintf("a %s above %s", what, s.show(v.low))
	}
	switch {
	case math.IsInf(v.high, 1):
	case v.highOpen:
		text += " and below " + s.show(v.high)
	default:
		text += " and at most " + s.show(v.high)
	}
	return text
}

// show prints an end of an interval.
func (s *Setting) show(x float64) string {
	if s.Type == Duration {
		return duration(x * float64(time.Second)).String()
	}
	if x != 0 && (x < 1e-6 || x > 1e15) {
		return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e", 1)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// or joins words as one says them.
func or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
