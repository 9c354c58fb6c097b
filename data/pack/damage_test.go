package pack

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/attack"
	"optcomplete/internal/must"
)

// readAll reads everything a pack holds, without Verify.
func readAll(f *File) error {
	return errors.Join(data.ForEach(f, func(i int, columns []int32, values []float64) error {
		if n := f.Entries(i); n != len(columns) {
			return fmt.Errorf("row %d: %d entries announced, %d read", i, n, len(columns))
		}
		return nil
	}), f.Err())
}

// known is an error that names the file and is of a kind that callers can test.
func known(t *testing.T, err error, path string) {
	t.Helper()
	var input *data.InputError
	if !errors.As(err, &input) || input.File != path || input.Remedy == "" {
		t.Errorf("%v: not an input error with a remedy", err)
	}
	if errors.Is(err, ErrDamaged) {
		var block *BlockError
		if !errors.As(err, &block) || block.Block >= 0 && !strings.Contains(err.Error(), fmt.Sprintf("block %d (rows ", block.Block)) {
			t.Errorf("%v: the block is not named", err)
		}
	} else if !errors.Is(err, ErrNotPack) && !errors.Is(err, ErrVersion) {
		t.Errorf("%v: of no known kind", err)
	}
}

// small is a pack of several blocks, in bytes.
func small(t testing.TB, columns int) []byte {
	t.Helper()
	m := random(t, 11, columns, 20/float64(columns), stars)
	b := must.Get(os.ReadFile(write(t, m, WriterOptions{Rows: 4, Observed: blockEntries, Metadata: map[string]string{"made": "by a test"}})))(t)
	return b
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	good := small(t, 40)
	must.Do(t, os.WriteFile(path, good, 0o666))
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	blocks := map[int]bool{}
	for at := range good {
		if at > 0 {
			_, err = file.WriteAt(good[at-1:at], int64(at-1))
		}
		if _, e := file.WriteAt([]byte{good[at] ^ 1<<(at%8)}, int64(at)); e != nil || err != nil {
			t.Fatal(e, err)
		}
		f, err := Open(path)
		if err == nil {
			err = readAll(f)
			if again := f.Verify(context.Background(), nil); again == nil || err == nil || again.Error() != err.Error() && !strings.Contains(err.Error(), again.Error()) {
				t.Errorf("byte %d: reading says %v, verifying says %v", at, err, again)
			}
			f.Close()
		}
		if err == nil {
			t.Fatalf("byte %d of %d was flipped unnoticed", at, len(good))
		}
		known(t, err, path)
		var block *BlockError
		if errors.As(err, &block) {
			blocks[block.Block] = true
		}
	}
	for b := -1; b < 3; b++ {
		if !blocks[b] {
			t.Errorf("block %d was never named", b)
		}
	}
	attack.Report(t, "packs with a flipped bit", len(good), 0, "one in each byte: an error that names the block")
}

func TestEveryCutIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	good := small(t, 40)
	must.Do(t, os.WriteFile(path, good, 0o666))
	for length := len(good) - 1; length >= 0; length-- {
		must.Do(t, os.Truncate(path, int64(length)))
		if f, err := Open(path); err == nil {
			f.Close()
			t.Fatalf("a pack of %d bytes cut to %d was opened", len(good), length)
		} else {
			known(t, err, path)
		}
	}
	must.Do(t, os.WriteFile(path, append(bytes.Clone(good), 0), 0o666))
	if _, err := Open(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	attack.Report(t, "packs cut short", len(good), 0, "at every byte: an error")
}

func TestOtherFilesAndVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	good := small(t, 40)
	version := bytes.Clone(good)
	binary.LittleEndian.PutUint32(version[bytes.LastIndex(version, []byte(magic))-4:], 7)
	for _, c := range []struct {
		name    string
		content []byte
		want    error
		says    string
	}{
		{"version", version, ErrVersion, "version 7"},
		{"empty", nil, ErrNotPack, "optcomplete pack"},
		{"text", []byte("row,column,value\na,b,1\n"), ErrNotPack, "optcomplete pack"},
		{"arrow", []byte(arrowMagic + "\x00\x00" + strings.Repeat("x", 600) + arrowMagic), ErrNotPack, "an Arrow file"},
	} {
		must.Do(t, os.WriteFile(path, c.content, 0o666))
		if _, err := Open(path); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotPack) {
		t.Errorf("a folder: %v", err)
	}
	if !IsPack(good) || IsPack([]byte("ARROW1")) || IsPack(nil) {
		t.Error("IsPack is wrong")
	}
	metadata := map[string]string{}
	for x := range maxMetadata {
		metadata[fmt.Sprint("key ", x)] = strings.Repeat("long ", 100)
	}
	start, err := os.ReadFile(write(t, random(t, 3, 3, 0.5, stars), WriterOptions{Metadata: metadata}))
	if err != nil || !IsPack(start[:StartBytes]) {
		t.Error("a pack with much metadata is not known for one", err)
	}
}

// A description that contradicts itself or the file is refused, though its
// checksum is right.
func TestImpossibleDescriptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	good := small(t, 40)
	edit := func(change func(h *header, table []blockRecord)) error {
		end := len(good) - 10 - int(binary.LittleEndian.Uint32(good[len(good)-10:]))
		trailer := good[end-trailerBytes : end]
		headerBytes, records := int(binary.LittleEndian.Uint64(trailer)), int(binary.LittleEndian.Uint64(trailer[8:]))
		begin := end - trailerBytes - headerBytes - records*recordBytes
		var h header
		must.Do(t, json.Unmarshal(good[end-trailerBytes-headerBytes:end-trailerBytes], &h))
		table := make([]blockRecord, records)
		for x := range table {
			table[x] = parseRecord(good[begin+x*recordBytes:])
		}
		change(&h, table)
		var index []byte
		for _, r := range table {
			index = r.append(index)
		}
		readable := must.Get(json.Marshal(&h))(t)
		index = appendTrailer(append(index, readable...), len(readable), records, Version)
		must.Do(t, os.WriteFile(path, slices.Concat(good[:begin], index, good[end:]), 0o666))
		f, err := Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return readAll(f)
	}
	must.Do(t, edit(func(*header, []blockRecord) {}))
	for at, change := range []func(h *header, table []blockRecord){
		func(h *header, _ []blockRecord) { h.Rows = -1 },
		func(h *header, _ []blockRecord) { h.Rows = math.MaxInt },
		func(h *header, _ []blockRecord) { h.Rows++ },
		func(h *header, _ []blockRecord) { h.Columns = 1 },
		func(h *header, _ []blockRecord) { h.Columns = -1 },
		func(h *header, _ []blockRecord) { h.Columns = MaxColumns },
		func(h *header, _ []blockRecord) { h.Columns = math.MaxInt },
		func(h *header, _ []blockRecord) { h.Observed++ },
		func(h *header, _ []blockRecord) { h.Observed = -1 },
		func(h *header, _ []blockRecord) { h.RowsPerBlock = 0 },
		func(h *header, _ []blockRecord) { h.RowsPerBlock = 3 },
		func(h *header, _ []blockRecord) { h.RowsPerBlock = math.MinInt },
		func(h *header, _ []blockRecord) { h.RowsPerBlock = 8 },
		func(h *header, _ []blockRecord) { h.Values = "float16" },
		func(h *header, _ []blockRecord) { h.Values = Float64 },
		func(h *header, _ []blockRecord) { h.Values = Dictionary16 },
		func(h *header, _ []blockRecord) { h.Distinct = 1; h.Distincts.Bytes = 8 },
		func(h *header, _ []blockRecord) { h.Distinct = 0; h.Distincts = region{Offset: -1} },
		func(h *header, _ []blockRecord) { h.Distinct = -1; h.Distincts.Bytes = -8 },
		func(h *header, _ []blockRecord) { h.Distinct = 257; h.Distincts.Bytes = 8 * 257 },
		func(h *header, _ []blockRecord) { h.Distincts.Offset = math.MaxInt64 &^ 63 },
		func(h *header, _ []blockRecord) { h.Distincts.Offset = h.ColumnIDs.Offset; h.Distincts.Offset++ },
		func(h *header, _ []blockRecord) { h.ColumnIDs.Bytes = math.MaxInt64 },
		func(h *header, _ []blockRecord) { h.ColumnIDs.Bytes = 0 },
		func(h *header, _ []blockRecord) { h.ColumnIDs.Bytes++ },
		func(h *header, _ []blockRecord) { h.ColumnIDs.Offset = -64 },
		func(h *header, _ []blockRecord) { h.ColumnIDs.Offset = h.Distincts.Offset },
		func(h *header, _ []blockRecord) { h.Start.Offset = 64 },
		func(h *header, _ []blockRecord) { h.Start.Bytes = -64 },
		func(h *header, _ []blockRecord) { h.Tail.Offset = math.MinInt64 },
		func(h *header, _ []blockRecord) { h.Tail.Bytes = math.MinInt64 },
		func(h *header, _ []blockRecord) { h.Footer.Bytes = math.MaxInt64 },
		func(_ *header, table []blockRecord) { table[0].offset = -64 },
		func(h *header, table []blockRecord) { table[0].offset = -64; h.Start.Bytes = -64 },
		func(_ *header, table []blockRecord) { table[1].offset = math.MaxInt64 &^ 63 },
		func(_ *header, table []blockRecord) { table[1].offset = math.MinInt64 },
		func(_ *header, table []blockRecord) { table[1].offset += 64 },
		func(_ *header, table []blockRecord) { table[1].before++ },
		func(_ *header, table []blockRecord) { table[1].before = math.MinInt64 },
		func(_ *header, table []blockRecord) { table[1].before = -1 },
		func(_ *header, table []blockRecord) { table[0].idBytes = math.MaxUint32 },
		func(_ *header, table []blockRecord) { table[0].meta = math.MaxUint32 },
		func(_ *header, table []blockRecord) { table[0].meta += 64 },
		func(_ *header, table []blockRecord) { table[0].head++ },
		func(_ *header, table []blockRecord) { table[2].entries++ },
	} {
		if err := edit(change); err == nil {
			t.Errorf("change %d was not noticed", at)
		} else {
			known(t, err, path)
		}
	}
}

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		n := f.room
		f.room = 0
		return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	f.room -= len(b)
	return len(b), nil
}

// Wherever the disk becomes full, every later call says so.
func TestFullDisk(t *testing.T) {
	m := random(t, 11, 40, 0.5, stars)
	whole := len(small(t, 40))
	dir := t.TempDir()
	path := filepath.Join(dir, "x.pack")
	writeTo(t, path, m, WriterOptions{})
	old, _ := os.ReadFile(path)
	for room := 0; room < whole-1000; room += 97 {
		w, err := Create(path, ids("c", 40), WriterOptions{Rows: 4, Observed: blockEntries})
		if err != nil {
			t.Fatal(err)
		}
		w.trial = nil
		if w.stream, err = newStream(io.Discard, shape{columns: 40, values: Dictionary8}, 4, w.columnIDs, nil); err != nil {
			t.Fatal(err)
		}
		w.stream.to = &full{room}
		err = data.ForEach(m, func(i int, columns []int32, values []float64) error { return w.Append("a", columns, values) })
		if e := w.Close(); err == nil {
			err = e
		} else if e != err {
			t.Errorf("closing after %v: %v", err, e)
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), path) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		alone(t, path)
		if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
			t.Fatal("the old pack is gone")
		}
	}
}
