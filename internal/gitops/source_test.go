package gitops

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestSourceOf(t *testing.T) {
	chart := v1alpha1.ApplicationSource{RepoURL: "https://h/charts", Chart: "web", TargetRevision: "1.x", TagPrefix: "web-", Helm: &v1alpha1.ApplicationSourceHelm{PassCredentials: true}}
	for name, tc := range map[string]struct {
		reason, project string
		source          v1alpha1.ApplicationSource
		want            SourceRef
	}{
		"Chart":   {"the revision is that which is asked for", "red", chart, SourceRef{RepoURL: "https://h/charts", Chart: "web", Revision: "1.2.3", TagPrefix: "web-", Project: "red", PassCredentials: true}},
		"Git":     {"nothing is passed on where nobody says so", "red", v1alpha1.ApplicationSource{RepoURL: "https://h/r", Path: "web"}, SourceRef{RepoURL: "https://h/r", Revision: "1.2.3", Project: "red"}},
		"Helm":    {"nor where Helm says other things", "red", v1alpha1.ApplicationSource{RepoURL: "https://h/r", Helm: &v1alpha1.ApplicationSourceHelm{}}, SourceRef{RepoURL: "https://h/r", Revision: "1.2.3", Project: "red"}},
		"Default": {"without a project it is of the default one", "", v1alpha1.ApplicationSource{RepoURL: "https://h/r"}, SourceRef{RepoURL: "https://h/r", Revision: "1.2.3", Project: "default"}},
	} {
		app := &v1alpha1.Application{}
		app.Spec.Project = tc.project
		if diff := cmp.Diff(tc.want, SourceOf(app, &tc.source, "1.2.3")); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
	}
}

// What is longer than anything that there is is refused, and not repeated.
func TestLongReferences(t *testing.T) {
	text := func(n int) string { return strings.Repeat("s", n) }
	for name, tc := range map[string]struct {
		reason string
		ref    SourceRef
		says   string
	}{
		"Usual":    {"a reference as any", SourceRef{RepoURL: "https://h/r", Revision: "main", Chart: "web"}, ""},
		"Empty":    {"what is missing is others' business", SourceRef{}, ""},
		"Most":     {"as long as it may be", SourceRef{RepoURL: text(4096), Revision: text(1024), Chart: text(253)}, ""},
		"Address":  {"an address has an end", SourceRef{RepoURL: text(4097)}, "whose repoURL has 4097 characters: 4096 is the most; correct repoURL"},
		"Revision": {"and a revision", SourceRef{Revision: text(1025)}, "whose targetRevision has 1025 characters: 1024 is the most; correct targetRevision"},
		"Chart":    {"and a name of a chart", SourceRef{Chart: text(254)}, "whose chart has 254 characters: 253 is the most; correct chart"},
		"All":      {"of several the first is told", SourceRef{RepoURL: text(4097), Chart: text(254)}, "whose repoURL has"},
	} {
		err := tc.ref.Check()
		if (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "sss") || !IsProblem(err, Invalid)) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
}

// An error of what is not here is told to many: an address may have a password.
func TestMissingSources(t *testing.T) {
	for want, ref := range map[string]SourceRef{
		"chart web at 1.2.3 is not here": {RepoURL: "https://me:secret@h", Chart: "web", Revision: "1.2.3"},
		"chart web is not here":          {RepoURL: "https://me:secret@h", Chart: "web"},
		"the repository is not here":     {RepoURL: "https://me:secret@h", Revision: "main"},
	} {
		if got := (&MissingSource{Ref: ref}).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	err := Problemf(Unreachable, "cannot fetch it: %w", &FetchError{Ref: SourceRef{RepoURL: "https://h/r"}, Err: fs.ErrNotExist})
	var fetch *FetchError
	if !errors.As(err, &fetch) || fetch.Ref.RepoURL != "https://h/r" || !errors.Is(err, fs.ErrNotExist) || err.Error() != "cannot fetch it: file does not exist" {
		t.Errorf("what could not be fetched is not found in %v", err)
	}
}

func TestWhomAChangeConcerns(t *testing.T) {
	all, some := RepoChange{Repos: []string{"h/a", "h/b", "h/d"}}, RepoChange{Repos: []string{"h/b"}, Revisions: []string{"main", "v1"}}
	for name, tc := range map[string]struct {
		reason         string
		change         RepoChange
		repo, revision string
		want           bool
	}{
		"Repo":     {"one of its repositories", all, "h/d", "main", true},
		"Another":  {"and no other one", all, "h/c", "main", false},
		"Beyond":   {"wherever that would be", all, "h/e", "main", false},
		"Head":     {"whatever was asked of it", all, "h/a", "", true},
		"Moved":    {"a branch that moved", some, "h/b", "v1", true},
		"Stayed":   {"and none that did not", some, "h/b", "v2", false},
		"HeadOf":   {"the head is no branch that is named", some, "h/b", "", false},
		"RepoElse": {"of another repository neither", some, "h/a", "main", false},
		"Nothing":  {"a change of nothing", RepoChange{}, "h/a", "main", false},
	} {
		if got := tc.change.Concerns(tc.repo, tc.revision); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// A cluster says itself what it has: no name of a kind may lead elsewhere.
func TestCollectionPath(t *testing.T) {
	for name, tc := range map[string]struct {
		reason    string
		resource  schema.GroupVersionResource
		namespace string
		want      string
		says      string
	}{
		"Core":          {"the core group has no name", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "shop", "/api/v1/namespaces/shop/pods", ""},
		"Everywhere":    {"in all namespaces", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", "/api/v1/pods", ""},
		"Group":         {"another group has", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "shop", "/apis/apps/v1/namespaces/shop/deployments", ""},
		"GroupAll":      {"in all namespaces", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "", "/apis/apps/v1/deployments", ""},
		"Up":            {"a name that leads up", schema.GroupVersionResource{Version: "v1", Resource: ".."}, "", "", `".." is no segment`},
		"Below":         {"one that leads below", schema.GroupVersionResource{Version: "v1", Resource: "pods/x"}, "", "", `"pods/x" is no segment`},
		"GroupBelow":    {"of a group, too", schema.GroupVersionResource{Group: "a/b", Version: "v1", Resource: "pods"}, "", "", `"a/b" is no segment`},
		"VersionCoded":  {"and of a version", schema.GroupVersionResource{Version: "v1%2f..", Resource: "pods"}, "", "", "is no segment"},
		"Namespace":     {"and of a namespace", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "../x", "", `"../x" is no segment`},
		"NoVersion":     {"without a version it is nowhere", schema.GroupVersionResource{Resource: "pods"}, "", "", "has no version or no name"},
		"NoName":        {"and without a name", schema.GroupVersionResource{Version: "v1"}, "shop", "", "has no version or no name"},
		"NamespaceDots": {"a dot alone is a place", schema.GroupVersionResource{Version: "v1", Resource: "pods"}, ".", "", `"." is no segment`},
	} {
		got, err := CollectionPath(tc.resource, tc.namespace)
		if got != tc.want || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %s: %q, %v", name, tc.reason, got, err)
		}
	}
}
