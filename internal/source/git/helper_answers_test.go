package git

import (
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Helpers of a person's configuration are asked line by line: what an address has
// must not become a line of its own, or another host would be asked for.
func TestWhatHelpersAreAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		at     address.Address
		want   string
	}{
		"Plain": {"as git asks", address.Address{Scheme: "https", Host: "h:8443", Path: "/org/x.git"}, "protocol=https\nhost=h:8443\npath=org/x.git\n"},
		"User":  {"with who asks, and never a password", address.Address{Scheme: "https", Host: "h", Path: "/x", User: "me", Password: "hunter2"}, "protocol=https\nhost=h\npath=x\nusername=me\n"},
		"Path":  {"a line end in a path", address.Address{Scheme: "https", Host: "h", Path: "/x\nhost=evil"}, ""},
		"Name":  {"in a user's name", address.Address{Scheme: "https", Host: "h", Path: "/x", User: "me\rhost=evil"}, ""},
		"End":   {"or the end of a text", address.Address{Scheme: "https", Host: "h\x00", Path: "/x"}, ""},
	} {
		got, err := questionOf(tc.at)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %s: %q, %v", name, tc.reason, got, err)
		}
	}
}

// An answer counts where it has a password.
func TestWhatHelpersAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		want         access.Credential
	}{
		"Both":     {"a user and a password", "protocol=https\nhost=h\nusername=me\npassword=a=b c\n", access.Credential{Username: "me", Password: "a=b c"}},
		"Windows":  {"with the line ends of Windows", "username=me\r\npassword=x\r\n", access.Credential{Username: "me", Password: "x"}},
		"Token":    {"a password alone", "password=x", access.Credential{Password: "x"}},
		"NoSecret": {"a user alone signs nobody in", "username=me\npassword=\n", access.Credential{}},
		"Nothing":  {"nothing is nothing", "", access.Credential{}},
		"Other":    {"what else a helper says is not taken", "password_expiry_utc=1\noauth_refresh_token=x\nquit=1\n", access.Credential{}},
	} {
		if got := answerOf([]byte(tc.text)); got.Username != tc.want.Username || got.Password != tc.want.Password {
			t.Errorf("%s: %s: %s with %q", name, tc.reason, got.Username, got.Password.Reveal())
		}
	}
}

// A person's configuration is asked, whatever repository the process is in, and
// nobody is asked by hand: a command would wait for it without end.
func TestHelpersAreAskedInThePersonsName(t *testing.T) {
	for name, value := range map[string]string{
		"GIT_DIR": "/somewhere/.git", "GIT_WORK_TREE": "/somewhere", "GIT_CONFIG": "/somewhere/config", "GIT_TERMINAL_PROMPT": "1", "GIT_ASKPASS": "/bin/ask", "SSH_ASKPASS": "/bin/ask",
		"GIT_CONFIG_GLOBAL": "/home/me/config", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.helper", "GIT_CONFIG_VALUE_0": "store", "GIT_TRACE": "/tmp/trace", "PERSON": "me",
	} {
		t.Setenv(name, value)
	}
	said := map[string]string{} // the last one counts, as for a process
	for _, kv := range (&Command{blank: "/blank"}).personal() {
		name, value, _ := strings.Cut(kv, "=")
		said[name] = value
	}
	for name, want := range map[string]string{
		"GIT_DIR": "/blank", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "LC_ALL": "C",
		"GIT_CONFIG_GLOBAL": "/home/me/config", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.helper", "GIT_CONFIG_VALUE_0": "store", "PERSON": "me",
	} {
		if got, ok := said[name]; !ok || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"GIT_WORK_TREE", "GIT_CONFIG", "GIT_TRACE"} {
		if got, ok := said[name]; ok {
			t.Errorf("%s is handed on as %q", name, got)
		}
	}
	if !slices.Contains((&Command{}).personal(), "GCM_INTERACTIVE=never") {
		t.Error("the manager of Windows may open a window")
	}
}
