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
	dir := folder(t, map[string]string{"dev.yaml": secretOfDev, "again.yaml": secretOfDev, "x.yaml": "kind: ConfigMap\n"})
	tests := map[string]struct {
		reason string
		flags  Flags
		want   string
	}{
		"UnknownCluster": {reason: "a Secret belongs to a cluster", flags: Flags{Repo: dir, Secrets: []string{"dev.yaml"}}, want: "--clusters"},
		"NoSuchSecret":   {reason: "a missing file is named", flags: Flags{Repo: dir, Secrets: []string{"gone.yaml"}}, want: "gone.yaml"},
		"Twice":          {reason: "a Secret that is given counts", flags: Flags{Repo: dir, Clusters: []string{"dev"}, Secrets: []string{"dev.yaml", "again.yaml"}}, want: "dev.yaml describes already"},
		"NoSecret":       {reason: "it describes nothing", flags: Flags{Repo: dir, Secrets: []string{"x.yaml"}}, want: "x.yaml: it is \"ConfigMap\""},
		"ClusterTwice":   {reason: "clusters are told apart", flags: Flags{Repo: dir, Clusters: []string{"dev", "dev"}}, want: "second cluster"},
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

func TestFleetIsNamedAfterItsFolder(t *testing.T) {
	for name, tc := range map[string]struct{ reason, folder, want string }{
		"Plain":     {"small letters are as they are", "shop", "shop"},
		"Words":     {"what is in no name becomes one dash", "My (old) Repo!", "my-old-repo"},
		"Accents":   {"letters of others are in no name", "Größe", "gr-e"},
		"OtherText": {"nothing is left of it", "\u65e5\u672c", "fleet"},
		"Long":      {"a long one is cut", strings.Repeat("a", 60), strings.Repeat("a", 40)},
		"CutAtDash": {"and ends with a letter all the same", strings.Repeat("a", 39) + "-service", strings.Repeat("a", 39)},
		"Root":      {"the root has no name", "/", "fleet"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nameOf(tc.folder); got != tc.want || !validName.MatchString(got) {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}

// TestFilesOfTheRepositoryComeFirst: flags are written from wherever a person is.
func TestFilesOfTheRepositoryComeFirst(t *testing.T) {
	here := folder(t, map[string]string{"both": "", "here": "", "repo/both": "", "repo/inside": ""})
	t.Chdir(here)
	repo := filepath.Join(here, "repo")
	for path, want := range map[string]string{
		"both": filepath.Join(repo, "both"), "inside": filepath.Join(repo, "inside"), "here": filepath.Join(here, "here"),
		"none": filepath.Join(repo, "none"), filepath.Join(here, "both"): filepath.Join(here, "both"),
	} {
		if got := found(repo, path); got != want {
			t.Errorf("%s is %s, not %s", path, got, want)
		}
	}
}
