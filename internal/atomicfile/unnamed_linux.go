package atomicfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed opens a new file without a name in a directory, so that nothing remains if
// the process is killed. Not every file system has such files.
func unnamed(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), dir+" (a file without a name)")
	// It gets its name by way of /proc, which must be there.
	if _, err := os.Stat(handle(f)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// name gives a file without a name one that nothing else has.
func name(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, handle(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: handle(f), New: path, Err: err}
	}
	return nil
}

// exchange lets two names change places, at once.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

func handle(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
