package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// Protocol is the version of the lines that a worker reads and writes.
const Protocol = 2

// A line to a worker has four fields, separated by tabs:
//
//	protocol   reading   task   tasks
//
// the reading as pass.Encode writes it, in base64, and which share of its items is
// asked for. An empty reading asks who is there, and one that begins with "echo=" for
// as many bytes of the kind "echo" as it says. It answers with lines of three fields,
//
//	item   kind   body
//
// one of the kind "hello" (item −1) that says who answers, one of the kind "parts"
// for each item or run of items, in any order, and if something is wrong one of the kind "error"
// (item −1), or "missing" if it cannot see the data. The last is of the kind "done",
// its item the number of the task. Bodies are base64, then a point and the seal.
const (
	kindHello   = "hello"
	kindParts   = "parts"
	kindError   = "error"
	kindMissing = "missing"
	kindDone    = "done"
	kindEcho    = "echo"
	kindPacked  = "packed" // of Worker.Pack: an ingest.Part, and its file
	kindInput   = "input"  // what is wrong with a table
)

// echoReading asks a task for this many bytes, to measure the way back. It is no base64,
// so that no reading is taken for it.
func echoReading(bytes int) string { return echoPrefix + strconv.Itoa(bytes) }

const echoPrefix = "echo="

// order is a line to a worker.
type order struct {
	reading     []byte
	echo        int // bytes that are asked for instead
	task, tasks int
}

func parseOrder(line string) (o order, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 4 {
		return o, fmt.Errorf("a line has %d fields, not 4", len(f))
	}
	if f[0] != strconv.Itoa(Protocol) {
		return o, fmt.Errorf("the line is of protocol %s, and this worker speaks %d", f[0], Protocol)
	}
	if number, ok := strings.CutPrefix(f[1], echoPrefix); ok {
		if o.echo, err = strconv.Atoi(number); err != nil || o.echo < 0 || o.echo > maxLine/2 {
			return o, fmt.Errorf("%.20q bytes are asked for", number)
		}
	} else if o.reading, err = base64.StdEncoding.DecodeString(f[1]); err != nil {
		return o, err
	}
	if o.task, err = strconv.Atoi(f[2]); err != nil {
		return o, err
	}
	if o.tasks, err = strconv.Atoi(f[3]); err != nil {
		return o, err
	}
	if o.tasks < 1 || o.task < 0 || o.task >= o.tasks {
		return o, fmt.Errorf("task %d of %d is asked for", o.task, o.tasks)
	}
	return o, nil
}

// runLevel is how many items are merged before they are sent, as a power of two: so many
// that at most four runs are left for each task, or one if parts are large. Both sides
// compute it. What goes to a sink is sent item by item.
func runLevel(items, tasks int, large bool, sinks []bool) (level int) {
	if slices.Contains(sinks, true) {
		return 0
	}
	most := 4 * tasks
	if large {
		most = tasks
	}
	for items > most<<level {
		level++
	}
	return level
}

// taskOf is the number of the task of a line; −1 if it has none.
func taskOf(line string) int {
	f := strings.Split(line, "\t")
	if task, err := strconv.Atoi(f[min(2, len(f)-1)]); err == nil {
		return task
	}
	return -1
}

// share is the items of a task.
func share(items, task, tasks int) (lo, hi int) {
	return items * task / tasks, items * (task + 1) / tasks
}

// keyFile holds the key of a session, in the folder of what was sent.
const keyFile = "session.key"

// sealer seals the answers of a worker to one question: nobody who lacks the session's key
// can give them, or take an answer to one question for that to another.
type sealer struct {
	key   []byte
	about [sha256.Size]byte
}

func newSealer(key []byte, question string) *sealer {
	return &sealer{key, sha256.Sum256([]byte(question))}
}

// workerSealer is that of a worker. Without a key the driver takes nothing.
func workerSealer(question string) *sealer {
	key, _ := os.ReadFile(keyFile)
	return newSealer(key, question)
}

func (s *sealer) seal(item int, kind, body string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write(s.about[:])
	fmt.Fprintf(h, "%d\t%s\t%s", item, kind, body)
	return base64.StdEncoding.EncodeToString(h.Sum(nil)[:16])
}

func (s *sealer) answer(item int, kind string, content []byte) string {
	body := base64.StdEncoding.EncodeToString(content)
	return fmt.Sprintf("%d\t%s\t%s.%s\n", item, kind, body, s.seal(item, kind, body))
}

// open is the content of a sealed body.
func (s *sealer) open(item int, kind, sealed string) ([]byte, error) {
	body, seal, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(seal), []byte(s.seal(item, kind, body))) {
		return nil, &workerError{"an answer does not come from a worker of this session, or was changed on its way: the fit ends, because its results could not be trusted (see docs/cluster.md, Security)"}
	}
	return base64.StdEncoding.DecodeString(body)
}

// programSum is the checksum of the program that runs, taken when it is first asked for:
// of the image itself where the system shows it, as the file may be another one by now.
var programSum = sync.OnceValue(func() string {
	path := "/proc/self/exe"
	if _, err := os.Stat(path); err != nil {
		path, _ = os.Executable()
	}
	sum, _ := sumOf(path)
	return sum
})

func sumOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(content)), err
}

// Hello is who answers.
type Hello struct {
	Version  string `json:"version"`  // of the program
	Program  string `json:"program"`  // its checksum
	Platform string `json:"platform"` // and its arithmetic: all workers must have the same
	Executor string `json:"executor"` // host and folder
	Process  int    `json:"process"`
	Cores    int    `json:"cores"` // of the machine
	Memory   int64  `json:"memory"`
}

// platform is what decides about bits.
func platform() string {
	return fmt.Sprintf("%s %s %s", runtime.GOARCH, kernel.Name(), runtime.Version())
}

// base names a source to a worker.
type base struct {
	Path     string     `json:"path"`
	Checksum string     `json:"checksum"`
	Columns  int        `json:"columns"`         // those without entries included
	Ranks    string     `json:"ranks,omitempty"` // file with the columns' numbers; empty: as they stand
	Rows     string     `json:"rows,omitempty"`  // file with the rows' numbers; empty: all
	Sent     bool       `json:"sent,omitempty"`  // its files were sent: look for them in the session's folder
	Jobs     *pass.Jobs `json:"jobs,omitempty"`  // instead of a path
}

func (b base) String() string {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return string(text)
}
