package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/render/process"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/detector"
)

const search = "/usr/local/bin:/usr/bin:/bin"

// TestMain is also the command that takes memory.
func TestMain(m *testing.M) {
	if os.Getenv("TAKE_MEMORY") != "" {
		var hold [][]byte
		for range 1 << 12 {
			hold = append(hold, bytes.Repeat([]byte{1}, 1<<20))
		}
		fmt.Println(len(hold))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func sh(script string, l process.Limits) process.Command {
	return process.Command{Path: "sh", Args: []string{"-c", script}, Search: search, Env: []string{"PATH=" + search}, Limits: l}
}

func TestRun(t *testing.T) {
	t.Setenv("OF_THIS_PROCESS", "told")
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		c      process.Command
		out    string
		err    error
		detail string
		stderr string
	}{
		"Output":    {"the output comes back as it is", sh("printf 'a\\nb'", process.Limits{}), "a\nb", nil, "", ""},
		"NoEnv":     {"nothing comes from this process's environment", sh("printf \"$OF_THIS_PROCESS$HOME\"", process.Limits{}), "", nil, "", ""},
		"Arguments": {"arguments are no shell's", process.Command{Path: "echo", Args: []string{"$HOME;", "*"}, Search: search}, "$HOME; *\n", nil, "", ""},
		"Dir":       {"the folder is the one given", process.Command{Path: "pwd", Search: search, Dir: dir}, dir + "\n", nil, "", ""},
		"Missing":   {"a command that is not there", process.Command{Path: "no-such-command", Search: search}, "", process.ErrStart, "no such command", ""},
		"NoPath":    {"without a search path nothing is found", process.Command{Path: "sh"}, "", process.ErrStart, "no such command", ""},
		"Relative":  {"the working folder is no place for commands", process.Command{Path: "plain", Search: ".:" + search, Dir: dir}, "", process.ErrStart, "no such command", ""},
		"NotExec":   {"a file that is no program", process.Command{Path: "plain", Search: dir}, "", process.ErrStart, "not executable", ""},
		"NotExec2":  {"the same by its path", process.Command{Path: plain}, "", process.ErrStart, "permission denied", ""},
		"Exit":      {"an exit code, with the end of a long error output", sh("i=0; while [ $i -lt 4000 ]; do echo line $i >&2; i=$((i+1)); done; exit 3", process.Limits{}), "", process.ErrExit, "exit status 3", "line 3999"},
		"Signal":    {"an end by a signal", sh("kill -9 $$", process.Limits{}), "", process.ErrExit, "signal: killed", ""},
		"Endless":   {"100 MiB of output", sh("yes | head -c 104857600", process.Limits{Output: 1 << 20}), "", process.ErrOutput, "1048576 bytes", ""},
		"Hang":      {"a command that hangs", sh("sleep 600", process.Limits{Time: 200 * time.Millisecond}), "", process.ErrTime, "200ms", ""},
		"Why":       {"what a command said before it was ended", sh("echo why >&2; yes", process.Limits{Output: 1 << 20}), "", process.ErrOutput, "1048576 bytes", "why"},
		"Deaf":      {"a command that ignores signals", sh("trap '' TERM INT HUP; while :; do sleep 600; done", process.Limits{Time: 200 * time.Millisecond}), "", process.ErrTime, "200ms", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := process.Run(t.Context(), tc.c)
			if tc.err == nil {
				if err != nil || string(out) != tc.out {
					t.Errorf("%s: got %q, %v, want %q", tc.reason, out, err, tc.out)
				}
				return
			}
			var e *process.Error
			if !errors.As(err, &e) || !errors.Is(err, tc.err) {
				t.Fatalf("%s: got %v, want %v", tc.reason, err, tc.err)
			}
			if !strings.Contains(e.Error(), tc.detail) || !strings.Contains(e.Stderr, tc.stderr) || len(e.Stderr) > 5000 {
				t.Errorf("%s: got %q with %d bytes of errors, want %q", tc.reason, e.Error(), len(e.Stderr), tc.detail)
			}
		})
	}
}

// TestChildren tells that what a command leaves behind ends with it.
func TestChildren(t *testing.T) {
	for name, script := range map[string]string{
		"Quiet": "sleep 600 >/dev/null 2>&1 & echo $!",
		"Holds": "sleep 600 & echo $!", // keeps the pipe open
		"Agent": "setsid sleep 600 >/dev/null 2>&1 & echo $!",
	} {
		t.Run(name, func(t *testing.T) {
			c := sh(script, process.Limits{})
			c.Mark = "HOME=" + t.TempDir()
			c.Env = append(c.Env, c.Mark)
			out, err := process.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatal(err)
			}
			look, ends := time.NewTicker(10*time.Millisecond), time.After(await.Limit)
			defer look.Stop()
			for alive(pid) {
				select {
				case <-look.C:
				case <-ends:
					t.Fatalf("process %d still runs", pid)
				}
			}
		})
	}
}

// alive is false for a process that nobody has waited for yet, too.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	for _, when := range []string{"while it runs", "before it is started"} {
		var e *process.Error
		if _, err := process.Run(ctx, sh("sleep 600", process.Limits{})); !errors.Is(err, context.Canceled) || errors.As(err, &e) {
			t.Errorf("%s: got %v", when, err)
		}
	}
}

func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux limits memory")
	}
	if detector.On {
		t.Skip("the race detector takes more memory than the limit here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = process.Run(t.Context(), process.Command{Path: exe, Env: []string{"TAKE_MEMORY=1"}, Limits: process.Limits{Memory: 256 << 20}})
	var e *process.Error
	if !errors.As(err, &e) {
		t.Fatalf("4 GiB were had within 256 MiB: %v", err)
	}
	if !errors.Is(err, process.ErrMemory) && !strings.Contains(e.Stderr, "out of memory") && !strings.Contains(e.Stderr, "goroutine") {
		t.Errorf("got %v: %s", err, e.Stderr)
	}
}

func TestProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux limits processes")
	}
	_, err := process.Run(t.Context(), sh("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 600 & done; wait", process.Limits{Processes: 5, Time: time.Minute}))
	if !errors.Is(err, process.ErrProcesses) {
		t.Errorf("got %v", err)
	}
}
