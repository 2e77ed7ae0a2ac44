package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/source"
)

// mirrored is a folder that is the fleet's repository, with files.
func mirrored(t *testing.T, files ...string) []source.Mirror {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x: y\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []source.Mirror{{URL: fleetURL, Path: dir}}
}

// TestBootstrapLooksAtTheRepository before it writes: roots that find nothing would be Degraded at once, and nobody
// would know why.
func TestBootstrapLooksAtTheRepository(t *testing.T) {
	const folder = "control-plane/addons"
	other := "https://git.example.com/platform/other"
	cases := map[string]struct {
		reason string
		change func(*Options)
		says   []string
	}{
		"There": {"the folder is there", func(o *Options) { o.Mirrors = mirrored(t, folder+"/a.yaml") }, nil},
		"Missing": {"the folder is not", func(o *Options) { o.Mirrors = mirrored(t, "README.md") }, []string{
			"nothing was written to the hub, because the repository " + fleetURL + " has no folder " + folder + " at main for the root application addons", "--commit --push", "--annotation addons_repo_path=…",
		}},
		"Coming": {"it is coming", func(o *Options) {
			o.Mirrors, o.Coming = mirrored(t, "README.md"), Coming{Files: []string{folder + "/a.yaml"}, Branch: "main"}
		}, nil},
		"Elsewhere": {"what comes does so to another repository", func(o *Options) {
			o.Mirrors, o.Coming = mirrored(t, "README.md"), Coming{Files: []string{folder + "/a.yaml"}}
			o.Mirrors[0].URL, o.Member.URL = other, other
		}, []string{"has no folder " + folder}},
		"Unfetched": {"only the cluster can reach it", func(o *Options) { o.Unfetched = true }, nil},
	}
	one := newSite(t) // nothing is written in any case
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := *one
			s.t, s.options.Unfetched = t, false
			tc.change(&s.options)
			if tc.says != nil {
				s.refuses(tc.says...)
				return
			}
			b, p, err := s.plan()
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			// What was to come is looked for once more.
			if err := b.Arrived(t.Context(), p); (err != nil) != (name == "Coming") {
				t.Errorf("%s: it has arrived: %v", tc.reason, err)
			}
		})
	}
}

// TestWhatIsComing: files come to one branch, and HEAD may be that.
func TestWhatIsComing(t *testing.T) {
	files := []string{"README.md", "fleets/eu/control-plane/addons/a.yaml"}
	cases := map[string]struct {
		reason string
		coming Coming
		place  bootstrap.Place
		want   bool
	}{
		"Folder":   {"the folder comes", Coming{Files: files}, bootstrap.Place{Path: "fleets/eu/control-plane/addons"}, true},
		"Above":    {"with all above it", Coming{Files: files}, bootstrap.Place{Path: "fleets"}, true},
		"Other":    {"another one does not", Coming{Files: files}, bootstrap.Place{Path: "fleets/eu/control-plane/clusters"}, false},
		"Begins":   {"nor one that begins alike", Coming{Files: files}, bootstrap.Place{Path: "fleets/eu/control-plane/add"}, false},
		"File":     {"a file is no folder", Coming{Files: files}, bootstrap.Place{Path: "README.md"}, false},
		"Nothing":  {"nothing comes", Coming{Branch: "main"}, bootstrap.Place{Path: "fleets", Revision: "main"}, false},
		"Branch":   {"to this branch", Coming{Files: files, Branch: "main"}, bootstrap.Place{Path: "fleets", Revision: "main"}, true},
		"FullName": {"by its full name", Coming{Files: files, Branch: "main"}, bootstrap.Place{Path: "fleets", Revision: "refs/heads/main"}, true},
		"Head":     {"HEAD may be it", Coming{Files: files, Branch: "main"}, bootstrap.Place{Path: "fleets", Revision: "HEAD"}, true},
		"Whole":    {"the repository's own folder has all of them", Coming{Files: files}, bootstrap.Place{Path: ".", Revision: "main"}, true},
		"Emptied":  {"of which there has to be one", Coming{Branch: "main"}, bootstrap.Place{Path: ".", Revision: "main"}, false},
		"Tag":      {"a tag is not", Coming{Files: files, Branch: "main"}, bootstrap.Place{Path: "fleets", Revision: "v1"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.coming.to(tc.place); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

// TestKindsThatAreNotServed are told before anything is written: the chart can ask for some that a cluster has not.
func TestKindsThatAreNotServed(t *testing.T) {
	s := newSite(t)
	s.options.Engine.Set = []string{"monitoring.serviceMonitor=true"}
	s.refuses("cannot install ServiceMonitor", "the cluster does not serve that kind", "switch it off in the values")
	if len(s.said) > 0 {
		t.Errorf("it says %s", strings.Join(s.said, "; "))
	}
}
