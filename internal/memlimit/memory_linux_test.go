package memlimit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/causeway-gitops/causeway/test/await"
)

// deed in the environment of this program is what it does instead of a test.
const deed = "CAUSEWAY_TEST_DEED"

// limit is what each of the processes below may hold, in bytes.
const limit = 64 << 20

// deeds are what a process does once it is limited. One that is not ended says "alive".
var deeds = map[string]func(){
	"nothing": func() {
		core, data := unix.Rlimit{}, unix.Rlimit{}
		if unix.Getrlimit(unix.RLIMIT_CORE, &core) != nil || unix.Getrlimit(unix.RLIMIT_DATA, &data) != nil {
			return
		}
		fmt.Println("core", core.Max, "data", data.Cur == limit+slack && data.Max == data.Cur, "collected", debug.SetMemoryLimit(-1) < limit)
	},
	"in parts": func() {
		var held [][]byte
		for range 4 {
			held = append(held, make([]byte, limit+slack))
		}
		runtime.KeepAlive(held)
	},
	"bit by bit": func() {
		var held [][]byte
		looks := 0
		Watch(limit, func() {
			if looks++; looks == 3 {
				fmt.Println("looked", looks)
			}
			held = append(held, filled(limit/8))
		})
		runtime.KeepAlive(held)
	},
	"dropped": func() {
		turns := 0
		Watch(limit, func() {
			runtime.KeepAlive(filled(limit / 4))
			debug.FreeOSMemory()
			if turns++; turns > 8 {
				fmt.Println("alive")
				os.Exit(0)
			}
		})
	},
}

// filled is memory that is there, as it was written to.
func filled(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// TestProcessesEndWhereTheyHoldTooMuch: what strangers wrote ends its own process, by a code
// that tells why, and before the machine has no memory left.
func TestProcessesEndWhereTheyHoldTooMuch(t *testing.T) {
	if do := deeds[os.Getenv(deed)]; do != nil {
		Memory(limit)
		do()
		os.Exit(0)
	}
	for name, tc := range map[string]struct {
		reason string
		code   int
		said   string
	}{
		"nothing":    {"what it may have is set, and no image of its memory, with the secrets in it, is left on a disk", 0, "core 0 data true collected true"},
		"in parts":   {"who has mapped more than the limit is refused the next part, though nobody looks", ExitCrash, ""},
		"bit by bit": {"what grows is ended at the next look, and at each look something else is looked at first", ExitMemory, "looked 3"},
		"dropped":    {"what was given back to the system is not held, however much it was together", 0, "alive"},
	} {
		t.Run(name, func(t *testing.T) {
			code, said := inOwnProcess(t, name)
			if code != tc.code || !strings.Contains(said, tc.said) {
				t.Errorf("%s: it ended with %d, and said %.300q", tc.reason, code, said)
			}
		})
	}
}

// inOwnProcess does a deed where it ends nothing else.
func inOwnProcess(t *testing.T, name string) (code int, said string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^TestProcessesEndWhereTheyHoldTooMuch$")
	cmd.Env = []string{deed + "=" + name, "GOTRACEBACK=none"}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
