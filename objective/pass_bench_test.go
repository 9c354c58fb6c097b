//go:build linux

package objective

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/must"
)

// passShapes are the shapes of large problems: as in the paper's
// table with 95 % missing, and skewed as real ratings are, where most features are
// indicators.
var passShapes = []struct {
	name          string
	rows, m, p    int
	entries       int // of a row, on average
	two           int // features of two values, as indicators are
	skewed        bool
	supports      []int
	curvedSupport int // at which second derivatives are timed too; 0: not
}{
	{name: "m=1e3", rows: 40_000, m: 1000, p: 200, entries: 50, supports: []int{10, 20, 40}, curvedSupport: 20},
	{name: "m=1e4", rows: 40_000, m: 10_000, p: 200, entries: 500, supports: []int{10, 20, 40}, curvedSupport: 20},
	{name: "m=1e6", rows: 64, m: 1_000_000, p: 200, entries: 50_000, supports: []int{10}},
	{name: "ratings", rows: 40_000, m: 14_538, p: 59, entries: 212, skewed: true, supports: []int{5, 10, 20, 40}, curvedSupport: 20},
	{name: "indicators", rows: 40_000, m: 14_538, p: 59, two: 50, entries: 212, skewed: true, supports: []int{5, 10, 20, 40}, curvedSupport: 20},
}

// BenchmarkPass times one pass, cost and gradient over all observed entries, on
// all processors, against what they can do: the rate of multiply-adds that wait
// for nothing, and the rate at which memory is read. Both limits are measured
// between the passes of the same run. Multiply-adds are counted as the formulas
// have them, t(t+1)/2 + 2t + p an entry: products of the t features of positive
// weight and right-hand side, residual, correlation with all p features; and of a row
// t(t+1)(t+2)/6 + t(t+1): its system factored and solved, with t no more than its
// entries. The share of entries alone is without the latter. Bytes are
// the least that must be read, 12 an entry and the features once. Times are of
// the processors, not of the clock on the wall, so that other work on the machine
// counts as little as it can; each figure is the best of the run.
func BenchmarkPass(b *testing.B) {
	for _, shape := range passShapes {
		var matrix *data.Matrix
		var features *data.Features
		for _, t := range shape.supports {
			for _, curved := range []bool{false, true} {
				if curved && t != shape.curvedSupport {
					continue
				}
				name := fmt.Sprintf("%s/p=%d/t=%d", shape.name, shape.p, t)
				if curved {
					name += "/hessian"
				}
				b.Run(name, func(b *testing.B) {
					if matrix == nil {
						matrix, features = passInstance(b, shape.rows, shape.m, shape.p, shape.two, shape.entries, shape.skewed)
					}
					benchmarkPass(b, matrix, features, t, curved)
				})
			}
		}
	}
}

func benchmarkPass(b *testing.B, matrix *data.Matrix, features *data.Features, t int, curved bool) {
	n, m := matrix.Dims()
	_, p := features.Dims()
	threads := runtime.GOMAXPROCS(0)
	o := NewExact(matrix, features, 1, threads)
	weights, gradient := make([]float64, p), make([]float64, p)
	for x := range t {
		weights[x*p/t] = 1
		if curved {
			weights[x*p/t] = 0.5
		}
	}
	var hessian []float64
	if curved {
		hessian = make([]float64, t*t)
	}
	stream := make([]float64, 8<<20) // 64 MB, more than any cache
	for i := range stream {
		stream[i] = 1
	}
	var rate, peak, bandwidth float64 // per second of one processor
	entries := float64(matrix.Observed())
	ofEntries := entries * float64(t*(t+1)/2+2*t+p)
	fmas := ofEntries
	for i := range n {
		d := min(t, matrix.Entries(i))
		fmas += float64(d*(d+1)*(d+2)/6 + d*(d+1))
	}
	b.ResetTimer()
	for b.Loop() {
		for range 5 {
			const rounds = 1 << 18
			peak = max(peak, rounds*kernel.PeakRound/threadTime(threads, func(int) { kernel.Peak(rounds) }))
			bandwidth = max(bandwidth, float64(8*len(stream)/threads)/threadTime(threads, func(thread int) {
				kernel.Products(part(stream[:len(stream)/2], thread, threads), part(stream[len(stream)/2:], thread, threads))
			}))
		}
		start := clock(unix.CLOCK_PROCESS_CPUTIME_ID)
		if _, _, err := evalInto(context.Background(), o, weights, gradient, hessian); err != nil {
			b.Fatal(err)
		}
		rate = max(rate, 1/(clock(unix.CLOCK_PROCESS_CPUTIME_ID)-start))
	}
	bytes := 12*entries + 8*float64(m*p)
	all := float64(threads)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1e9/(rate*entries*all), "ns/entry")
	b.ReportMetric(all*rate*fmas/1e9, "GFMA/s")
	b.ReportMetric(all*peak/1e9, "GFMA/s-peak")
	b.ReportMetric(100*rate*fmas/peak, "%peak")
	b.ReportMetric(100*rate*ofEntries/peak, "%peak-entries")
	b.ReportMetric(all*rate*bytes/1e9, "GB/s")
	b.ReportMetric(all*bandwidth/1e9, "GB/s-limit")
	b.ReportMetric(100*rate*bytes/bandwidth, "%bandwidth")
}

// threadTime runs f on so many threads at once and returns the time that each of
// them took of a processor, in seconds, on average.
func threadTime(threads int, f func(thread int)) float64 {
	var all sync.WaitGroup
	times := make([]float64, threads)
	for thread := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			start := clock(unix.CLOCK_THREAD_CPUTIME_ID)
			f(thread)
			times[thread] = clock(unix.CLOCK_THREAD_CPUTIME_ID) - start
		})
	}
	all.Wait()
	return floats.Sum(times) / float64(threads)
}

// clock is what a clock of the system shows, in seconds.
func clock(id int32) float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano()) * 1e-9
}

// part is a thread's part of x.
func part(x []float64, thread, threads int) []float64 {
	return x[len(x)*thread/threads : len(x)*(thread+1)/threads]
}

// passInstance draws a matrix and features. Columns are observed at random, or,
// skewed, the first ones most: as 1/(rank + 100). Rows differ by up to a factor of
// about 20 then, too.
func passInstance(b *testing.B, rows, m, p, two, entries int, skewed bool) (*data.Matrix, *data.Features) {
	rng := rand.New(rand.NewPCG(1, 2))
	chance := make([]float64, m)
	sum := 0.0
	for c := range chance {
		chance[c] = 1
		if skewed {
			chance[c] = 1 / float64(c+100)
		}
		sum += chance[c]
	}
	start := []int{0}
	var column []int32
	var value []float64
	for range rows {
		size := float64(entries)
		if skewed {
			size *= 0.25 * min(20, 1/(0.05+0.95*rng.Float64())) * 1.3
		}
		if !skewed {
			gap := float64(m) / size
			for c := int(rng.ExpFloat64() * gap); c < m; c += 1 + int(rng.ExpFloat64()*gap) {
				column = append(column, int32(c))
				value = append(value, rng.NormFloat64())
			}
		} else {
			for c, x := range chance {
				if rng.Float64() < size*x/sum {
					column = append(column, int32(c))
					value = append(value, rng.NormFloat64())
				}
			}
		}
		start = append(start, len(column))
	}
	matrix := must.Get(data.NewMatrixByRows(m, start, column, value))(b)
	ids, names := make([]string, m), make([]string, p)
	for j := range ids {
		ids[j] = strconv.Itoa(j)
	}
	for j := range names {
		names[j] = strconv.Itoa(j)
	}
	values := make([]float64, m*p)
	for i := range values {
		values[i] = rng.Float64()*2 - 1
		if i%p < two {
			values[i] = -0.3
			if rng.IntN(10) == 0 {
				values[i] = 3
			}
		}
	}
	return matrix, data.NewFeatures(ids, names, values)
}
