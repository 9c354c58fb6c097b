package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// fake is a Spark Connect server that knows the few queries of this package: its one
// executor is a worker of this process, in a folder of its own.
type fake struct {
	address string
	folder  string
	worker  *Worker
	// refuse may answer a call by itself: with a status of gRPC, and a message. Zero: it
	// does not.
	refuse func(method, sql string, r *http.Request) (status int, message string)
	// change may change a line of an answer.
	change func(line string) string
	forged bool // what is changed keeps its seal
	// twice lets every task be done once before, for nothing, and says so.
	twice bool
	// table is what tables hold, packed in three tasks: rows, columns and values.
	table []string
	types []arrow.DataType

	mu    sync.Mutex
	calls []string
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{folder: t.TempDir(), worker: NewWorker("test"), types: texts}
	t.Chdir(f.folder) // where the worker looks for what was sent
	s := httptest.NewUnstartedServer(f)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	f.address = "sc://" + strings.TrimPrefix(s.URL, "http://")
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	var answer [][]byte
	sql := ""
	var file string
	var content []byte
	for {
		m, err := readFramed(r.Body)
		if err != nil {
			break
		}
		switch method {
		case "AddArtifacts":
			for _, b := range find(m, 3, 1) { // batch: name, data
				f.write(string(find(b, 1)[0]), bytes.Join(find(b, 2, 1), nil))
			}
			for _, b := range find(m, 4) {
				file = string(find(b, 1)[0])
				content = append(content, bytes.Join(find(b, 4, 1), nil)...)
			}
			content = append(content, bytes.Join(find(m, 5, 1), nil)...)
		case "ExecutePlan":
			for _, b := range append(find(m, 3, 1, 10, 1), find(m, 3, 2, 5, 1)...) {
				sql = string(b)
			}
		}
	}
	if file != "" {
		f.write(file, content)
	}
	f.mu.Lock()
	f.calls = append(f.calls, method)
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
	if f.refuse != nil {
		if status, message := f.refuse(method, sql, r); status != 0 {
			w.Header().Set("Grpc-Status", strconv.Itoa(status))
			w.Header().Set("Grpc-Message", message)
			return
		}
	}
	switch method {
	case "AnalyzePlan":
		answer = [][]byte{field(8, field(1, []byte("4.0.fake")))}
	case "AddArtifacts":
		answer = [][]byte{field(1, append(field(1, []byte("x")), 2<<3, 1))}
	case "ExecutePlan":
		if batch := f.query(r.Context(), sql); batch != nil {
			answer = [][]byte{field(2, field(2, batch))}
		}
	}
	for _, m := range answer {
		w.Write(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(m))), m...))
	}
	w.Header().Set("Grpc-Status", "0")
}

func (f *fake) write(name string, content []byte) {
	os.WriteFile(filepath.Join(f.folder, filepath.Base(name)), content, 0o600)
}

var packing = regexp.MustCompile(`TRANSFORM\(r, c, v(?:, p1)?\) .* worker (pack-[a-z.-]+)`)

// tableNames are those of the columns of the table, as many as there are types.
var tableNames = []string{"user", "film", "stars", "Weight"}

var transform = regexp.MustCompile(`TRANSFORM\((\d+), '([^']*)', id, (\d+)\)`)

// query computes what the queries ask for.
func (f *fake) query(ctx context.Context, sql string) []byte {
	if strings.HasPrefix(sql, "SET ") {
		return batch([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}, {Name: "value", Type: arrow.BinaryTypes.String}}, []string{"key\t<undefined>"})
	}
	if strings.HasPrefix(sql, "SELECT * FROM optcomplete_") && strings.HasSuffix(sql, " LIMIT 0") {
		var fields []arrow.Field
		for x, kind := range f.types {
			fields = append(fields, arrow.Field{Name: tableNames[x], Type: kind})
		}
		return batch(fields, nil)
	}
	if strings.HasPrefix(sql, "SELECT * FROM optcomplete_") {
		text := arrow.BinaryTypes.String
		return batch([]arrow.Field{{Name: "user", Type: text}, {Name: "film", Type: text}, {Name: "stars", Type: text}}, []string{"007\ta,b\t3", "u\tc\t4.5"})
	}
	var out bytes.Buffer
	work := func(do func(to io.Writer)) {
		if f.twice {
			do(io.Discard)
		}
		do(&out)
	}
	if found := packing.FindStringSubmatch(sql); found != nil {
		tasks := make([]strings.Builder, 3)
		for _, line := range f.table {
			row, _, _ := strings.Cut(line, "\t")
			sum := crc32.ChecksumIEEE([]byte(row))
			tasks[sum%2].WriteString(line + "\n") // and one without any
		}
		for x := range tasks {
			work(func(to io.Writer) { f.worker.Pack(ctx, found[1], strings.NewReader(tasks[x].String()), to) })
		}
	} else if found := transform.FindStringSubmatch(sql); found != nil {
		tasks, _ := strconv.Atoi(found[3])
		for task := range tasks {
			line := fmt.Sprintf("%s\t%s\t%d\t%d\n", found[1], found[2], task, tasks)
			work(func(to io.Writer) { f.worker.Work(ctx, strings.NewReader(line), to) })
		}
	} else {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if f.change != nil {
		question := ""
		if found := transform.FindStringSubmatch(sql); found != nil {
			question = found[2]
		} else {
			question = packing.FindStringSubmatch(sql)[1]
		}
		seals := workerSealer(question)
		for x := range lines {
			was := strings.Split(lines[x], "\t")
			body, seal, _ := strings.Cut(was[2], ".")
			now := strings.Split(f.change(was[0]+"\t"+was[1]+"\t"+body), "\t")
			if item, _ := strconv.Atoi(now[0]); !f.forged {
				seal = seals.seal(item, now[1], now[2])
			}
			lines[x] = strings.Join(now, "\t") + "." + seal
		}
	}
	fields := []arrow.Field{{Name: "item", Type: arrow.PrimitiveTypes.Int32}, {Name: "kind", Type: arrow.BinaryTypes.String}, {Name: "body", Type: arrow.BinaryTypes.String}}
	if strings.Contains(sql, currentThread) {
		fields = append(fields, arrow.Field{Name: "thread", Type: arrow.BinaryTypes.String})
		attempt := 0
		if f.twice {
			attempt = 1
		}
		for x := range lines {
			lines[x] += fmt.Sprintf("\tThread[#4,Executor task launch worker for task 7.%d in stage 9.0 (TID 12),5,main]", attempt)
		}
	}
	return batch(fields, lines)
}

// batch is lines of fields as a stream of Arrow.
func batch(fields []arrow.Field, lines []string) []byte {
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, line := range lines {
		for x, text := range strings.Split(line, "\t") {
			if err := b.Field(x).AppendValueFromString(text); err != nil {
				panic(err)
			}
		}
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(b.NewRecordBatch()); err != nil {
		panic(err)
	}
	w.Close()
	return out.Bytes()
}

func readFramed(r io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	m := make([]byte, binary.BigEndian.Uint32(head[1:]))
	_, err := io.ReadFull(r, m)
	return m, err
}

func field(number int, b []byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|2), uint64(len(b))), b...)
}

// find is the fields of this path of numbers in a message.
func find(m []byte, path ...int) (all [][]byte) {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		x, used := binary.Uvarint(m[n:])
		m = m[n+used:]
		if tag&7 != 2 {
			continue
		}
		if int(tag>>3) == path[0] {
			if len(path) == 1 {
				all = append(all, m[:x])
			} else {
				all = append(all, find(m[:x], path[1:]...)...)
			}
		}
		m = m[x:]
	}
	return all
}
