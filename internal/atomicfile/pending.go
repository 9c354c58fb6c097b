package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Pending is a file that is being written and not yet visible at its path.
// Write to it as to any file, then Commit or Abort.
type Pending struct {
	*os.File
	path, target string
	temp         string      // its name until then; empty: it has none
	old          fs.FileInfo // what stands at the path; nil: nothing
	done         bool
}

// Create begins a file that will stand at path once it is committed. What
// stands there already must be a regular file. On Linux the file has no name
// before Commit, so that a killed process leaves nothing behind; elsewhere it
// leaves a hidden file beside the path.
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
	if p.File, err = unnamed(filepath.Dir(target)); err == nil {
		_ = lock(p.File) // for when it gets a name
		return p, nil
	}
	if err := p.named(); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return p, nil
}

// named opens a file with a name of its own beside the target.
func (p *Pending) named() (err error) {
	p.temp, err = beside(p.target, tempKind, func(name string) (err error) {
		p.File, err = createLocked(name, 0o666)
		return err
	})
	return err
}

// Commit flushes the file to the disk and gives it its name. If that fails,
// what stood there still does, and nothing is left behind.
func (p *Pending) Commit() error {
	if p.done {
		return fmt.Errorf("writing %s: the file was committed or given up before", p.path)
	}
	defer p.Abort()
	if err := p.commit(); err != nil {
		return fmt.Errorf("writing %s: %w", p.path, err)
	}
	p.done = true
	syncDirectory(filepath.Dir(p.target))
	return nil
}

func (p *Pending) commit() (err error) {
	if err := p.finish(); err != nil {
		return err
	}
	if p.temp == "" {
		// Only a rename can replace what stands there, so it needs a name before,
		// for as short a time as can be.
		p.temp, err = beside(p.target, tempKind, func(path string) error { return name(p.File, path) })
		if err != nil {
			if err := p.copied(); err != nil {
				return err
			}
		}
	}
	if unlinksOpen { // locked until it has its name
		return errors.Join(os.Rename(p.temp, p.target), p.File.Close())
	}
	if err := p.File.Close(); err != nil {
		return err
	}
	return os.Rename(p.temp, p.target)
}

// finish sets the permissions and flushes the file to the disk.
func (p *Pending) finish() error {
	if p.old != nil {
		if err := p.Chmod(p.old.Mode().Perm()); err != nil {
			return err
		}
	}
	return p.Sync()
}

// copied puts a file with a name in the place of one that cannot get any.
func (p *Pending) copied() error {
	from := p.File
	defer from.Close()
	if err := p.named(); err != nil {
		p.File, p.temp = from, ""
		return err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(p.File, from); err != nil {
		return err
	}
	return p.finish()
}

// Abort gives the file up and removes it. It does nothing after Commit.
func (p *Pending) Abort() {
	if !p.done {
		p.done = true
		p.File.Close()
		if p.temp != "" {
			os.Remove(p.temp)
		}
	}
}
