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

// plain tells that the first n ≤ 8 bytes of a word are ASCII and no spaces or
// control characters. It may say false of others after one that is not.
func plain(word uint64, n int) bool {
	return (word|(word-0x21*ones)&^word)&tops&(1<<(8*n)-1) == 0
}

// field reads the bytes at the beginning of a text up to a delimiter: their
// number and key. ok is false if they are none, not plain, or do not fit a key.
// The text has sixteen bytes, whatever they are.
func field(text []byte, delimiter byte) (k key, n int, ok bool) {
	low := binary.LittleEndian.Uint64(text)
	if n = indexIn(low, delimiter); n < 8 {
		return key{low & (1<<(8*n) - 1), uint64(n) << 56}, n, n > 0 && plain(low, n)
	}
	high := binary.LittleEndian.Uint64(text[8:])
	n = indexIn(high, delimiter)
	return shortKey(low, high, 8+n), 8 + n, n < 8 && plain(low, 8) && plain(high, n)
}

// plainLines tells whether the lines of a layout may be taken by fastLines.
func (w *worker) plainLines(l *layout) bool {
	return !l.double && l.row == 0 && l.column == 1 && l.value == 2 && l.width <= 4 && len(w.settings.Missing) == 0
}

// fastLines takes lines off the beginning of a text without quotes. What is left
// begins with a line for the general parser.
func (w *worker) fastLines(b *batch, text []byte, l *layout) []byte {
	if cap(text) < len(text)+slack {
		return text
	}
	// Whatever stands behind the text is no part of a line: the end of each line
	// is looked for last, and must be in the text.
	whole, begin := text[:len(text)+slack], 0
	for begin < len(text) {
		rowKey, n, ok := field(whole[begin:], l.delimiter)
		if !ok || begin+n+1 >= len(text) {
			break
		}
		row := text[begin : begin+n]
		at := begin + n + 1
		columnKey, n, ok := field(whole[at:], l.delimiter)
		if !ok || at+n+1 >= len(text) {
			break
		}
		column := text[at : at+n]
		at += n + 1
		value, next := w.fastValue(text, whole, at, l)
		if next == 0 {
			break
		}
		v, wrong := textfile.ParseNumber(value)
		if wrong != "" {
			break
		}
		j := w.lastColumn.number
		if columnKey != w.lastColumn.key {
			if j = w.columns.find(columnKey, nil); j < 0 && w.fixed {
				break
			}
		}
		b.lines++
		b.given++
		w.put(b, row, rowKey, column, columnKey, j, v)
		begin = next
	}
	return text[begin:]
}

// fastValue finds the value that begins at a place, and where the next line
// does; 0 if that is for the general parser.
func (w *worker) fastValue(text, whole []byte, at int, l *layout) (value []byte, next int) {
	behind := byte('\n')
	if l.width > 3 {
		behind = l.delimiter
	}
	n := indexIn(binary.LittleEndian.Uint64(whole[at:]), behind)
	if n == 8 {
		if n += indexIn(binary.LittleEndian.Uint64(whole[at+8:]), behind); n == 16 {
			return nil, 0
		}
	}
	end := at + n
	if end >= len(text) {
		return nil, 0
	}
	if l.width > 3 {
		rest := bytes.IndexByte(text[end+1:], '\n')
		if rest < 0 || !textfile.Printable(bytes.TrimSuffix(text[end+1:end+1+rest], []byte{'\r'})) || bytes.IndexByte(text[end+1:end+1+rest], l.delimiter) >= 0 {
			return nil, 0
		}
		return text[at:end], end + rest + 2
	}
	if next = end + 1; n > 0 && text[end-1] == '\r' {
		end--
	}
	return text[at:end], next
}
