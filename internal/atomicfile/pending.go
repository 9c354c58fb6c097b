package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Pending is a file that is being written and not yet visible at its path.
// Write to it as to any file, then Commit or Abort.
type Pending struct {
	*os.File
	path, target string
	old          fs.FileInfo // what stands at the path; nil: nothing
	done         bool
}

// Create begins a file that will stand at path once it is committed. What
// stands there already must be a regular file.
func Create(path string) (*Pending, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	old, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	case old.IsDir():
		return nil, fmt.Errorf("cannot write %s: it is a directory", path)
	case !old.Mode().IsRegular():
		return nil, fmt.Errorf("cannot write %s: it is not a regular file", path)
	}
	p := &Pending{path: path, target: target, old: old}
	_, err = beside(target, "tmp", func(name string) (err error) {
		p.File, err = createLocked(name, 0o666)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return p, nil
}

// Commit flushes the file to the disk and gives it its name. If that fails,
// what stood there still does, and nothing is left behind.
func (p *Pending) Commit() error {
	if p.done {
		return fmt.Errorf("writing %s: the file was committed or given up before", p.path)
	}
	defer p.Abort()
	if p.old != nil {
		if err := p.Chmod(p.old.Mode().Perm()); err != nil {
			return fmt.Errorf("writing %s: %w", p.path, err)
		}
	}
	if err := errors.Join(p.Sync(), p.File.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", p.path, err)
	}
	if err := os.Rename(p.Name(), p.target); err != nil {
		return fmt.Errorf("writing %s: %w", p.path, err)
	}
	p.done = true
	syncDirectory(filepath.Dir(p.target))
	return nil
}

// Abort gives the file up and removes it. It does nothing after Commit.
func (p *Pending) Abort() {
	if !p.done {
		p.done = true
		p.File.Close()
		os.Remove(p.Name())
	}
}
