package target

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/source"
)

const kubeconfigOfFleet = `apiVersion: v1
kind: Config
clusters: [{name: hub, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: QQ==}}]
users: [{name: hub, user: {client-certificate-data: QQ==, client-key-data: QQ==}}]
contexts: [{name: hub, context: {cluster: hub, user: hub, namespace: argocd}}]
current-context: hub
`

// fleetThatRuns is a local fleet that was started without --cluster-programs.
func fleetThatRuns(t *testing.T, state string) local.Home {
	t.Helper()
	home, err := local.HomeOf(state, "f")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if err := local.WriteFile(home.Kubeconfig(), []byte(kubeconfigOfFleet)); err != nil {
		t.Fatal(err)
	}
	fleet := &local.Fleet{Name: "f", Namespace: "gitops", Clusters: []local.Cluster{{Name: "hub", Hub: true}}}
	if err := home.Remember(fleet); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestFleetByItsKubeconfigRunsNoPrograms reaches a local fleet, which was started
// without --cluster-programs, as the tutorial and the command's own example say:
// export KUBECONFIG=$(causeway kubeconfig). The Secrets and the argocd-cm in it
// are those of the checkout all the same.
func TestFleetByItsKubeconfigRunsNoPrograms(t *testing.T) {
	state, other := t.TempDir(), t.TempDir()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	home := fleetThatRuns(t, state)
	link, copied := filepath.Join(other, "link"), filepath.Join(other, "copied")
	if err := os.Symlink(home.Kubeconfig(), link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, []byte(kubeconfigOfFleet), 0o600); err != nil {
		t.Fatal(err)
	}
	at := home.Kubeconfig()
	ways := map[string]struct {
		variable string
		g        command.Global
	}{
		"ByItsState": {"", command.Global{StateDir: state}},
		"ByFlag":     {"", command.Global{Kubeconfig: at}},
		"ByLink":     {"", command.Global{Kubeconfig: link}},
		"ByVariable": {at, command.Global{}},
		"AmongFiles": {copied + string(filepath.ListSeparator) + at, command.Global{}},
		"ByContext":  {at, command.Global{StateDir: state, Context: "hub"}},
		"Copied":     {copied, command.Global{StateDir: state}},
		"CopiedFlag": {"", command.Global{StateDir: state, Kubeconfig: copied}},
	}
	for name, way := range ways {
		t.Setenv("KUBECONFIG", way.variable)
		g := way.g
		h, err := locate(&g)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !h.NoPrograms() || h.Namespace != "gitops" {
			t.Errorf("%s: programs run that cluster Secrets of the checkout name, in namespace %q", name, h.Namespace)
		}
		if cfg := h.Looking(nil, nil); !cfg.NoPrograms || !cfg.PrivateHosts {
			t.Errorf("%s: a command looks otherwise than the engine of the fleet: %+v", name, cfg)
		}
	}
	// As `import argocd` asks, which means the current context.
	t.Setenv("KUBECONFIG", at)
	h, err := fromKubeconfig((&command.Global{}), "")
	if err != nil || !h.NoPrograms() {
		t.Errorf("by the current context: %v", err)
	}
}

// TestStateOfNoFleetLendsNothing: what lies where a fleet would, and none holds,
// gives the Applications of a hub nothing of this machine.
func TestStateOfNoFleetLendsNothing(t *testing.T) {
	home, err := local.HomeOf(t.TempDir(), "f")
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{Home: home, Fleet: &local.Fleet{Mirrors: []source.Mirror{{URL: "https://git.example.com", Path: t.TempDir()}}}}
	if cfg := h.Looking(nil, nil); cfg.PrivateHosts || len(cfg.Mirrors) > 0 || !cfg.NoPrograms {
		t.Errorf("it is looked at as %+v", cfg)
	}
}

// TestKubeconfigOfAnotherHub: what its own operators write is for them to say.
func TestKubeconfigOfAnotherHub(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	fleetThatRuns(t, state)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	const text = `apiVersion: v1
kind: Config
clusters: [{name: hub, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: Qg==}}]
users: [{name: hub, user: {token: x}}]
contexts: [{name: hub, context: {cluster: hub, user: hub}}]
current-context: hub
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := locate((&command.Global{StateDir: state, Kubeconfig: path}))
	if err != nil || h.NoPrograms() || h.Looking(nil, nil).PrivateHosts {
		t.Errorf("a cluster that has the port of a fleet is taken for it: %v", err)
	}
}
