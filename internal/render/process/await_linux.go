package process

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// await returns when a command has ended, and how to take its result. Until
// that is taken its number, which is the group's too, goes to no other process.
func await(cmd *exec.Cmd) (result func() error) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return cmd.Wait
		}
	}
}
