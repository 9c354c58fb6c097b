package formulation

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/internal/lists"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/proof"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// verified fits with a proof and checks it.
func verified(t *testing.T, problem Problem, settings Settings) (*model.Model, string, *proof.Verdict) {
	t.Helper()
	var text bytes.Buffer
	settings.Proof = &text
	fitted := fit(t, problem, settings)
	read := must.Get(proof.Read(bytes.NewReader(text.Bytes()), "proof"))(t)
	verdict := must.Get(Verify(t.Context(), problem, &fitted.Summary, read, 2))(t)
	return fitted, text.String(), verdict
}

// TestFitsAreVerified: every model, with a hold-out, forced and banned features,
// stopped early, on samples first.
func TestFitsAreVerified(t *testing.T) {
	problem, _ := instance(t, small)
	for _, kind := range kinds {
		settings := Settings{Model: kind}
		settings.Holdout, settings.Seed = 0.2, 5
		settings.K, settings.Gamma, settings.Always, settings.Never = 4, 0.5, problem.Features.Names[3:4], problem.Features.Names[9:12]
		for name, change := range map[string]func(*Settings){
			"to the end":      func(*Settings) {},
			"stopped":         func(s *Settings) { s.K, s.MaxNodes = 9, 1 },
			"from samples":    func(s *Settings) { s.Method = Certified{Sampling: AlwaysSampling} },
			"with --certify":  func(s *Settings) { s.Method = OptComplete{Certify: true} },
			"anything at all": func(s *Settings) { s.Always, s.Never, s.Holdout = nil, nil, 0 },
			"weights":         func(*Settings) {},
			"uneven weights":  func(*Settings) {},
		} {
			problem, each := problem, settings
			change(&each)
			switch name {
			case "weights":
				problem = weigh(t, problem, 1, func(unit float64) float64 { return 0.1 + unit })
			case "uneven weights": // effects that ten turns do not find
				problem = weigh(t, problem, 2, func(unit float64) float64 { return math.Pow(10, 12*unit-6) })
			}
			if _, is := each.Method.(OptComplete); is && kind == spec.Pooled {
				continue // it samples the paper's cost
			}
			fitted, _, verdict := verified(t, problem, each)
			if len(verdict.Faults) > 0 {
				t.Errorf("%v, %s: %v", kind, name, verdict.Faults)
			}
			if verdict.Bound > fitted.Summary.Cost*(1+1e-9) || verdict.Unproven > 0 {
				t.Errorf("%v, %s: bound %v, cost %v, %d parts unproven", kind, name, verdict.Bound, fitted.Summary.Cost, verdict.Unproven)
			}
		}
	}
}

// TestAtMostOfAField: with at most two features of one field and one of another, the fit and
// every k of a path select what brute force does, the proof is accepted, and not for another
// limit; masters agree. Limits that nothing meets are refused with their reason.
func TestAtMostOfAField(t *testing.T) {
	problem, _ := instance(t, small)
	names := slices.Clone(problem.Features.Names)
	for j := range names {
		names[j] = fmt.Sprintf("%s=%d", []string{"Genre", "Genre", "Maker"}[j%3], j)
	}
	features := *problem.Features
	features.Names = names
	problem.Features = &features
	of := func(selected []string, field string) (n int) {
		for _, name := range selected {
			if strings.HasPrefix(name, field) {
				n++
			}
		}
		return n
	}
	settings := Settings{Model: spec.Paper}
	settings.K, settings.Gamma, settings.AtMost, settings.NearTies = 3, 0.5, []string{"Genre=2", "Maker=1"}, 20
	fitted, text, verdict := verified(t, problem, settings)
	if len(verdict.Faults) > 0 || verdict.Unproven > 0 || of(fitted.Selected, "Genre") > 2 || of(fitted.Selected, "Maker") > 1 {
		t.Fatalf("%v: %v", fitted.Selected, verdict)
	}
	best := math.Inf(1)
	cost := objective.NewExact(problem.Ratings.Matrix(), problem.Features, 0.5, 1)
	testkit.Selections(len(names), 3, nil, nil, func(selection []int) {
		if chosen := lists.Pick(names, selection); of(chosen, "Genre") <= 2 && of(chosen, "Maker") <= 1 {
			at := must.Get(cost.Eval(t.Context(), search.Indicator(len(names), selection)))(t)
			best = min(best, at.Cost)
		}
	})
	if math.Abs(fitted.Cost-best) > 1e-12*best {
		t.Errorf("cost %v, brute force %v", fitted.Cost, best)
	}
	for _, tie := range fitted.NearTies {
		if of(tie.Selected, "Genre") > 2 || of(tie.Selected, "Maker") > 1 {
			t.Errorf("the near-tie %v does not count", tie.Selected)
		}
	}
	other := fitted.Summary
	other.AtMost = []string{"Genre=3", "Maker=1"}
	var refused *proof.RefusedError
	if _, err := Verify(t.Context(), problem, &other, must.Get(proof.Read(strings.NewReader(text), "proof"))(t), 1); !errors.As(err, &refused) {
		t.Errorf("a proof of another limit: %v", err)
	}
	settings.Method = CutPlanes{}
	if masters := fit(t, problem, settings); masters.Cost != fitted.Cost || !slices.Equal(masters.Selected, fitted.Selected) {
		t.Errorf("masters select %v of cost %v, the search %v of cost %v", masters.Selected, masters.Cost, fitted.Selected, fitted.Cost)
	}
	settings.Method = nil
	for bad, want := range map[string]string{"Genre": "not a field and how many", "Genre=x": "not a field and how many", "Gnre=1": "not a feature", "Genre=0": "only 1 features can be selected together"} {
		settings.AtMost = []string{bad, "Maker=1"}
		if _, err := Fit(t.Context(), problem, settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", bad, err, want)
		}
	}
}

// TestProofOfAnotherModelIsRefused: another γ, another selection, a better claim.
func TestProofOfAnotherModelIsRefused(t *testing.T) {
	problem, _ := instance(t, small)
	settings := Settings{Model: spec.Paper}
	settings.K, settings.Gamma = 3, 0.5
	fitted, text, _ := verified(t, problem, settings)
	for name, change := range map[string]func(*model.Summary){
		"gamma":     func(s *model.Summary) { s.Gamma *= 1.001 },
		"selection": func(s *model.Summary) { s.Selected = problem.Features.Names[7:10] },
		"cost":      func(s *model.Summary) { s.Cost *= 0.99; s.Bound *= 0.99 },
		"bound":     func(s *model.Summary) { s.Bound = s.Cost * 1.001 },
		"gap":       func(s *model.Summary) { s.Gap = 0.1 },
		"always":    func(s *model.Summary) { s.Always = s.Selected[:1] },
		"hold-out":  func(s *model.Summary) { s.Settings = map[string]string{"holdout": "0.1"} },
	} {
		other := fitted.Summary
		change(&other)
		read := must.Get(proof.Read(strings.NewReader(text), "proof"))(t)
		verdict, err := Verify(t.Context(), problem, &other, read, 1)
		var refused *proof.RefusedError
		if !errors.As(err, &refused) && (err != nil || len(verdict.Faults) == 0) {
			t.Errorf("another %s: %v, %v", name, verdict, err)
		}
	}
}

// TestProofOfAGapIsNoneOfTheBest: a model that was stopped early cannot pass for proven.
func TestProofOfAGapIsNoneOfTheBest(t *testing.T) {
	problem, _ := instance(t, synth.Config{Rows: 30, Columns: 20, Features: 40, K: 6, Missing: 0.5, Noise: 3, Seed: 4})
	settings := Settings{Model: spec.Paper}
	settings.K, settings.Gamma, settings.MaxNodes = 6, 100, 1
	fitted, text, _ := verified(t, problem, settings)
	if fitted.Summary.Gap < 1e-3 || fitted.Summary.Status != result.NodeLimit {
		t.Fatalf("a gap of %v, %v: nothing to forge", fitted.Summary.Gap, fitted.Summary.Status)
	}
	for name, change := range map[string]func(*model.Summary){
		"":                  func(*model.Summary) {},
		"optimal":           func(s *model.Summary) { s.Status = result.Optimal },
		"optimal, no gap":   func(s *model.Summary) { s.Status, s.Gap = result.Optimal, 0 },
		"a gap, of nothing": func(s *model.Summary) { s.Status = result.GapReached },
	} {
		other := fitted.Summary
		change(&other)
		verdict, err := Verify(t.Context(), problem, &other, must.Get(proof.Read(strings.NewReader(text), "proof"))(t), 1)
		if err != nil || (name == "") != (len(verdict.Faults) == 0) {
			t.Errorf("%q: %v, %v", name, verdict.Faults, err)
		}
	}
}

// TestProofOfBadlyScaledData: thousands of enumerated selections that elimination cannot
// bound are evaluated one by one where that takes no time.
func TestProofOfBadlyScaledData(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	const columns, p = 25, 24
	table, names, ids := make([]float64, columns*p), []string{}, []string{}
	for f := range p {
		names = append(names, fmt.Sprintf("f%d", f))
		size := math.Pow(10, 6*r.Float64()-3)
		for c := range columns {
			table[c*p+f] = size * r.NormFloat64()
		}
	}
	at, values := []int32{}, []float64{}
	for c := range columns {
		ids = append(ids, fmt.Sprintf("c%d", c))
		at, values = append(at, int32(c)), append(values, 1e-37*r.NormFloat64())
	}
	matrix := must.Get(data.NewMatrixByRows(columns, []int{0, columns}, at, values))(t)
	problem := Problem{Ratings: data.NewRatings(matrix, []string{"r"}, ids), Features: data.NewFeatures(ids, names, table)}
	settings := Settings{Model: spec.Paper}
	settings.K, settings.Gamma = 8, 4.5
	fitted, _, verdict := verified(t, problem, settings)
	if len(verdict.Faults) > 0 {
		t.Errorf("%v, %s", verdict.Faults, fitted.Summary.Status)
	}
	if verdict.Enumerated <= 1<<12 {
		t.Errorf("only %d selections were enumerated", verdict.Enumerated)
	}
}

// TestPythonChecker: the checker of a hundred lines in exact fractions, which the
// manual shows, agrees, and refuses a proof with one leaf less.
func TestPythonChecker(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here: the second checker was not run")
	}
	folder := t.TempDir()
	for seed := range uint64(3) {
		problem, made := instance(t, synth.Config{Rows: 12, Columns: 9, Features: 8, K: 3, Missing: 0.3, Noise: 0.7, Seed: seed})
		settings := Settings{Model: spec.Paper}
		settings.K, settings.Gamma = 3, 2
		if seed == 2 {
			settings.Always, settings.Never, settings.Method = problem.Features.Names[:1], problem.Features.Names[5:6], Certified{Sampling: AlwaysSampling}
		}
		if seed == 1 {
			problem = weigh(t, problem, 3, func(unit float64) float64 { return 0.01 + unit })
		}
		fitted, text, verdict := verified(t, problem, settings)
		path := func(name string) string { return filepath.Join(folder, name) }
		write := func(name string, content func(f *os.File) error) {
			f := must.Get(os.Create(path(name)))(t)
			must.Do(t, errors.Join(content(f), f.Close()))
		}
		write("features.csv", func(f *os.File) error { return data.WriteFeatures(f, made.Features) })
		write("ratings.csv", func(f *os.File) error { return writeWeighed(f, problem.Ratings) })
		write("model.json", func(f *os.File) error { return fitted.Summary.WriteJSON(f) })
		write("proof.jsonl", func(f *os.File) error { _, err := f.WriteString(text); return err })
		lines := strings.SplitAfter(text, "\n")
		write("other.jsonl", func(f *os.File) error {
			_, err := f.WriteString(lines[0] + strings.Join(lines[2:], ""))
			return err
		})
		check := func(name string) (string, error) {
			out, err := exec.Command(python, filepath.Join("..", "proof", "check.py"), path("model.json"), path("ratings.csv"), path("features.csv"), path(name)).CombinedOutput()
			return string(out), err
		}
		out, err := check("proof.jsonl")
		if err != nil || !strings.HasPrefix(out, "verified: no selection of 3 features costs less than ") {
			t.Fatalf("%v: %s", err, out)
		}
		t.Logf("%s(package proof: %v)", out, verdict.Bound)
		write("modelled.jsonl", func(f *os.File) error { // as if models had closed what was enumerated
			all := strings.ReplaceAll(strings.Join(lines[:len(lines)-2], ""), `"enumerated":true`, `"cut":0,"model":true`)
			if seed == 0 && all == strings.Join(lines[:len(lines)-2], "") {
				t.Error("nothing was enumerated")
			}
			_, err := fmt.Fprintf(f, "%s{\"lines\":%d,\"sha256\":\"%x\"}\n", all, len(lines)-2, sha256.Sum256([]byte(all)))
			return err
		})
		if again, err := check("modelled.jsonl"); err != nil || again != out {
			t.Fatalf("%v: %s", err, again)
		}
		if out, err := check("other.jsonl"); err == nil || !strings.HasPrefix(out, "refused: ") {
			t.Fatalf("a proof with a line less: %v: %s", err, out)
		}
	}
}

// writeWeighed writes entries with their weights, if they have any.
func writeWeighed(w io.Writer, r *data.Ratings) error {
	if !r.Matrix().Weighted() {
		return data.WriteRatings(w, r)
	}
	fmt.Fprintln(w, "row,column,value,weight")
	for i, id := range r.RowIDs {
		columns, values := r.Matrix().Row(i)
		for e, weight := range r.Matrix().RowWeights(i) {
			fmt.Fprintf(w, "%s,%s,%v,%v\n", id, r.ColumnIDs[columns[e]], values[e], weight)
		}
	}
	return nil
}

// TestManualShowsTheChecker: docs/proof.md has proof/check.py as it is.
func TestManualShowsTheChecker(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "docs", "proof.md")))(t)
	program := must.Get(os.ReadFile(filepath.Join("..", "proof", "check.py")))(t)
	if !strings.Contains(string(page), "```python\n"+string(program)+"```\n") {
		t.Error("docs/proof.md shows another program than proof/check.py")
	}
}
