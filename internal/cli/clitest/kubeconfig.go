package clitest

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Kubeconfig is a file by which commands take the server for a hub. It answers by TLS there: in the clear no token is sent.
func (d *Desk) Kubeconfig(t *testing.T) string {
	t.Helper()
	s := httptest.NewTLSServer(d.handler)
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "hub", "contexts": [{"name": "hub", "context": {"cluster": "hub", "user": "me"}}],
"clusters": [{"name": "hub", "cluster": {"server": %q, "insecure-skip-tls-verify": true}}], "users": [{"name": "me", "user": {"token": %q}}]}`, s.URL, Token)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
