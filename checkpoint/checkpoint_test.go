package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/search"
)

func openAt(t *testing.T, dir string) *Store {
	t.Helper()
	s := must.Get(Open(dir, "a run\nk 3\n"))(t)
	return s
}

func ask(t *testing.T, s *Store, about, answer string) string {
	t.Helper()
	got := must.Get(s.Do([]byte(about), func() ([]byte, error) { return []byte(answer), nil }))(t)
	return string(got)
}

// TestDamagedEndIsDropped cuts the log at every length, and changes every byte of
// its records: what is remembered then is right, and the rest is asked again.
func TestDamagedEndIsDropped(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	for _, q := range []string{"one", "two", "three"} {
		ask(t, s, q, "answer to "+q)
	}
	must.Do(t, s.Close())
	log := filepath.Join(dir, answersFile)
	whole := must.Get(os.ReadFile(log))(t)
	check := func(content []byte) {
		t.Helper()
		must.Do(t, os.WriteFile(log, content, 0o666))
		s := openAt(t, dir)
		for _, q := range []string{"one", "two", "three"} {
			if got := ask(t, s, q, "answer to "+q); got != "answer to "+q {
				t.Fatalf("the answer to %s is %q", q, got)
			}
		}
		must.Do(t, s.Close())
		if again, err := os.ReadFile(log); err != nil || !slices.Equal(again, whole) {
			t.Fatalf("the log was not mended: %d bytes of %d (%v)", len(again), len(whole), err)
		}
	}
	for cut := range whole {
		check(whole[:cut])
	}
	for at := len(magic) + sha256.Size; at < len(whole); at++ {
		changed := slices.Clone(whole)
		changed[at] ^= 0x41
		check(changed)
	}
}

func TestOtherRunIsRefused(t *testing.T) {
	dir := t.TempDir()
	openAt(t, dir).Close()
	_, err := Open(dir, "a run\nk 4\n")
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) {
		t.Fatalf("the error is %v", err)
	}
}

// TestAnswersAreOfOneRun puts the answers of another run into a folder, with and without
// run.txt, and behind the answers of its own.
func TestAnswersAreOfOneRun(t *testing.T) {
	other := t.TempDir()
	s := must.Get(Open(other, "another run"))(t)
	ask(t, s, "one", "wrong")
	must.Do(t, s.Close())
	foreign := must.Get(os.ReadFile(filepath.Join(other, answersFile)))(t)

	dir := t.TempDir()
	log := filepath.Join(dir, answersFile)
	refused := func(content []byte, want string) {
		t.Helper()
		must.Do(t, os.WriteFile(log, content, 0o666))
		_, err := Open(dir, "a run\nk 3\n")
		var stray *StrayError
		if !errors.As(err, &stray) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), log) {
			t.Errorf("the error is %v", err)
		}
		if now := must.Get(os.ReadFile(log))(t); !slices.Equal(now, content) {
			t.Error("what was refused was changed")
		}
	}
	refused(foreign, "no run.txt")
	must.Do(t, os.Remove(log))
	openAt(t, dir).Close()
	own := must.Get(os.ReadFile(log))(t)
	refused(foreign, "another run")
	refused(make([]byte, 100), "version")

	must.Do(t, os.WriteFile(log, slices.Concat(own, foreign[len(own):]), 0o666))
	s = openAt(t, dir)
	if got := ask(t, s, "one", "right"); got != "right" {
		t.Errorf("the answer is %q", got)
	}
	must.Do(t, s.Close())
}

func TestErrorsAreNotRemembered(t *testing.T) {
	s := openAt(t, t.TempDir())
	defer s.Close()
	wrong := errors.New("wrong")
	if _, err := s.Do([]byte("q"), func() ([]byte, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Fatalf("the error is %v", err)
	}
	if got := ask(t, s, "q", "right"); got != "right" {
		t.Errorf("the answer is %q", got)
	}
}

// counted is a cost that counts its evaluations and has infinite numbers.
type counted struct{ evaluations int }

func (c *counted) Dim() int { return 2 }

func (c *counted) Eval(_ context.Context, weights []float64) (search.Cut, error) {
	c.evaluations++
	return search.Cut{Cost: weights[0], Constant: math.Copysign(0, -1), Gradient: []float64{math.Inf(-1), -weights[1]}}, nil
}

func (c *counted) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	cut, err := c.Eval(ctx, weights)
	if weights[1] == 0 {
		return cut, []float64{3}, err
	}
	return cut, []float64{0, 1, 2, 3}, err
}

func (c *counted) Effort(free, left int) float64 { return 1 }

func (c *counted) Enumerate(_ context.Context, r search.Region) (search.Listing, error) {
	c.evaluations++
	return search.Listing{Selections: [][]int{{0, 1}}, Costs: []float64{r.Below / 3}, Margin: 1e-300, Rest: math.Inf(1)}, nil
}

func (c *counted) Model(_ context.Context, weights []float64, at search.Cut, features []int) (search.Model, bool, error) {
	c.evaluations++
	return search.Model{Constant: math.Inf(-1), Linear: []float64{at.Cost}, Matrix: []float64{weights[1] / 3}}, len(features) == 1, nil
}

func (c *counted) Costs(_ context.Context, selections [][]int) ([]float64, float64, error) {
	c.evaluations++
	return []float64{float64(selections[0][0]) / 7}, 1e-300, nil
}

func TestOracleAnswersFromMemoryToTheBit(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	type curvedLister interface {
		search.Curved
		search.Enumerator
		Model(ctx context.Context, weights []float64, at search.Cut, features []int) (search.Model, bool, error)
		Costs(ctx context.Context, selections [][]int) ([]float64, float64, error)
	}
	run := func() (numbers []float64, evaluations int) {
		s := openAt(t, dir)
		defer s.Close()
		cost := &counted{}
		o, ok := s.Oracle(cost, "a cost").(curvedLister)
		if !ok {
			t.Fatal("the oracle lost what its cost can do")
		}
		for _, w := range [][]float64{{0.5, 1}, {0.25, 0}, {0.5, 1}} {
			c := must.Get(o.Eval(ctx, w))(t)
			numbers = append(append(numbers, c.Cost, c.Constant), c.Gradient...)
			c, hessian, err := o.EvalHessian(ctx, w)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(append(append(numbers, c.Cost, c.Constant), c.Gradient...), hessian...)
		}
		for _, features := range [][]int{{1}, {0, 1}} {
			m, ok, err := o.Model(ctx, []float64{0, 0.7}, search.Cut{Cost: 0.1, Gradient: []float64{0, 0}}, features)
			if err != nil || ok != (len(features) == 1) {
				t.Fatal(ok, err)
			}
			numbers = append(append(append(numbers, m.Constant), m.Linear...), m.Matrix...)
		}
		costs, margin, err := o.Costs(ctx, [][]int{{1}})
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(append(numbers, costs...), margin)
		list := must.Get(o.Enumerate(ctx, search.Region{In: []int{0}, Candidates: []int{1}, Left: 1, Below: 0.1, Keep: 3}))(t)
		return append(append(numbers, list.Costs...), list.Margin, list.Rest), cost.evaluations
	}
	first, evaluations := run()
	if evaluations != 8 {
		t.Errorf("%d evaluations, want 8: one question was asked twice", evaluations)
	}
	second, evaluations := run()
	if evaluations != 0 {
		t.Errorf("%d evaluations were made again", evaluations)
	}
	for x := range first {
		if math.Float64bits(first[x]) != math.Float64bits(second[x]) {
			t.Errorf("number %d is %v, then %v", x, first[x], second[x])
		}
	}
}

// TestTruncatedRunIsCalledThat: a run.txt that was cut short is not one of another run;
// answers that were cut short are those that are whole.
func TestTruncatedRunIsCalledThat(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	ask(t, s, "one", "right")
	ask(t, s, "two", "right too")
	must.Do(t, s.Close())
	run, log := filepath.Join(dir, runFile), filepath.Join(dir, answersFile)
	whole, answers := must.Get(os.ReadFile(run))(t), must.Get(os.ReadFile(log))(t)
	for size := range whole {
		must.Do(t, os.WriteFile(run, whole[:size], 0o666))
		_, err := Open(dir, string(whole))
		var stray *StrayError
		if !errors.As(err, &stray) || !strings.Contains(err.Error(), run+" is cut short") {
			t.Fatalf("%d of %d bytes: %v", size, len(whole), err)
		}
	}
	must.Do(t, os.WriteFile(run, whole, 0o666))
	for size := range answers {
		must.Do(t, os.WriteFile(log, answers[:size], 0o666))
		s, err := Open(dir, string(whole))
		if err != nil {
			t.Fatalf("%d of %d bytes of answers: %v", size, len(answers), err)
		}
		must.Do(t, s.Close())
	}
}
