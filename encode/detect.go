package encode

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
)

// mostlyNumbers is the part of numbers from which on the other cells of a field
// are more likely slips than levels.
const mostlyNumbers = 0.9

// mostCodes is the number of different whole numbers up to which they may be codes.
const mostCodes = 12

// draft is a field being understood.
type draft struct {
	field    Field
	options  FieldOptions
	kind     Type // as the table says itself; Auto where it does not
	used     bool
	texts    []string    // the cells of the items used, in the order of their ids
	lines    []int       // their lines in the file
	features []Feature   // of the field
	values   [][]float64 // of each feature, in the order of texts, before scaling
	report   FieldReport
}

func (d *draft) note(format string, args ...any) {
	d.report.Notes = append(d.report.Notes, fmt.Sprintf(format, args...))
}

// understand decides what the field holds, from all of its cells.
func (d *draft) understand(file string, all Options) error {
	o := &d.options
	d.field.Type, d.field.Transform, d.field.Format = o.Type, o.Transform, o.Format
	d.field.Blank = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all.Blank, o.Blank))))
	if d.field.Separator = o.Separator; d.field.Separator == "" {
		d.field.Separator = all.Separator
	}
	if len(o.Edges) > 0 || o.Quantiles > 0 {
		d.field.Transform = Bins
	}
	if d.field.Type == Auto {
		switch {
		case o.Format != "" || len(o.Parts) > 0:
			d.field.Type = Date
		case o.Separator != "":
			d.field.Type = List
		case d.kind == List:
			d.field.Type, d.field.Separator = List, "|"
		case d.kind != Auto:
			d.field.Type = d.kind
		default:
			d.detect()
		}
	}
	if d.field.Type == Indicator && o.Type == Auto && d.field.Transform != None {
		d.field.Type = Numeric
	}
	if d.field.Type == Numeric && d.field.Number == nil {
		d.detectForm(d.filled())
	}
	if d.field.Type == List && d.field.Separator == "" {
		if d.field.Separator = detectSeparator(d.filled()); d.field.Separator == "" {
			d.field.Separator = "|"
		}
	}
	if d.field.Type != List {
		d.field.Separator = ""
	}
	d.used = slices.Contains([]Type{Numeric, Indicator, Text, List, Date}, d.field.Type)
	if d.field.Transform != None && d.field.Type != Numeric && d.field.Type != Ignore && d.field.Type != Empty {
		return d.needsNumbers(file)
	}
	filled := len(d.filled())
	if d.used && filled == 0 {
		d.field.Type, d.used = Empty, false
	}
	d.report.Type, d.report.Blanks = d.field.Type, len(d.texts)-filled
	if d.field.Type == Ignore {
		d.note("ignored, as set")
	}
	return nil
}

// filled gives the cells that are not blank.
func (d *draft) filled() []string {
	out := make([]string, 0, len(d.texts))
	for _, text := range d.texts {
		if text = strings.TrimSpace(text); !d.field.isBlank(text) {
			out = append(out, text)
		}
	}
	return out
}

// detect finds the type. Numbers come first: the usual words for an unknown
// number are blanks if all else is numbers, and levels if not.
func (d *draft) detect() {
	filled := d.filled()
	d.detectForm(filled)
	numbers, close, words, whole, binary := 0, 0, 0, true, true
	wrong := "" // the first cell that is no number
	for _, text := range filled {
		x, problem, remedy := d.field.number(text)
		switch {
		case problem == "":
			numbers++
			whole = whole && x == math.Trunc(x)
			binary = binary && (x == 0 || x == 1)
			continue
		case data.MissingWord(text):
			words++
			continue
		case remedy != "":
			close++
		}
		if wrong == "" {
			wrong = text
		}
	}
	switch rest := len(filled) - words; {
	case len(filled) == 0:
		d.field.Type = Empty
	case numbers > 0 && numbers == rest:
		d.field.Type = Numeric
		switch {
		case binary:
			d.field.Type = Indicator
		case whole && words == 0 && named(d.field.Name) && len(filled) >= fewestDistinct && distinct(filled) == len(filled) && d.field.Transform == None:
			d.field.Type = ID
			d.note("whole numbers, all different, named as an id (type=numeric keeps it)")
		}
		if n := distinct(filled); d.field.Type == Numeric && whole && d.field.Transform == None && n > 2 && n <= mostCodes && len(filled) >= 2*n {
			d.note("%d different whole numbers: if they are codes, type=category makes a feature of each", n)
		}
		if words > 0 {
			d.note("words such as NA are blanks")
		}
	default:
		if float64(numbers+close) >= mostlyNumbers*float64(rest) {
			remedy := "correct it, or set blank=" + wrong
			if close > 0 {
				remedy = "write decimals with a point"
			}
			d.note("mostly numbers, but taken as text")
			d.report.warn("has %d numbers in %d cells, but %s is none: taken as text (%s)", numbers, rest, data.Quote(wrong), remedy)
		}
		d.detectText(filled)
	}
}

// detectForm finds how numbers with units, or with commas, are written.
func (d *draft) detectForm(filled []string) {
	plain := true
	texts := make([]string, 0, len(filled))
	for _, text := range filled {
		if !data.MissingWord(text) {
			texts = append(texts, text)
			_, problem, _ := data.ParseNumber(text)
			plain = plain && problem == ""
		}
	}
	if plain {
		return
	}
	if d.field.Number = formOf(texts); d.field.Number != nil {
		d.note("%v", d.field.Number)
	}
}

// detectText tells text, lists and free text apart.
func (d *draft) detectText(filled []string) {
	d.field.Type = Text
	if d.field.Transform == None && dates(filled) {
		d.field.Type = Date
		return
	}
	if d.field.Separator == "" {
		d.field.Separator = detectSeparator(filled)
	}
	if d.field.Separator == brackets || d.field.Separator != "" && slices.ContainsFunc(filled, func(text string) bool { return strings.Contains(text, d.field.Separator) }) {
		d.field.Type = List
	}
	if d.field.Transform == None && d.field.Type == Text && len(filled) >= fewestDistinct && distinct(filled) == len(filled) {
		d.field.Type = FreeText
		d.note("all cells are different (type=text keeps it)")
	}
}

// dates tells whether all cells are days, written in a way that can be meant in
// one way only.
func dates(filled []string) bool {
	date := Field{Type: Date}
	var c cell
	for _, text := range filled {
		if wrong := date.read(text, &c); wrong != nil || c.month == 0 && !c.blank {
			return false
		}
	}
	return true
}

// needsNumbers is the error for a transform of something else.
func (d *draft) needsNumbers(file string) error {
	for i, text := range d.texts {
		text = strings.TrimSpace(text)
		if _, problem, _ := d.field.number(text); problem != "" && !data.MissingWord(text) {
			wrong := fault{
				fmt.Sprintf("transform=%s needs numbers, but %s %s", d.field.Transform, data.Quote(text), problem),
				"correct it, or name it as a word that means blank",
			}
			return wrong.in(file, d.lines[i], d.field.Name)
		}
	}
	wrong := fault{fmt.Sprintf("transform=%s needs numbers, but the type is %s", d.field.Transform, d.field.Type), ""}
	return wrong.in(file, 0, d.field.Name)
}

// named tells whether a name is that of an id.
func named(name string) bool {
	if strings.EqualFold(name, "id") || strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id") {
		return true
	}
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, "_id") || strings.HasSuffix(lower, " id") || strings.HasSuffix(lower, "-id")
}

func distinct(texts []string) int {
	seen := make(map[string]struct{}, len(texts))
	for _, text := range texts {
		seen[text] = struct{}{}
	}
	return len(seen)
}
