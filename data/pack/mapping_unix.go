//go:build unix

package pack

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file of that size, which is not 0, for reading.
func mapFile(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmap(b []byte) error { return unix.Munmap(b) }
