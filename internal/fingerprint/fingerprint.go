// Package fingerprint writes down all that a run depends on, one line for each
// field of its records, so that two runs that may give different answers never
// have the same text.
//
// It takes records (structs) and a list of fields to leave out, and walks the rest
// by reflection: a field that somebody adds is in the text from then on, unless it
// is put on the list, with a reason. What it cannot write down (a function, a map)
// panics, so it never leaves anything out by oversight.
package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unicode"

	"optcomplete/internal/kernel"
	"optcomplete/spec"
)

// Run tells apart programs and kinds of machines, whose arithmetic may round
// differently. Two builds of one version are two programs: they may search in another
// order.
func Run() string {
	return fmt.Sprintf("optcomplete %s %s vectors %v\nbuild %s\n", spec.Version, runtime.GOARCH, kernel.Accelerated(), build())
}

// build is a hash of the program itself, which needs no revision to be written into it.
var build = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err == nil {
		var sum string
		if sum, err = hashOf(path); err == nil {
			return sum
		}
	}
	return "unknown (" + err.Error() + ")"
})

func hashOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return fmt.Sprintf("%x", hash.Sum(nil)[:8]), err
}

// LeftOut names fields that are not written, by their path such as
// "Settings.Threads", and says for each why it changes no answer.
type LeftOut map[string]string

// Text writes a record under a name, one line a field: "k 3".
func Text(name string, record any, out LeftOut) string {
	var b strings.Builder
	walk(&b, name, reflect.ValueOf(record), out)
	return b.String()
}

func walk(b *strings.Builder, path string, v reflect.Value, out LeftOut) {
	if _, left := out[path]; left {
		return
	}
	if v.Kind() == reflect.Interface && !v.IsNil() { // which type, then its fields
		fmt.Fprintf(b, "%s %s\n", words(path), kindOf(v.Elem()))
		if v = v.Elem(); v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
	}
	if v.Kind() == reflect.Struct {
		for f := range v.NumField() {
			walk(b, path+"."+v.Type().Field(f).Name, v.Field(f), out)
		}
		return
	}
	fmt.Fprintf(b, "%s %s\n", words(path), Value(v))
}

// kindOf is what people call the type of a value: what it says itself, or its name.
func kindOf(v reflect.Value) string {
	if named, ok := v.Interface().(fmt.Stringer); ok {
		return named.String()
	}
	if v.Kind() == reflect.Pointer {
		return v.Type().Elem().Name()
	}
	return v.Type().Name()
}

// mostShown is the length from which a value is written as its hash.
const mostShown = 200

// Value is one value in a line, whole or as its hash.
func Value(v reflect.Value) string {
	text := string(appendValue(nil, v))
	if len(text) > mostShown {
		sum := sha256.Sum256([]byte(text))
		return fmt.Sprintf("%x", sum[:16])
	}
	return text
}

// appendValue writes a value so that different ones differ: texts are quoted,
// lists have their length, numbers all their digits.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return fmt.Append(b, plain(v))
	case reflect.String:
		return fmt.Appendf(b, "%q", v.String())
	case reflect.Interface:
		if v.IsNil() {
			return append(b, "none"...)
		}
		return appendValue(fmt.Appendf(b, "%v ", v.Elem().Type()), v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "none"...)
		}
		return appendValue(b, v.Elem())
	case reflect.Slice, reflect.Array:
		if numbers, ok := v.Interface().([]float64); ok && len(numbers) > mostShown {
			return fmt.Appendf(b, "%d numbers %s", len(numbers), Numbers(numbers))
		}
		b = fmt.Appendf(b, "%d[", v.Len())
		for x := range v.Len() {
			b = append(appendValue(b, v.Index(x)), ' ')
		}
		return append(b, ']')
	case reflect.Struct:
		b = append(b, '{')
		for f := range v.NumField() {
			b = fmt.Appendf(b, "%s ", v.Type().Field(f).Name)
			b = append(appendValue(b, v.Field(f)), ' ')
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("fingerprint: a %v cannot be written down", v.Type()))
}

// plain is the value of a kind, without the methods of its type: a name that is
// printed for several values would hide that they differ.
func plain(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	}
	return v.Float()
}

// Numbers is a hash of numbers, by their bits.
func Numbers(values []float64) string {
	h := sha256.New()
	b := make([]byte, 0, 4096)
	for _, v := range values {
		if b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)); len(b) == cap(b) {
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(b)
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// words turns the path of a field into words, without the record's own name:
// Settings.RowShrinkage is "row shrinkage".
func words(path string) string {
	_, path, _ = strings.Cut(path, ".")
	var b strings.Builder
	for x, r := range path {
		switch {
		case r == '.':
			b.WriteByte(' ')
		case unicode.IsUpper(r) && x > 0 && path[x-1] != '.' && !unicode.IsUpper(rune(path[x-1])):
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
