//go:build !unix

package milp

import (
	"os/exec"
	"syscall"
)

// Without process groups only the program itself is killed.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func signalOf(*exec.ExitError) (syscall.Signal, bool) { return 0, false }
