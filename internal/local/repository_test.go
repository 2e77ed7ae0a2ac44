package local

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const secretOfDev = "apiVersion: v1\nkind: Secret\nmetadata: {name: the-dev, labels: {cluster_name: dev}}\n"

func TestFromFlags(t *testing.T) {
	dir := folder(t, map[string]string{"My Repo/boot/a.yaml": "", "My Repo/dev.yaml": secretOfDev})
	repo := filepath.Join(dir, "My Repo")
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://git.example.com/team/repo"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	fleet, err := FromFlags(t.Context(), Flags{Repo: repo, Clusters: []string{"dev", "hub"}, Secrets: []string{"dev.yaml"}, Apply: []string{"boot"}})
	if err != nil {
		t.Fatal(err)
	}
	if fleet.Name != "my-repo" || len(fleet.Clusters) != 2 || fleet.Hub().Name != "hub" || fleet.Namespace != DefaultNamespace {
		t.Errorf("got %+v", fleet)
	}
	if fleet.Clusters[1].Secret != filepath.Join(repo, "dev.yaml") {
		t.Errorf("the Secret goes to the cluster that it names: %+v", fleet.Clusters)
	}
	if len(fleet.Mirrors) != 1 || fleet.Mirrors[0].URL != "https://git.example.com/team/repo" || !fleet.Mirrors[0].WorkTree {
		t.Errorf("the repository stands in for its remote, with its edits: %+v", fleet.Mirrors)
	}
}

func TestFromFlagsRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"dev.yaml": secretOfDev})
	tests := map[string]struct {
		reason string
		flags  Flags
		want   string
	}{
		"UnknownCluster": {reason: "a Secret belongs to a cluster", flags: Flags{Repo: dir, Secrets: []string{"dev.yaml"}}, want: "--clusters"},
		"NoSuchSecret":   {reason: "a missing file is named", flags: Flags{Repo: dir, Secrets: []string{"gone.yaml"}}, want: "gone.yaml"},
		"NoSuchApply":    {reason: "a missing file is named", flags: Flags{Repo: dir, Apply: []string{"gone"}}, want: "gone"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := FromFlags(t.Context(), tc.flags); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
