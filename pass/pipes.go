package pass

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"optcomplete/data"
)

// Pipes runs readings by workers that know only what a pipe brings them:
// here goroutines of this process, which share the sources and nothing else. It
// shows that passes, transforms and parts can be sent, and is the pattern of a
// runner on other machines.
type Pipes struct {
	workers []*pipeWorker
	mu      sync.Mutex // one reading at a time
	names   map[data.Source]string
	sources sync.Map // by name
}

type pipeWorker struct {
	in   io.WriteCloser
	out  io.Reader
	sent map[string]bool // shared values
}

// NewPipes starts this many workers. Close ends them.
func NewPipes(workers int) *Pipes {
	p := &Pipes{names: map[data.Source]string{}}
	for range workers {
		inRead, in := io.Pipe()
		out, outWrite := io.Pipe()
		p.workers = append(p.workers, &pipeWorker{in: in, out: out, sent: map[string]bool{}})
		go func() { outWrite.CloseWithError(Serve(inRead, outWrite, p.open)) }()
	}
	return p
}

// Close ends the workers.
func (p *Pipes) Close() {
	for _, w := range p.workers {
		w.in.Close()
	}
}

func (p *Pipes) open(name string) (data.Source, error) {
	if s, ok := p.sources.Load(name); ok {
		return s.(data.Source), nil
	}
	return nil, fmt.Errorf("pass: there is no source %q", name)
}

// name calls the sources by numbers.
func (p *Pipes) name(base data.Source) (string, error) {
	name, ok := p.names[base]
	if !ok {
		name = fmt.Sprintf("source %d", len(p.names))
		p.names[base] = name
		p.sources.Store(name, base)
	}
	return name, nil
}

// Run executes a reading. A pass that reads another source while it is read, or
// from its sink, would wait for ever.
func (p *Pipes) Run(ctx context.Context, r Reading) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	passes, sinks := r.split()
	plan := NewPlan(r.Source, passes, nil)
	if plan.Items() == 0 {
		return plan.none(sinks, plan.NewResults(r.Tasks))
	}
	results := plan.NewResults(r.Tasks)
	messages := make([][]byte, len(p.workers))
	for x, w := range p.workers {
		m, err := Encode(r, p.name, func(name string) bool {
			had := w.sent[name]
			w.sent[name] = true
			return had
		})
		if err != nil {
			return err
		}
		messages[x] = m
	}
	var next atomic.Int64
	errs := make([]error, len(p.workers))
	var all sync.WaitGroup
	for x, w := range p.workers {
		all.Go(func() {
			errs[x] = w.run(ctx, messages[x], plan.Items(), &next, results)
			if errs[x] != nil {
				next.Store(int64(plan.Items())) // nobody need go on
				results.End()
			}
		})
	}
	all.Wait()
	if err := errors.Join(ctx.Err(), errors.Join(errs...)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	results.Finish()
	return nil
}

// run lets a worker do items of a reading until there are none.
func (w *pipeWorker) run(ctx context.Context, message []byte, items int, next *atomic.Int64, results *Results) error {
	if err := writeFrame(w.in, message); err != nil {
		return err
	}
	if _, err := readAnswer(w.out); err != nil {
		return err
	}
	for ctx.Err() == nil {
		item := int(next.Add(1)) - 1
		if item >= items {
			break
		}
		results.Wait(item, 8)
		if err := writeFrame(w.in, binary.AppendUvarint(nil, uint64(item)+1)); err != nil {
			return err
		}
		answer, err := readAnswer(w.out)
		if err != nil {
			return err
		}
		parts, err := DecodeParts(answer)
		if err != nil {
			return err
		}
		if err := results.Put(item, parts); err != nil {
			return errors.Join(err, writeFrame(w.in, []byte{0}))
		}
	}
	return writeFrame(w.in, []byte{0})
}

// Serve is a worker: it reads readings from in, each followed by the items it is
// to compute, and writes their parts to out, until in ends. A frame is its length,
// eight bytes with the lowest first, and this many bytes. An item is sent as a varint
// of its number plus one; 0 ends the reading. An answer begins with 0, or with 1 if
// the rest is the text of an error.
func Serve(in io.Reader, out io.Writer, open func(name string) (data.Source, error)) error {
	memory := NewMemory()
	for {
		message, err := readFrame(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var executor *Executor
		plan, sinks, err := Decode(message, open, memory)
		if err == nil {
			executor, err = plan.NewExecutor(sinks)
		}
		if err := writeAnswer(out, nil, err); err != nil {
			return err
		}
		for executor != nil {
			frame, err := readFrame(in)
			if err != nil {
				return err
			}
			item, _ := binary.Uvarint(frame)
			if item == 0 {
				break
			}
			var answer []byte
			parts, err := executor.Do(context.Background(), int(item)-1)
			if err == nil {
				answer, err = EncodeParts(parts)
			}
			if err := writeAnswer(out, answer, err); err != nil {
				return err
			}
			if err != nil {
				break
			}
		}
		if executor != nil {
			executor.Release()
		}
	}
}

func writeAnswer(out io.Writer, answer []byte, err error) error {
	if err != nil {
		return writeFrame(out, append([]byte{1}, err.Error()...))
	}
	return writeFrame(out, append([]byte{0}, answer...))
}

func readAnswer(in io.Reader) ([]byte, error) {
	frame, err := readFrame(in)
	if err != nil {
		return nil, err
	}
	if len(frame) == 0 || frame[0] != 0 {
		return nil, errors.New(string(frame[min(1, len(frame)):]))
	}
	return frame[1:], nil
}

func writeFrame(out io.Writer, b []byte) error {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(b)))
	if _, err := out.Write(size[:]); err != nil {
		return err
	}
	_, err := out.Write(b)
	return err
}

func readFrame(in io.Reader) ([]byte, error) {
	var size [8]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.LittleEndian.Uint64(size[:]))
	_, err := io.ReadFull(in, b)
	return b, err
}
