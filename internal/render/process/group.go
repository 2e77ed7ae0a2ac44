package process

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the head of a process group that is killed as a
// whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		killGroup(cmd.Process.Pid)
		return nil
	}
}

// killGroup ends what is left of a group, which may be nothing.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
