// Package passtest is the suite that every pass.Runner must pass.
//
// It takes a runner and fails the test wherever the result of a pass, merged or
// given to a sink, differs by a bit from that of the threads of this process.
package passtest

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math/rand/v2"
	"testing"

	"optcomplete/data"
	"optcomplete/pass"
)

// Source is a matrix of rows of very different numbers of entries, some none.
func Source(rows, columns int) *data.Matrix {
	r := rand.New(rand.NewPCG(1, 2))
	start := []int{0}
	var at []int32
	var values []float64
	for i := range rows {
		share := r.Float64()
		if i%7 == 0 {
			share = 0
		}
		for c := range columns {
			if r.Float64() < share {
				at, values = append(at, int32(c)), append(values, r.NormFloat64())
			}
		}
		start = append(start, len(at))
	}
	m, err := data.NewMatrixByRows(columns, start, at, values)
	if err != nil {
		panic(err)
	}
	return m
}

// Run checks a runner.
func Run(t *testing.T, r pass.Runner) {
	t.Helper()
	for _, shape := range [][2]int{{0, 3}, {1, 5}, {700, 40}, {3000, 90}} {
		base := Source(shape[0], shape[1])
		for _, source := range Views(t, base) {
			Same(t, r, source, pass.Surveying{})
			Same(t, r, source, Summing{1}, Summing{50_000}, pass.Surveying{})
		}
	}
	t.Run("sink", func(t *testing.T) { sink(t, r) })
	t.Run("errors", func(t *testing.T) { failures(t, r) })
}

// Views are sources that must all be read: a matrix, and views of a source that is
// not in memory.
func Views(t *testing.T, base *data.Matrix) []data.Source {
	t.Helper()
	stored := struct{ data.Source }{base}
	view, err := pass.Transformed(context.Background(), stored, 1, "view", Odd{}, Shift{pass.Share([]float64{3, 4})})
	if err != nil {
		t.Fatal(err)
	}
	return []data.Source{base, view}
}

// Same checks that the runner gives the bits of one thread for the passes, read
// together and one by one.
func Same(t *testing.T, r pass.Runner, s data.Source, passes ...pass.Pass) {
	t.Helper()
	ctx := context.Background()
	together, err := pass.Run(pass.WithRunner(ctx, r), s, 3, passes...)
	if err != nil {
		t.Fatal(err)
	}
	for x, p := range passes {
		want, err := pass.Run(ctx, s, 1, p)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bits(t, together[x]), bits(t, want[0])) {
			t.Errorf("%s: the runner gives other bits than one thread", pass.NameOf(p))
		}
	}
}

// bits is a part, encoded.
func bits(t *testing.T, p pass.Part) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sink(t *testing.T, r pass.Runner) {
	s := Source(2000, 60)
	got, err := pass.Collect(pass.WithRunner(context.Background(), r), struct{ data.Source }{s}, 2, "copy")
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.Dims()
	for i := range n {
		c, v := s.Row(i)
		c2, v2 := got.Row(i)
		if len(c) != len(c2) {
			t.Fatalf("row %d has %d entries, want %d", i, len(c2), len(c))
		}
		for x := range c {
			if c[x] != c2[x] || v[x] != v2[x] {
				t.Fatalf("row %d differs", i)
			}
		}
	}
}

func failures(t *testing.T, r pass.Runner) {
	ctx := pass.WithRunner(context.Background(), r)
	s := Source(2000, 60)
	if _, err := pass.Run(ctx, s, 2, failing{}); err == nil || err.Error() != "row 1000" {
		t.Errorf("a worker's error came as %v", err)
	}
	full := errors.New("full")
	err := pass.Stream(ctx, s, 2, Summing{1}, func(*Sum) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("a sink's error came as %v", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := pass.Run(ended, s, 2, pass.Surveying{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled reading gives %v", err)
	}
	Same(t, r, s, pass.Surveying{}) // the runner goes on
}

// Summing adds numbers whose sum depends on the order; Price is its Cost.
type Summing struct{ Price int }

// Cost is as given.
func (s Summing) Cost(*pass.Input) int { return s.Price }

// Start makes a worker.
func (Summing) Start(*pass.Input) (pass.Worker, error) { return &summing{pass.Makes(newSum)}, nil }

// Sum is a part.
type Sum struct{ Value, Rows float64 }

// Merge adds.
func (s *Sum) Merge(o pass.Part) {
	after := o.(*Sum)
	s.Value = s.Value*1.000000001 + after.Value // not associative, not commutative
	s.Rows += after.Rows
}

func newSum() *Sum { return new(Sum) }

type summing struct{ pass.Making[*Sum] }

func (s *summing) Add(c *pass.Chunk) error {
	for i := c.First; i < c.End; i++ {
		_, values := c.Row(i)
		for _, v := range values {
			s.Now.Value += v
		}
		s.Now.Rows++
	}
	return nil
}

type failing struct{ Summing }

func (failing) Start(*pass.Input) (pass.Worker, error) {
	return &fails{summing{pass.Makes(newSum)}}, nil
}

type fails struct{ summing }

func (f *fails) Add(c *pass.Chunk) error {
	if c.First <= 1000 && 1000 < c.End {
		return errors.New("row 1000")
	}
	return nil
}

// Odd keeps odd columns.
type Odd struct{}

// Drops is true.
func (Odd) Drops() bool { return true }

// Apply keeps odd columns.
func (Odd) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	to := 0
	for x, c := range columns {
		if c%2 == 1 {
			columns[to], values[to] = c, values[x]
			to++
		}
	}
	return columns[:to], values[:to]
}

// Shift adds shared numbers by turns.
type Shift struct{ By *pass.Shared[[]float64] }

// Drops is false.
func (Shift) Drops() bool { return false }

// Apply adds.
func (s Shift) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	by := s.By.Get()
	for x := range values {
		values[x] += by[row%len(by)]
	}
	return columns, values
}

func init() {
	pass.Register("sum", Summing{}, new(Sum))
	gob.Register(failing{})
	pass.RegisterTransform(Odd{})
	pass.RegisterTransform(Shift{})
}
