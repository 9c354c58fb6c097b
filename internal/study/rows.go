package main

import (
	"fmt"
	"slices"
	"strings"

	"optcomplete/data/synth"
	"optcomplete/internal/lists"
)

// Theirs is what the paper reports of a method on a row: the median of ten runs
// on a server with 16 cores, Gurobi 8.1.0, Matlab 2018b and R 3.4.4. The zero
// value means that it reports nothing, or "N/A: did not complete in 20 hours".
type Theirs struct {
	Seconds float64 `json:"seconds"`
	MAPE    float64 `json:"mape"` // percent
}

// Shape says what data a row of the paper's tables is about.
type Shape struct {
	Netflix  bool    `json:"netflix,omitempty"` // ratings, not the synthetic matrices
	Rows     int     `json:"rows"`
	Columns  int     `json:"columns"`
	Features int     `json:"features"`
	K        int     `json:"k"`
	Missing  float64 `json:"missing"` // fraction
}

// Row is a row of the paper's tables, with its figures.
type Row struct {
	Shape
	OptComplete Theirs `json:"paper_optcomplete"`
	CutPlanes   Theirs `json:"paper_cutplanes"`
	IMC         Theirs `json:"paper_imc"`
	SIALS       Theirs `json:"paper_sials"`
}

// Panel is a part of a table.
type Panel struct {
	Name  string
	Title string
	Axis  string                // what varies, for plots; empty: no plot
	Along func(s Shape) float64 // its value
	Claim []Claim
	Rows  []Row
}

// Claim is what the paper says about how time grows along a panel.
type Claim struct{ Method, Text string }

// table1 is the paper's table "Comparison of OptComplete, IMC and SIALS on
// synthetic data", line by line: n, m, p, k, μ in percent, then seconds and MAPE
// in percent of OptComplete, CutPlanes, IMC and SIALS; - for N/A.
const table1 = `
mu     100     100   15  5 20  1.7  0.1    6.0   0.1    0.03  0.01  0.02  0.3
mu     100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
mu     100     100   15  5 80  0.6  0.03   2.5   0.03   0.09  1.3   0.06  5.6
mu     100     100   15  5 95  0.2  0.04   1.2   0.04   0.12  12.1  0.12  7.4
n      100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
n      1000    100   15  5 50  3.1  0.01   72.5  0.01   0.6   0.4   0.1   0.2
n      10000   100   15  5 50  9.5  0.004  957   0.004  4.5   0.3   6.5   0.5
n      100000  100   15  5 50  18.0 0.003  10856 0.003  32.7  0.1   38    3.0
m      100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
m      100     1000  15  5 50  0.7  0.01   18.6  0.01   0.8   0.3   0.1   0.5
m      100     10000 15  5 50  1.2  0.004  68.5  0.004  6.2   0.2   0.8   0.3
m      100    100000 15  5 50  3.0  0.002  259   0.002  56.2  0.1   12.7  0.8
p      100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
p      100     100   50  5 50  2.0  0.02   18.0  0.02   0.3   0.6   0.03  0.9
p      100     100  200  5 50  12.1 0.02   95.9  0.02   1.9   0.8   0.03  0.9
p      100     100 1000  5 50  90.3 0.02   680   0.02   10.4  1.0   0.03  0.9
k      100     100   50  5 50  2.0  0.02   18.0  0.02   0.3   0.5   0.03  0.9
k      100     100   50 10 50  20.7 0.06   130   0.06   0.20  1.2   0.1   0.8
k      100     100   50 20 50  240  0.07   1584  0.07   0.35  2.1   0.21  1.0
k      100     100   50 30 50  980  0.09   8461  0.09   0.5   3.3   0.43  2.8
large  100     100   15  5 95  0.2  0.04   1.2   0.04   0.12  12.1  0.12  7.4
large  1000    1000  50  5 95  1.4  0.006  3.5   0.006  4.6   4.7   2.8   12.5
large  10000   1000 100  5 95  5.7  0.002  35.2  0.002  18    2.5   20.7  12.6
large  100000  1000 200 10 95  52   0.001  1520  0.001  295   1.7   420   4.6
large  100000 10000 200 10 95  98   0.001  5769  0.001  1750  0.5   4042  4.1
large 1000000 10000 200 10 95  480  0.001  -     -      13750 0.3   25094 2.5
large 1000000 100000 200 10 95 680  0.001  -     -      -     -     -     -
large 1000000 1000000 200 10 95 1415 0.001 -     -      -     -     -     -
`

// table2 holds its two tables "Comparison of methods on Netflix data", for k = 5
// and k = 10: n, m, p, k, μ in percent, then seconds and MAPE in percent of
// OptComplete, IMC and SIALS. (Of the full set's μ see synth.NetflixSizes.)
const table2 = `
3923    103    59  5  92.6  6.0   29.4  0.6   34.2  0.3   31.2
18227   323    59  5  94.8  12.2  21.8  5.2   29.1  4.1   24.1
96601   788    59  5  94.2  25.5  20.9  38.1  28.7  30.4  21.3
471268  1760   59  5  93.6  102   18.8  460   24.6  430   19.8
471268  14538  59  5  94.1  170   15.7  3921  21.5  5300  16.7
3923    103    59  10 92.6  11.0  30.4  1.4   36.7  0.8   35.8
18227   323    59  10 94.8  20.3  24.0  12.5  32.5  7.0   28.9
96601   788    59  10 94.2  45.9  22.3  84.2  29.6  50.7  22.8
471268  1760   59  10 93.6  260   20.7  1022  24.8  870   20.7
471268  14538  59  10 94.1  380   19.6  8704  23.1  10240 20.0
`

// Panels gives the paper's experiments in its order.
func Panels() []Panel {
	panels := []Panel{
		{Name: "mu", Title: "The missing part μ"},
		{Name: "n", Title: "The number of rows n", Axis: "n", Along: func(s Shape) float64 { return float64(s.Rows) }, Claim: []Claim{
			{"optcomplete", "O(√n·log n)"}, {"cutplanes", "O(n)"}, {"imc", "worse than OptComplete's"}, {"softimpute", "worse than OptComplete's"}}},
		{Name: "m", Title: "The number of columns m", Axis: "m", Along: func(s Shape) float64 { return float64(s.Columns) }, Claim: []Claim{
			{"optcomplete", "much slower than O(√m·log m)"}, {"cutplanes", "roughly O(√m)"}, {"imc", "O(m)"}, {"softimpute", "O(m)"}}},
		{Name: "p", Title: "The number of features p", Axis: "p", Along: func(s Shape) float64 { return float64(s.Features) }, Claim: []Claim{
			{"optcomplete", "O(p) to O(p²)"}, {"imc", "similar to OptComplete's"}, {"softimpute", "none: it uses no features"}}},
		{Name: "k", Title: "The number of true features k", Axis: "k", Along: func(s Shape) float64 { return float64(s.K) }, Claim: []Claim{
			{"optcomplete", "O(k) cuts of O(k³) each"}, {"imc", "almost linear"}, {"softimpute", "almost linear"}}},
		{Name: "large", Title: "Realistic and large sizes"},
		{Name: "netflix", Title: "Netflix-shaped ratings"},
	}
	for _, line := range fieldLines(table1) {
		var r Row
		var panel string
		var percent float64
		scan(line, &panel, &r.Rows, &r.Columns, &r.Features, &r.K, &percent, &r.OptComplete, &r.CutPlanes, &r.IMC, &r.SIALS)
		r.Missing = percent / 100
		for p := range panels {
			if panels[p].Name == panel {
				panels[p].Rows = append(panels[p].Rows, r)
			}
		}
	}
	for at, line := range fieldLines(table2) {
		r := Row{Shape: Shape{Netflix: true}}
		var percent float64
		scan(line, &r.Rows, &r.Columns, &r.Features, &r.K, &percent, &r.OptComplete, &r.IMC, &r.SIALS)
		r.Missing = synth.NetflixSizes[at%len(synth.NetflixSizes)].Missing
		panels[6].Rows = append(panels[6].Rows, r)
	}
	return panels
}

// panelsOf finds panels by their names.
func panelsOf(names string) (found []Panel, err error) {
	for _, name := range strings.Split(names, ",") {
		at := slices.Index(panelNames(), name)
		if at < 0 {
			return nil, fmt.Errorf("-panels: %q is not a panel: they are %s", name, strings.Join(panelNames(), ", "))
		}
		found = append(found, Panels()[at])
	}
	return found, nil
}

// panelNames lists the panels.
func panelNames() []string {
	return lists.Each(Panels(), func(p Panel) string { return p.Name })
}

// theirs gives the paper's figures for the method of ours that is or stands
// where theirs does, and their name for it.
func (r *Row) theirs(method string) (Theirs, string) {
	switch method {
	case "optcomplete":
		return r.OptComplete, "OptComplete"
	case "cutplanes":
		return r.CutPlanes, "CutPlanes"
	case "imc":
		return r.IMC, "IMC"
	case "softimpute":
		return r.SIALS, "SIALS"
	}
	return Theirs{}, ""
}

// theirMethods are those of ours that the paper has too, in its order.
var theirMethods = []string{"optcomplete", "cutplanes", "imc", "softimpute"}

func fieldLines(table string) []string { return strings.Split(strings.TrimSpace(table), "\n") }

// scan reads the fields of a line of a table above; a mistake there is a bug.
func scan(line string, into ...any) {
	fields := strings.Fields(line)
	next := func(to any) {
		if _, err := fmt.Sscan(fields[0], to); err != nil {
			panic(fmt.Sprintf("study: %q: %v", line, err))
		}
		fields = fields[1:]
	}
	for _, to := range into {
		theirs, ok := to.(*Theirs)
		switch {
		case !ok:
			next(to)
		case fields[0] == "-":
			fields = fields[2:]
		default:
			next(&theirs.Seconds)
			next(&theirs.MAPE)
		}
	}
	if len(fields) > 0 {
		panic(fmt.Sprintf("study: %q has more fields than are read", line))
	}
}
