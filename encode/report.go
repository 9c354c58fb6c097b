package encode

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"optcomplete/data"
	"optcomplete/internal/amount"
)

// Report says what was understood about a table.
type Report struct {
	File         string        `json:"file"`
	Items        int           `json:"items"`          // encoded
	ItemsLeftOut int           `json:"items_left_out"` // because of blanks, with Options.CompleteOnly
	Features     int           `json:"features"`       // p, encoded
	Groups       int           `json:"groups"`         // what can be selected: features, or families of them
	Scale        Scale         `json:"scale,omitempty"`
	Fields       []FieldReport `json:"fields"`    // in the order of the file
	Collinear    []Combination `json:"collinear"` // features that are combinations of others, but not within one field
	Warnings     []string      `json:"warnings"`  // all that is worth knowing before a selection is read
}

// FieldReport says what was understood about one field.
type FieldReport struct {
	Name      string    `json:"name"`
	Type      Type      `json:"type"`
	Holds     string    `json:"holds"`            // the levels or the range, for people
	Levels    int       `json:"levels,omitempty"` // how many different ones, of text and lists
	Min       *float64  `json:"min,omitempty"`    // of numbers, in the unit of the file
	Max       *float64  `json:"max,omitempty"`
	Blanks    int       `json:"blanks"` // items
	Transform Transform `json:"transform,omitempty"`
	Group     string    `json:"group,omitempty"`
	Features  []string  `json:"features"` // what it became; none if it was left out
	Notes     []string  `json:"notes"`

	warnings []string
}

func (r *FieldReport) warn(format string, args ...any) {
	r.warnings = append(r.warnings, "field "+data.Quote(r.Name)+" "+fmt.Sprintf(format, args...))
}

// why says why nothing of a field became a feature.
func (r *FieldReport) why() string {
	if r.Type == Empty {
		return "it is blank in every item"
	}
	return strings.Join(r.Notes, "; ")
}

// finish writes the report, combinations among the features included.
func (l *learner) finish() error {
	r := l.report
	r.Items, r.Features, r.Groups = len(l.rows), len(l.encoding.Features), len(l.encoding.Groups)
	var first []string // fields that were left out as a whole, and what else they have to say
	for _, d := range l.drafts {
		if d.report.Type == Empty || d.report.Type == FreeText || d.report.Type == ID {
			first = append(first, fmt.Sprintf("field %s (%s) is not used: %s", data.Quote(d.field.Name), d.report.Type, d.report.why()))
		}
		first = append(first, d.report.warnings...)
	}
	if r.ItemsLeftOut > 0 {
		first = append(first, fmt.Sprintf("%s of %s with blanks%s", amount.Grouped(r.ItemsLeftOut), plural(r.Items+r.ItemsLeftOut, "item"), data.LeftOut))
	}
	r.Warnings = append(first, r.Warnings...)
	if err := l.findCollinear(); err != nil {
		return err
	}
	for _, d := range l.drafts {
		d.report.Group = d.options.Group
		if d.report.Features == nil {
			d.report.Features = []string{}
		}
		if d.report.Notes == nil {
			d.report.Notes = []string{}
		}
		r.Fields = append(r.Fields, d.report)
	}
	if r.Warnings == nil {
		r.Warnings = []string{}
	}
	return nil
}

func (l *learner) findCollinear() error {
	l.report.Collinear = []Combination{}
	switch p := len(l.columns); {
	case p >= len(l.rows):
		l.warn("there are as many features (%d) as items (%d) or more: every feature is a combination of others", p, len(l.rows))
		return nil
	case p > mostChecked:
		l.warn("combinations of features were not looked for, because there are more than %s", amount.Grouped(mostChecked))
		return nil
	}
	found, err := collinear(l.ctx, l.columns)
	for _, c := range found {
		if c.family(l.columns) {
			l.columns[c.column].draft.note("%s follows from the others", data.Quote(l.columns[c.column].feature.Name))
			continue
		}
		named := c.inUnits(l.columns)
		l.report.Collinear = append(l.report.Collinear, named)
		l.warn("%s", named)
	}
	return err
}

// Write prints the report as a table for people.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FIELD\tTYPE\tHOLDS\tBLANKS\tTRANSFORM\tFEATURES\tNOTES")
	for i := range r.Fields {
		f := &r.Fields[i]
		features := strconv.Itoa(len(f.Features))
		switch {
		case len(f.Features) == 0:
			features = "left out"
		case f.Group != "":
			features += " in group " + short(f.Group)
		}
		transform := string(f.Transform)
		if transform == "" {
			transform = "-"
		}
		holds := f.Holds
		if holds == "" {
			holds = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", short(f.Name), f.Type, holds, amount.Grouped(f.Blanks), transform, features, strings.Join(f.Notes, "; "))
	}
	table.Flush() // into memory
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	units := ""
	if r.Groups != r.Features {
		units = fmt.Sprintf(" in %s", plural(r.Groups, "group"))
	}
	scaled := "scaled to mean 0 and standard deviation 1"
	if r.Scale == AsIs {
		scaled = "as they are"
	}
	_, err := fmt.Fprintf(w, "\n%s of %s%s, %s\n", plural(r.Features, "feature"), plural(r.Items, "item"), units, scaled)
	return err
}

// short shows a user's text in a table: on one line and not too long.
func short(text string) string {
	const most = 32
	if text = strings.Map(printable, text); utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func printable(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return ' '
}

// readable shows a number of the file: whole ones in full, others rounded.
func readable(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return number(x)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

func number(x float64) string { return string(data.AppendNumber(nil, x)) }

func plural(n int, what string) string {
	return amount.Of(n, what, what+"s")
}
