//go:build unix

package milp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a process group of its own, so that
// its children can be killed with it, and a Ctrl-C at the terminal reaches only
// us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func signalOf(exit *exec.ExitError) (syscall.Signal, bool) {
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, false
	}
	return status.Signal(), true
}
