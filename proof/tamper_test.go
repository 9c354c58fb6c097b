package proof_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/proof"
	"optcomplete/search"
)

// instance is a problem whose proof has branchings, fixings and cuts.
func instance(n, m, p, k int, seed uint64) testkit.Instance {
	rng := random.New(seed)
	values := make([]float64, m*p)
	for x := range values {
		values[x] = rng.Normal()
	}
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if rng.Float64() < 0.5 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: rng.Normal() + values[j*p] - values[j*p+1]*float64(i%3)})
			}
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		panic(err)
	}
	return testkit.Instance{Matrix: matrix, Features: testkit.Features(m, p, values), Gamma: 0.1, K: k}
}

// sealed puts the right checksum under the lines of a proof.
func sealed(lines []string) string {
	text := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(text))
	return text + fmt.Sprintf(`{"lines":%d,"sha256":%q}`, len(lines), hex.EncodeToString(sum[:])) + "\n"
}

// body is the lines of a proof but the checksum.
func body(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[:len(lines)-1]
}

// accepted tells whether a proof is accepted, and the bound it then has.
func accepted(t *testing.T, p *proof.Problem, text string) (bool, float64, error) {
	read, err := proof.Read(strings.NewReader(text), "proof")
	if err != nil {
		return false, 0, err
	}
	verdict, err := proof.Check(t.Context(), p, read, 1)
	if err != nil {
		return false, 0, err
	}
	if len(verdict.Faults) > 0 {
		return false, verdict.Bound, errors.New(verdict.Faults[0])
	}
	return true, verdict.Bound, nil
}

// small is a problem, its proof by cuts alone, and the least cost.
func small(t testing.TB) (*proof.Problem, string, float64) {
	in := instance(6, 9, 8, 3, 3)
	p := problemOf(in)
	oracle := curvedOnly{objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)}
	text, _ := proven(t, p, oracle, search.Settings{K: in.K})
	return p, text, least(in, nil, nil)
}

func TestTamperedProofsAreRefused(t *testing.T) {
	p, text, _ := small(t)
	if ok, _, err := accepted(t, p, text); !ok {
		t.Fatalf("the proof itself is refused: %v", err)
	}
	lines := body(text)
	without := func(part string) []string {
		for x, l := range lines {
			if strings.Contains(l, part) {
				return append(append([]string{}, lines[:x]...), lines[x+1:]...)
			}
		}
		t.Fatalf("no line has %s: %s", part, text)
		return nil
	}
	replaced := func(old, new string) []string {
		out := strings.Split(strings.Replace(strings.Join(lines, "\n"), old, new, 1), "\n")
		if strings.Join(out, "\n") == strings.Join(lines, "\n") {
			t.Fatalf("no line has %s: %s", old, text)
		}
		return out
	}
	for name, text := range map[string]string{
		"one byte":      strings.Replace(text, `"cut":1`, `"cut":0`, 1),
		"cut short":     text[:len(text)/2],
		"one number":    sealed(replaced(`"gamma":0.1`, `"gamma":0.2`)),
		"its bound":     sealed(replaced(`"bound":`, `"bound":1`)),
		"one leaf":      sealed(without(`"split"`)),
		"k":             sealed(replaced(`"k":3`, `"k":4`)),
		"its selection": sealed(replaced(`"selected":[`, `"selected":[99,`)),
	} {
		if ok, _, err := accepted(t, p, text); ok || err == nil {
			t.Errorf("%s changed: accepted", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	other := instance(6, 9, 8, 3, 4)
	q := *p
	q.Entries = other.Matrix
	if ok, _, _ := accepted(t, &q, text); ok {
		t.Error("another matrix is accepted")
	}
	q = *p
	q.Features = other.Features
	if ok, _, _ := accepted(t, &q, text); ok {
		t.Error("other features are accepted")
	}
	for name, change := range map[string]func(*proof.Problem){
		"cost":      func(p *proof.Problem) { p.Cost *= 0.999 },
		"bound":     func(p *proof.Problem) { p.Bound *= 1.001 },
		"selection": func(p *proof.Problem) { p.Selected = []int{0, 1, 7} },
		"always":    func(p *proof.Problem) { p.Always = []int{7} },
	} {
		q := *p
		change(&q)
		if ok, _, _ := accepted(t, &q, text); ok {
			t.Errorf("a model with another %s is accepted", name)
		}
	}
}

// TestNoChangeMakesABoundFalse: thousands of changed proofs with right checksums.
func TestNoChangeMakesABoundFalse(t *testing.T) {
	p, text, want := small(t)
	changes(t, p, text, want, 3000)
	p, text, want = byModel(t)
	changes(t, p, text, want, 1000)
}

func changes(t *testing.T, p *proof.Problem, text string, want float64, times int) {
	lines := body(text)
	rng := rand.New(rand.NewPCG(1, 2))
	for range times {
		changed := append([]string{}, lines...)
		for range 1 + rng.IntN(3) {
			x := 1 + rng.IntN(len(changed)-1)
			switch rng.IntN(5) {
			case 4:
				changed[x] = otherwise(changed[x])
			case 0:
				changed = append(changed[:x:x], changed[x+1:]...)
			case 1:
				changed[x] = changed[1+rng.IntN(len(changed)-1)]
			default:
				changed[x] = anotherDigit(changed[x], rng)
			}
			if len(changed) < 3 {
				break
			}
		}
		if _, bound, _ := accepted(t, p, sealed(changed)); bound > want*(1+1e-15) {
			t.Fatalf("bound %v, but a selection costs %v:\n%s", bound, want, strings.Join(changed, "\n"))
		}
	}
}

// otherwise makes what a cut closes closed by a model, and the other way round.
func otherwise(line string) string {
	if other := strings.Replace(line, `,"model":true`, "", 1); other != line {
		return other
	}
	return strings.Replace(line, `,"cut":`, `,"model":true,"cut":`, 1)
}

// anotherDigit changes one digit of a line.
func anotherDigit(line string, rng *rand.Rand) string {
	text := []byte(line)
	for range 50 {
		if x := rng.IntN(len(text)); text[x] >= '0' && text[x] <= '9' {
			text[x] = byte('0' + rng.IntN(10))
			break
		}
	}
	return string(text)
}

// FuzzTamperedProof gives the checker any lines under a right checksum: it must
// not fail otherwise than by refusing, and never have a bound above the truth.
func FuzzTamperedProof(f *testing.F) {
	p, text, want := small(f)
	f.Add(strings.Join(body(text), "\n"))
	f.Add(strings.ReplaceAll(strings.Join(body(text), "\n"), `,"cut":`, `,"model":true,"cut":`))
	f.Add(strings.ReplaceAll(strings.Join(body(text), "\n"), `"weights":[1`, `"weights":[1e-320`))
	f.Add(strings.ReplaceAll(strings.Join(body(text), "\n"), `"weights":[1`, `"weights":[1e308`))
	f.Fuzz(func(t *testing.T, lines string) {
		if len(lines) > 1<<16 {
			return
		}
		if _, bound, _ := accepted(t, p, sealed(strings.Split(lines, "\n"))); bound > want*(1+1e-15) {
			t.Fatalf("bound %v, but a selection costs %v", bound, want)
		}
	})
}
