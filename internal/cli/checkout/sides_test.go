package checkout

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/preview"
)

// looking are the flags of a person who looks at a checkout and the clusters that it describes, away from any network.
func looking(t *testing.T, dir string) *Flags {
	t.Helper()
	t.Setenv("CI", "")
	streams := command.Streams{Out: io.Discard, Err: io.Discard}
	return &Flags{Global: &command.Global{Streams: streams}, Repo: dir, Clusters: filepath.Join(dir, "clusters"), noFetch: true, cacheDir: t.TempDir(), kubeVersion: DefaultKubeVersion, credentials: noCredentials}
}

// clustersOf are the clusters of a side, each with its region.
func clustersOf(side *preview.Side) []string {
	var out []string
	for i := range side.Roster.Clusters {
		c := &side.Roster.Clusters[i]
		if c.Name != "in-cluster" {
			out = append(out, c.Name+" "+c.Annotations["region"])
		}
	}
	slices.Sort(out)
	return out
}

// TestClustersOfARevision are those that it describes, and not those of the work tree; what is to change counts at each.
func TestClustersOfARevision(t *testing.T) {
	dir := clitest.NewFleet(t)
	changed := strings.ReplaceAll(strings.Replace(clusterSecret, "{name: dev,", "{name: dev, annotations: {region: us},", 1), "'https://dev:6443'", "'https://dev.example.com'")
	clitest.Write(t, dir, map[string]string{"clusters/new.yaml": strings.ReplaceAll(clusterSecret, "dev", "new")})
	home := t.TempDir()
	clitest.Write(t, home, map[string]string{"dev.yaml": changed})
	cases := map[string]struct {
		reason, revision string
		changes          []string
		want             []string
	}{
		"tree":     {reason: "what is not committed counts", want: []string{"dev eu", "new ", "prod "}},
		"commit":   {reason: "what is not in it does not", revision: "HEAD", want: []string{"dev eu", "prod "}},
		"changed":  {reason: "a cluster as it will be", changes: []string{filepath.Join(home, "dev.yaml")}, want: []string{"dev us", "new ", "prod "}},
		"together": {reason: "at a commit as well", revision: "HEAD", changes: []string{filepath.Join(home, "dev.yaml")}, want: []string{"dev us", "prod "}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := looking(t, dir)
			o.Changes = c.changes
			opened, err := o.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			side, err := o.At(t.Context(), opened, c.revision)
			if got := clustersOf(&side); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, %v", c.reason, got, err)
			}
		})
	}
}

// TestBranchThatApplicationsMean is that of the base, or else the default one, for a commit has no name that they could write.
func TestBranchThatApplicationsMean(t *testing.T) {
	dir := clitest.NewFleet(t)
	clitest.Git(t, dir, "branch", "topic")
	clitest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	clitest.Git(t, dir, "tag", "v1")
	clitest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "three")
	opened, err := looking(t, dir).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for base, want := range map[string]string{"topic": "topic", "main": "main", "v1": "main", "HEAD~1": "main"} {
		if got, err := BranchOf(t.Context(), opened, base); err != nil || got != want {
			t.Errorf("of %s it is %q, %v", base, got, err)
		}
	}
}

// TestOpeningTellsWhichFlagIsWrong, whichever it is, before anything is fetched.
func TestOpeningTellsWhichFlagIsWrong(t *testing.T) {
	dir := clitest.NewFleet(t)
	cases := map[string]struct {
		reason string
		wrong  func(*Flags)
		want   string
	}{
		"version":     {"no version", func(o *Flags) { o.kubeVersion = "" }, `cannot use --kube-version ""`},
		"mirror":      {"no folder", func(o *Flags) { o.Mirrors = []string{"https://a.example.com"} }, "write URL=PATH"},
		"schema":      {"no file", func(o *Flags) { o.schemas = []string{"nowhere.yaml"} }, "cannot read --metadata-schema: "},
		"credentials": {"no file either", func(o *Flags) { o.credentials = "nowhere" }, "cannot use --credentials nowhere: "},
		"plugins":     {"no folder of plugins", func(o *Flags) { o.rendering.pluginDir = filepath.Join(dir, "nowhere") }, "nowhere"},
		"change":      {"after the checkout is opened", func(o *Flags) { o.Changes = []string{filepath.Join(dir, "db.yaml")} }, "cannot use --secret-change "},
		"repo":        {"no checkout", func(o *Flags) { o.Repo = t.TempDir() }, "git"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := looking(t, dir)
			c.wrong(o)
			opened, err := o.Open(t.Context())
			if err == nil {
				opened.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}
