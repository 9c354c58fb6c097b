package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"optcomplete/internal/atomicfile"
)

const (
	runFile     = "run.txt"
	answersFile = "answers.log"
)

// MismatchError is returned for a folder that holds another run.
type MismatchError struct {
	Dir       string
	Want, Got string // the fingerprints
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s holds a checkpoint of another run: %s (use another folder, or remove this one)", e.Dir, difference(e.Want, e.Got))
}

// StrayError is returned for a folder whose answers are not those of the run it names,
// or which does not name it.
type StrayError struct{ Dir, File, Problem string }

func (e *StrayError) Error() string {
	return fmt.Sprintf("%s %s (remove the folder, or use another)", filepath.Join(e.Dir, e.File), e.Problem)
}

// BusyError is returned for a folder that another run is using.
type BusyError struct{ Dir string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("another run is using the checkpoint in %s (wait for it to end, or use another folder)", e.Dir)
}

// difference names the first line in which two fingerprints differ.
func difference(want, got string) string {
	now, before := strings.Split(want, "\n"), strings.Split(got, "\n")
	for x := range max(len(now), len(before)) {
		a, b := "", ""
		if x < len(now) {
			a = now[x]
		}
		if x < len(before) {
			b = before[x]
		}
		if a != b {
			return fmt.Sprintf("it has %q, this run %q", b, a)
		}
	}
	return "it differs"
}

// Store is the memory of a run. It serves one goroutine.
type Store struct {
	dir      string
	file     *os.File
	run      question // the hash of the fingerprint, with which questions and checksums begin
	answers  map[question][]byte
	synced   time.Time
	Recalled int // answers that were remembered
	Computed int // answers that were not
}

type question [sha256.Size]byte

// syncEvery is how much time a loss of power may cost.
const syncEvery = time.Second

// Open opens the memory of a run in a folder, or begins it. Until the store is
// closed, or the process ends in whatever way, the folder is for this run alone.
func Open(dir, fingerprint string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, answersFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, file: file, run: sha256.Sum256([]byte(fingerprint)), answers: map[question][]byte{}, synced: time.Now()}
	if err := s.begin(fingerprint); err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// begin locks the folder, checks that it is of this run, and reads its answers.
func (s *Store) begin(fingerprint string) error {
	if err := atomicfile.Lock(s.file); err != nil {
		return &BusyError{Dir: s.dir}
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	run := filepath.Join(s.dir, runFile)
	switch got, err := os.ReadFile(run); {
	case errors.Is(err, fs.ErrNotExist) && info.Size() > 0:
		return &StrayError{s.dir, answersFile, "has answers, but there is no " + runFile + " that says of which run"}
	case errors.Is(err, fs.ErrNotExist):
		err := atomicfile.File(run, func(w io.Writer) error {
			_, err := io.WriteString(w, fingerprint)
			return err
		})
		if err != nil {
			return err
		}
	case err != nil:
		return err
	case string(got) != fingerprint && strings.HasPrefix(fingerprint, string(got)):
		return &StrayError{s.dir, runFile, fmt.Sprintf("is cut short: it has %d of the %d bytes that say which run this is", len(got), len(fingerprint))}
	case string(got) != fingerprint:
		return &MismatchError{Dir: s.dir, Want: fingerprint, Got: string(got)}
	}
	if err := s.header(); err != nil {
		return err
	}
	end, err := s.load(info.Size())
	if err == nil {
		err = s.file.Truncate(end)
	}
	if err == nil {
		_, err = s.file.Seek(end, io.SeekStart)
	}
	return err
}

// magic begins the answers; the hash of the run's fingerprint follows.
const magic = "optcomplete answers 3\n"

// header checks that the answers begin with the run they are of. Where there are none,
// also since the run was killed at once, they begin now.
func (s *Store) header() error {
	want := append([]byte(magic), s.run[:]...)
	got := make([]byte, len(want))
	switch size, err := io.ReadFull(s.file, got); {
	case ignoreEnd(err) != nil:
		return err
	case bytes.Equal(got, want):
		return nil
	case size >= len(magic) && string(got[:len(magic)]) != magic:
		return &StrayError{s.dir, answersFile, "is damaged, or of another version of the program"}
	case !bytes.HasPrefix(want, got[:size]):
		return &StrayError{s.dir, answersFile, "has the answers of another run than its " + runFile + " says"}
	}
	if err := s.file.Truncate(0); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(want, 0); err != nil {
		return fmt.Errorf("the checkpoint cannot be written: %w", err)
	}
	_, err := s.file.Seek(int64(len(want)), io.SeekStart)
	return errors.Join(err, s.file.Sync())
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of a record of this run.
func (s *Store) checksum(parts ...[]byte) uint32 {
	sum := crc32.Checksum(s.run[:], castagnoli)
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

// A record is the length of the answer, the question, the answer, and the
// checksum of the run and all three.
const recordHead = 8 + sha256.Size

// load reads the records, after the header, up to the first that is not whole, and
// returns where that begins. The file has so many bytes.
func (s *Store) load(most int64) (end int64, err error) {
	end = int64(len(magic) + len(s.run))
	r := bufio.NewReaderSize(s.file, 1<<20)
	head := make([]byte, recordHead)
	for {
		if _, err := io.ReadFull(r, head); err != nil {
			return end, ignoreEnd(err)
		}
		size := binary.LittleEndian.Uint64(head)
		if size > uint64(most) {
			return end, nil
		}
		rest := make([]byte, size+4)
		if _, err := io.ReadFull(r, rest); err != nil {
			return end, ignoreEnd(err)
		}
		answer := rest[:size]
		if s.checksum(head, answer) != binary.LittleEndian.Uint32(rest[size:]) {
			return end, nil
		}
		s.answers[question(head[8:])] = answer
		end += recordHead + int64(size) + 4
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Do is the answer to a question: the one remembered, or the one computed now,
// which is then remembered. An error is not.
func (s *Store) Do(about []byte, compute func() ([]byte, error)) ([]byte, error) {
	q := question(sha256.Sum256(append(s.run[:], about...)))
	if answer, ok := s.answers[q]; ok {
		s.Recalled++
		return answer, nil
	}
	answer, err := compute()
	if err != nil {
		return nil, err
	}
	s.Computed++
	s.answers[q] = answer
	return answer, s.append(q, answer)
}

func (s *Store) append(q question, answer []byte) error {
	var record bytes.Buffer
	record.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(answer))))
	record.Write(q[:])
	record.Write(answer)
	record.Write(binary.LittleEndian.AppendUint32(nil, s.checksum(record.Bytes())))
	if _, err := s.file.Write(record.Bytes()); err != nil {
		return fmt.Errorf("the checkpoint cannot be written: %w", err)
	}
	if time.Since(s.synced) < syncEvery {
		return nil
	}
	s.synced = time.Now()
	return s.file.Sync()
}

// Close ends the use of the store; what it remembers stays.
func (s *Store) Close() error {
	return errors.Join(s.file.Sync(), s.file.Close())
}
