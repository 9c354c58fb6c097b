//go:build !unix || solaris || aix

package atomicfile

import "os"

// unlinksOpen says that an open file can lose its name.
const unlinksOpen = false

// lock does nothing: a file that a process has open cannot be removed here.
func lock(*os.File) error { return nil }
