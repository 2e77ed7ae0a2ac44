package up

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

func TestDeclaredClustersCount(t *testing.T) {
	s := fleetstatus.Snapshot{
		Clusters: []fleetstatus.Cluster{{Name: "hub", Hub: true}},
		Apps:     []fleetstatus.App{{Name: "root", Cluster: "hub"}, {Name: "a", Cluster: "dev"}, {Name: "b", Cluster: "dev"}, {Name: "c", Cluster: "prod"}},
	}
	if got := clustersOf(s); got != 3 {
		t.Errorf("%d clusters: those that Git declares are not started with the fleet", got)
	}
}

func TestAFleetWithoutApplicationsHasNothingToRollOut(t *testing.T) {
	if got, want := rolledOut(fleetstatus.Tally{}, 2, "3.0 s"), "2 clusters ready after 3.0 s. There is no application yet: nothing to roll out.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := rolledOut(fleetstatus.Tally{Apps: 3, Good: 3}, 1, "3.0 s"), "3 applications on 1 cluster Synced and Healthy after 3.0 s.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWhatToDoNextIsToldOnceAllIsWell: lines that can be copied into a shell, whatever the folder is called.
func TestWhatToDoNextIsToldOnceAllIsWell(t *testing.T) {
	dir := t.TempDir()
	kube := filepath.Join(dir, "it's", "causeway-kube")
	if err := local.WriteFile(kube, []byte("#!/bin/sh\n")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(kube, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CAUSEWAY_KUBE", kube)
	t.Setenv("PATH", t.TempDir())
	home := homeIn(t, filepath.Join(dir, "of me"), "f")
	if err := home.WriteSignIn(local.SignIn{URL: "http://127.0.0.1:7080", Username: "admin", Password: "p"}); err != nil {
		t.Fatal(err)
	}
	s := fleetstatus.Snapshot{
		Started: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), Healthy: time.Date(2026, 1, 1, 12, 0, 9, 0, time.UTC), Clusters: []fleetstatus.Cluster{{Name: "hub"}, {Name: "dev"}},
		Apps: []fleetstatus.App{{Name: "a", Sync: "Synced", Health: "Healthy"}, {Name: "b", Sync: "OutOfSync", Manual: true}},
	}
	fleet := &local.Fleet{Clusters: []local.Cluster{{Name: "hub"}, {Name: "dev"}}, Next: "Look around.\n\n"}
	got := summary(fleet, home, s)
	want := "\n1 application on 2 clusters Synced and Healthy after 9.0 s.\n1 application waits to be synced by hand: causeway get apps\n" +
		"\n  export KUBECONFIG='" + home.Kubeconfig() + "'   # contexts: hub, dev\n" +
		`  alias kubectl=''\''` + filepath.Dir(dir) + "/" + filepath.Base(dir) + `/it'\''\'\'''\''s/causeway-kube'\'' kubectl'` + "\n" +
		"  in the browser: http://127.0.0.1:7080   # sign in as admin with p\n\nLook around.\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Apps = append(s.Apps, s.Apps[1])
	if got := summary(&local.Fleet{}, homeIn(t, "/state", "f"), s); !strings.Contains(got, "2 applications wait to be") || !strings.Contains(got, "export KUBECONFIG=/state/f/kubeconfig ") || strings.Contains(got, "in the browser") {
		t.Errorf("no pages, and a plain folder: %s", got)
	}
}

// TestWhoHasKubectlNeedsNoOther: an alias would hide it.
func TestWhoHasKubectlNeedsNoOther(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got := kubectlAlias(); got != "" {
		t.Errorf("it tells %q", got)
	}
}
