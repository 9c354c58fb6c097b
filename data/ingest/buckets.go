package ingest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"syscall"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
)

// buckets gather entries by ranges of rows, each in the order of the input.
// Within a bucket they are sorted later, when it is its turn. What does not fit
// into memory goes to a temporary file: then the blocks of a bucket are spread
// over the file, and come first.
type buckets struct {
	shift   int // bucket of a row is row >> shift
	list    []bucket
	tails   [][]data.Entry // of each bucket, the page that grows
	entries int            // two for each that has a weight

	weighted bool // see merge

	spill  *spill
	budget func() int64 // bytes that pages may take; nil means any number
	used   int64
	free   [pageClasses][][]data.Entry
}

type bucket struct {
	blocks []block        // in the file
	pages  [][]data.Entry // all but the one that grows
}

// block is a piece of the temporary file.
type block struct {
	offset  int64
	entries int
}

// maxBuckets is how many there are at most. It bounds the parts that a bucket is
// torn into when memory is short, and the memory to sort one.
const maxBuckets = 2048

const (
	entryBytes  = 16
	smallPage   = 32 // entries of a page of class 0; each class has twice the one before
	pageClasses = 7
)

// observed is how many entries there are, with those that are given twice.
func (s *buckets) observed() int {
	return s.entries / s.each()
}

// each is how many entries of a bucket one is.
func (s *buckets) each() int {
	if s.weighted {
		return 2
	}
	return 1
}

func (s *buckets) add(entries []data.Entry) error {
	for _, e := range entries {
		x := int(e.Row) >> s.shift
		if x >= len(s.tails) || len(s.tails[x]) == cap(s.tails[x]) {
			var err error
			if x, err = s.room(e.Row); err != nil {
				return err
			}
		}
		s.tails[x] = append(s.tails[x], e)
	}
	s.entries += len(entries)
	return nil
}

// room gives the bucket of a row, with room for an entry on its last page.
func (s *buckets) room(row int32) (int, error) {
	for int(row)>>s.shift >= maxBuckets {
		s.widen()
	}
	x := int(row) >> s.shift
	for x >= len(s.list) {
		s.list, s.tails = append(s.list, bucket{}), append(s.tails, nil)
	}
	if len(s.tails[x]) < cap(s.tails[x]) {
		return x, nil
	}
	s.turn(x)
	page, err := s.page(min(len(s.list[x].pages), pageClasses-1))
	s.tails[x] = page
	return x, err
}

// turn puts the last page of a bucket to its others.
func (s *buckets) turn(x int) {
	if s.tails[x] != nil {
		s.list[x].pages = append(s.list[x].pages, s.tails[x])
		s.tails[x] = nil
	}
}

// widen makes one bucket of two. Their rows are not the same, so the order of
// entries between them does not matter.
func (s *buckets) widen() {
	s.shift++
	for x := range (len(s.list) + 1) / 2 {
		s.turn(2 * x)
		joined, tail := s.list[2*x], []data.Entry(nil)
		if 2*x+1 < len(s.list) {
			other := s.list[2*x+1]
			joined.blocks = append(joined.blocks, other.blocks...)
			joined.pages = append(joined.pages, other.pages...)
			tail = s.tails[2*x+1]
		}
		s.list[x], s.tails[x] = joined, tail
	}
	s.list = s.list[:(len(s.list)+1)/2]
	s.tails = s.tails[:len(s.list)]
}

// page gives an empty page of a class, or of a larger one. When the memory is
// used up, all pages are written to the file first.
func (s *buckets) page(class int) ([]data.Entry, error) {
	for {
		for c := class; c < pageClasses; c++ {
			if n := len(s.free[c]); n > 0 {
				page := s.free[c][n-1]
				s.free[c] = s.free[c][:n-1]
				return page, nil
			}
		}
		size := int64(smallPage<<class) * entryBytes
		if s.budget == nil || s.used+size <= s.budget() || s.used == 0 {
			s.used += size
			return make([]data.Entry, 0, smallPage<<class), nil
		}
		if err := s.flush(); err != nil {
			return nil, err
		}
		class = 0 // now any page is free
	}
}

// flush writes the pages of every bucket to the file, as one block.
func (s *buckets) flush() error {
	for x := range s.list {
		s.turn(x)
		b := &s.list[x]
		if len(b.pages) == 0 {
			continue
		}
		at := s.spill.offset
		count := 0
		for _, page := range b.pages {
			if err := s.spill.write(page); err != nil {
				return err
			}
			count += len(page)
			class := bits.Len(uint(cap(page)/smallPage)) - 1
			s.free[class] = append(s.free[class], page[:0])
		}
		b.blocks = append(b.blocks, block{at, count})
		b.pages = b.pages[:0]
	}
	if s.used > s.budget() { // the ids have grown
		s.used, s.free = 0, [pageClasses][][]data.Entry{}
	}
	return s.spill.flush()
}

// load appends the entries of bucket x to parts, in the order of the input, and
// frees them. Those of the file are put into entries.
func (s *buckets) load(x int, parts [][]data.Entry, entries []data.Entry, buffer []byte) ([][]data.Entry, []data.Entry, []byte, error) {
	s.turn(x)
	b := &s.list[x]
	for _, k := range b.blocks {
		var err error
		if entries, buffer, err = s.spill.read(k, entries, buffer); err != nil {
			return nil, nil, nil, err
		}
	}
	parts = append(append(parts, entries), b.pages...)
	b.pages, b.blocks = nil, nil
	return parts, entries, buffer, nil
}

func encode(to []byte, e data.Entry) {
	binary.LittleEndian.PutUint32(to, uint32(e.Row))
	binary.LittleEndian.PutUint32(to[4:], uint32(e.Column))
	binary.LittleEndian.PutUint64(to[8:], math.Float64bits(e.Value))
}

func decode(from []byte) data.Entry {
	return data.Entry{
		Row:    int32(binary.LittleEndian.Uint32(from)),
		Column: int32(binary.LittleEndian.Uint32(from[4:])),
		Value:  math.Float64frombits(binary.LittleEndian.Uint64(from[8:])),
	}
}

// spill is the temporary file of entries that do not fit into memory. It has no
// name where the system allows that, so that nothing is left of it whatever ends
// the process.
type spill struct {
	path   string // the file stands beside it
	file   *os.File
	named  bool
	offset int64 // of the next entry
	buffer []byte
}

const spillBuffer = 1 << 20

// SpillKind is a part of the name of every spill; see atomicfile.Reserve.
const SpillKind = "spill"

func (s *spill) open() (err error) {
	s.file, s.named, err = atomicfile.Temp(s.path, SpillKind)
	return err
}

func (s *spill) write(entries []data.Entry) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
		s.buffer = make([]byte, 0, spillBuffer)
	}
	for _, e := range entries {
		if len(s.buffer) == cap(s.buffer) {
			if err := s.flush(); err != nil {
				return err
			}
		}
		n := len(s.buffer)
		s.buffer = s.buffer[:n+entryBytes]
		encode(s.buffer[n:], e)
		s.offset += entryBytes
	}
	return nil
}

func (s *spill) flush() error {
	_, err := s.file.Write(s.buffer)
	s.buffer = s.buffer[:0]
	return s.wrap(err)
}

// read appends the entries of a block. Any number of goroutines may read.
func (s *spill) read(k block, entries []data.Entry, buffer []byte) ([]data.Entry, []byte, error) {
	if size := k.entries * entryBytes; cap(buffer) < size {
		buffer = make([]byte, size+size/2)
	}
	buffer = buffer[:k.entries*entryBytes]
	if _, err := s.file.ReadAt(buffer, k.offset); err != nil {
		return nil, nil, s.wrap(err)
	}
	for at := 0; at < len(buffer); at += entryBytes {
		entries = append(entries, decode(buffer[at:]))
	}
	return entries, buffer, nil
}

func (s *spill) close() {
	if s.file == nil {
		return
	}
	s.file.Close()
	if s.named {
		os.Remove(s.file.Name())
	}
	s.file = nil
}

// wrap says which file an error is of, and what to do about a full disk.
func (s *spill) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the disk is full: %d MiB of entries are in the temporary file in %s (free some space, name another folder with Settings.Temp, or allow more Settings.Memory): %w", s.offset>>20, filepath.Dir(s.path), err)
	}
	return fmt.Errorf("the temporary file in %s: %w", filepath.Dir(s.path), err)
}
