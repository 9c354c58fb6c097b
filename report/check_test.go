package report

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"optcomplete/internal/must"
)

func attribute(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	out := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out += textOf(c)
	}
	return out
}

// lookUp is a walk of its own through the JSON, not that of the page's writer.
func lookUp(t testing.TB, object any, path string) float64 {
	t.Helper()
	for _, key := range strings.Split(path, ".") {
		switch v := object.(type) {
		case map[string]any:
			object = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				t.Fatalf("%s: no element %s", path, key)
			}
			object = v[i]
		default:
			t.Fatalf("%s: nothing at %s", path, key)
		}
	}
	x, ok := object.(float64)
	if !ok {
		t.Fatalf("%s is %v, not a number", path, object)
	}
	return x
}

var decimal = regexp.MustCompile(`[0-9][.,][0-9]|[0-9] ?%|·10`)

// checkNumbers wants every number of the page to be the one in its JSON, and no
// number outside of the elements that say where they come from. It returns how
// many there are.
func checkNumbers(t *testing.T, page *html.Node, texts map[string][]byte) int {
	t.Helper()
	documents := map[string]any{}
	for name, text := range texts {
		var object any
		must.Do(t, json.Unmarshal(text, &object))
		documents[name] = object
	}
	numbers := 0
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.TextNode && decimal.MatchString(n.Data) && !strings.HasPrefix(strings.TrimSpace(n.Data), "Shares add up") &&
			!strings.Contains(n.Data, "The outer 1 % of ") && !strings.Contains(n.Data, "95 % interval") && !strings.Contains(n.Data, "100 % before there is a bound") {
			t.Errorf("a number without its source: %q", n.Data)
		}
		if n.Type == html.ElementNode {
			class, _ := attribute(n, "class")
			switch {
			case n.Data == "svg" || n.Data == "script" || n.Data == "style" || n.Data == "code" || n.Data == "thead" || class == "name":
				return
			case n.Data == "data":
				numbers++
				checkNumber(t, n, documents)
				return
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	visit(page)
	return numbers
}

func checkNumber(t *testing.T, n *html.Node, documents map[string]any) {
	value, _ := attribute(n, "value")
	got, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Errorf("value %q: %v", value, err)
	}
	if _, axis := attribute(n, "data-axis"); !axis {
		name, _ := attribute(n, "data-doc")
		document, ok := documents[name]
		if !ok {
			t.Fatalf("no document %q", name)
		}
		want := 0.0
		if path, ok := attribute(n, "data-path"); ok {
			want = lookUp(t, document, path)
		} else {
			how, _ := attribute(n, "data-derived")
			of, _ := attribute(n, "data-of")
			a, b, _ := strings.Cut(of, " ")
			x, y := lookUp(t, document, a), lookUp(t, document, b)
			switch how {
			case "increase":
				want = x/y - 1
			case "minus":
				want = x - y
			case "product":
				want = x * y
			case "decrease":
				want = 1 - x/y
			default:
				t.Fatalf("derived by %q", how)
			}
		}
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%v: %v in the page, %v in the JSON", n.Attr, got, want)
		}
	}
	if shown := shownNumber(textOf(n)); math.Abs(shown-got) > 0.006*math.Abs(got)+1e-9 {
		t.Errorf("%v is shown as %q", got, textOf(n))
	}
}

// shownNumber reads what people read.
func shownNumber(text string) float64 {
	scale := 1.0
	for _, unit := range []struct {
		name string
		by   float64
	}{{" %", 0.01}, {" ms", 1e-3}, {" min", 60}, {" s", 1}, {" h", 3600}} {
		if strings.HasSuffix(text, unit.name) {
			text, scale = strings.TrimSuffix(text, unit.name), unit.by
			break
		}
	}
	mantissa, power, ok := strings.Cut(text, "·10")
	if ok {
		down := strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
		exponent, err := strconv.Atoi(down.Replace(power))
		if err != nil {
			return math.NaN()
		}
		scale *= math.Pow(10, float64(exponent))
	}
	x, err := strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-", "+", "").Replace(mantissa), 64)
	if err != nil {
		return math.NaN()
	}
	return x * scale
}

// checkPlots wants something drawn in every plot.
func checkPlots(t *testing.T, n *html.Node) {
	t.Helper()
	if n.Type == html.ElementNode && n.Data == "svg" {
		marks := 0
		var visit func(n *html.Node)
		visit = func(n *html.Node) {
			class, _ := attribute(n, "class")
			for _, c := range strings.Fields(class) {
				if slices.Contains([]string{"dot", "line", "shape", "thin"}, c) || n.Data == "rect" && regexp.MustCompile(`^f[1-6]$`).MatchString(c) {
					marks++
				}
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				visit(c)
			}
		}
		visit(n)
		if label, _ := attribute(n, "aria-label"); marks == 0 {
			t.Errorf("the plot %q is empty", label)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		checkPlots(t, c)
	}
}
