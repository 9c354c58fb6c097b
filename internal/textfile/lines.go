package textfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"
)

// LineReader gives the lines of a text one by one, without their ends, in a
// buffer that is used again. It never holds more than Limit bytes of a line.
type LineReader struct {
	text  *bufio.Reader
	Name  string // of the file, for errors
	Limit int    // bytes of the longest line
	Line  int    // number of the last line given
	long  []byte // a line that did not fit into the buffer of text
}

// Next gives the next line that is not blank, or io.EOF. The bytes may be
// changed by the caller and hold until the next call.
func (r *LineReader) Next() ([]byte, error) {
	for {
		line, err := r.read()
		if err != nil {
			return nil, err
		}
		if !Blank(line) {
			return line, CheckLine(r.Name, r.Line, line)
		}
	}
}

// read gives the next line, blank or not.
func (r *LineReader) read() ([]byte, error) {
	line, err := r.text.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = r.readLong(line)
	}
	if err == io.EOF {
		if len(line) == 0 {
			return nil, io.EOF
		}
		err = nil // the last line, without an end
	}
	r.Line++
	if err != nil {
		if _, known := err.(*InputError); known {
			return nil, err
		}
		return nil, ReadError(r.Name, r.Line, err)
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > r.Limit {
		return nil, TooLong(r.Name, r.Line, r.Limit)
	}
	return line, nil
}

// readLong puts a line together that is longer than the buffer of text.
func (r *LineReader) readLong(part []byte) ([]byte, error) {
	r.long = r.long[:0]
	err := error(bufio.ErrBufferFull)
	for {
		// Two bytes more than the limit may be the line's end.
		if len(r.long)+len(part) > r.Limit+2 {
			return nil, TooLong(r.Name, r.Line+1, r.Limit)
		}
		r.long = append(r.long, part...)
		if err != bufio.ErrBufferFull {
			return r.long, err
		}
		part, err = r.text.ReadSlice('\n')
	}
}

// CheckLine refuses bytes that no text table holds. A nil error is nil.
func CheckLine(name string, number int, line []byte) error {
	if fault := lineFault(line); fault != nil {
		fault.File, fault.Line = name, number
		return fault
	}
	return nil
}

func lineFault(line []byte) *InputError {
	switch {
	case Printable(line):
		return nil
	case bytes.IndexByte(line, 0) >= 0:
		return &InputError{Problem: "holds a NUL byte", Remedy: "save the file as UTF-8 text"}
	case !utf8.Valid(line):
		return &InputError{Problem: "is not UTF-8 text", Remedy: "save the file as UTF-8"}
	case bytes.IndexByte(line, '\r') >= 0:
		return &InputError{Problem: "holds a carriage return within the line", Remedy: `end lines with \n or \r\n`}
	}
	return nil
}

// TooLong is the fault of a line of more than limit bytes.
func TooLong(name string, number, limit int) *InputError {
	return &InputError{
		File: name, Line: number,
		Problem: fmt.Sprintf("the line is longer than %d MiB", limit>>20),
		Remedy:  "check that this is a text table with one entry a line",
	}
}

// Blank tells whether a line holds nothing but spaces and tabs.
func Blank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' {
			return false
		}
	}
	return true
}

// Printable tells quickly, for eight bytes at a time, that a line is ASCII
// without control characters below 14. It may say false of a line that is fine.
func Printable(line []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for len(line) >= 8 {
		x := binary.LittleEndian.Uint64(line)
		// A byte below 14 borrows from the top bit, which it does not have itself.
		if (x|(x-14*ones)&^x)&tops != 0 {
			return false
		}
		line = line[8:]
	}
	for _, b := range line {
		if b >= utf8.RuneSelf || b < 14 {
			return false
		}
	}
	return true
}
