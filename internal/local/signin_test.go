package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newHome(t *testing.T) Home {
	t.Helper()
	home, err := HomeOf(t.TempDir(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// TestAPasswordOutlivesAStop: the next start serves pages elsewhere, and a person who
// wrote the password down has the right one.
func TestAPasswordOutlivesAStop(t *testing.T) {
	home := newHome(t)
	if err := home.ForgetAddress(); err != nil {
		t.Errorf("before the first start: %v", err)
	}
	if s, err := home.SignIn(); err != nil || s != nil {
		t.Errorf("there is something to sign in with before the first start: %v, %v", s, err)
	}
	if err := home.WriteSignIn(SignIn{URL: "https://127.0.0.1:1", Username: "admin", Password: "hunter2", Own: "digest"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(home.Dir(), signInName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v, %v", info, err)
	}
	for range 2 { // the second time there is no address to forget
		if err := home.ForgetAddress(); err != nil {
			t.Fatal(err)
		}
		got, err := home.SignIn()
		if diff := cmp.Diff(&SignIn{Username: "admin", Password: "hunter2", Own: "digest"}, got); err != nil || diff != "" {
			t.Errorf("%v, -want +got:\n%s", err, diff)
		}
	}
}

// TestStateThatCannotBeRead is told with the file and how to go on without it, and
// nothing of it is repeated.
func TestStateThatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, file string
		read         func(Home) error
		says         string
	}{
		"SignIn":  {"a new password is made", signInName, func(h Home) error { _, err := h.SignIn(); return err }, "for a new password"},
		"Forget":  {"nor is it written over", signInName, Home.ForgetAddress, "for a new password"},
		"Applied": {"what the file of the cluster says is written again", "secrets/dev.json", func(h Home) error { _, err := readApplied(h.applied("dev")); return err }, "remove the file"},
		"Fleet":   {"what was started is not known", recordName, func(h Home) error { _, err := h.Recall(); return err }, "cannot read what fleet shop consists of"},
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t)
			path := filepath.Join(home.Dir(), filepath.FromSlash(tc.file))
			if err := WriteFile(path, []byte(`{"password": "hunter2`)); err != nil {
				t.Fatal(err)
			}
			if err := tc.read(home); err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != `{"password": "hunter2` {
				t.Errorf("%s: the file has %q, %v", tc.reason, text, err)
			}
		})
	}
}

// TestWhatWasWrittenIsRemembered: by it, the next start tells what a person changed.
func TestWhatWasWrittenIsRemembered(t *testing.T) {
	home := newHome(t)
	if m, err := readApplied(home.applied("dev")); err != nil || len(m.Labels)+len(m.Annotations) > 0 {
		t.Errorf("before the first start: %v, %v", m, err)
	}
	want := marks{Labels: map[string]string{"a": "1"}, Annotations: map[string]string{"b": "2"}}
	if err := writeApplied(home.applied("dev"), want); err != nil {
		t.Fatal(err)
	}
	got, err := readApplied(home.applied("dev"))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if other, err := readApplied(home.applied("prod")); err != nil || other.Labels != nil {
		t.Errorf("each cluster has its own: %v, %v", other, err)
	}
}
