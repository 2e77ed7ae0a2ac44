package leash_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/leash"
)

// asHolder makes the test binary play a test that starts something and then ends as the variable says.
const asHolder = "CAUSEWAY_LEASH_HOLDER"

func TestMain(m *testing.M) {
	if how := os.Getenv(asHolder); how != "" {
		if err := hold(how); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// hold starts a process in a session of its own, writes its id and the temporary folder, and ends.
func hold(how string) error {
	release, err := leash.Hold(leash.Temporary)
	if err != nil {
		return err
	}
	child := exec.Command("sh", "-c", `echo kept >"$TMPDIR/file"; echo written; exec sleep 600`)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	said, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		return err
	}
	fmt.Println(child.Process.Pid, os.Getenv("TMPDIR"))
	if how == "killed" {
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	release()
	return nil
}

func TestHold(t *testing.T) {
	tests := map[string]struct{ reason string }{
		"released": {"what a test forgot ends with it"},
		"killed":   {"nothing can be done by a process that is killed, so another one does it"},
	}
	for how, tc := range tests {
		t.Run(how, func(t *testing.T) {
			holder := exec.CommandContext(t.Context(), os.Args[0])
			holder.Env = append(os.Environ(), asHolder+"="+how)
			out, err := holder.Output()
			if err != nil && how == "released" {
				t.Fatal(err)
			}
			words := strings.Fields(string(out))
			if len(words) != 2 {
				t.Fatalf("the holder said %q", out)
			}
			embeddedtest.Eventually(t, func(context.Context) error {
				if _, err := os.Stat(words[1]); !gone(words[0]) || !os.IsNotExist(err) {
					return fmt.Errorf("%s, and process %s or folder %s is still there", tc.reason, words[0], words[1])
				}
				return nil
			})
		})
	}
}

// gone reports whether a process has ended; one that nobody has asked after yet has.
func gone(pid string) bool {
	number, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(number, 0) != nil {
		return true
	}
	state, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || strings.Contains(string(state), ") Z ")
}
