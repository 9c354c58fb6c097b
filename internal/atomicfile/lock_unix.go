//go:build unix && !solaris && !aix

package atomicfile

import (
	"os"
	"syscall"
)

// unlinksOpen says that an open file can lose its name.
const unlinksOpen = true

// lock locks a file for as long as it is open. The error is ErrBusy if another
// process has it, something else on a file system without locks.
func lock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrBusy
		default:
			return err
		}
	}
}
