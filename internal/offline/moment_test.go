package offline

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestSidesAreOfOneMoment: what was read once is what it was, also of a folder that changes
// meanwhile; what was interrupted is read again.
func TestSidesAreOfOneMoment(t *testing.T) {
	beside := t.TempDir()
	lay(t, beside, map[string]string{"settings.yaml": settingsOf("1")})
	const far = "https://git.example.com/x/beside"
	o := opened(t, Config{Repo: committed(t, map[string]string{"settings.yaml": settingsOf("own")}), Mirrors: []source.Mirror{{URL: far, Path: beside}}})
	side, err := o.Side(t.Context(), "HEAD", roster.Roster{}, "main")
	if err != nil {
		t.Fatal(err)
	}
	ref := gitops.SourceRef{RepoURL: far, Revision: "main"}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := side.Sources.Snapshot(interrupted, ref); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	first, err := side.Sources.Snapshot(t.Context(), ref)
	if err != nil {
		t.Fatalf("after what was interrupted: %v", err)
	}
	lay(t, beside, map[string]string{"settings.yaml": settingsOf("2")})
	if again, err := side.Sources.Snapshot(t.Context(), ref); err != nil || again != first {
		t.Errorf("the second look is another one: %v", err)
	}
	if other := readSettings(t, side, fleetRepo); other != "own" {
		t.Errorf("the checkout has version %s", other)
	}
}

// TestWhatIsFetchedIsToldOnce, in order, whichever projects and sides asked for it.
func TestWhatIsFetchedIsToldOnce(t *testing.T) {
	var f fetched
	for _, ref := range []gitops.SourceRef{
		{RepoURL: "https://b", Revision: "1"}, {RepoURL: "https://a", Chart: "web", Revision: "1"}, {RepoURL: "https://a", Chart: "db", Revision: "2"},
		{RepoURL: "https://a", Revision: "1", Project: "red"}, {RepoURL: "https://a", Revision: "1", Project: "blue"}, {RepoURL: "https://b", Revision: "1"},
	} {
		f.add(&gitops.Snapshot{Ref: ref})
	}
	o := &Stages{}
	o.fetched.snaps = f.snaps
	var got []string
	for _, snap := range o.Fetched() {
		got = append(got, strings.Join([]string{snap.Ref.RepoURL, snap.Ref.Chart, snap.Ref.Revision}, " "))
	}
	if diff := cmp.Diff([]string{"https://a  1", "https://a db 2", "https://a web 1", "https://b  1"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if none := (&Stages{}).Fetched(); len(none) != 0 {
		t.Errorf("where nothing was read: %v", none)
	}
}

// TestSettingsOfASide: those of the checkout count for its rendering, the last of several as
// in Argo CD's files that are put over each other; what they leave alone is compared all the same.
func TestSettingsOfASide(t *testing.T) {
	cm := func(text string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: argocd}\ndata: {kustomize.buildOptions: '" + text + "'}\n"
	}
	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		repo   string
		want   string
	}{
		"None":   {"nothing is said", map[string]string{"settings.yaml": settingsOf("1")}, "", ""},
		"One":    {"what it says", map[string]string{"cm.yaml": cm("--enable-helm")}, "", "--enable-helm"},
		"Last":   {"the last one", map[string]string{"a/cm.yaml": cm("--first"), "b/cm.yaml": cm("--enable-helm")}, "", "--enable-helm"},
		"Folder": {"that of the folder that is looked at", map[string]string{"a/cm.yaml": cm("--enable-helm"), "b/cm.yaml": cm("--other")}, "a", "--enable-helm"},
	} {
		t.Run(name, func(t *testing.T) {
			o := opened(t, Config{Repo: filepath.Join(committed(t, tc.files), tc.repo)})
			side, err := o.Side(t.Context(), "HEAD", roster.Roster{}, "main")
			if err != nil {
				t.Fatal(err)
			}
			if got := side.Settings.BuildOptions; got != tc.want {
				t.Errorf("%s: kustomize is called with %q", tc.reason, got)
			}
		})
	}
}

// TestCheckoutsThatCannotBeOpened leave nothing behind, and say which folder it was.
func TestCheckoutsThatCannotBeOpened(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for name, dir := range map[string]string{"Missing": filepath.Join(t.TempDir(), "nope"), "File": filepath.Join(committed(t, map[string]string{"a.yaml": "x: y\n"}), "a.yaml")} {
		if o, err := Open(t.Context(), Config{Repo: dir, NoFetch: true}); err == nil {
			o.Close()
			t.Errorf("%s: it is opened", name)
		} else if !strings.Contains(err.Error(), filepath.Base(dir)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "causeway-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind are %v: %v", left, err)
	}
}
