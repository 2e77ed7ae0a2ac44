package offline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/source"
)

// fleetRepo is an address of the checkout of these tests.
const fleetRepo = "https://git.example.com/acme/fleet"

// secretOf describes a cluster.
func secretOf(name, server string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + ", labels: {argocd.argoproj.io/secret-type: cluster}}\n" +
		"stringData: {name: " + name + ", server: '" + server + "'}\n"
}

func settingsOf(version string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {version: '" + version + "'}\n"
}

// committed makes a checkout with one commit of the files on main.
func committed(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "init", "--quiet", "--initial-branch=main")
	gitIn(t, dir, "remote", "add", "origin", fleetRepo+".git")
	lay(t, dir, files)
	gitIn(t, dir, "add", "--all")
	gitIn(t, dir, "commit", "--quiet", "--message=First")
	return dir
}

func opened(t *testing.T, cfg Config) *Stages {
	t.Helper()
	cfg.NoFetch = true
	o, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// settingsAt is the version in settings.yaml of a snapshot.
func settingsAt(t *testing.T, snap *gitops.Snapshot) string {
	t.Helper()
	text, err := fs.ReadFile(snap.Tree, "settings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(text), "version: '")
	return strings.TrimSuffix(version, "'}\n")
}

// TestSidesReadTheirOwnRevision: what Applications refer to by the checkout's
// addresses is as the side has it where the branch moves with the change, and as
// it stands where it does not.
func TestSidesReadTheirOwnRevision(t *testing.T) {
	dir := committed(t, map[string]string{"settings.yaml": settingsOf("1"), "team/settings.yaml": settingsOf("of the team")})
	gitIn(t, dir, "tag", "v1")
	gitIn(t, dir, "branch", "kept")
	lay(t, dir, map[string]string{"settings.yaml": settingsOf("2")})
	gitIn(t, dir, "commit", "--all", "--quiet", "--message=Second")
	lay(t, dir, map[string]string{"settings.yaml": settingsOf("3")})
	o := opened(t, Config{Repo: dir, RepoURLs: map[string]string{"https://git.example.com/acme/team": "team"}, Branches: []string{"release"}})
	sides := map[string]struct{ revision, branch, head string }{
		"Before": {"v1", "main", "1"}, "After": {"HEAD", "main", "2"}, "WorkTree": {"", "main", "3"},
	}
	for name, s := range sides {
		t.Run(name, func(t *testing.T) {
			side, err := o.Side(t.Context(), s.revision, roster.Roster{}, s.branch)
			if err != nil {
				t.Fatal(err)
			}
			for _, ref := range []struct{ url, revision, want string }{
				{fleetRepo, "", s.head}, {fleetRepo + ".git", "HEAD", s.head}, {"git@git.example.com:acme/fleet.git", "main", s.head}, {fleetRepo, "refs/heads/main", s.head},
				{fleetRepo, "release", s.head}, {fleetRepo, "v1", "1"}, {fleetRepo, "kept", "1"}, {"https://git.example.com/acme/team", "main", "of the team"},
			} {
				snap, err := side.Sources.Snapshot(t.Context(), gitops.SourceRef{RepoURL: ref.url, Revision: ref.revision})
				if err != nil {
					t.Errorf("%s at %q: %v", ref.url, ref.revision, err)
				} else if got := settingsAt(t, snap); got != ref.want {
					t.Errorf("%s at %q has version %s, want %s", ref.url, ref.revision, got, ref.want)
				}
			}
			if got := o.Fetched(); len(got) > 0 {
				t.Errorf("%d sources count as fetched", len(got))
			}
		})
	}
}

// TestSidesThatCannotBeRead say what to do.
func TestSidesThatCannotBeRead(t *testing.T) {
	o := opened(t, Config{Repo: committed(t, map[string]string{"settings.yaml": settingsOf("1")})})
	side, err := o.Side(t.Context(), "HEAD", roster.Roster{}, "main")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		ref  gitops.SourceRef
		says string
	}{
		"Branch":    {gitops.SourceRef{RepoURL: fleetRepo, Revision: "nope"}, "--branch nope"},
		"Hostile":   {gitops.SourceRef{RepoURL: fleetRepo, Revision: "$(reboot)"}, "name it with --branch if"},
		"Elsewhere": {gitops.SourceRef{RepoURL: "https://git.example.com/acme/other", Revision: "main"}, "acme/other"},
		"Chart":     {gitops.SourceRef{RepoURL: fleetRepo, Chart: "web", Revision: "1.0.0"}, "acme/fleet"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := side.Sources.Snapshot(t.Context(), tc.ref)
			_, again := side.Sources.Snapshot(t.Context(), tc.ref)
			if err == nil || !strings.Contains(err.Error(), tc.says) || !errors.Is(again, err) {
				t.Errorf("got %v, then %v; want %q", err, again, tc.says)
			}
		})
	}
	if _, err := o.Side(t.Context(), "nope", roster.Roster{}); err == nil {
		t.Error("a side at no revision is opened")
	}
}

// TestRosterIsTheSides: clusters that the checkout describes are as the side has
// them; others, and those that the side does not have yet, are this machine's.
func TestRosterIsTheSides(t *testing.T) {
	dir := committed(t, map[string]string{
		"clusters/dev.yaml": secretOf("dev", "https://dev.example.com"), "clusters/notes.txt": "none", "clusters/more/prod.yml": secretOf("prod", "https://prod.example.com"),
		"fleet.yaml": "apiVersion: causeway.io/v1alpha1\nkind: Fleet\nclusters: [{name: one, server: 'https://one.example.com'}]\n",
		"none.yaml":  settingsOf("1"), "link.yaml": "->../beside/dev.yaml",
	})
	lay(t, dir, map[string]string{"clusters/dev.yaml": secretOf("dev", "https://moved.example.com"), "new.yaml": secretOf("new", "https://new.example.com")})
	beside := t.TempDir()
	lay(t, beside, map[string]string{
		"clusters/far.yaml": secretOf("far", "https://far.example.com"), "out/a.yaml": "->../clusters/far.yaml", "out/b.yaml": "->" + filepath.Join(dir, "new.yaml"),
		"former.yaml": "apiVersion: causeway.dev/v1alpha1\nkind: Fleet\nclusters: [{name: old, server: 'https://old.example.com'}]\n",
	})
	o := opened(t, Config{Repo: dir})
	for name, tc := range map[string]struct {
		revision, path string
		servers        []string
		says           string
		former         bool
	}{
		"Declared":  {"HEAD", "", []string{"https://dev.example.com", "https://prod.example.com"}, "", false},
		"Folder":    {"HEAD", filepath.Join(dir, "clusters"), []string{"https://dev.example.com", "https://prod.example.com"}, "", false},
		"WorkTree":  {"", filepath.Join(dir, "clusters"), []string{"https://moved.example.com", "https://prod.example.com"}, "", false},
		"File":      {"HEAD", filepath.Join(dir, "clusters/dev.yaml"), []string{"https://dev.example.com"}, "", false},
		"FleetFile": {"HEAD", filepath.Join(dir, "fleet.yaml"), []string{"https://one.example.com"}, "", false},
		"NotYet":    {"HEAD", filepath.Join(dir, "new.yaml"), []string{"https://new.example.com"}, "", false},
		"Outside":   {"HEAD", filepath.Join(beside, "clusters"), []string{"https://far.example.com"}, "", false},
		"Former":    {"HEAD", filepath.Join(beside, "former.yaml"), []string{"https://old.example.com"}, "", true},
		"LinksOut":  {"HEAD", filepath.Join(beside, "out"), nil, "b.yaml", false},
		"None":      {"HEAD", filepath.Join(dir, "none.yaml"), nil, "none.yaml describes no cluster", false},
		"Missing":   {"HEAD", filepath.Join(beside, "nope.yaml"), nil, "nope.yaml", false},
		"LinkInIt":  {"HEAD", filepath.Join(dir, "link.yaml"), nil, "link.yaml", false},
	} {
		t.Run(name, func(t *testing.T) {
			side, err := o.Side(t.Context(), tc.revision, roster.Roster{}, "main")
			if err != nil {
				t.Fatal(err)
			}
			former := false
			got, err := o.Roster(t.Context(), side, Clusters{Path: tc.path, Former: func(string) { former = true }})
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("got %v, %v; want %q", got.Clusters, err, tc.says)
				}
				return
			}
			var servers []string
			for _, c := range got.Clusters {
				servers = append(servers, c.Server)
			}
			slices.Sort(servers)
			if err != nil || !slices.Equal(servers, tc.servers) || former != tc.former {
				t.Errorf("got %v, %v (former %v); want %v", servers, err, former, tc.servers)
			}
		})
	}
}

// TestDefaultBase: a change is compared with what the hosts show first, and
// where nobody knows that, with what is checked out.
func TestDefaultBase(t *testing.T) {
	dir := committed(t, map[string]string{"settings.yaml": settingsOf("1")})
	base := func() string {
		t.Helper()
		got, err := opened(t, Config{Repo: dir}).DefaultBase(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := base(); got != "HEAD" {
		t.Errorf("without a branch of origin: %s", got)
	}
	gitIn(t, dir, "update-ref", "refs/remotes/origin/trunk", "HEAD")
	gitIn(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	if got := base(); got != "origin/trunk" {
		t.Errorf("with a branch that origin shows first: %s", got)
	}
}

// TestInside: a folder of the checkout has its name there, however it is
// reached, and what lies elsewhere has none.
func TestInside(t *testing.T) {
	dir := committed(t, map[string]string{"team/settings.yaml": settingsOf("1")})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	o := opened(t, Config{Repo: filepath.Join(dir, "team")})
	for name, want := range map[string]string{dir: ".", filepath.Join(dir, "team"): "team", filepath.Join(link, "team", "new"): "team/new", filepath.Dir(dir): ""} {
		got, err := o.Inside(name)
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s is %q: %v", name, got, err)
		}
	}
	if top, err := Toplevel(filepath.Join(dir, "team")); err != nil || filepath.Base(top) != filepath.Base(dir) {
		t.Errorf("the checkout of team is %s: %v", top, err)
	}
	if elsewhere := t.TempDir(); source.Top(elsewhere) == "" {
		if top, err := Toplevel(elsewhere); err != nil || top != elsewhere {
			t.Errorf("a folder of no checkout is of %s: %v", top, err)
		}
	}
}

// TestRenderRefuses what the engine would not apply, and closes without a trace
// where no cache is named.
func TestRenderRefuses(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"good/a.yaml": settingsOf("1"), "bad/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ../../secrets/x}\n"})
	o, err := OpenMirrors(t.Context(), Config{Mirrors: []source.Mirror{{URL: fleetRepo, Path: dir}}, NoFetch: true})
	if err != nil {
		t.Fatal(err)
	}
	app := func(path string) *v1alpha1.Application {
		a := &v1alpha1.Application{}
		a.Name, a.Spec.Project = "web", "default"
		a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: fleetRepo, Path: path, TargetRevision: "main"}
		a.Spec.Destination = v1alpha1.ApplicationDestination{Name: "dev", Namespace: "web"}
		return a
	}
	out, err := o.Render(t.Context(), app("good"), gitops.Facts{})
	if err != nil || len(out.Manifests) != 1 {
		t.Errorf("got %v: %v", out, err)
	}
	if _, err := o.Render(t.Context(), app("bad"), gitops.Facts{}); err == nil || !strings.Contains(err.Error(), "bad/a.yaml") {
		t.Errorf("a name that leads elsewhere is rendered: %v", err)
	}
	kept := o.temporal
	o.Close()
	if _, err := os.Stat(kept); kept == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary cache %s stays: %v", kept, err)
	}
	if _, err := Open(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), "--repo") {
		t.Errorf("a checkout without a folder: %v", err)
	}
}
