package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// bufferSize is what write's output is gathered into before it goes to the file.
const bufferSize = 1 << 18

// File writes the file at path through write. An existing file is replaced
// only once all of the new content is on the disk, and keeps its permissions.
// A device or a pipe, such as /dev/stdout, has no content to protect and is
// written directly.
func File(path string, write func(io.Writer) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	old, err := os.Stat(target)
	switch {
	case err == nil && old.IsDir():
		return fmt.Errorf("cannot write %s: it is a directory", path)
	case err == nil && !old.Mode().IsRegular():
		return writeDirect(path, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s: %w", path, err)
	}

	var f *os.File
	temp, err := beside(target, "tmp", func(name string) (err error) {
		f, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	// Deferred, so that a panic in write leaves nothing behind either.
	renamed := false
	defer func() {
		if !renamed {
			f.Close()
			os.Remove(temp)
		}
	}()

	if err := buffered(f, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(temp, target); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	renamed = true
	syncDirectory(filepath.Dir(target))
	return nil
}

func writeDirect(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := errors.Join(buffered(f, write), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, bufferSize)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// resolve gives the absolute path that path stands for. Symbolic links are
// followed, so that the thing behind a link is replaced and not the link.
func resolve(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		return real, nil
	}
	return absolute, nil
}

// beside makes something under a new name in the same directory as path, and
// so on the same file system, where a rename is atomic. The name is hidden and
// says what it belongs to, should a crash leave it there.
func beside(path, kind string, create func(name string) error) (string, error) {
	dir, base := filepath.Split(path)
	for {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%s-%08x", base, kind, rand.Uint32()))
		if err := create(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// syncDirectory makes a rename in dir survive a power cut. Not every system
// can sync a directory, and the content is safe without it: no error.
func syncDirectory(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
