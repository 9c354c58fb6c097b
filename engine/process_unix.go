//go:build unix

package engine

import (
	"os"
	"os/exec"
	"syscall"
)

// detached lets a process outlive the one that starts it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// owned tells whether a file is this user's.
func owned(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}

// gone tells whether there is no such process.
func gone(process int) bool { return syscall.Kill(process, 0) == syscall.ESRCH }

// terminate ends a detached process and its children.
func terminate(c *exec.Cmd) { syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
