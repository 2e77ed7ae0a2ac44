package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const kubeconfigOfUp = `
apiVersion: v1
kind: Config
current-context: hub
contexts: [{name: hub, context: {cluster: hub, user: hub, namespace: argocd}}]
clusters: [{name: hub, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: YQ==}}]
users: [{name: hub, user: {client-certificate-data: YQ==, client-key-data: Yg==}}]
`

// TestKubeconfigOfAFleet: it names no program, no file and nobody else's
// address, whoever wrote it.
func TestKubeconfigOfAFleet(t *testing.T) {
	const user, server = "client-certificate-data: YQ==, client-key-data: Yg==", `server: "https://127.0.0.1:1", certificate-authority-data: YQ==`
	cases := map[string]struct{ reason, from, to, says string }{
		"Ours":      {"what up writes", "", "", ""},
		"Program":   {"it would run", user, "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}", "its user hub"},
		"Beside":    {"another user is as little ours", "users: [", "users: [{name: b, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}}, ", "its user b"},
		"Provider":  {"it would be asked", user, "auth-provider: {name: gcp}", "its user hub"},
		"TokenFile": {"a file of the machine would be sent", user, "tokenFile: /home/me/token", "its user hub"},
		"KeyFile":   {"this one too", user, "client-certificate: /home/me/crt, client-key: /home/me/key", "its user hub"},
		"Token":     {"ours have certificates", user, "token: x", "its user hub"},
		"Elsewhere": {"somebody else would be asked", server, `server: "https://example.com"`, "not on this machine"},
		"Name":      {"a name may lead anywhere", server, `server: "https://localhost.example.com"`, "not on this machine"},
		"Clear":     {"ours speak TLS", server, `server: "http://127.0.0.1:1"`, "not on this machine"},
		"Proxy":     {"somebody else would be asked", server, server + `, proxy-url: "https://example.com"`, "reached otherwise"},
		"CAFile":    {"a file of the machine", server, `server: "https://127.0.0.1:1", certificate-authority: /home/me/ca`, "reached otherwise"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			home, err := HomeOf(t.TempDir(), "f")
			if err != nil {
				t.Fatal(err)
			}
			if err := WriteFile(home.Kubeconfig(), []byte(strings.Replace(kubeconfigOfUp, tc.from, tc.to, 1))); err != nil {
				t.Fatal(err)
			}
			got, err := home.Contexts()
			if tc.says == "" {
				if err != nil || got.CurrentContext != "hub" {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), home.Kubeconfig()) {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
		})
	}
}

func TestKubeconfigThatIsNotThere(t *testing.T) {
	home, err := HomeOf(t.TempDir(), "f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := home.Contexts(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it says %v", err)
	}
	if err := os.MkdirAll(filepath.Join(home.Kubeconfig(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := home.Contexts(); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder in its place says %v", err)
	}
}

const kubeconfigOfAPlane = `
apiVersion: v1
kind: Config
current-context: theirs
contexts: [{name: theirs, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:2"}}]
users: [{name: u, user: {client-key-data: Yg==}}]
`

// TestKubeconfigHasAContextForEachCluster: also for a spoke that is down while
// another one comes back.
func TestKubeconfigHasAContextForEachCluster(t *testing.T) {
	home, err := HomeOf(t.TempDir(), "f")
	if err != nil {
		t.Fatal(err)
	}
	r := &Running{Home: home, Fleet: &Fleet{Name: "f", Namespace: "argocd", Clusters: []Cluster{{Name: "hub", Hub: true}, {Name: "dev"}}}}
	written := func(cluster, text string) {
		t.Helper()
		if err := WriteFile(home.clusterKubeconfig(cluster), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	written("hub", kubeconfigOfAPlane)
	if err := r.writeKubeconfig(); err == nil || !strings.Contains(err.Error(), "cluster dev") {
		t.Errorf("a cluster that never was up says %v", err)
	}
	written("dev", kubeconfigOfAPlane)
	if err := r.writeKubeconfig(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(home.clusterKubeconfig("dev")); err != nil {
		t.Fatal(err)
	}
	written("hub", strings.Replace(kubeconfigOfAPlane, "127.0.0.1:2", "127.0.0.1:3", 1))
	if err := r.writeKubeconfig(); err != nil {
		t.Fatal(err)
	}
	got, err := home.Contexts()
	if err != nil {
		t.Fatal(err)
	}
	if got.CurrentContext != "hub" || got.Contexts["hub"].Namespace != "argocd" || got.Contexts["dev"].Namespace != "" || len(got.Contexts) != 2 {
		t.Errorf("its contexts are %v, with %s", got.Contexts, got.CurrentContext)
	}
	if hub, dev := got.Clusters["hub"].Server, got.Clusters["dev"].Server; hub != "https://127.0.0.1:3" || dev != "https://127.0.0.1:2" {
		t.Errorf("the hub is at %s, and the spoke that is down at %s", hub, dev)
	}
	written("dev", strings.Replace(kubeconfigOfAPlane, "current-context: theirs", "current-context: none", 1))
	if err := r.writeKubeconfig(); err == nil || !strings.Contains(err.Error(), "no current context") {
		t.Errorf("one without a context says %v", err)
	}
}
