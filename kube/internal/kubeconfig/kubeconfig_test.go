package kubeconfig

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/kube/internal/pki"
)

var entry = Entry{
	Name:   "west",
	Server: "https://127.0.0.1:1234",
	CA:     []byte("authority"),
	Admin:  pki.Pair{Cert: []byte("certificate"), Key: []byte("key")},
}

func TestWriteIsReadByClients(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "kubeconfig")
	if err := Write(path, entry); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != entry.Server || string(config.CAData) != "authority" ||
		string(config.CertData) != "certificate" || string(config.KeyData) != "key" {
		t.Errorf("a client reads %+v", config)
	}
	raw, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if raw.CurrentContext != "west" {
		t.Errorf("the current context is %q", raw.CurrentContext)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the key: mode %v", info.Mode())
	}
}

func TestWriteLeavesNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := Write(filepath.Join(dir, "kubeconfig"), entry); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
	if err := Write(ours, entry); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		path   string
		want   error
		left   bool
	}{
		"Ours":    {reason: "what was written here may go", path: ours},
		"Missing": {reason: "nothing to do is no error", path: filepath.Join(dir, "none")},
		"Theirs":  {reason: "a person's own kubeconfig must survive a wrong flag", path: theirs, want: ErrForeign, left: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := Remove(tc.path); !errors.Is(err, tc.want) {
				t.Errorf("%s: got %v, want %v", tc.reason, err, tc.want)
			}
			if _, err := os.Stat(tc.path); (err == nil) != tc.left {
				t.Errorf("%s: the file is there: %v", tc.reason, err == nil)
			}
		})
	}
}
