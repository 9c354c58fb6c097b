package pass_test

import (
	"context"
	"errors"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/pass"
)

// TestTogetherReadsOnce: what several want of one source is one reading, with the
// results that each has by itself; another source is read for itself.
func TestTogetherReadsOnce(t *testing.T) {
	source, other := passtest.Source(300, 20), passtest.Source(200, 20)
	want, err := pass.One[*pass.SurveyPart](context.Background(), source, 2, pass.Surveying{})
	if err != nil {
		t.Fatal(err)
	}
	alone := must.Get(pass.One[*passtest.Sum](context.Background(), source, 1, passtest.Summing{Price: 1}))(t)
	ctx, counts := pass.WithCounts(context.Background())
	once := func(s data.Source) func(context.Context) error {
		return func(ctx context.Context) error {
			got, err := pass.One[*passtest.Sum](ctx, s, 3, passtest.Summing{Price: 1})
			if err == nil && s == data.Source(source) && *got != *alone {
				t.Errorf("%v together, %v alone", got, alone)
			}
			return err
		}
	}
	err = pass.Together(ctx, once(source), func(ctx context.Context) error {
		got, err := pass.One[*pass.SurveyPart](ctx, source, 3, pass.Surveying{})
		if err == nil && got.Mean() != want.Mean() {
			t.Errorf("mean %v together, %v alone", got.Mean(), want.Mean())
		}
		if err == nil { // a second reading, when others are done
			_, err = pass.One[*pass.SurveyPart](ctx, source, 3, pass.Surveying{})
		}
		return err
	}, once(other), func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if got := counts.Of(); got["sum, survey"]+got["survey, sum"] != 1 || got["survey"] != 1 || got["sum"] != 1 {
		t.Errorf("readings %v", got)
	}
}

// TestTogetherErrorsStayApart: what fails for one does not fail for another, and one
// whose context has ended does not end the other's reading.
func TestTogetherErrorsStayApart(t *testing.T) {
	source := passtest.Source(300, 20)
	wrong := errors.New("wrong")
	var ok bool
	err := pass.Together(context.Background(), func(ctx context.Context) error {
		return pass.RunTasks(ctx, source, 2, &pass.Task{Pass: &pass.Here{Called: "bad", Begin: func(int) func(*pass.Chunk, int) error {
			return func(*pass.Chunk, int) error { return wrong }
		}}})
	}, func(ctx context.Context) error {
		_, err := pass.One[*pass.SurveyPart](ctx, source, 2, pass.Surveying{})
		ok = err == nil
		return err
	})
	if !errors.Is(err, wrong) || !ok {
		t.Errorf("error %v; the other is done: %v", err, ok)
	}
	ok = false
	err = pass.Together(context.Background(), func(ctx context.Context) error {
		ctx, end := context.WithCancel(ctx)
		end()
		_, err := pass.One[*pass.SurveyPart](ctx, source, 2, pass.Surveying{})
		return err
	}, func(ctx context.Context) error {
		_, err := pass.One[*pass.SurveyPart](ctx, source, 2, pass.Surveying{})
		ok = err == nil
		return err
	})
	if !ok {
		t.Errorf("another's context ended the reading: %v", err)
	}
}
