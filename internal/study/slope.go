package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/internal/chart"
)

// place is a point of a curve of time.
type place struct{ x, seconds float64 }

// curve gives a method's median times along a panel. Where half of the searches
// or more met their limit the median is no time.
func curve(panel Panel, all []group, method string, of func(cell) float64) []place {
	var out []place
	for _, row := range panel.Rows {
		for _, g := range all {
			if g.data == row.String() && g.method == method && len(g.cells) > 0 && 2*g.stopped() < len(g.cells) {
				median, _, _ := spread(g.cells, of)
				out = append(out, place{panel.Along(row.Shape), median})
			}
		}
	}
	return out
}

// theirCurve gives the paper's times along a panel.
func theirCurve(panel Panel, method string) []place {
	var out []place
	for i := range panel.Rows {
		if t, _ := panel.Rows[i].theirs(method); t.Seconds > 0 {
			out = append(out, place{panel.Along(panel.Rows[i].Shape), t.Seconds})
		}
	}
	return out
}

// slope fits log(seconds) = a + slope·log(x) by least squares: time grows like
// x to the power of it. It needs two different x.
func slope(points []place) (float64, bool) {
	var n, x, y, xx, xy float64
	for _, p := range points {
		if p.seconds > 0 {
			u, v := math.Log(p.x), math.Log(p.seconds)
			n, x, y, xx, xy = n+1, x+u, y+v, xx+u*u, xy+u*v
		}
	}
	below := n*xx - x*x
	if n < 2 || below < 1e-9 {
		return 0, false
	}
	return (n*xy - x*y) / below, true
}

// slopes is a table of how time grows along the panel.
func slopes(panel Panel, all []group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "How time grows: the power of %s, fitted to the medians (without those at the limit).\n\n| method | search | total | the paper's figures | the paper says |\n|---|---|---|---|---|\n", panel.Axis)
	show := func(points []place) string {
		if s, ok := slope(points); ok {
			return fmt.Sprintf("%.2f", s)
		}
		return ""
	}
	for _, m := range ours(all, theirMethods) {
		claim := ""
		for _, c := range panel.Claim {
			if c.Method == m {
				claim = c.Text
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", m, show(curve(panel, all, m, searchSeconds)), show(curve(panel, all, m, totalSeconds)), show(theirCurve(panel, m)), claim)
	}
	return b.String()
}

// ours lists the methods of the cells but the oracle, and then others.
func ours(all []group, others []string) []string {
	var names []string
	for _, g := range all {
		if g.method != oracle.name && !slices.Contains(names, g.method) {
			names = append(names, g.method)
		}
	}
	for _, m := range others {
		if !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return names
}

// tones are the colours of the methods that are plotted, the same for theirs.
var tones = map[string]int{"certified": 1, "optcomplete": 2, "cutplanes": 3, "imc": 4, "softimpute": 5, "full": 6}

// paperChart plots time along a panel, ours and the paper's.
func paperChart(panel Panel, cells []cell) *chart.Chart {
	all := groups(cells)
	c := &chart.Chart{Title: panel.Title + ": total time", X: panel.Axis, Y: "seconds", LogX: true, LogY: true}
	add := func(method, name string, theirs bool, points []place) {
		if len(points) == 0 || tones[method] == 0 {
			return
		}
		s := chart.Series{Name: name, Marks: true, Dash: theirs, Tone: tones[method]}
		if power, ok := slope(points); ok {
			s.Name = fmt.Sprintf("%s: %s^%.2f", name, panel.Axis, power)
		}
		for _, p := range points {
			s.Points = append(s.Points, chart.Point{X: p.x, Y: p.seconds})
		}
		c.Series = append(c.Series, s)
	}
	for _, m := range ours(all, nil) {
		add(m, m, false, curve(panel, all, m, totalSeconds))
	}
	for _, m := range theirMethods {
		_, name := (&Row{}).theirs(m)
		add(m, "paper's "+name, true, theirCurve(panel, m))
	}
	c.Note = "Beside each name the power that its time grows with. Dashed: the paper's own times, on 16 cores."
	return c
}
