package encryption

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiserver "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"sigs.k8s.io/yaml"
)

// TestProviders: who encrypts comes first, and whoever may have done so before can decrypt.
func TestProviders(t *testing.T) {
	tests := map[string]struct {
		reason string
		config Config
		made   bool // the cluster has a key already
		want   string
	}{
		"New":           {"a new cluster encrypts, and reads what it may have from before", Config{Mode: ByAge}, false, "causeway-kube identity"},
		"Kept":          {"the same at the next start", Config{Mode: ByAge}, true, "causeway-kube identity"},
		"NeverOn":       {"nothing is encrypted, and nothing was", Config{Mode: Off}, false, ""},
		"Off":           {"what was encrypted stays readable", Config{Mode: Off}, true, "identity causeway-kube"},
		"Plugin":        {"it needs no key", Config{Mode: ByAge, Socket: "kms.sock"}, false, "kms identity"},
		"PluginInstead": {"what the key encrypted stays readable", Config{Mode: ByAge, Socket: "kms.sock"}, true, "kms causeway-kube identity"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			mode, socket := tc.config.Mode, tc.config.Socket
			tc.config = fresh(t)
			if tc.made {
				closed(t, tc.config)
			}
			tc.config.Mode, tc.config.Socket = mode, socket
			if got := closed(t, tc.config); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			_, err := os.Stat(filepath.Join(tc.config.DataDir, KeyFile))
			if there := err == nil; there != strings.Contains(tc.want, ownPlugin) {
				t.Errorf("%s: the key file is there: %t", tc.reason, there)
			}
		})
	}
}

// closed sets up, and returns the names of who reads and writes.
func closed(t *testing.T, c Config) string {
	t.Helper()
	s, err := Prepare(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if s.File == "" {
		return ""
	}
	text, err := os.ReadFile(s.File)
	if err != nil {
		t.Fatal(err)
	}
	var read apiserver.EncryptionConfiguration
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range read.Resources[0].Providers {
		if p.KMS == nil {
			names = append(names, "identity")
			continue
		}
		names = append(names, p.KMS.Name)
		if path, is := strings.CutPrefix(p.KMS.Endpoint, "unix://"); !is || !filepath.IsAbs(path) {
			t.Errorf("the API server cannot find %s", p.KMS.Endpoint)
		}
	}
	return strings.Join(names, " ")
}

// fresh is a cluster that encrypts with its own key.
func fresh(t *testing.T) Config {
	t.Helper()
	data := t.TempDir()
	return Config{Mode: ByAge, DataDir: data, StoreDir: filepath.Join(data, "etcd"), RunDir: t.TempDir()}
}

// TestKilledBetweenFiles: whatever of the two files is there when the process is killed, the next start goes on, unless
// the key is lost.
func TestKilledBetweenFiles(t *testing.T) {
	c := fresh(t)
	closed(t, c)
	key := filepath.Join(c.DataDir, KeyFile)
	before, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.mark()); err != nil {
		t.Fatal(err)
	}
	closed(t, c)
	if after, err := os.ReadFile(key); err != nil || string(after) != string(before) {
		t.Errorf("the key is another one: %v", err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{ByAge, Off} {
		c.Mode = mode
		refused(t, c, "without the key that encrypted", "put it back")
	}
}

// TestLostKeys: a datastore whose Secrets cannot be read gets no new key, whichever of its files came along.
func TestLostKeys(t *testing.T) {
	c := fresh(t)
	closed(t, c)
	alone := fresh(t)
	if err := os.CopyFS(alone.StoreDir, os.DirFS(c.StoreDir)); err != nil {
		t.Fatal(err)
	}
	refused(t, alone, "the datastore was restored alone", KeyFile+" is gone")
	if _, err := os.Stat(filepath.Join(alone.DataDir, KeyFile)); err == nil {
		t.Error("there is a new key")
	}

	former := fresh(t)
	if err := os.WriteFile(filepath.Join(former.DataDir, mark), []byte("Secrets of this cluster are encrypted.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, former, "the mark of before was beside the key", KeyFile+" is gone")

	others := fresh(t)
	others.Socket = "kms.sock"
	closed(t, others)
	others.Socket = ""
	for _, mode := range []string{ByAge, Off} {
		others.Mode = mode
		refused(t, others, "the flag was forgotten", "--kms-socket")
	}
	if _, err := os.Stat(filepath.Join(others.DataDir, KeyFile)); err == nil {
		t.Error("there is a key that decrypts nothing")
	}
	if err := os.Remove(others.mark()); err != nil { // nothing is encrypted any more
		t.Fatal(err)
	}
	closed(t, others)
}

func refused(t *testing.T, c Config, reason, want string) {
	t.Helper()
	if s, err := Prepare(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s, with the mode %s: got %v, %v, want %q", reason, c.Mode, s, err, want)
	}
}
