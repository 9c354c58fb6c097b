package connect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// message is a protocol buffer that is being written.
type message []byte

func (m message) tag(field int, wire byte) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

// bytes adds bytes, a text or another message.
func (m message) bytes(field int, b []byte) message {
	return append(binary.AppendUvarint(m.tag(field, 2), uint64(len(b))), b...)
}

func (m message) text(field int, s string) message { return m.bytes(field, []byte(s)) }

func (m message) number(field int, x uint64) message {
	return binary.AppendUvarint(m.tag(field, 0), x)
}

var errWire = errors.New("the server's message cannot be understood")

// fields calls f for every field of a message: b is its bytes, or x its number.
func fields(m []byte, f func(field int, b []byte, x uint64)) error {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		if n <= 0 {
			return errWire
		}
		m = m[n:]
		field := int(tag >> 3)
		switch tag & 7 {
		case 0:
			x, n := binary.Uvarint(m)
			if n <= 0 {
				return errWire
			}
			f(field, nil, x)
			m = m[n:]
		case 1, 5:
			size := 8
			if tag&7 == 5 {
				size = 4
			}
			if len(m) < size {
				return errWire
			}
			m = m[size:]
		case 2:
			size, n := binary.Uvarint(m)
			if n <= 0 || size > uint64(len(m)-n) {
				return errWire
			}
			f(field, m[n:n+int(size)], 0)
			m = m[n+int(size):]
		default:
			return errWire
		}
	}
	return nil
}

// mostMessage is the largest message that is taken.
const mostMessage = 1 << 30

// writeMessage writes a message as gRPC frames it.
func writeMessage(w io.Writer, m []byte) error {
	head := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(m)))
	_, err := w.Write(append(head, m...))
	return err
}

// readMessage reads the next message; io.EOF after the last.
func readMessage(r io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if head[0] != 0 || size > mostMessage {
		return nil, fmt.Errorf("%w: it has %d bytes", errWire, size)
	}
	m := make([]byte, size)
	_, err := io.ReadFull(r, m)
	return m, err
}
