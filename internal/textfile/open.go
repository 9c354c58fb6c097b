package textfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"optcomplete/internal/memory"
)

// StdinName stands for standard input in error messages; the user writes "-".
const StdinName = "stdin"

// zstdWindow is the most memory a zstd frame may ask for: that of `zstd --long`.
const zstdWindow = 128 << 20

// FromFile is what read makes of a file; see WithFile.
func FromFile[T any](ctx context.Context, path string, read func(r io.Reader, name string) (T, error)) (made T, err error) {
	err = WithFile(ctx, path, func(r io.Reader, name string) (err error) {
		made, err = read(r, name)
		return err
	})
	return made, err
}

// WithFile opens a path ("-" is standard input; one in memory comes first) and hands its text to read,
// with the name to use in errors. A context, which may be nil, ends the reading.
func WithFile(ctx context.Context, path string, read func(r io.Reader, name string) error) error {
	if path == "-" {
		return read(Interruptible(ctx, os.Stdin), StdinName)
	}
	if content, ok := InMemory(path); ok {
		return read(bytes.NewReader(content), path)
	}
	file, err := os.Open(path)
	if err != nil {
		return OpenError(path, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return &InputError{File: path, Problem: "is a directory", Remedy: "name the file in it"}
	}
	return read(Interruptible(ctx, file), path)
}

// OpenError says why a file cannot be opened.
func OpenError(path string, err error) error {
	problem := "cannot be opened"
	var cause *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem = "there is no such file"
	case errors.Is(err, syscall.ENOTDIR):
		problem = "there is no such file: a part of this path is a file, not a folder"
	case errors.As(err, &cause):
		problem += ": " + cause.Err.Error()
	}
	return &InputError{File: path, Problem: problem, Err: err}
}

// The first bytes of what people give us.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	utf8Mark  = []byte{0xef, 0xbb, 0xbf}

	// Formats that are not text tables, and what to do about each.
	notText = []struct{ magic, problem, remedy string }{
		{"PAR1\x15", "is a Parquet file, which cannot be read from a pipe", "write it to a file and name that"},
		{"PK\x03\x04", "is a zip archive or a spreadsheet", "unpack it, or save the sheet as CSV"},
		{"BZh91AY", "is compressed with bzip2", "unpack it, or use gzip or zstd"},
		{"\xfd7zXZ\x00", "is compressed with xz", "unpack it, or use gzip or zstd"},
		{"\xff\xfe", "is UTF-16 text", "save it as UTF-8"},
		{"\xfe\xff", "is UTF-16 text", "save it as UTF-8"},
	}
)

// BufferBytes is the size of the read buffer. Lines within it are never copied.
const BufferBytes = 256 << 10

// Unpack gives the text of r: decompressed if its first bytes say so, without a
// byte-order mark. Release it when done.
func Unpack(r io.Reader, name string) (text *bufio.Reader, release func(), err error) {
	release = func() {}
	raw := bufio.NewReaderSize(watching{r}, BufferBytes)
	head, _ := raw.Peek(8) // a read error will come again with the first line
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(raw)
		if err == io.EOF { // within its head
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, nil, ReadError(name, 0, err)
		}
		text = bufio.NewReaderSize(watching{z}, BufferBytes)
	case bytes.HasPrefix(head, zstdMagic):
		z, err := zstd.NewReader(raw, zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, nil, ReadError(name, 0, err)
		}
		release = z.Close
		text = bufio.NewReaderSize(watching{z}, BufferBytes)
	default:
		text = raw
	}
	head, err = text.Peek(8)
	if len(head) == 0 && err != nil && err != io.EOF {
		release()
		return nil, nil, ReadError(name, 0, err)
	}
	for _, f := range notText {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			release()
			return nil, nil, &InputError{File: name, Problem: f.problem, Remedy: f.remedy}
		}
	}
	if bytes.HasPrefix(head, utf8Mark) {
		if _, err := text.Discard(len(utf8Mark)); err != nil {
			release()
			return nil, nil, ReadError(name, 0, err)
		}
	}
	return text, release, nil
}

// watching ends a reading once it has taken more memory than is allowed.
type watching struct{ io.Reader }

func (w watching) Read(b []byte) (int, error) {
	if err := memory.Check(); err != nil {
		return 0, err
	}
	return w.Reader.Read(b)
}

// ReadError says why a file cannot be read on.
func ReadError(name string, line int, err error) error {
	if over := new(memory.OverError); errors.As(err, &over) {
		return &InputError{File: name, Line: line, Problem: over.Error(), Remedy: over.Remedy(), Err: err}
	}
	e := &InputError{File: name, Line: line, Problem: "cannot be read: " + err.Error(), Err: err}
	var system *fs.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Problem = "was not read to its end"
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Problem, e.Remedy = "ends in the middle of its compressed data", "fetch or compress it again"
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		e.Problem, e.Remedy = "was compressed with a window of more than 128 MiB", "unpack it, or compress it again with zstd --long=27 or less"
	case !errors.As(err, &system): // what is not the system's is the decompressor's
		e.Problem, e.Remedy = "has damaged compressed data ("+err.Error()+")", "fetch or compress it again"
	}
	return e
}

// inMemory are files by their names, for a process that gets its input over a pipe:
// whatever opens a file by its name finds one of these first. Only a server that was
// given tables has any. Names are for the whole process, and the content must not be
// changed.
var inMemory sync.Map // name to []byte

// PutInMemory takes a file; one of the same name is replaced.
func PutInMemory(name string, content []byte) { inMemory.Store(name, content) }

// InMemory gives a file that was put there.
func InMemory(name string) ([]byte, bool) {
	content, ok := inMemory.Load(name)
	if !ok {
		return nil, false
	}
	return content.([]byte), true
}

// DropFromMemory forgets a file.
func DropFromMemory(name string) { inMemory.Delete(name) }

// ReadSmall reads a file that has at most this many MiB if it is what it should be,
// which the remedy for a larger one says.
func ReadSmall(path string, mebibytes int, remedy string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		problem := "cannot be opened: " + err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			problem = "there is no such file"
		}
		return nil, &InputError{File: path, Problem: problem, Err: err}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(mebibytes)<<20+1))
	switch {
	case err != nil:
		return nil, &InputError{File: path, Problem: "cannot be read: " + err.Error(), Err: err}
	case len(text) > mebibytes<<20:
		return nil, &InputError{File: path, Problem: fmt.Sprintf("is longer than %d MiB", mebibytes), Remedy: remedy}
	}
	return text, nil
}

// Whole reads a file into memory. A file of more than most bytes, or one that never
// ends, such as /dev/zero, is an error.
func Whole(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d MiB (check that it is the file that was meant)", path, most>>20)
	}
	return text, err
}
