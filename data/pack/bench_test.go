//go:build linux

package pack

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"golang.org/x/sys/unix"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// The benchmarks pack rows of about 500 entries. PACK_ROWS sets how many rows
// (20000: 10⁷ entries); the size is PACK_ROWS=1000000.
func benchRows() int {
	if n, err := strconv.Atoi(os.Getenv("PACK_ROWS")); err == nil {
		return n
	}
	return 20_000
}

var benchKinds = []struct {
	name    string
	columns int
	value   func(*rand.Rand) float64
}{
	{"ratings", 10_000, stars},
	{"cents", 10_000, cents},
	{"float32", 10_000, single},
	{"float64", 10_000, double},
	{"wide-ratings", 1_000_000, stars},
	{"wide-float32", 1_000_000, single},
}

// benchRow makes row i of a kind, about 500 entries.
func benchRow(r *rand.Rand, m int, value func(*rand.Rand) float64, columns []int32, values []float64) ([]int32, []float64) {
	columns, values = columns[:0], values[:0]
	gap := 2*m/500 - 1
	for c := r.IntN(gap); c < m; c += 1 + r.IntN(gap) {
		columns, values = append(columns, int32(c)), append(values, value(r))
	}
	return columns, values
}

var packs sync.Map // kind → path

// benchPack is a pack of a kind, made once and kept for all benchmarks.
func benchPack(b *testing.B, kind int) string {
	if path, ok := packs.Load(kind); ok {
		return path.(string)
	}
	dir := must.Get(os.MkdirTemp("", "pack-bench"))(b)
	k := benchKinds[kind]
	path := filepath.Join(dir, k.name)
	columnIDs := make([]string, k.columns)
	for j := range columnIDs {
		columnIDs[j] = "c" + strconv.Itoa(j)
	}
	w := must.Get(Create(path, columnIDs, WriterOptions{Rows: benchRows(), Observed: 500 * benchRows()}))(b)
	r := rand.New(rand.NewPCG(1, 2))
	var columns []int32
	var values []float64
	for i := range benchRows() {
		columns, values = benchRow(r, k.columns, k.value, columns, values)
		must.Do(b, w.Append("row "+strconv.Itoa(i), columns, values))
	}
	must.Do(b, w.Close())
	packs.Store(kind, path)
	return path
}

func TestMain(m *testing.M) {
	code := m.Run()
	packs.Range(func(_, path any) bool {
		os.RemoveAll(filepath.Dir(path.(string)))
		return true
	})
	os.Exit(code)
}

// perEntry reports the time of an entry by the clock, and by the processor: on a
// machine that does other things too, only the latter is the code's own.
func perEntry(b *testing.B, entries int, processor time.Duration) {
	per := float64(entries) * float64(b.N)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/per, "ns/entry")
	b.ReportMetric(float64(processor.Nanoseconds())/per, "cpu-ns/entry")
}

// processorTime is what this goroutine, alone on its thread, has used so far.
func processorTime() time.Duration {
	runtime.LockOSThread()
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDecode reads all rows, one goroutine: in order, in a random order,
// and in order for the first time after opening, when blocks are checked.
func BenchmarkDecode(b *testing.B) {
	for kind, k := range benchKinds {
		for _, way := range []string{"order", "random", "first"} {
			b.Run(k.name+"/"+way, func(b *testing.B) {
				f := opened(b, benchPack(b, kind))
				n, _ := f.Dims()
				reader := f.Reader()
				var columns []int32
				var values []float64
				pass := func() {
					for x := range n {
						i := x
						if way == "random" {
							i = x * 7919 % n
						}
						var err error
						if columns, values, err = reader.Append(i, columns[:0], values[:0]); err != nil {
							b.Fatal(err)
						}
					}
				}
				pass()
				start := processorTime()
				for b.Loop() {
					if way == "first" {
						for x := range f.touched {
							f.touched[x].Store(0)
						}
					}
					pass()
				}
				perEntry(b, f.Observed(), processorTime()-start)
				b.ReportMetric(float64(f.Info().Bytes)/float64(f.Observed()), "bytes/entry")
			})
		}
	}
}

// BenchmarkDecodeMemory is the same pass over a matrix in memory, as a yardstick.
func BenchmarkDecodeMemory(b *testing.B) {
	f := opened(b, benchPack(b, 0))
	m := must.Get(data.Collect(f, nil))(b)
	var columns []int32
	var values []float64
	n, _ := m.Dims()
	start := processorTime()
	for b.Loop() {
		for i := range n {
			columns, values, _ = m.Append(i, columns[:0], values[:0])
		}
	}
	perEntry(b, m.Observed(), processorTime()-start)
}

// BenchmarkOpen opens a pack and reads one row in its middle.
func BenchmarkOpen(b *testing.B) {
	for kind, k := range benchKinds {
		b.Run(k.name, func(b *testing.B) {
			path := benchPack(b, kind)
			for b.Loop() {
				f := must.Get(Open(path))(b)
				if _, _, err := f.Reader().Append(benchRows()/2, nil, nil); err != nil {
					b.Fatal(err)
				}
				must.Do(b, f.Close())
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	f := opened(b, benchPack(b, 2))
	for b.Loop() {
		must.Do(b, f.Verify(b.Context(), nil))
	}
	b.SetBytes(f.Info().Bytes)
}

func BenchmarkRowIDs(b *testing.B) {
	f := opened(b, benchPack(b, 0))
	for b.Loop() {
		if f.readRowIDs() == nil {
			b.Fatal(f.Err())
		}
	}
}

// BenchmarkWrite writes to nowhere: the writer's own work.
func BenchmarkWrite(b *testing.B) {
	for _, k := range benchKinds {
		b.Run(k.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			type row struct {
				columns []int32
				values  []float64
			}
			rows, entries := make([]row, 1000), 0
			for i := range rows {
				rows[i].columns, rows[i].values = benchRow(r, k.columns, k.value, nil, nil)
				entries += len(rows[i].columns)
			}
			probe := newTrial()
			for i := range rows {
				probe.add("", rows[i].columns, rows[i].values, nil)
			}
			s := must.Get(newStream(io.Discard, shape{columns: k.columns, values: probe.encoding()}, 128, nil, nil))(b)
			before, start := s.at, processorTime()
			for b.Loop() {
				for i := range rows {
					must.Do(b, s.append("row 123456", rows[i].columns, rows[i].values, nil))
				}
			}
			perEntry(b, entries, processorTime()-start)
			b.SetBytes((s.at - before) / int64(b.N))
		})
	}
}

// BenchmarkArrow reads the same packs with Arrow's library and the same loops:
// the alternative to the reader of this package. Nothing is checked there.
func BenchmarkArrow(b *testing.B) {
	for kind, k := range benchKinds[:4] {
		b.Run("open/"+k.name, func(b *testing.B) {
			path := benchPack(b, kind)
			for b.Loop() {
				file := must.Get(os.Open(path))(b)
				r := must.Get(ipc.NewFileReader(file))(b)
				if _, err := r.RecordBatchAt(r.NumRecords() / 2); err != nil {
					b.Fatal(err)
				}
				r.Close()
				file.Close()
			}
		})
		b.Run("decode/"+k.name, func(b *testing.B) {
			file := must.Get(os.Open(benchPack(b, kind)))(b)
			defer file.Close()
			r := must.Get(ipc.NewFileReader(file))(b)
			var columns []int32
			var values []float64
			entries, start := 0, processorTime()
			for b.Loop() {
				entries = 0
				for at := range r.NumRecords() {
					batch := must.Get(r.RecordBatchAt(at))(b)
					list := batch.Column(1).(*array.List)
					item := list.ListValues().(*array.Struct)
					codes := item.Field(0).(*array.Dictionary).Indices().(*array.Uint16).Uint16Values()
					for x := range list.Len() {
						lo, hi := list.ValueOffsets(x)
						n := int(hi - lo)
						entries += n
						columns = slices.Grow(columns[:0], n)[:n]
						values = slices.Grow(values[:0], n)[:n]
						narrowColumns(columns, codes[lo:hi])
						switch v := item.Field(1).(type) {
						case *array.Dictionary:
							dictionary := v.Dictionary().(*array.Float64).Float64Values()
							switch codes := v.Indices().(type) {
							case *array.Uint8:
								for y, code := range codes.Uint8Values()[lo:hi] {
									values[y] = dictionary[code]
								}
							case *array.Uint16:
								for y, code := range codes.Uint16Values()[lo:hi] {
									values[y] = dictionary[code]
								}
							}
						case *array.Float32:
							fromFloat32(values, v.Float32Values()[lo:hi])
						case *array.Float64:
							copy(values, v.Float64Values()[lo:hi])
						default:
							b.Fatalf("%T", v)
						}
					}
					batch.Release()
				}
			}
			perEntry(b, entries, processorTime()-start)
		})
	}
}
