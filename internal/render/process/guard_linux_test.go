package process

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// sleeper is a command with a group of its own, which is ended with the test.
func sleeper(t *testing.T, env ...string) int {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Env, cmd.SysProcAttr = env, &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be over
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// TestGroupsAreMeasured: what all processes of a command hold counts, and nothing of
// other commands.
func TestGroupsAreMeasured(t *testing.T) {
	one := sleeper(t)
	sleeper(t)
	number, memory := usage(one)
	if number != 1 || memory <= 0 {
		t.Errorf("%d processes hold %d bytes", number, memory)
	}
	for name, tc := range map[string]struct {
		reason string
		limits Limits
		want   error
	}{
		"Within":  {"as many as there may be", Limits{Memory: memory * 100, Processes: 1}, nil},
		"Memory":  {"more memory than there may be", Limits{Memory: 1, Processes: 1}, ErrMemory},
		"Endless": {"as much as there is", Limits{Memory: -1, Processes: -1}, nil},
	} {
		if err := look(one, tc.limits); !errors.Is(err, tc.want) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
	if group, pages, ok := stat(strconv.Itoa(one)); !ok || group != one || pages <= 0 {
		t.Errorf("of one process: group %d, %d pages, %t", group, pages, ok)
	}
	if _, _, ok := stat("none"); ok {
		t.Error("what is no process is measured")
	}
}

// TestMarkedProcesses are found by an entry of their environment, of which a part is none.
func TestMarkedProcesses(t *testing.T) {
	mark := "HOME=" + t.TempDir()
	marked1, other, longer := sleeper(t, "A=1", mark), sleeper(t, "A=1"), sleeper(t, mark+"/x", "X"+mark)
	found := marked(mark)
	if len(found) != 1 || found[0] != marked1 {
		t.Errorf("found are %v of %d, %d and %d", found, marked1, other, longer)
	}
	killMarked("") // which all processes have
	for _, pid := range []int{marked1, other, longer, os.Getpid()} {
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("%d was ended for no mark: %v", pid, err)
		}
	}
}
