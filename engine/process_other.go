//go:build !unix

package engine

import (
	"os"
	"os/exec"
	"syscall"
)

func detached() *syscall.SysProcAttr { return nil }

func owned(os.FileInfo) bool { return false } // no process is shared then

func gone(int) bool { return false }

// terminate ends a process.
func terminate(c *exec.Cmd) { c.Process.Kill() }
