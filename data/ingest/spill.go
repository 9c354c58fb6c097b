package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
)

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
