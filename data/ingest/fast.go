package ingest

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"optcomplete/internal/textfile"
)

// Most lines are alike: short ids of plain characters and a short number, in
// this order. They are taken eight bytes at a time; every other line, and every
// line with a fault, is left to the general parser, which gives the same.

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// indexIn is where a byte stands among the eight of a word; 8 if nowhere.
func indexIn(word uint64, b byte) int {
	word ^= uint64(b) * ones
	// The lowest zero byte is the first that borrows without a top bit of its own.
	return bits.TrailingZeros64((word-ones)&^word&tops) / 8
}

// plain tells that the first n < 8 bytes of a word are ASCII and no spaces or
// control characters. It may say false of others after one that is not.
func plain(word uint64, n int) bool {
	return (word|(word-0x21*ones)&^word)&tops&(1<<(8*n)-1) == 0
}

// plainLines tells whether the lines of a batch may be taken by fastLine.
func (w *worker) plainLines(b *batch) bool {
	l := &b.file.layout
	return !l.double && l.row == 0 && l.column == 1 && l.value == 2 && l.width <= 4 && len(w.settings.Missing) == 0
}

// fastLine takes the first line of a text without quotes, and gives its length;
// 0, and nothing is changed, if that is for the general parser.
func (w *worker) fastLine(b *batch, text []byte, l *layout) int {
	// Whatever stands behind the text is no part of a line: the end of the line
	// is looked for last, and must be in the text.
	if cap(text) < len(text)+slack || len(text) < 6 {
		return 0
	}
	word := binary.LittleEndian.Uint64(text[:8])
	n := indexIn(word, l.delimiter)
	if n == 0 || n == 8 || !plain(word, n) {
		return 0
	}
	row, rowKey := text[:n], shortKey(word, n)
	at := n + 1
	if at >= len(text) {
		return 0
	}
	word = binary.LittleEndian.Uint64(text[at : at+8])
	if n = indexIn(word, l.delimiter); n == 0 || n == 8 || !plain(word, n) {
		return 0
	}
	column, columnKey := text[at:at+n], shortKey(word, n)
	if at += n + 1; at >= len(text) {
		return 0
	}
	word = binary.LittleEndian.Uint64(text[at : at+8])
	var end int // of the value
	var length int
	if l.width == 3 {
		if end = at + indexIn(word, '\n'); end == at+8 || end >= len(text) {
			return 0
		}
		length = end + 1
		if end > at && text[end-1] == '\r' {
			end--
		}
	} else {
		if end = at + indexIn(word, l.delimiter); end == at+8 || end >= len(text) {
			return 0
		}
		rest := bytes.IndexByte(text[end+1:], '\n')
		if rest < 0 || !textfile.Printable(bytes.TrimSuffix(text[end+1:end+1+rest], []byte{'\r'})) || bytes.IndexByte(text[end+1:end+1+rest], l.delimiter) >= 0 {
			return 0
		}
		length = end + 1 + rest + 1
	}
	v, wrong := textfile.ParseNumber(text[at:end])
	if wrong != "" {
		return 0
	}
	j := w.lastColumn.number
	if columnKey != w.lastColumn.key {
		if j = w.columns.find(columnKey, nil); j < 0 && w.fixed {
			return 0
		}
	}
	b.lines++
	b.given++
	w.put(b, row, rowKey, column, columnKey, j, v)
	return length
}

// shortKey is keyOf of the first n < 8 bytes of a word.
func shortKey(word uint64, n int) uint64 { return word&(1<<(8*n)-1) | uint64(n)<<56 }
