//go:build !unix

package pack

import (
	"io"
	"os"
)

// mapFile reads the file into memory: where this package does not know how to
// map files, a pack takes as much memory as it is large.
func mapFile(f *os.File, size int) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, int64(size)), b)
	return b, err
}

func unmap([]byte) error { return nil }
