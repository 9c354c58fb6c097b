package checkpoint

import (
	"context"
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

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
	"optcomplete/spec"
)

// Fingerprint writes down all that a run depends on, one line for each field of its
// records, so that two runs that may give different answers never have the same text: by
// data, settings, program and the kind of machine, whose arithmetic may round differently. Two
// builds of one version are two programs: they may search in another order.
//
// It walks the records by reflection: a field that somebody adds is in the text from then
// on, unless it is in changesNoAnswer with a reason, or a function that is called while the
// run goes on (On…). What it cannot write down panics, so it never leaves anything out by
// oversight.
func Fingerprint(entries string, problem, settings any) string {
	return fmt.Sprintf("optcomplete %s %s vectors %v\nbuild %s\n", spec.Version, runtime.GOARCH, kernel.Accelerated(), build()) +
		entries + text("Problem", problem) + text("Settings", settings)
}

// Entries writes down the shape, the ids and the entries of a matrix, and what else the
// data have of each entry; nil: nothing.
func Entries(ctx context.Context, threads int, of *data.Ratings, more *data.Ratings) (string, error) {
	hash, err := pass.Fingerprint(ctx, of.Source(), threads)
	if err == nil && more != nil {
		var second string
		second, err = pass.Fingerprint(ctx, more.Source(), threads)
		hash += " times " + second
	}
	n, m := of.Dims()
	ids := struct{ RowIDs, ColumnIDs []string }{of.RowIDs, of.ColumnIDs}
	return fmt.Sprintf("data %d × %d, %d entries %s\n", n, m, of.Observed(), hash) + text("Ratings", ids), err
}

// changesNoAnswer are the fields that runs may differ in and still share what was
// computed: a checkpoint keeps what the cost is at some weights and what validation
// chose, and none of these has a part in that.
var changesNoAnswer = map[string]string{
	"Problem.Ratings":     "written by Entries",
	"Problem.Times":       "written by Entries",
	"Problem.Nouns":       "what people call things",
	"Settings.Limits":     "ends a search, at costs that are what they are, and uses more or less of the machine",
	"Settings.Proof":      "only watches",
	"Settings.Checkpoint": "where the answers are kept",
	"Settings.Folder":     "where the model is kept",
}

// LeavesOut tells whether a field, by its path such as "Settings.Limits", is not written.
func LeavesOut(path string, kind reflect.Kind) bool {
	_, out := changesNoAnswer[path]
	name := path[strings.LastIndexByte(path, '.')+1:]
	return out || kind == reflect.Func && strings.HasPrefix(name, "On")
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

// text writes a record under a name, one line a field: "k 3".
func text(name string, record any) string {
	var b strings.Builder
	walk(&b, name, reflect.ValueOf(record))
	return b.String()
}

func walk(b *strings.Builder, path string, v reflect.Value) {
	if LeavesOut(path, v.Kind()) {
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
			walk(b, path+"."+v.Type().Field(f).Name, v.Field(f))
		}
		return
	}
	fmt.Fprintf(b, "%s %s\n", words(path), valueText(v))
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

// valueText is one value in a line, whole or as its hash.
func valueText(v reflect.Value) string {
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
			return fmt.Appendf(b, "%d numbers %s", len(numbers), hashNumbers(numbers))
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
	panic(fmt.Sprintf("checkpoint: a %v cannot be written down", v.Type()))
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

// hashNumbers is a hash of numbers, by their bits.
func hashNumbers(values []float64) string {
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
