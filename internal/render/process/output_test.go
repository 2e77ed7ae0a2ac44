package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// TestTailKeepsTheEnd: that is where a command says why it ended.
func TestTailKeepsTheEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		parts  []string
		want   string
	}{
		"Nothing": {"nothing was said", nil, ""},
		"Short":   {"all of it", []string{"one\n", "two\n"}, "one\ntwo"},
		"Full":    {"as much as is kept", []string{"12345", "67890"}, "1234567890"},
		"Over":    {"one byte more, and a mark for what is gone", []string{"12345", "678901"}, "… 2345678901"},
		"Long":    {"more at once than is kept", []string{"ab", strings.Repeat("x", 20) + "1234567890"}, "… 1234567890"},
		"Exact":   {"as much at once, after something else", []string{"a", "1234567890"}, "… 1234567890"},
		"Empty":   {"nothing more", []string{"1234567890", ""}, "1234567890"},
		"Cut":     {"half a letter is none", []string{"é123456789"}, "… ?123456789"},
		"Odd":     {"what is no text", []string{"a\xff\xfeb"}, "a?b"},
		"Space":   {"lines without text", []string{"\n\n a \n"}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			tail := NewTail(10)
			for _, part := range tc.parts {
				if n, err := tail.Write([]byte(part)); n != len(part) || err != nil {
					t.Errorf("%s: the command hears of it: %d, %v", tc.reason, n, err)
				}
			}
			if got := tail.String(); got != tc.want || !utf8.ValidString(got) {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestOutputHasOneEnd: of what is too much nothing counts, and who waits hears once
// more each time.
func TestOutputHasOneEnd(t *testing.T) {
	full := 0
	b := &bounded{limit: 4, full: func() { full++ }}
	for _, part := range []string{"12", "34", "5", "678"} {
		if n, err := b.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("the command hears of it: %d, %v", n, err)
		}
	}
	if !bytes.Equal(b.Bytes(), []byte("1234")) || full != 2 {
		t.Errorf("kept are %q; it was too much %d times", b.Bytes(), full)
	}
}

// TestWhereCommandsAreFound: a repository must not bring the command that is run for it.
func TestWhereCommandsAreFound(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, mode := range map[string]os.FileMode{filepath.Join(dir, "text"): 0o600, filepath.Join(other, "text"): 0o700, filepath.Join(other, "tool"): 0o700, filepath.Join(dir, "plain"): 0o600} {
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tool"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(other)
	both := dir + string(filepath.ListSeparator) + other
	for name, tc := range map[string]struct {
		reason, command, search, want string
		err                           error
	}{
		"Found":    {"in one of the folders", "tool", other, filepath.Join(other, "tool"), nil},
		"Folder":   {"a folder is no command", "tool", both, filepath.Join(other, "tool"), nil},
		"NotExec":  {"nor is a file that is not executable, where another one is", "text", both, filepath.Join(other, "text"), nil},
		"OnlyText": {"which is told where none is", "plain", both, "", errExecutable},
		"Here":     {"the working folder is not searched", "tool", ".", "", errMissing},
		"Empty":    {"nor what stands for it", "tool", string(filepath.ListSeparator), "", errMissing},
		"Slash":    {"a path is taken as it is", "./tool", dir, "./tool", nil},
		"Nothing":  {"no command", "", both, "", errMissing},
		"Missing":  {"nowhere", "none", both, "", errMissing},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := find(tc.command, tc.search)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}

// TestWhatLimitsSay: the number that was in the way is named, so that who may can raise it.
func TestWhatLimitsSay(t *testing.T) {
	l := Limits{Time: 90 * time.Second, Output: 5, Memory: 3 << 20, Processes: 7}
	for reason, want := range map[error]string{ErrTime: "the limit is 1m30s", ErrOutput: "the limit is 5 bytes", ErrMemory: "the limit is 3 MiB", ErrProcesses: "the limit is 7", ErrExit: ""} {
		if got := l.tell(reason); got != want {
			t.Errorf("%v: got %q, want %q", reason, got, want)
		}
		e := &Error{Reason: reason, Detail: want}
		if got := e.Error(); !errors.Is(e, reason) || strings.HasSuffix(got, ": ") || want != "" && got != reason.Error()+": "+want {
			t.Errorf("it says %q", got)
		}
	}
	own := Limits{Time: 1, Output: 2, Memory: -1, Processes: -1}
	if got := own.withDefaults(); got != own {
		t.Errorf("what is set stays: %+v", got)
	}
	if got := (Limits{}).withDefaults(); got.Time <= 0 || got.Output <= 0 || got.Memory <= 0 || got.Processes <= 0 {
		t.Errorf("what is not set is bounded: %+v", got)
	}
}

// TestErrorsNameNoPaths of the machine, which are nobody's to read.
func TestErrorsNameNoPaths(t *testing.T) {
	err := &os.PathError{Op: "fork/exec", Path: "/srv/secret/tool", Err: syscall.EACCES}
	if got := plain(err); got != "permission denied" {
		t.Errorf("got %q", got)
	}
	if got := plain(errors.New("exit status 1")); got != "exit status 1" {
		t.Errorf("got %q", got)
	}
}
