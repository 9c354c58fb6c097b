package encode

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"optcomplete/data"
)

// NumberForm is how the numbers of a field are written, where that is not plainly.
type NumberForm struct {
	Unit    string `json:"unit,omitempty"`    // before or after every number: kg, %, $
	Decimal string `json:"decimal,omitempty"` // "," where that stands before the decimals
	Group   string `json:"group,omitempty"`   // "," or "." where that groups the digits of thousands
}

// written is a number with what may stand around it.
var written = regexp.MustCompile(`^([$€£¥]?)\s*([+-]?)\s*([$€£¥]?)\s*(\d[\d.,]*|[.,]\d+)(\s*)(.*)$`)

// closeUnits are the units that may stand right behind a number. Others need a
// space between: 3D and 2nd are no numbers.
var closeUnits = strings.Fields("% ‰ ° °c °f € $ £ ¥ kg g mg lb lbs oz km m cm mm mi ft in s ms min h hr hrs yr kb mb gb tb w kw kwh v hz khz mhz ghz l ml cl px pt m2 m3 m² m³ km2 km² cm2 cm² cm3 cm³ ft2 ft² +")

// power is a unit that ends in a digit: m2, cm3.
var power = regexp.MustCompile(`^\pL+[23]$`)

// inThousands is digits in groups of three.
var inThousands = regexp.MustCompile(`^\d{1,3}([.,]\d{3})+$`)

// parts takes a text apart: the sign and digits, with points and commas as they
// are, and the unit.
func parts(text string) (sign, digits, unit string, ok bool) {
	m := written.FindStringSubmatch(text)
	if m == nil {
		return "", "", "", false
	}
	before, after := m[1]+m[3], strings.TrimSpace(m[6])
	switch {
	case len(m[1]) > 0 && len(m[3]) > 0 || before != "" && after != "":
		return "", "", "", false
	case strings.ContainsAny(after, "0123456789") && !power.MatchString(after):
		return "", "", "", false
	case after != "" && m[5] == "" && !slices.Contains(closeUnits, strings.ToLower(after)):
		return "", "", "", false
	}
	return m[2], m[4], before + after, true
}

// formOf finds how numbers are written; nil if they are plain, or no numbers.
func formOf(texts []string) *NumberForm {
	var all []string
	form := &NumberForm{}
	for at, text := range texts {
		_, digits, unit, ok := parts(text)
		if !ok || at > 0 && !strings.EqualFold(unit, form.Unit) {
			return nil
		}
		form.Unit = unit
		all = append(all, digits)
	}
	commas := slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, ",") })
	points := slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, ".") })
	both := slices.IndexFunc(all, func(s string) bool { return strings.Contains(s, ",") && strings.Contains(s, ".") })
	switch {
	case both >= 0: // the last of the two is before the decimals
		form.Group = ","
		if strings.LastIndex(all[both], ",") > strings.LastIndex(all[both], ".") {
			form.Decimal, form.Group = ",", "."
		}
	case commas && points:
		form.Group = "," // 1,234 and 0.5
	case commas:
		form.Group = ","
		for _, digits := range all {
			if strings.Contains(digits, ",") && (!inThousands.MatchString(digits) || digits[0] == '0') {
				form.Decimal, form.Group = ",", ""
			}
		}
	}
	if *form == (NumberForm{}) || len(all) == 0 {
		return nil
	}
	for _, text := range texts {
		if _, problem, _ := form.parse(text); problem != "" {
			return nil
		}
	}
	return form
}

// parse reads a number of the form, as data.ParseNumber does.
func (n *NumberForm) parse(text string) (value float64, problem, remedy string) {
	sign, digits, unit, ok := parts(text)
	if !ok || !strings.EqualFold(unit, n.Unit) && unit != "" {
		return 0, "is not a number" + n.with(), "write it as the other cells are"
	}
	if n.Group != "" && strings.Contains(digits, n.Group) {
		whole, _, _ := strings.Cut(digits, n.point())
		if !inThousands.MatchString(whole) {
			return 0, "is not a number" + n.with(), "write it as the other cells are"
		}
		digits = strings.ReplaceAll(digits, n.Group, "")
	}
	if n.Decimal != "" {
		digits = strings.Replace(digits, n.Decimal, ".", 1)
	}
	return data.ParseNumber(sign + digits)
}

func (n *NumberForm) point() string {
	if n.Decimal != "" {
		return n.Decimal
	}
	return "."
}

func (n *NumberForm) with() string {
	if n.Unit == "" {
		return ""
	}
	return " of " + n.Unit
}

// String says how the numbers are written.
func (n *NumberForm) String() string {
	var out []string
	if n.Unit != "" {
		out = append(out, "in "+n.Unit)
	}
	if n.Decimal != "" {
		out = append(out, "with a decimal comma")
	}
	if n.Group != "" {
		out = append(out, fmt.Sprintf("with %q between thousands", n.Group))
	}
	return "numbers " + strings.Join(out, ", ")
}

// number reads the number of a cell.
func (f *Field) number(text string) (value float64, problem, remedy string) {
	if f.Number != nil {
		return f.Number.parse(text)
	}
	return data.ParseNumber(text)
}
