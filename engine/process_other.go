//go:build !unix

package engine

import (
	"os"
	"syscall"
)

func detached() *syscall.SysProcAttr { return nil }

func owned(os.FileInfo) bool { return false } // no process is shared then

func gone(int) bool { return false }
