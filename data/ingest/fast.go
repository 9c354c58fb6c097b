package ingest

import (
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

// plainLines tells whether the lines of a file may be taken by fastLines.
func (w *worker) plainLines(in *input) bool {
	l := &in.layout
	return !in.weight.is && !l.double && l.row == 0 && l.column == 1 && l.value == 2 && l.width <= 4 && len(w.settings.Missing) == 0 && !w.settings.times
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
		row, n, ok := field(whole[begin:], l.delimiter)
		at := begin + n + 1
		if !ok || at >= len(text) {
			break
		}
		column, n, ok := field(whole[at:], l.delimiter)
		at += n + 1
		if !ok || at >= len(text) {
			break
		}
		v, next := fastValue(text, whole, at, l)
		if next == 0 {
			break
		}
		j := int32(-1)
		if w.fixed {
			if j = w.columns.find(column, nil); j < 0 {
				break
			}
		}
		b.lines++
		b.given++
		w.waiting = append(w.waiting, waiting{row, column, v, -1, j})
		if len(w.waiting) == maxWaiting || w.probe != nil {
			w.settle(b)
		}
		begin = next
	}
	return text[begin:]
}

// fastValue reads the value that begins at a place of the text, and says where
// the next line does; 0 if that is for the general parser.
func fastValue(text, whole []byte, at int, l *layout) (v float64, next int) {
	behind := byte('\n')
	if l.width > 3 {
		behind = l.delimiter
	}
	n := indexIn(binary.LittleEndian.Uint64(whole[at:]), behind)
	if n == 8 {
		n += indexIn(binary.LittleEndian.Uint64(whole[at+8:]), behind)
	}
	end := at + n
	if n == 16 || end >= len(text) {
		return 0, 0
	}
	if next = end + 1; l.width > 3 {
		rest, m, ok := field(whole[next:], '\n')
		const bytes = 1<<56 - 1 // of the high word
		if next += m + 1; !ok || next > len(text) || indexIn(rest.low, l.delimiter) < 8 || indexIn(rest.high&bytes, l.delimiter) < 8 {
			return 0, 0
		}
	} else if n > 0 && text[end-1] == '\r' {
		end--
	}
	if digit := text[at] - '0'; end == at+1 && digit <= 9 {
		return float64(digit), next
	}
	v, wrong := textfile.ParseNumber(text[at:end])
	if wrong != "" {
		return 0, 0
	}
	return v, next
}
