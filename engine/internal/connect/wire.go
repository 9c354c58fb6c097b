package connect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"
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

// Address is where a Spark Connect server is: sc://host:port/;key=value;…
type Address struct {
	Host  string // with the port
	SSL   bool
	User  string
	Agent string // what calls itself so
	token string
	// headers are sent with every call: a gateway's keys, such as a cluster's id
	headers map[string]string
}

// TokenVariable is the environment variable that may hold the token.
const TokenVariable = "SPARK_CONNECT_TOKEN"

// ParseAddress reads an address. The keys token, use_ssl, user_id and user_agent are those
// of Spark's own clients, and like them it takes other keys for headers; a token means SSL,
// but to this machine. It may come from the environment instead.
func ParseAddress(text string) (Address, error) {
	a := Address{User: "optcomplete", Agent: "optcomplete", headers: map[string]string{}}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "sc" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return a, fmt.Errorf("an engine's address is sc://HOST:PORT, with ;key=value behind a slash (sc://head:15002/;use_ssl=true)")
	}
	a.Host = u.Host
	if u.Port() == "" {
		a.Host = net.JoinHostPort(u.Hostname(), "15002")
	}
	a.token = os.Getenv(TokenVariable)
	given := false
	for _, pair := range strings.Split(strings.TrimPrefix(u.Path, "/"), ";") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "":
		case "token":
			a.token = value
		case "use_ssl":
			given, a.SSL = true, strings.EqualFold(value, "true")
		case "user_id":
			a.User = value
		case "user_agent":
			a.Agent = value
		default:
			if strings.Trim(strings.ToLower(key), "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.ContainsFunc(value, unicode.IsControl) || slices.Contains(ownHeaders, strings.ToLower(key)) {
				return a, fmt.Errorf("an engine's address has a key %q that cannot be sent as a header", key)
			}
			a.headers[key] = value
		}
	}
	local := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	if a.token != "" && !a.SSL {
		if given && !local {
			return a, fmt.Errorf("a token is sent only with use_ssl=true: otherwise everybody on the way could read it")
		}
		a.SSL = !local
	}
	return a, nil
}

// ownHeaders are those of the protocol, and a session's name, which is always new.
var ownHeaders = []string{"authorization", "content-length", "content-type", "host", "session_id", "te"}

// String is the address without its token and other headers.
func (a Address) String() string {
	s := "sc://" + a.Host
	if a.SSL {
		s += "/;use_ssl=true"
	}
	return s
}
