package milp

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"optcomplete/feasible"
)

// WriteLP writes the master in CPLEX LP format, which every solver here reads.
// Features are s1..sP (one-based, as modellers expect), η is eta.
//
// Numbers are written so that they read back to the same bits. Solvers accept
// violations of about 1e-6 whatever the units, so eta and the cuts are
// multiplied by a power of two that brings typical gradients to about 1 (see
// [FileScale]); the file's first lines say which. It changes no digit, unless a
// number is 1e-290 times smaller than typical.
func WriteLP(w io.Writer, m *Master) error {
	if err := m.Validate(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	s := FileScale(m)
	fmt.Fprintf(b, "\\ OptComplete master: %d features, select %d, %d cuts\n", m.P, m.K, len(m.Cuts))
	fmt.Fprintf(b, "\\ eta is the cost times %s\n", number(s))
	fmt.Fprint(b, "Minimize\n obj: eta\nSubject To\n")
	var line []byte
	for i, c := range m.Cuts {
		line = fmt.Appendf(line[:0], " cut%d: eta", i+1)
		for j, g := range c.Gradient {
			if g == 0 {
				continue
			}
			line = append(line, ' ')
			if g < 0 { // eta − g·s ≥ constant
				line = append(line, "+ "...)
			} else {
				line = append(line, "- "...)
			}
			line = strconv.AppendFloat(line, math.Abs(g)*s, 'g', -1, 64)
			line = append(line, " s"...)
			line = strconv.AppendInt(line, int64(j+1), 10)
			if j%8 == 7 {
				line = append(line, '\n')
			}
		}
		line = append(line, " >= "...)
		line = strconv.AppendFloat(line, c.Constant*s, 'g', -1, 64)
		line = append(line, '\n')
		b.Write(line)
	}
	b.WriteString(" select:")
	for j := range m.P {
		if j > 0 {
			b.WriteString(" +")
		}
		fmt.Fprintf(b, " s%d", j+1)
		if j%16 == 15 {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(b, " = %d\nBounds\n eta >= %s\n", m.K, number(m.Floor*s))
	for j, state := range m.root().State {
		switch state {
		case feasible.Free:
			fmt.Fprintf(b, " 0 <= s%d <= 1\n", j+1)
		case feasible.In:
			fmt.Fprintf(b, " s%d = 1\n", j+1)
		default:
			fmt.Fprintf(b, " s%d = 0\n", j+1)
		}
	}
	// Generals, not Binaries: some readers reset the bounds of the latter.
	b.WriteString("Generals\n")
	for j := range m.P {
		fmt.Fprintf(b, " s%d\n", j+1)
	}
	b.WriteString("End\n")
	return b.Flush()
}

// WriteMPS writes the master in free MPS format, with the names and the scaling
// of [WriteLP].
func WriteMPS(w io.Writer, m *Master) error {
	if err := m.Validate(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	s := FileScale(m)
	fmt.Fprintf(b, "* OptComplete master: %d features, select %d, %d cuts\n", m.P, m.K, len(m.Cuts))
	fmt.Fprintf(b, "* eta is the cost times %s\n", number(s))
	fmt.Fprint(b, "NAME master\nROWS\n N obj\n E select\n")
	for i := range m.Cuts {
		fmt.Fprintf(b, " G cut%d\n", i+1)
	}
	b.WriteString("COLUMNS\n eta obj 1\n")
	for i := range m.Cuts {
		fmt.Fprintf(b, " eta cut%d 1\n", i+1)
	}
	b.WriteString(" MARKER 'MARKER' 'INTORG'\n")
	for j := range m.P {
		fmt.Fprintf(b, " s%d select 1\n", j+1)
		for i, c := range m.Cuts {
			if g := c.Gradient[j]; g != 0 {
				fmt.Fprintf(b, " s%d cut%d %s\n", j+1, i+1, number(-g*s))
			}
		}
	}
	b.WriteString(" MARKER 'MARKER' 'INTEND'\nRHS\n")
	fmt.Fprintf(b, " rhs select %d\n", m.K)
	for i, c := range m.Cuts {
		if c.Constant != 0 {
			fmt.Fprintf(b, " rhs cut%d %s\n", i+1, number(c.Constant*s))
		}
	}
	b.WriteString("BOUNDS\n")
	fmt.Fprintf(b, " LO bound eta %s\n", number(m.Floor*s))
	for j, state := range m.root().State {
		switch state {
		case feasible.Free:
			fmt.Fprintf(b, " UP bound s%d 1\n", j+1)
		case feasible.In:
			fmt.Fprintf(b, " FX bound s%d 1\n", j+1)
		default:
			fmt.Fprintf(b, " FX bound s%d 0\n", j+1)
		}
	}
	b.WriteString("ENDATA\n")
	return b.Flush()
}

// FileScale is the factor, a power of two, by which eta and the cuts of a
// written master are larger than those of m: the median over the cuts of their
// largest gradient entry becomes about 1.
func FileScale(m *Master) float64 { return scaleOf(m) }

// number formats x with as many digits as it takes to read the same bits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
