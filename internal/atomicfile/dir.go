package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotOurs is wrapped by the error for an existing directory that is not
// empty and does not hold the marker.
var ErrNotOurs = errors.New("atomicfile: the directory holds something else")

// Dir writes the directory at path through fill, which is given the name of a
// new, empty directory to write into.
//
// A directory that exists at path is replaced only if it is empty or contains
// a file named marker; fill must write one too. Entries of the old directory
// that fill did not write are not ours to delete: they move to the new one. The
// directory and its files keep their permissions.
// On Linux the two directories exchange their names at once. Elsewhere there is
// an instant between two renames at which path does not exist; a crash just then
// leaves the old directory whole beside it, under a name that starts with a dot
// and path's own name, and Reserve puts it back.
func Dir(path, marker string, fill func(dir string) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	exists, err := replaceable(path, target, marker)
	if err != nil {
		return err
	}
	var held io.Closer
	temp, err := beside(target, tempKind, func(name string) (err error) {
		held, err = mkdirLocked(name)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer held.Close()
	defer os.RemoveAll(temp) // finds nothing once temp has got its name

	if err := fill(temp); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if _, err := os.Stat(filepath.Join(temp, marker)); err != nil {
		return fmt.Errorf("writing %s: no %s was written", path, marker)
	}
	if err := syncTree(temp); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if exists {
		if err := keepModes(target, temp); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		err = swap(target, temp)
	} else {
		err = os.Rename(temp, target)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	syncDirectory(filepath.Dir(target))
	return nil
}

// TempDir makes a directory beside path for what is needed on the way to it. Done
// removes it; if the process is killed, the next one that reserves path does.
func TempDir(path string) (name string, done func(), err error) {
	target, err := resolve(path)
	if err != nil {
		return "", nil, err
	}
	var held io.Closer
	name, err = beside(target, tempKind, func(name string) (err error) {
		held, err = mkdirLocked(name)
		return err
	})
	if err != nil {
		return "", nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return name, func() {
		os.RemoveAll(name)
		held.Close()
	}, nil
}

// replaceable reports whether a directory exists at target, and an error if
// what exists there must not be replaced.
func replaceable(path, target, marker string) (exists bool, err error) {
	entries, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		if info, e := os.Stat(target); e == nil && !info.IsDir() {
			return false, fmt.Errorf("cannot write the directory %s: a file of that name exists", path)
		}
		return false, fmt.Errorf("cannot write %s: %w", path, err)
	}
	if len(entries) == 0 {
		return true, nil
	}
	for _, e := range entries {
		if e.Name() == marker && e.Type().IsRegular() {
			return true, nil
		}
	}
	return true, fmt.Errorf("%s is a directory without %s, so it is not replaced (choose another name, or empty it): %w", path, marker, ErrNotOurs)
}

// keepModes gives a new directory, and its files, the permissions of those that
// they replace: what was kept from others stays so.
func keepModes(old, new string) error {
	entries, err := os.ReadDir(new)
	if err != nil {
		return err
	}
	names := []string{"."}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(old, name)); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			if err := os.Chmod(filepath.Join(new, name), info.Mode().Perm()); err != nil {
				return err
			}
		}
	}
	return nil
}

// swap puts temp in the place of the directory target. The old directory is
// deleted last, when all that is left in it has a successor in the new one.
func swap(target, temp string) error {
	aside, err := setAside(target, temp)
	if err != nil {
		return err
	}
	old, err := os.ReadDir(aside)
	if err != nil {
		return fmt.Errorf("the new content is in place, the old is in %s: %w", aside, err)
	}
	for _, e := range old {
		to := filepath.Join(target, e.Name())
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(aside, e.Name()), to); err != nil {
			return fmt.Errorf("the new content is in place, other files are still in %s: %w", aside, err)
		}
	}
	return os.RemoveAll(aside)
}

// setAside gives temp the name of target, and target the one that is returned.
func setAside(target, temp string) (aside string, err error) {
	// The name says that it may hold what is not ours, before it does.
	aside, err = beside(target, oldKind, func(name string) error { return os.Rename(temp, name) })
	if err != nil {
		return "", err
	}
	if exchange(aside, target) == nil {
		return aside, nil
	}
	if err := os.Rename(aside, temp); err != nil {
		return "", err
	}
	aside, err = beside(target, oldKind, func(name string) error {
		// A rename may replace an empty directory of that name, never more.
		return os.Rename(target, name)
	})
	if err != nil {
		return "", err
	}
	if err := os.Rename(temp, target); err != nil {
		if back := os.Rename(aside, target); back != nil {
			return "", fmt.Errorf("%w; the old content is in %s", err, aside)
		}
		return "", err
	}
	return aside, nil
}

// syncTree flushes every file under dir, and the directories, to the disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			syncDirectory(name)
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		// Windows flushes only what is open for writing.
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
