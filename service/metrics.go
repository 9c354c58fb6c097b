package service

import (
	"bufio"
	"fmt"
	"io"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// metricsOf is what Prometheus scrapes.
type metricsOf struct {
	predictions atomic.Int64
	of          []timing // of the operations, in their order
}

// timing is how often an operation was answered, how, and how fast.
type timing struct {
	mu     sync.Mutex
	codes  map[int]int64
	within [len(buckets)]int64 // that took no longer
	sum    time.Duration
	count  int64
}

// buckets are the upper ends of the times that are told apart, in seconds.
var buckets = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10}

func (m *metricsOf) init() { m.of = make([]timing, len(operations)) }

func (m *metricsOf) count(operation, status int, took time.Duration) {
	t := &m.of[operation]
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.codes == nil {
		t.codes = map[int]int64{}
	}
	t.codes[status]++
	t.count++
	t.sum += took
	for b, end := range buckets {
		if took.Seconds() <= end {
			t.within[b]++
			break
		}
	}
}

func (m *metricsOf) answered(value any) {
	if p, is := value.(*PredictAnswer); is {
		m.predictions.Add(int64(len(p.Predictions)))
	}
}

// write writes all of them in Prometheus' text format.
func (m *metricsOf) write(to io.Writer, s *Server) {
	w := bufio.NewWriter(to)
	defer w.Flush()
	head := func(name, kind, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	head("optcomplete_requests_total", "counter", "Requests by operation and status.")
	for n, o := range operations {
		t := &m.of[n]
		t.mu.Lock()
		for _, status := range []int{200, 400, 401, 404, 413, 429, 500, 503} {
			if times := t.codes[status]; times > 0 {
				fmt.Fprintf(w, "optcomplete_requests_total{operation=%q,code=\"%d\"} %d\n", o.name, status, times)
			}
		}
		t.mu.Unlock()
	}
	head("optcomplete_request_seconds", "histogram", "Time that requests took, by operation.")
	for n, o := range operations {
		t := &m.of[n]
		t.mu.Lock()
		if t.count > 0 {
			sum := int64(0)
			for b, end := range buckets {
				sum += t.within[b]
				fmt.Fprintf(w, "optcomplete_request_seconds_bucket{operation=%q,le=%q} %d\n", o.name, strconv.FormatFloat(end, 'g', -1, 64), sum)
			}
			fmt.Fprintf(w, "optcomplete_request_seconds_bucket{operation=%q,le=\"+Inf\"} %d\n", o.name, t.count)
			fmt.Fprintf(w, "optcomplete_request_seconds_sum{operation=%q} %g\n", o.name, t.sum.Seconds())
			fmt.Fprintf(w, "optcomplete_request_seconds_count{operation=%q} %d\n", o.name, t.count)
		}
		t.mu.Unlock()
	}
	head("optcomplete_predictions_total", "counter", "Predictions given by predict.")
	fmt.Fprintf(w, "optcomplete_predictions_total %d\n", m.predictions.Load())
	head("optcomplete_requests_at_work", "gauge", "Requests that are being answered.")
	fmt.Fprintf(w, "optcomplete_requests_at_work %d\n", len(s.slots))
	head("optcomplete_model_swaps_total", "counter", "Times that a replaced model was loaded and swapped in.")
	for _, of := range s.models() {
		fmt.Fprintf(w, "optcomplete_model_swaps_total{model=%s} %d\n", label(of.name), of.swaps.Load())
	}
	head("optcomplete_model_refused_total", "counter", "Times that a model was refused, the one before serving on.")
	for _, of := range s.models() {
		fmt.Fprintf(w, "optcomplete_model_refused_total{model=%s} %d\n", label(of.name), of.refuses.Load())
	}
	head("optcomplete_memory_bytes", "gauge", "Memory that the program has from the system.")
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	fmt.Fprintf(w, "optcomplete_memory_bytes %d\n", sample[0].Value.Uint64()-sample[1].Value.Uint64())
}

// label is the value of a label.
func label(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
