package pass

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"reflect"

	"optcomplete/data"
)

// names are those of the passes that are always called the same.
var names = map[reflect.Type]string{}

// Register makes a pass and its part known to Encode and Decode. name is what
// readings are counted under, in the words of a user ("survey"); a Named pass has
// none here. Every package with passes calls it in an init function, so that all
// processes of one program know the same.
func Register(name string, p Pass, part Part) {
	names[reflect.TypeOf(p)] = name
	gob.Register(p)
	gob.Register(part)
}

// NameOf is what readings for a pass are counted under.
func NameOf(p Pass) string {
	if n, is := p.(Named); is {
		return n.Name()
	}
	return names[reflect.TypeOf(p)]
}

// Message is a reading as it is sent.
type Message struct {
	Base       string      // what the sender and the receiver call the source
	Transforms []Transform // see View
	Counted    *Shared[Counted]
	Passes     []Pass
	Sinks      []bool
	Shared     map[string][]byte // shared values that the receiver has not
}

// shares are all shared values of the message.
func (m *Message) shares() (all []sharing) {
	eachShared(reflect.ValueOf(m), func(s sharing) { all = append(all, s) })
	return all
}

// eachShared finds the shared values in what gob sends of a value.
func eachShared(v reflect.Value, found func(sharing)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if s, is := v.Interface().(sharing); is {
			found(s)
		} else {
			eachShared(v.Elem(), found)
		}
	case reflect.Struct:
		for x := range v.NumField() {
			if v.Type().Field(x).IsExported() {
				eachShared(v.Field(x), found)
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Struct: // no others are shared
			for x := range v.Len() {
				eachShared(v.Index(x), found)
			}
		}
	}
}

// SharedOf tells the shared values that a reading needs, by name, and how to encode
// each: for runners that send them by themselves.
func SharedOf(r Reading) map[string]func() ([]byte, error) {
	m := r.message()
	all := map[string]func() ([]byte, error){}
	for _, s := range m.shares() {
		all[s.Name()] = s.encode
	}
	return all
}

// message is the reading without what the source is called.
func (r *Reading) message() *Message {
	m := &Message{Shared: map[string][]byte{}}
	m.Passes, m.Sinks = r.split()
	if v, ok := r.Source.(*View); ok {
		m.Transforms, m.Counted = v.transforms, v.counted
	}
	return m
}

// Base is what a source is a view of.
func Base(s data.Source) data.Source {
	if v, ok := s.(*View); ok {
		return v.base
	}
	return s
}

// Encode writes a reading for a process to which has tells what shared values it
// was sent before. name names what the source is a view of.
func Encode(r Reading, name func(base data.Source) (string, error), has func(shared string) bool) ([]byte, error) {
	m := r.message()
	var err error
	if m.Base, err = name(Base(r.Source)); err != nil {
		return nil, err
	}
	for _, s := range m.shares() {
		if n := s.Name(); !has(n) && m.Shared[n] == nil {
			if m.Shared[n], err = s.encode(); err != nil {
				return nil, err
			}
		}
	}
	return encode(m)
}

// Decode reads a reading. open is the source of a name; memory has what was sent
// before, and keeps what is.
func Decode(b []byte, open func(name string) (data.Source, error), memory *Memory) (*Plan, []bool, error) {
	var m Message
	if err := decode(b, &m); err != nil {
		return nil, nil, err
	}
	for _, s := range m.shares() {
		if err := s.resolve(memory, m.Shared); err != nil {
			return nil, nil, err
		}
	}
	source, err := open(m.Base)
	if err != nil {
		return nil, nil, err
	}
	// What memory holds of a source holds for these values only.
	description, err := encode(&Message{Base: m.Base, Transforms: m.Transforms, Counted: m.Counted})
	if err != nil {
		return nil, nil, err
	}
	id := fmt.Sprintf("%x", sha256.Sum256(description))
	if m.Transforms != nil {
		view, _ := memory.Get("view "+id, func() (any, error) { // its chunks are made once
			return &View{base: source, transforms: m.Transforms, counted: m.Counted}, nil
		})
		source = view.(data.Source)
	}
	plan := NewPlan(source, m.Passes, memory)
	plan.Input.ID = id
	return plan, m.Sinks, nil
}

// EncodeParts and DecodeParts are for what an item gave; see Executor.Do.
func EncodeParts(parts [][]Part) ([]byte, error) { return encode(&parts) }

// DecodeParts is the inverse of EncodeParts.
func DecodeParts(b []byte) (parts [][]Part, err error) { return parts, decode(b, &parts) }

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(value)
	return b.Bytes(), err
}

func decode(b []byte, to any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(to) }
