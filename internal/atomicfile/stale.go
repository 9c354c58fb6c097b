package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// The parts of our temporary names, besides those of callers.
const (
	tempKind = "tmp"
	oldKind  = "old" // a directory that was replaced, until it is removed
)

// RemoveStale removes the temporary files beside path that a killed process
// left there: those with one of our names for it that no running process has
// locked. kinds are parts of those names besides "tmp", which Create uses.
func RemoveStale(path string, kinds ...string) {
	target, err := resolve(path)
	if err != nil {
		return
	}
	dir, base := filepath.Split(target)
	for _, kind := range append(kinds, tempKind) {
		ours := regexp.MustCompile("^" + regexp.QuoteMeta(fmt.Sprintf(".%s.%s-", base, kind)) + "[0-9a-f]{8}$")
		entries, err := os.ReadDir(dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.Type().IsRegular() && ours.MatchString(e.Name()) {
				removeUnlocked(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// ErrBusy says that another process has locked a file.
var ErrBusy = errors.New("atomicfile: another process has the file")

// Lock locks a file for as long as it is open: the lock is gone with the process,
// however that ends. The error is ErrBusy if someone else has it. A system or a
// file system without locks gives none, and no error.
func Lock(file *os.File) error {
	if errors.Is(lock(file), ErrBusy) {
		return ErrBusy
	}
	return nil
}

// removeUnlocked removes a file unless another process writes to it.
func removeUnlocked(name string) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	free := lock(file) == nil // a file system without locks gives an error: the file then stays
	if free && unlinksOpen {
		os.Remove(name)
	}
	file.Close()
	if free && !unlinksOpen {
		os.Remove(name) // fails if another process has it open
	}
}

// createLocked makes a new file that RemoveStale leaves alone while this
// process lives.
func createLocked(name string, mode os.FileMode) (*os.File, error) {
	for {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
		if err != nil {
			return nil, err
		}
		// Before the lock was there, someone may have taken the file for stale.
		if lock(file) != ErrBusy {
			mine, err := file.Stat()
			there, gone := os.Stat(name)
			if err == nil && gone == nil && os.SameFile(mine, there) {
				return file, nil
			}
		}
		file.Close()
	}
}

// Temp makes a temporary file beside path, for what path is made from. Where the
// system allows it the file has no name and disappears with the process;
// else the caller removes it once it is closed, or RemoveStale with the kind.
func Temp(path, kind string) (file *os.File, named bool, err error) {
	target, err := resolve(path)
	if err != nil {
		return nil, false, err
	}
	if file, err := unnamed(filepath.Dir(target)); err == nil {
		return file, false, nil
	}
	name, err := beside(target, kind, func(name string) (err error) {
		file, err = createLocked(name, 0o600)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("cannot write a temporary file beside %s: %w", path, err)
	}
	return file, !unlinksOpen || os.Remove(name) != nil, nil
}

// Name gives a file that Temp made a name, which nothing else may have, if the
// file has none and the system can. After an error the caller copies it.
func Name(file *os.File, path string) error { return name(file, path) }
