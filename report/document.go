package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// document is a JSON file whose numbers a page shows.
type document struct {
	name string // for data-doc: model, path, or the number of a model
	root any
}

func newDocument(name string, text []byte) (*document, error) {
	d := &document{name: name}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // numbers keep their digits
	return d, decoder.Decode(&d.root)
}

// complete adds measures where scores of a model lack them, and the cost of an entry: files
// leave out those that are exactly 0 (of relative errors, older files).
func (d *document) complete(measures ...string) {
	root, _ := d.root.(map[string]any)
	if root["cost"] != nil && root["cost_per_entry"] == nil {
		root["cost_per_entry"] = json.Number("0")
	}
	scores := []any{root["train"], root["holdout"]}
	if simple, ok := root["baselines"].([]any); ok {
		scores = append(scores, simple...)
	}
	for _, s := range scores {
		s, ok := s.(map[string]any)
		for _, measure := range measures {
			if ok && s[measure] == nil {
				s[measure] = json.Number("0")
			}
		}
	}
}

// at is the path of a value: keys and indices.
func at(parts ...any) string {
	text := make([]string, len(parts))
	for i, p := range parts {
		text[i] = fmt.Sprint(p)
	}
	return strings.Join(text, ".")
}

// find looks a value up by its path.
func (d *document) find(path string) (any, bool) {
	value := d.root
	for _, key := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[key]
			if !ok {
				return nil, false
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// number is the value at a path, which must be a number.
func (d *document) number(path string) (json.Number, float64) {
	value, _ := d.find(path)
	n, ok := value.(json.Number)
	if !ok {
		panic(fmt.Sprintf("report: %s has no number at %s", d.name, path)) // a mistake of this package
	}
	x, err := n.Float64()
	if err != nil {
		panic(fmt.Sprintf("report: %s at %s: %v", d.name, path, err))
	}
	return n, x
}

// num shows the number at a path.
func (d *document) num(path string, style style) markup {
	n, x := d.number(path)
	return markup(fmt.Sprintf(`<data value="%s" data-doc="%s" data-path="%s">%s</data>`, n, d.name, html.EscapeString(path), style(x)))
}

// Ways to compute a number from two others.
var derivations = map[string]func(a, b float64) float64{
	"increase": func(a, b float64) float64 { return a/b - 1 },
	"decrease": func(a, b float64) float64 { return 1 - a/b },
	"minus":    func(a, b float64) float64 { return a - b },
	"product":  func(a, b float64) float64 { return a * b },
}

// derived shows a number computed from those at two paths.
func (d *document) derived(how, a, b string, style style) markup {
	x := d.derive(how, a, b)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return markup(fmt.Sprintf(`<data value="%s" data-doc="%s" data-derived="%s" data-of="%s %s">%s</data>`,
		strconv.FormatFloat(x, 'g', -1, 64), d.name, how, html.EscapeString(a), html.EscapeString(b), style(x)))
}

func (d *document) derive(how, a, b string) float64 {
	_, x := d.number(a)
	_, y := d.number(b)
	return derivations[how](x, y)
}

// style turns a number into text.
type style func(float64) string

// digits is a style with this many digits that matter.
func digits(n int) style {
	return func(x float64) string {
		size := math.Abs(x)
		if size >= 1e15 || size != 0 && size < 1e-5 {
			return scientific(x, n)
		}
		text := strconv.FormatFloat(x, 'g', n, 64)
		rounded, _ := strconv.ParseFloat(text, 64)
		places := max(0, n-1-int(math.Floor(math.Log10(math.Max(math.Abs(rounded), 1e-300)))))
		if rounded == 0 || rounded == math.Trunc(rounded) && size < 1e15 && x == rounded {
			places = 0
		}
		return group(strconv.FormatFloat(rounded, 'f', places, 64))
	}
}

// scientific writes 1.2·10⁻⁷.
func scientific(x float64, n int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', n-1, 64), "e")
	power, _ := strconv.Atoi(exponent)
	up := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	return strings.ReplaceAll(mantissa, "-", "−") + "·10" + up.Replace(strconv.Itoa(power))
}

// group puts commas between thousands.
func group(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "−", text[1:]
	}
	whole, part, dot := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if dot {
		whole += "." + part
	}
	return sign + whole
}

func whole(x float64) string { return group(strconv.FormatFloat(x, 'f', 0, 64)) }

// plain is four digits that matter.
func plain(x float64) string { return digits(4)(x) }

// short is plain without zeros at the end: for values of the data.
func short(x float64) string { return trimmed(plain(x)) }

func trimmed(text string) string {
	if strings.Contains(text, ".") && !strings.Contains(text, "·") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// brief is three, without zeros at the end: for people in a hurry.
func brief(x float64) string { return trimmed(digits(3)(x)) }

// exact is six.
func exact(x float64) string { return digits(6)(x) }

// signed shows a difference; what only rounding left of a zero is one.
func signed(x float64) string {
	if math.Abs(x) < 1e-9 {
		return "0"
	}
	text := digits(3)(x)
	if x > 0 {
		text = "+" + text
	}
	return text
}

// percent shows a fraction; what is below the precision of the search is nothing.
func percent(x float64) string {
	if math.Abs(x) < 1e-9 {
		return "0 %"
	}
	return digits(3)(100*x) + " %"
}

// shortPercent is percent without zeros at the end: for settings.
func shortPercent(x float64) string { return short(100*x) + " %" }

func morePercent(x float64) string {
	if x < 1e-9 {
		return percent(x)
	}
	return "+" + percent(x)
}

func seconds(x float64) string {
	switch {
	case x >= 3600:
		return digits(3)(x/3600) + " h"
	case x >= 120:
		return digits(3)(x/60) + " min"
	case x >= 1:
		return digits(3)(x) + " s"
	}
	return digits(3)(1000*x) + " ms"
}

// say is a text with HTML in it: strings are escaped, HTML stays.
func say(format string, args ...any) markup {
	for i, a := range args {
		switch a := a.(type) {
		case markup:
			args[i] = string(a)
		case string:
			args[i] = html.EscapeString(a)
		case []string:
			args[i] = names(a)
		}
	}
	return markup(fmt.Sprintf(format, args...))
}

// names lists features, each as one.
func names(list []string) string {
	out := make([]string, len(list))
	for i, name := range list {
		out[i] = `<span class="name">` + html.EscapeString(name) + `</span>`
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
	return strings.Join(out, "")
}

// name marks a name that comes from the data.
func name(text string) markup { return say(`<span class="name">%s</span>`, text) }
