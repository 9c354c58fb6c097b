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
	"sync/atomic"
	"syscall"
	"time"
)

// bufferSize is what write's output is gathered into before it goes to the file.
const bufferSize = 1 << 18

// File writes the file at path through write. An existing file is replaced
// only once all of the new content is on the disk, and keeps its permissions.
// A device or a pipe, such as /dev/stdout, has no content to protect and is
// written directly.
func File(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return writeDirect(path, write)
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort() // also if write panics
	if err := buffered(f.File, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return f.Commit()
}

func writeDirect(path string, write func(io.Writer) error) error {
	f, err := openDirect(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := errors.Join(buffered(f, write), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// interrupted ends the wait for the reader of a pipe.
var interrupted atomic.Pointer[<-chan struct{}]

// GiveUp lets writing to a pipe that nobody reads be given up once the channel is closed:
// to open one waits for its reader otherwise, whatever signal comes.
func GiveUp(when <-chan struct{}) { interrupted.Store(&when) }

// ErrNoReader is the error of a pipe that nobody reads.
var ErrNoReader = errors.New("nobody reads this pipe")

// readerWait is how often a reader is looked for; one that is there is found at once.
const readerWait = 20 * time.Millisecond

// openDirect opens a device or a pipe, as soon as somebody reads it.
func openDirect(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		var given <-chan struct{}
		if done := interrupted.Load(); done != nil {
			given = *done
		}
		select {
		case <-given:
			return nil, ErrNoReader
		case <-time.After(readerWait):
		}
	}
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
