package pass

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"sync"
)

// Shared is a large value that many passes or transforms use, by a pointer in an
// exported field. Their descriptions carry its name, which is made from its content;
// a runner sends the value itself to each process once. The value must not be changed
// from then on.
type Shared[T any] struct {
	name  string
	value T
	named *sync.Once // nil: decoded, and named
	ready bool
}

// Share shares a value, which encoding/gob must be able to encode.
func Share[T any](value T) *Shared[T] {
	return &Shared[T]{value: value, named: new(sync.Once), ready: true}
}

// Get is the value.
func (s *Shared[T]) Get() T {
	if !s.ready {
		panic("pass: a shared value is used before it was sent")
	}
	return s.value
}

// Name is made from the content: the same values have one name.
func (s *Shared[T]) Name() string {
	if s.named != nil {
		s.named.Do(func() {
			h := sha256.New()
			fmt.Fprintf(h, "%T ", s.value)
			if err := gob.NewEncoder(h).Encode(&s.value); err != nil {
				panic(fmt.Sprintf("pass: a shared value cannot be encoded: %v", err))
			}
			s.name = hex.EncodeToString(h.Sum(nil)[:16])
		})
	}
	return s.name
}

// GobEncode writes the name.
func (s *Shared[T]) GobEncode() ([]byte, error) { return []byte(s.Name()), nil }

// GobDecode reads the name; the value comes by itself.
func (s *Shared[T]) GobDecode(name []byte) error {
	*s = Shared[T]{name: string(name)}
	return nil
}

// sharing is a Shared of any type.
type sharing interface {
	Name() string
	encode() ([]byte, error)
	resolve(memory *Memory, sent map[string][]byte) error
}

func (s *Shared[T]) encode() ([]byte, error) { return encode(&s.value) }

// resolve finds the value among those that this process has, or that were sent.
func (s *Shared[T]) resolve(memory *Memory, sent map[string][]byte) error {
	if s.ready {
		return nil
	}
	value, err := memory.Get("shared "+s.name, func() (any, error) {
		bytes, ok := sent[s.name]
		if !ok && memory.Fetch != nil {
			var err error
			if bytes, err = memory.Fetch(s.name); err != nil {
				return nil, err
			}
		} else if !ok {
			return nil, fmt.Errorf("pass: the shared value %s was not sent", s.name)
		}
		var value T
		err := decode(bytes, &value)
		return value, err
	})
	if err != nil {
		return err
	}
	s.value, s.ready = value.(T), true
	return nil
}

// Memory is what a process remembers from one reading to the next: shared values,
// and what passes made of them. A key that is asked for again gives the same
// value.
type Memory struct {
	// Fetch gets the encoded shared value of a name, where values do not come with
	// the readings; nil: they do.
	Fetch func(name string) ([]byte, error)

	mu   sync.Mutex
	kept map[string]*remembered
}

type remembered struct {
	once  sync.Once
	value any
	err   error
}

// NewMemory is empty.
func NewMemory() *Memory { return &Memory{kept: map[string]*remembered{}} }

// Get is the value of a key, made the first time. An error is not kept, and
// without a memory nothing is.
func (m *Memory) Get(key string, make func() (any, error)) (any, error) {
	if m == nil {
		return make()
	}
	m.mu.Lock()
	r, ok := m.kept[key]
	if !ok {
		r = &remembered{}
		m.kept[key] = r
	}
	m.mu.Unlock()
	r.once.Do(func() { r.value, r.err = make() })
	if r.err != nil {
		m.mu.Lock()
		if m.kept[key] == r {
			delete(m.kept, key)
		}
		m.mu.Unlock()
	}
	return r.value, r.err
}
