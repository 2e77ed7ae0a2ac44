package logins

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

func TestParseNetrc(t *testing.T) {
	tests := map[string]struct {
		reason, text string
		want         []machine
	}{
		"Lines":   {"as it is written mostly", "machine h\n  login me\n  password one\nmachine i login you password two", []machine{{"h", "me", "one"}, {"i", "you", "two"}}},
		"Order":   {"the password may come first", "machine h password one account x login me", []machine{{"h", "me", "one"}}},
		"Comment": {"a line may be a comment", "# machine no\nmachine h login me password one#1", []machine{{"h", "me", "one#1"}}},
		"Quotes":  {"a word in quotes has spaces", `machine h login me password "o n\"e"`, []machine{{"h", "me", `o n"e`}}},
		"Default": {"what is for all hosts is for none here", "default login me password one\nmachine h login you password two", []machine{{"h", "you", "two"}}},
		"Macro":   {"a macro goes on to the next empty line", "machine h login me password one\nmacdef init\nmachine no login no password no\n\nmachine i login you password two", []machine{{"h", "me", "one"}, {"i", "you", "two"}}},
		"Names":   {"a host may be called like a word of the format", "machine machine login password password login", []machine{{"machine", "password", "login"}}},
		"Broken":  {"a file that breaks off", "machine", []machine{{"", "", ""}}},
		"Nothing": {"no file", "", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, parseNetrc(tc.text), cmp.AllowUnexported(machine{}), cmp.Comparer(func(a, b access.Secret) bool { return a == b })); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzNetrc reads whatever is in a file.
func FuzzNetrc(f *testing.F) {
	for _, s := range []string{"machine h login me password one", "machine", `password "`, "macdef x\n\n", "default login", `machine h password "\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range parseNetrc(text) {
			if len(m.host)+len(m.login)+len(m.password) > len(text) {
				t.Errorf("%s has more than the file", m.host)
			}
		}
	})
}

// TestNetrc opens a host by the file in the home, where Git's helpers have nothing.
func TestNetrc(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("NETRC", "")
	if err := os.WriteFile(filepath.Join(home, ".netrc"), []byte("machine git.example.com login me password hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ reason, url, want string }{
		"Host":     {"the host of the file", "https://git.example.com/r", "hunter2"},
		"Spelling": {"in any case", "https://GIT.example.com/r.git", "hunter2"},
		"User":     {"for its user", "https://me@git.example.com/r", "hunter2"},
		"Another":  {"and no other one", "https://you@git.example.com/r", ""},
		"Clear":    {"not in the clear", "http://git.example.com/r", ""},
		"Below":    {"not for a host below it", "https://x.git.example.com/r", ""},
		"Above":    {"nor for one that begins like it", "https://git.example.com.evil.org/r", ""},
	}
	command, err := git.NewCommand(t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			at, err := address.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			u := New(command, slog.New(slog.DiscardHandler))
			if got := u.Git(t.Context(), at).Password.Reveal(); got != tc.want {
				t.Errorf("%s: Git gets %q", tc.reason, got)
			}
			if got := u.Charts(at).Password.Reveal(); got != tc.want {
				t.Errorf("%s: Helm gets %q", tc.reason, got)
			}
		})
	}
}

// TestHelpersAreNotAskedForTheClear: what a helper has is not sent over a
// network that anybody may read.
func TestHelpersAreNotAskedForTheClear(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("NETRC", "")
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[credential]\n\thelper = \"!echo username=me; echo password=hunter2;:\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command, err := git.NewCommand(t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ reason, url, want string }{
		"Sealed":    {"https", "https://git.example.com/r", "hunter2"},
		"Clear":     {"http", "http://git.example.com/r", ""},
		"Port":      {"whatever its port", "http://git.example.com:443/r", ""},
		"Private":   {"addresses of a private network", "http://192.168.0.7/r", ""},
		"LikeLocal": {"a host that begins like this machine", "http://localhost.example.com/r", ""},
		"Local":     {"this machine", "http://localhost:3000/r", "hunter2"},
		"Loopback":  {"in numbers", "http://127.0.0.1:3000/r", "hunter2"},
		"Six":       {"in those of IPv6", "http://[::1]:3000/r", "hunter2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			at, err := address.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := New(command, slog.New(slog.DiscardHandler)).Git(t.Context(), at).Password.Reveal(); got != tc.want {
				t.Errorf("%s: Git gets %q", tc.reason, got)
			}
		})
	}
}
