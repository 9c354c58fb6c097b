package milp

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
)

func TestWriteLPIsReadable(t *testing.T) {
	m := &Master{
		P: 4, K: 2, Floor: -1, Always: []int{0}, Never: []int{3},
		Cuts: []Cut{{1, []float64{-1, -0.5, -0.25, 0}}, {0.5, []float64{0, 0.5, -1e-3, -0.7}}},
	}
	var b bytes.Buffer
	must.Do(t, WriteLP(&b, m))
	want := `\ OptComplete master: 4 features, select 2, 2 cuts
\ eta is the cost times 0.5
Minimize
 obj: eta
Subject To
 cut1: eta + 0.5 s1 + 0.25 s2 + 0.125 s3 >= 0.5
 cut2: eta - 0.25 s2 + 0.0005 s3 + 0.35 s4 >= 0.25
 select: s1 + s2 + s3 + s4 = 2
Bounds
 eta >= -0.5
 s1 = 1
 0 <= s2 <= 1
 0 <= s3 <= 1
 s4 = 0
Generals
 s1
 s2
 s3
 s4
End
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteMPSKeepsEveryBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 5).Draw(t, "p")
		m := &Master{P: p, K: rapid.IntRange(0, p).Draw(t, "k")}
		for range rapid.IntRange(1, 4).Draw(t, "cuts") {
			entry := rapid.Float64Range(-1e9, 1e9)
			m.Cuts = append(m.Cuts, Cut{entry.Draw(t, "constant"), rapid.SliceOfN(entry, p, p).Draw(t, "gradient")})
		}
		var b bytes.Buffer
		must.Do(t, WriteMPS(&b, m))
		read := map[string]float64{}
		for scanner := bufio.NewScanner(&b); scanner.Scan(); {
			if f := strings.Fields(scanner.Text()); len(f) == 3 && strings.HasPrefix(f[1], "cut") {
				v := must.Get(strconv.ParseFloat(f[2], 64))(t)
				read[f[0]+" "+f[1]] = v
			}
		}
		scale := FileScale(m)
		// Scaling may push numbers next to the smallest there are below them.
		same := func(a, b float64) bool { return a == b || math.Abs(a) < 1e-290 && math.Abs(a-b) < 1e-300 }
		for i, c := range m.Cuts {
			if got := read["rhs cut"+strconv.Itoa(i+1)] / scale; !same(got, c.Constant) {
				t.Errorf("constant %v reads as %v", c.Constant, got)
			}
			for j, g := range c.Gradient {
				got := -read["s"+strconv.Itoa(j+1)+" cut"+strconv.Itoa(i+1)] / scale
				if !same(got, g) {
					t.Errorf("gradient %v reads as %v", g, got)
				}
			}
		}
	})
}
