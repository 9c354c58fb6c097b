package engine

import (
	"bytes"
	"context"
	"math"
	"testing"

	"optcomplete/internal/passtest"
	"optcomplete/pass"
)

// TestTimeOfAReading: a query, whole waves of tasks, parts.
func TestTimeOfAReading(t *testing.T) {
	s := Speeds{Cores: 4, Tasks: 6, Query: 0.5, Send: 100, Receive: 10}
	for want, k := range map[float64]Kind{
		0.5 + 2*60/6.0 + (2*13+5)/10.0: {Seconds: 60, Items: 99, Part: 2, List: 5},
		0.5 + 60/2.0:                   {Seconds: 60, Items: 2},
	} {
		if got := s.Reading(k); math.Abs(got-want) > 1e-9 {
			t.Errorf("%+v takes %v s, not %v", k, got, want)
		}
	}
	if got := s.Back(Kind{Items: 99, Part: 2, Large: true}); got != 2*4 {
		t.Errorf("%v bytes come back of large parts", got)
	}
	if got := s.Total([]Kind{{Times: 3, Seconds: 4, Items: 1}}, 50); got != 0.5+3*4.5 {
		t.Errorf("all of it takes %v s", got)
	}
}

// TestObserver: it changes no result, and counts what larger data would take.
func TestObserver(t *testing.T) {
	_, source := packed(t)
	want := here(t, source)
	small := passtest.Source(300, 90)
	o := &Observer{All: source}
	ctx := pass.WithRunner(context.Background(), o)
	parts, err := pass.Run(ctx, source, 1, passes...)
	if err != nil || !bytes.Equal(bits(t, parts), want) {
		t.Fatalf("the bits differ: %v", err)
	}
	for _, ctx := range []context.Context{ctx, pass.WithLabel(ctx, "sample")} {
		if _, err := pass.Run(ctx, small, 1, pass.Surveying{}); err != nil {
			t.Fatal(err)
		}
	}
	kinds, shared, _ := o.Kinds()
	if len(kinds) != 2 || shared == 0 {
		t.Fatalf("%+v, %v bytes shared", kinds, shared)
	}
	for _, k := range kinds {
		if k.Times != 1 || k.Items < 2 || k.Part == 0 || k.Seconds <= 0 {
			t.Errorf("%+v", k)
		}
	}
}
