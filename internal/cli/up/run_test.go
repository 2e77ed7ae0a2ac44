package up

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// TestEnginesThatCannotBeMeant are refused before a hub is looked for.
func TestEnginesThatCannotBeMeant(t *testing.T) {
	clitest.Refuses(t, NewRun, map[string]string{
		"x": `cannot take the argument "x"`, "--log-level loud": `cannot log at level "loud": use debug, info, warn or error`, "--log-format xml": "xml", "--tls-cert-file c": "give both --tls-cert-file and --tls-key-file", "--tls-key-file k": "give both --tls-cert-file and --tls-key-file",
		"--tls-generate --tls-cert-file c --tls-key-file k": "give either --tls-generate or --tls-cert-file", "--trusted-proxies proxy": "--trusted-proxies: ", "--store-size much": "--store-size", "--store-entries -1": "--store-entries cannot be negative",
		"--workers -2": "cannot take --workers -2, which is less than nothing", "--embedded-clusters -1": "--embedded-clusters -1",
	})
}

// TestNothingIsInstalledForAnEngineThatCannotStart: what its flags name is read before the hub is written to.
func TestNothingIsInstalledForAnEngineThatCannotStart(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nope")
	for args, want := range map[string]string{"--sops-age-key-file " + nowhere: nowhere, "--plugin-dir " + nowhere: nowhere, "--store-size much": "--store-size"} {
		asked := 0
		d := clitest.NewDesk(t, map[string]any{"/": func(w http.ResponseWriter, _ *http.Request) { asked++; w.WriteHeader(http.StatusForbidden) }})
		got := clitest.Run(t, NewRun, append(strings.Fields(args), "--install-crds", "--kubeconfig", d.Kubeconfig(t))...)
		if got.Code == command.ExitFine || !strings.Contains(got.Errors, want) || asked > 0 {
			t.Errorf("%s: exit %d after %d questions:\n%s", args, got.Code, asked, got.Errors)
		}
	}
}

// TestAHubThatRefusesEndsTheEngine, with what it was that could not be written.
func TestAHubThatRefusesEndsTheEngine(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{"/": clitest.Refusal{Status: http.StatusUnauthorized}})
	clitest.Run(t, NewRun, "--install-crds", "--kubeconfig", d.Kubeconfig(t)).Says(t, "old credentials", command.ExitFailed, "refuses the credentials of kubeconfig ")
}

// TestTheHubIsTheClusterAround the process, where nothing else is named.
func TestTheHubIsTheClusterAround(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "1")
	around := "cannot use the pod's service account: " // there is none
	for args, inside := range map[string]bool{"": true, "-n argocd": true, "--kubeconfig /nope": false, "--fleet nope": false, "--context nope": false} {
		got := clitest.Run(t, NewRun, strings.Fields(args)...)
		if got.Code == command.ExitFine || strings.Contains(got.Errors, around) != inside {
			t.Errorf("%q: exit %d: %s", args, got.Code, got.Errors)
		}
	}
}

// TestAnEngineBesideItsHub is no pod of it, and what it is to a cloud is who started it: a hub of a kubeconfig, and that of a local fleet.
func TestAnEngineBesideItsHub(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "1")
	r := &runFlags{Global: &command.Global{Kubeconfig: clitest.NewDesk(t, nil).Kubeconfig(t)}}
	h, err := r.hubToServe()
	if err != nil || h.InCluster {
		t.Errorf("of a kubeconfig: %+v (%v)", h, err)
	}
	home, err := local.HomeOf(t.TempDir(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	if (&session{up: &upFlags{Global: &command.Global{}}, fleet: &local.Fleet{}, home: home}).config(nil).InCluster {
		t.Error("a local fleet is on the machine of its user")
	}
}

// TestDeclaredClustersHaveAFolder of their namespace: two engines of a machine share none, and who wants none has none.
func TestDeclaredClustersHaveAFolder(t *testing.T) {
	state := t.TempDir()
	of := func(most int, namespace string) string {
		r := &runFlags{Global: &command.Global{StateDir: state}, embedded: most}
		got, err := r.declaredClusters(namespace)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if of(0, "argocd") != "" || of(1, "argocd") != filepath.Join(state, "declared", "argocd") || of(1, "argocd") == of(1, "team") {
		t.Errorf("got %q, %q and %q", of(0, "argocd"), of(1, "argocd"), of(1, "team"))
	}
}
