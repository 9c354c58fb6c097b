package shards

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/checksum"
)

// Writer writes files in a folder, from any process that sees it: one that reads the
// token there.
type Writer struct{ Folder, Token string }

// File is one that was written.
type File struct {
	Name     string // in the folder
	Checksum string
}

const tokenFile = "token"

// Write writes a file whose name begins and ends as told; nil if this process does not
// see the folder, or may not write there.
func (w Writer) Write(begin, end string, write func(io.Writer) error) (*File, error) {
	path, seen := w.Path(begin, end)
	if !seen {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<18)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("%w (if the disk is full, make room or name a folder on another)", err)
	}
	return &File{filepath.Base(path), hex.EncodeToString(sum.Sum(nil))}, nil
}

// Path is one for a new file whose name begins and ends as told; not seen if this process
// does not see the folder.
func (w Writer) Path(begin, end string) (path string, seen bool) {
	token, err := os.ReadFile(filepath.Join(w.Folder, tokenFile))
	return filepath.Join(w.Folder, begin+"-"+unique()+end), err == nil && string(token) == w.Token
}

// unique tells attempts apart. Nothing that is kept depends on it.
func unique() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Folder is where files are written until they are placed.
type Folder struct {
	Writer
	placed bool
	done   func()
}

// Create makes a folder beside path, where the result will be.
func Create(path string) (*Folder, error) {
	name, done, err := atomicfile.TempDir(path)
	if err != nil {
		return nil, err
	}
	if name, err = filepath.Abs(name); err == nil {
		f := &Folder{Writer: Writer{name, unique()}, done: done}
		if err = os.WriteFile(filepath.Join(name, tokenFile), []byte(f.Token), 0o666); err == nil {
			return f, nil
		}
	}
	done()
	return nil, err
}

// At is where a file is.
func (f *Folder) At(name string) string { return filepath.Join(f.Writer.Folder, name) }

// Place gives a file its place in the result, if it is what was written. Where results
// are placed twice (after Placed), the second gets copies.
func (f *Folder) Place(file File, to string) error {
	from := f.At(file.Name)
	sum, err := checksum.File(from)
	if err != nil {
		return err
	}
	if sum != file.Checksum {
		return fmt.Errorf("%s is not what was written there (name a folder on another disk)", from)
	}
	if !f.placed && os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Placed tells that all files of a result have their places.
func (f *Folder) Placed() { f.placed = true }

// Close removes the folder.
func (f *Folder) Close() { f.done() }
