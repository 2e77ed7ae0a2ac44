package process_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/render/process"
)

// TestHowCommandsEnd: a plugin's author sees by which code it ended, and what ends no command.
func TestHowCommandsEnd(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	for name, tc := range map[string]struct {
		reason string
		c      process.Command
		out    string
		err    error
		code   int
		detail string
	}{
		"Code":     {"its own code", sh("exit 3", process.Limits{}), "", process.ErrExit, 3, "exit status 3"},
		"Signal":   {"a signal is no code", sh("kill -TERM $$", process.Limits{}), "", process.ErrExit, -1, "signal: terminated"},
		"Full":     {"as much as it may write", sh("printf 12345", process.Limits{Output: 5}), "12345", nil, 0, ""},
		"Over":     {"one byte more, though it ends well", sh("printf 123456", process.Limits{Output: 5}), "", process.ErrOutput, -1, "5 bytes"},
		"Errors":   {"of errors there may be more than of output", sh("printf 123456 >&2", process.Limits{Output: 5}), "", nil, 0, ""},
		"Input":    {"nobody answers it, so it waits for no answer", sh("cat; printf done", process.Limits{}), "done", nil, 0, ""},
		"Folder":   {"a folder that is not there, of which the place on the machine is not told", process.Command{Path: "pwd", Search: search, Dir: gone}, "", process.ErrStart, -1, "no such file or directory"},
		"Zero":     {"an argument that no system takes", process.Command{Path: "echo", Args: []string{"a\x00b"}, Search: search}, "", process.ErrStart, -1, "invalid argument"},
		"Empty":    {"an argument without a letter is one", process.Command{Path: "echo", Args: []string{"", "a", ""}, Search: search}, " a \n", nil, 0, ""},
		"Twice":    {"of a variable that is there twice the last counts", process.Command{Path: "sh", Args: []string{"-c", "printf $A"}, Search: search, Env: []string{"A=1", "A=2"}}, "2", nil, 0, ""},
		"Unending": {"limits that are off", sh("printf a", process.Limits{Memory: -1, Processes: -1}), "a", nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := process.Run(t.Context(), tc.c)
			if tc.err == nil {
				if err != nil || string(out) != tc.out {
					t.Errorf("%s: %q, %v", tc.reason, out, err)
				}
				return
			}
			var e *process.Error
			if !errors.As(err, &e) || !errors.Is(err, tc.err) || e.Code != tc.code || out != nil {
				t.Fatalf("%s: %q, %#v", tc.reason, out, err)
			}
			if !strings.Contains(e.Error(), tc.detail) || strings.Contains(e.Error(), gone) {
				t.Errorf("%s: it says %q", tc.reason, e.Error())
			}
		})
	}
}

// TestTheEndOfWhoWaits is no fault of the command: a render that is given up is tried again, and one that took too long by
// itself is not.
func TestTheEndOfWhoWaits(t *testing.T) {
	why := errors.New("the engine ends")
	for name, tc := range map[string]struct {
		reason string
		until  func() (context.Context, context.CancelFunc)
		want   error
	}{
		"Late": {"the time of who waits is over, before the command's own", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 20*time.Millisecond)
		}, context.DeadlineExceeded},
		"Cause": {"who waits has gone, for whatever reason", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
			return ctx, func() { stop.Stop() }
		}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, end := tc.until()
			defer end()
			_, err := process.Run(ctx, sh("sleep 600", process.Limits{Time: time.Hour}))
			var e *process.Error
			if !errors.Is(err, tc.want) || errors.As(err, &e) || errors.Is(err, process.ErrTime) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
