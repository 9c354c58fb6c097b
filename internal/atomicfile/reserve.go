package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// Reserve checks that something can be written to path, keeps it for this
// process until release is called, and removes what killed processes left
// beside it: temporary files and directories of our names for it (kinds are
// parts of those names besides our own) that no running process has locked.
//
// The error is ErrBusy if another process has reserved the path. A device or a
// pipe needs no reservation. The lock is a hidden file beside the path; a killed
// process leaves it, empty, and the next one takes it over.
func Reserve(path string, kinds ...string) (release func(), err error) {
	nothing := func() {}
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nothing, nil
	}
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(target)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("cannot write %s: there is no folder %s", path, filepath.Clean(dir))
	}
	name := filepath.Join(dir, "."+base+".lock")
	held, err := openLocked(name)
	if errors.Is(err, ErrBusy) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	RemoveStale(path, kinds...)
	removeStaleDirs(target)
	return func() {
		if unlinksOpen {
			os.Remove(name) // while it is locked: nobody else's
		}
		held.Close()
		if !unlinksOpen {
			os.Remove(name) // fails if another process has it open
		}
	}, nil
}

// openLocked opens a lock file, or makes it, and locks it.
func openLocked(name string) (*os.File, error) {
	for {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, err
		}
		if lock(file) == ErrBusy {
			file.Close()
			return nil, ErrBusy
		}
		// Who had it before may have removed it between the two.
		if isAt(file, name) {
			return file, nil
		}
		file.Close()
	}
}

// isAt tells whether an open file or directory still has a name.
func isAt(file *os.File, name string) bool {
	mine, err := file.Stat()
	there, gone := os.Stat(name)
	return err == nil && gone == nil && os.SameFile(mine, there)
}

// mkdirLocked makes a directory that Reserve leaves alone while this process
// lives.
func mkdirLocked(name string) (io.Closer, error) {
	for {
		if err := os.Mkdir(name, 0o777); err != nil {
			return nil, err
		}
		if !unlinksOpen {
			return io.NopCloser(nil), nil // nor does Reserve remove any
		}
		held, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // someone took it for stale
		}
		if err != nil {
			os.Remove(name)
			return nil, err
		}
		if lock(held) != ErrBusy && isAt(held, name) {
			return held, nil
		}
		held.Close()
	}
}

// removeStaleDirs removes the directories beside target that killed processes
// left, and puts the old content back where one died between two renames.
func removeStaleDirs(target string) {
	if !unlinksOpen {
		return // no telling whether a process is still at it
	}
	dir, base := filepath.Split(target)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	ours := regexp.MustCompile("^" + regexp.QuoteMeta("."+base+".") + "(" + tempKind + "|" + oldKind + ")-[0-9a-f]{8}$")
	for _, e := range entries {
		match := ours.FindStringSubmatch(e.Name())
		if match == nil || !e.IsDir() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		held, err := os.Open(name)
		if err != nil {
			continue
		}
		if lock(held) == nil { // a file system without locks gives an error: the file then stays
			switch _, err := os.Lstat(target); {
			case match[1] == tempKind:
				os.RemoveAll(name)
			case errors.Is(err, fs.ErrNotExist):
				_ = os.Rename(name, target)
			case succeeded(name, target):
				os.RemoveAll(name)
			}
		}
		held.Close()
	}
}

// succeeded tells whether everything in the old directory has a successor of
// the same name in the new one. What has none may be somebody's only copy.
func succeeded(old, target string) bool {
	entries, err := os.ReadDir(old)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(target, e.Name())); err != nil || e.IsDir() {
			return false
		}
	}
	return true
}

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
