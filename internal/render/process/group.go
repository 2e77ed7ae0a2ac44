package process

import (
	"os/exec"
	"sync"
	"syscall"
)

// group is the process group of a command, to be killed as a whole.
type group struct {
	cmd *exec.Cmd

	mu   sync.Mutex
	over bool
}

// ownGroup makes the command the head of a process group.
func ownGroup(cmd *exec.Cmd) *group {
	g := &group{cmd: cmd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		g.kill()
		return nil
	}
	return g
}

// kill ends the group, but not after its end: its number may be another's then.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// end kills what is left, which may be nothing, for the last time.
func (g *group) end() {
	g.kill()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
}
