package git

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// A commit of any size is kept as one line that is shown, and apart from its text.
func TestCommitsAreShort(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	hash := strings.Repeat("a", 40)
	for name, tc := range map[string]struct {
		reason, author, body      string
		wantAuthor, subject       string
		date                      int64
		shortAuthor, shortSubject bool
	}{
		"Short":    {"what is short is whole", "Mina <m@example.com> 7 +0100", "\n\nRaise the memory\n\n" + long, "Mina <m@example.com>", "Raise the memory", 7, false, false},
		"Long":     {"what is long is cut at a character", long + " <m@example.com> 7 +0100", "Raise" + long, long, "Raise" + long, 7, true, true},
		"Words":    {"what comes after the date takes nothing", "Mina <m@example.com>  7 " + strings.Repeat("a ", 1<<20), "x", "Mina <m@example.com>", "x", 7, false, false},
		"Unclosed": {"an author without an address is cut as well", long, "x", long, "x", 0, true, false},
		"Undated":  {"an author without a date is one", "Mina <m@example.com>", "x", "Mina <m@example.com>", "x", 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := "tree " + hash + "\nauthor " + tc.author + "\ncommitter x\n\n" + tc.body
			tree, c, err := parseCommit(text)
			if err != nil || tree != hash {
				t.Fatalf("%s: tree %q, %v", tc.reason, tree, err)
			}
			checkKept(t, tc.reason, c.Author, tc.wantAuthor, tc.shortAuthor)
			checkKept(t, tc.reason, c.Message, tc.subject, tc.shortSubject)
			if tc.date != 0 && !c.Date.Equal(time.Unix(tc.date, 0)) || tc.date == 0 && !c.Date.IsZero() {
				t.Errorf("%s: the date is %s", tc.reason, c.Date)
			}
			for _, part := range []string{tree, c.Author, c.Message} {
				if isPart(text, part) {
					t.Errorf("%q keeps the whole commit in memory", gitops.First(part, 20))
				}
			}
		})
	}
}

func checkKept(t *testing.T, reason, got, want string, cut bool) {
	t.Helper()
	if !cut && got != want {
		t.Errorf("%s: got %q, want %q", reason, got, want)
	}
	if begin, ok := strings.CutSuffix(got, "…"); cut && (!ok || len(begin) > gitops.MostCommitText || len(begin) < gitops.MostCommitText-1 || !strings.HasPrefix(want, begin)) {
		t.Errorf("%s: %d bytes are kept: %q", reason, len(got), gitops.First(got, 20))
	}
}

// isPart reports whether one text lies in the memory of another.
func isPart(whole, part string) bool {
	from, at := uintptr(unsafe.Pointer(unsafe.StringData(whole))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	return at >= from && at < from+uintptr(len(whole))
}
