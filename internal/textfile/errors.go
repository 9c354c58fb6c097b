package textfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// InputError is a fault in what the user gave: where it is, what is wrong and
// what to do about it.
type InputError struct {
	File    string // as the user named it; "stdin" for standard input
	Line    int    // 1 is the first; 0 when the fault is not on one line
	Problem string
	Remedy  string // what the user can do; may be empty
	Err     error  // the cause, for errors.Is; may be nil
}

func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	b.WriteString(e.Problem)
	if e.Remedy != "" {
		fmt.Fprintf(&b, " (%s)", e.Remedy)
	}
	return b.String()
}

func (e *InputError) Unwrap() error { return e.Err }

// ShownBytes is how much of a user's text an error message repeats.
const ShownBytes = 60

// Quote shows a user's text in an error message: in quotes, control characters
// escaped, shortened when long.
func Quote[T string | []byte](text T) string {
	if len(text) <= ShownBytes {
		return strconv.Quote(string(text))
	}
	cut := ShownBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(string(text[:cut]) + "…")
}

// QuoteList shows names in an error message, the first few only.
func QuoteList(names []string) string {
	const most = 8
	shown := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		shown = append(shown, Quote(name))
	}
	return strings.Join(shown, ", ")
}

// yamlLine finds the line in an error of the YAML parser.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// YAMLFault is what an error of the YAML parser says, and its line; 0 if it names none.
func YAMLFault(err error) (line int, problem string) {
	text := err.Error()
	if found := yamlLine.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = strings.TrimPrefix(text, found[0])
	}
	return line, "is no YAML: " + text
}
