package offline

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/source"
)

// schemaOf is a MetadataSchema in a file.
func schemaOf(name string, enforcement causeway.SchemaEnforcement, rules ...causeway.MetadataRule) declared.Schema {
	s := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s.Spec.Enforcement, s.Spec.Keys = enforcement, rules
	return declared.Schema{MetadataSchema: s, Place: declared.Place{File: name + ".yaml", Line: 7}}
}

// TestRulesOfMetadata: all schemas count, and what breaks one names it and where it is written.
func TestRulesOfMetadata(t *testing.T) {
	region := causeway.MetadataRule{Key: "region", In: causeway.PlaceLabel, Required: true}
	count := causeway.MetadataRule{Key: "count", Type: causeway.TypeInteger}
	c := gitops.Cluster{Name: "dev", Secret: "dev", Annotations: map[string]string{"count": "many"}}
	rules, err := rulesOf([]declared.Schema{schemaOf("first", causeway.EnforceDeny, region), schemaOf("second", causeway.EnforceWarn, count)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range rules(c) {
		got = append(got, strings.Join([]string{b.Schema, b.Origin.String(), map[bool]string{true: "refused", false: "warned"}[b.Refused]}, " "))
		if !strings.Contains(b.Message, "region") && !strings.Contains(b.Message, "count") {
			t.Errorf("what is broken names no key: %s", b.Message)
		}
	}
	if diff := cmp.Diff([]string{"MetadataSchema first first.yaml:7 refused", "MetadataSchema second second.yaml:7 warned"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if rules, err := rulesOf(nil); rules != nil || err != nil {
		t.Errorf("no schema has rules: %v", err)
	}
	_, err = rulesOf([]declared.Schema{schemaOf("first", "", region), schemaOf("bad", "", causeway.MetadataRule{Key: "a", Pattern: "["})})
	if err == nil || !strings.Contains(err.Error(), "bad.yaml:7") || !strings.Contains(err.Error(), "MetadataSchema bad") {
		t.Errorf("a schema that makes no sense: %v", err)
	}
}

// TestSchemasOfASide are those that it declares, and those that were given.
func TestSchemasOfASide(t *testing.T) {
	const schema = "apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: own}\nspec: {keys: [{key: region, required: true}]}\n"
	dir := committed(t, map[string]string{"schema.yaml": schema, "settings.yaml": settingsOf("1")})
	o := opened(t, Config{Repo: dir, Schemas: []declared.Schema{schemaOf("given", "", causeway.MetadataRule{Key: "count", Required: true})}})
	side, err := o.Side(t.Context(), "HEAD", roster.Roster{}, "main")
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.SchemasOf(side)
	if err != nil || len(all) != 2 || all[0].Name != "own" || all[1].Name != "given" {
		t.Errorf("got %+v, %v", all, err)
	}
	if broken := side.Rules(gitops.Cluster{Name: "dev", Secret: "dev"}); len(broken) != 2 {
		t.Errorf("a cluster without both breaks %+v", broken)
	}
}

// TestPlacesOfFiles: what a rendering read of one of the checkout's addresses is at its place in the checkout.
func TestPlacesOfFiles(t *testing.T) {
	dir := committed(t, map[string]string{"apps/web/a.yaml": settingsOf("1"), "a.yaml": settingsOf("2")})
	o := opened(t, Config{Repo: dir, RepoURLs: map[string]string{"https://git.example.com/acme/apps": "apps"}})
	side, err := o.Side(t.Context(), "HEAD", roster.Roster{}, "main")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ reason, url, file, want string }{
		"Checkout":  {"the checkout itself", fleetRepo + ".git", "a.yaml", "a.yaml"},
		"Folder":    {"an address that stands for a folder", "https://git.example.com/acme/apps", "web/a.yaml", "apps/web/a.yaml"},
		"Chart":     {"a file that is not there is one of something else", fleetRepo, "templates/a.yaml", ""},
		"Elsewhere": {"another repository", "https://git.example.com/acme/other", "a.yaml", ""},
	} {
		if got, ok := side.Locate(tc.url, tc.file); ok != (tc.want != "") || ok && got != tc.want {
			t.Errorf("%s: %s: got %s, %t", name, tc.reason, got, ok)
		}
	}
	if diff := cmp.Diff([]string{"git.example.com/acme/apps", "git.example.com/acme/fleet"}, side.Addresses); diff != "" {
		t.Errorf("addresses: -want +got:\n%s", diff)
	}
}

// TestSidesTellTheirTitle: that of their commit, or of the one that edits are made on.
func TestSidesTellTheirTitle(t *testing.T) {
	o := opened(t, Config{Repo: committed(t, map[string]string{"settings.yaml": settingsOf("1")})})
	for revision, want := range map[string][2]string{"HEAD": {"HEAD", "First"}, "": {"work tree", "First"}} {
		side, err := o.Side(t.Context(), revision, roster.Roster{})
		if err != nil || side.Revision != want[0] || strings.TrimSpace(side.Title) != want[1] {
			t.Errorf("%q: got %s %q, %v", revision, side.Revision, side.Title, err)
		}
	}
}

// TestMirrorsOfTheCheckoutMove: a folder of the checkout that a mirror names is read as each side has it, unless Git
// does not keep it; what is elsewhere is as it is now, and counts as fetched.
func TestMirrorsOfTheCheckoutMove(t *testing.T) {
	dir := committed(t, map[string]string{"kept/settings.yaml": settingsOf("1"), ".gitignore": "ignored/\n"})
	lay(t, dir, map[string]string{"kept/settings.yaml": settingsOf("2"), "ignored/settings.yaml": settingsOf("ignored")})
	beside := t.TempDir()
	lay(t, beside, map[string]string{"settings.yaml": settingsOf("beside")})
	const kept, ignored, far = "https://git.example.com/x/kept", "https://git.example.com/x/ignored", "https://git.example.com/x/beside"
	o := opened(t, Config{Repo: dir, Mirrors: []source.Mirror{{URL: kept, Path: filepath.Join(dir, "kept")}, {URL: ignored, Path: filepath.Join(dir, "ignored")}, {URL: far, Path: beside}}})
	for _, s := range []struct {
		revision string
		want     map[string]string
	}{
		{"HEAD", map[string]string{kept: "1", ignored: "ignored", far: "beside"}},
		{"", map[string]string{kept: "2", ignored: "ignored", far: "beside"}},
	} {
		side, err := o.Side(t.Context(), s.revision, roster.Roster{}, "main")
		if err != nil {
			t.Fatal(err)
		}
		for url, want := range s.want {
			if got := readSettings(t, side, url); got != want {
				t.Errorf("%s at %q has version %s, want %s", url, s.revision, got, want)
			}
			if got := side.Moves(url, "main"); got != (url != far) {
				t.Errorf("%s moves: %t", url, got)
			}
		}
	}
	var fetched []string
	for _, snap := range o.Fetched() {
		fetched = append(fetched, snap.Ref.RepoURL)
	}
	if diff := cmp.Diff([]string{far, ignored}, fetched); diff != "" {
		t.Errorf("fetched: -want +got:\n%s", diff)
	}
}

func readSettings(t *testing.T, side preview.Side, url string) string {
	t.Helper()
	snap, err := side.Sources.Snapshot(t.Context(), gitops.SourceRef{RepoURL: url, Revision: "main"})
	if err != nil {
		t.Errorf("%s: %v", url, err)
		return ""
	}
	if _, err := fs.Stat(snap.Tree, "settings.yaml"); err != nil {
		t.Errorf("%s: %v", url, err)
		return ""
	}
	return settingsAt(t, snap)
}

// TestFilteredFilesAreTold: an edited file that Git would keep as something else counts as it stands.
func TestFilteredFilesAreTold(t *testing.T) {
	found := &declared.Found{Warnings: []gitops.Warning{{Reason: "Other"}}}
	got := withFiltered(found, []string{"a.yaml", "b.yaml"})
	if len(got.Warnings) != 3 || got.Warnings[1].Reason != "FilteredFile" || got.Warnings[2].Origin.File != "b.yaml" {
		t.Errorf("got %+v", got.Warnings)
	}
	if len(found.Warnings) != 1 || withFiltered(found, nil) != found {
		t.Error("what another side found has changed")
	}
}
