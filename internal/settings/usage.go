package settings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// Usage lists flags under the headings of their groups, with what they take and
// their defaults, in lines of at most width letters. Groups are in the order
// given, flags in that of the table; those that are in no table come last.
func (t Table) Usage(flags []*pflag.Flag, groups []string, width int) string {
	byGroup := map[string][]*pflag.Flag{}
	for _, f := range t.sorted(flags) {
		group := "Other"
		if s := Of(f); s != nil {
			group = s.Group
		}
		byGroup[group] = append(byGroup[group], f)
	}
	indent := 0
	for _, f := range flags {
		if n := utf8.RuneCountInString(head(f)); n <= mostHead {
			indent = max(indent, n)
		}
	}
	indent += 2
	var b strings.Builder
	for _, group := range append(slices.Clone(groups), "Other") {
		if len(byGroup[group]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", group)
		for _, f := range byGroup[group] {
			text := head(f)
			if n := utf8.RuneCountInString(text); n <= mostHead {
				text += strings.Repeat(" ", indent-n)
			} else {
				text += "\n" + strings.Repeat(" ", indent)
			}
			b.WriteString(text)
			for i, line := range Wrap(tail(f), max(width-indent, 24)) {
				if i > 0 {
					b.WriteString(strings.Repeat(" ", indent))
				}
				b.WriteString(line + "\n")
			}
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// sorted puts flags in the order of the table.
func (t Table) sorted(flags []*pflag.Flag) []*pflag.Flag {
	at := func(f *pflag.Flag) int {
		s := Of(f)
		for i := range t {
			if &t[i] == s {
				return i
			}
		}
		return len(t)
	}
	return slices.SortedStableFunc(slices.Values(flags), func(a, b *pflag.Flag) int { return at(a) - at(b) })
}

// mostHead is the longest head that has its text beside it, not below.
const mostHead = 26

// head is the flag as one types it.
func head(f *pflag.Flag) string {
	text := "      --" + f.Name
	if f.Shorthand != "" {
		text = fmt.Sprintf("  -%s, --%s", f.Shorthand, f.Name)
	}
	s := Of(f)
	if s == nil {
		if kind, _ := pflag.UnquoteUsage(f); kind != "" {
			text += " " + strings.ToUpper(kind)
		}
		return text
	}
	if shown := s.Type.shown(); shown != "" {
		text += " " + shown
	}
	return text
}

// tail is the flag's help: what it is for, what it takes, and its default.
func tail(f *pflag.Flag) string {
	s := Of(f)
	if s == nil {
		_, text := pflag.UnquoteUsage(f)
		return text
	}
	text := s.Help
	if notes := s.notes(); notes != "" {
		text += " [" + notes + "]"
	}
	return text
}

// notes are the range and the default of a setting.
func (s *Setting) notes() string {
	var notes []string
	if s.Range != "" {
		notes = append(notes, s.Brief())
	}
	if s.Type == Repeated {
		notes = append(notes, "may be given several times")
	}
	if s.Default != "" {
		notes = append(notes, "default "+s.Default)
	}
	return strings.Join(notes, "; ")
}

// Brief says what may be given in fewer words than Takes.
func (s *Setting) Brief() string {
	words, v := s.parts()
	if v == nil {
		return or(words)
	}
	low, high := s.show(v.low), s.show(v.high)
	text := low + " or more"
	switch {
	case math.IsInf(v.high, 1) && v.lowOpen:
		text = "above " + low
	case math.IsInf(v.high, 1):
	case v.lowOpen && v.highOpen:
		text = "between " + low + " and " + high
	case v.highOpen:
		text = low + " to below " + high
	case v.lowOpen:
		text = "above " + low + " to " + high
	default:
		text = low + " to " + high
	}
	return or(append(words, text))
}

// Wrap breaks text at spaces into lines of at most width letters, where words
// allow it.
func Wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > width {
			lines, line, length = append(lines, line), "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}
