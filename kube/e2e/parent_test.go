package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// playParent starts a cluster as a child, prints the child's process ID and the child's output, and stays.
func playParent(kubeconfig string) int {
	theirs, ours, err := os.Pipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = ours.Close() }()
	child := exec.Command(binary(), "--parent-fd=3", "--kubeconfig-out="+kubeconfig)
	child.ExtraFiles = []*os.File{theirs}
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = theirs.Close()
	fmt.Printf("child: %d\n", child.Process.Pid)
	if err := child.Wait(); err != nil {
		return 1
	}
	return 0
}

// TestKilledParent kills the parent in the one way that it cannot notice, and expects the cluster to go with it.
func TestKilledParent(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"="+kubeconfig)
	parent.Stderr = os.Stderr
	output, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), "child: "); found {
			pid, _ = strconv.Atoi(text)
		}
		if strings.HasPrefix(lines.Text(), "ready: ") {
			break
		}
	}
	if pid == 0 {
		t.Fatal("the parent did not tell the child's process ID")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed, which Wait calls an error
	eventually(t, func() error {
		if !running(pid) {
			return nil
		}
		return fmt.Errorf("the child, process %d, is still there", pid)
	})
	if _, err := os.Stat(kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig of a cluster that is gone is still there: %v", err)
	}
}

// running tells whether a process is there and no zombie: an orphan may stay one where init does not collect it.
func running(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
