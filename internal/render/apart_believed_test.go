package render

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/proxy"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const ours, theirs = "https://h/repo", "https://h/theirs"

// faraway has each repository at one revision, but for one that is gone.
type faraway struct{}

func (faraway) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if strings.HasSuffix(ref.RepoURL, "gone") {
		return nil, fs.ErrNotExist
	}
	s := treetest.Snapshot(ref.RepoURL, "abc", treetest.Files{"a": "x"})
	s.Ref = ref
	return s, nil
}

// input is one source at a revision.
func input() Input {
	app := &v1alpha1.Application{}
	app.Name, app.Spec.Project = "web", "ours"
	app.Spec.Sources = v1alpha1.ApplicationSources{{RepoURL: ours, Path: "a", TargetRevision: "main"}}
	app.Spec.Destination.Namespace = "shop"
	return Input{App: app, Snapshots: []*gitops.Snapshot{treetest.Snapshot(ours, "1", treetest.Files{"a/b.yaml": "x"})}}
}

// hosted is what a worker said of an entry, after it asked for references.
func hosted(t *testing.T, e *entry, asks ...gitops.SourceRef) *told {
	t.Helper()
	out := &told{host: proxy.NewHost(input().Snapshots, proxy.Engine{Rule: source.Rule{Project: "ours"}, Remotes: faraway{}})}
	for _, ref := range asks {
		out.host.Answer(t.Context(), proxy.Call{Op: "Snapshot", Ref: &ref})
	}
	out.body = out.pack(e)
	return out
}

// whole is an entry of the input, without objects.
func whole(t *testing.T) *entry {
	t.Helper()
	tree := record.Wrap(t.Context(), input().Snapshots[0], record.Limits{})
	e := &entry{logs: []*record.Log{tree.Log("a")}, types: []gitops.SourceType{gitops.SourceHelm}, revisions: []string{"1"}}
	if err := e.seal(defaults()); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRemotesAreTheEngines: what is asked again later is what the engine had read for the
// render, with its project and its rights, whatever the worker tells of it.
func TestRemotesAreTheEngines(t *testing.T) {
	log := record.Wrap(t.Context(), input().Snapshots[0], record.Limits{}).Log(".")
	base, gone := gitops.SourceRef{RepoURL: "https://h/base", Revision: "main"}, gitops.SourceRef{RepoURL: "https://h/gone"}
	forged := base
	forged.Project, forged.PassCredentials, forged.Anonymous = "theirs", true, true
	own, lost := base, gone
	own.Project, lost.Project = "ours", "ours"
	for name, tc := range map[string]struct {
		reason string
		said   []remoteLog
		want   []gitops.SourceRef
	}{
		"Forged":  {"another project, and rights", []remoteLog{{forged, "abc", log}, {gone, "", nil}}, []gitops.SourceRef{own, lost}},
		"Unknown": {"one that nobody asked for", []remoteLog{{gitops.SourceRef{RepoURL: theirs}, "abc", log}, {base, "abc", log}, {gone, "", nil}}, nil},
		"Moved":   {"another revision", []remoteLog{{base, "def", log}, {gone, "", nil}}, nil},
		"Found":   {"files of what is gone", []remoteLog{{base, "abc", log}, {gone, "", log}}, nil},
		"Lost":    {"that nothing was found where something was", []remoteLog{{base, "", nil}, {gone, "", nil}}, nil},
		"Silent":  {"nothing of what it read", nil, []gitops.SourceRef{own, lost}},
		"Long":    {"one that is too long to be asked for", []remoteLog{{base, "abc", log}, {gone, "", nil}, {gitops.SourceRef{RepoURL: strings.Repeat("x", 5<<10)}, "", nil}}, []gitops.SourceRef{own, lost}},
	} {
		e := whole(t)
		e.remotes = tc.said
		got, err := hosted(t, e, base, gone).entry(input(), defaults())
		if tc.want == nil {
			if err == nil {
				t.Errorf("%s: it is believed", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
			continue
		}
		if diff := cmp.Diff(tc.want, got.refs()); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tc.reason, diff)
		}
		if _, holds := got.held(t.Context(), faraway{}); holds && name == "Silent" {
			t.Errorf("%s: it is believed to be as it was", tc.reason)
		}
	}
}

// TestPlacesAreTheEngines: manifests, warnings, errors and values are of what the engine
// gave, and people are told of them in brief.
func TestPlacesAreTheEngines(t *testing.T) {
	elsewhere := gitops.SourceRef{RepoURL: "https://user:password@h/base"}
	long := strings.Repeat("x", 1<<20)
	forged := gitops.Origin{Source: 7, RepoURL: theirs, Revision: "1", File: "secret.yaml", Line: 3}
	home := gitops.Origin{RepoURL: ours, Revision: "1"}
	places := map[gitops.Origin]gitops.Origin{
		forged: home,
		{RepoURL: ours, Revision: "2", File: "a"}:                             home,
		{RepoURL: ours, Revision: "1", File: "a/b.yaml", Line: 2}:             {RepoURL: ours, Revision: "1", File: "a/b.yaml", Line: 2},
		{RepoURL: "https://user:password@h/base", Revision: "abc", File: "a"}: {RepoURL: "https://user:password@h/base", Revision: "abc", File: "a"},
		{RepoURL: "https://h/base", Revision: "abc", File: "a"}:               {RepoURL: "https://h/base", Revision: "abc", File: "a"},
		{File: "none"}: {File: "none"},
	}
	e := whole(t)
	want := make([]gitops.Origin, 0, len(places))
	for said, is := range places {
		e.manifests = append(e.manifests, gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{}}, Origin: said})
		want = append(want, is)
	}
	if err := e.seal(defaults()); err != nil {
		t.Fatal(err)
	}
	e.warnings = []gitops.Warning{{Reason: long, Message: long, Origin: forged}}
	e.remotes = []remoteLog{{elsewhere, "abc", e.logs[0]}}
	got, err := hosted(t, e, elsewhere).entry(input(), defaults())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.origins); diff != "" {
		t.Errorf("the places (-want +got):\n%s", diff)
	}
	if w := got.warnings[0]; w.Origin != home || len(w.Reason) > 200 || len(w.Message) > 20<<10 {
		t.Errorf("the warning has %d and %d bytes, at %v", len(w.Reason), len(w.Message), w.Origin)
	}
	said := hosted(t, &entry{})
	said.Failure = &proxy.Failure{Text: long}
	if got, err := said.entry(input(), defaults()); err != nil || len(got.err.Error()) > 20<<10 {
		t.Errorf("an error of %d bytes, %v", len(got.err.Error()), err)
	}
	values, err := encodeValues([]SourceValues{{Type: gitops.SourceHelm, Values: []gitops.Value{{Path: []string{"a"}, Layers: []gitops.Layer{{Origin: forged, Value: "b"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := (&told{host: said.host, body: values}).values(input())
	if err != nil || all[0].Values[0].Layers[0].Origin != home {
		t.Errorf("values: %v, %v", all, err)
	}
}

// TestErrorsAreTheEngines: an error names no reference that the engine did not have, is of
// a kind that there is, and lies where something was given.
func TestErrorsAreTheEngines(t *testing.T) {
	base := gitops.SourceRef{RepoURL: "https://h/gone", Project: "theirs", PassCredentials: true}
	far := &gitops.Problem{Kind: 77, What: "no", Where: gitops.Origin{Source: -1, RepoURL: theirs, Line: -1}, Err: &gitops.FetchError{Ref: base, Err: fs.ErrNotExist}}
	said := hosted(t, &entry{err: far}, base)
	got, err := said.entry(input(), defaults())
	if err != nil {
		t.Fatal(err)
	}
	var p *gitops.Problem
	var fetch *gitops.FetchError
	if !errors.As(got.err, &p) || p.Kind != gitops.Invalid || p.Where != (gitops.Origin{RepoURL: ours, Revision: "1"}) {
		t.Errorf("the error is %+v", p)
	}
	if want := (gitops.SourceRef{RepoURL: "https://h/gone", Project: "ours"}); !errors.As(got.err, &fetch) || fetch.Ref != want {
		t.Errorf("the reference is %+v", fetch)
	}
	other, err := hosted(t, &entry{err: far}).entry(input(), defaults())
	if err != nil || errors.As(other.err, &fetch) {
		t.Errorf("a reference that nobody asked for is in %v, %v", other, err)
	}
}

// TestOutcomesOfAnInput: an entry is of the sources that were ordered, at their revisions,
// and of kinds that there are.
func TestOutcomesOfAnInput(t *testing.T) {
	for name, change := range map[string]func(*entry){
		"Revision":  func(e *entry) { e.revisions[0] = "2" },
		"Sources":   func(e *entry) { e.revisions, e.logs = append(e.revisions, "2"), append(e.logs, e.logs[0]) },
		"NoSources": func(e *entry) { e.revisions, e.logs = nil, nil },
		"Type":      func(e *entry) { e.types[0] = "Other" },
		"Types":     func(e *entry) { e.types = append(e.types, "") },
		"NoTypes":   func(e *entry) { e.types = nil },
		"Digest":    func(e *entry) { e.digest = digestOf([]byte("x")) },
		"Bytes":     func(e *entry) { e.bytes = defaults().Output + 1 },
	} {
		e := whole(t)
		change(e)
		if _, err := hosted(t, e).entry(input(), defaults()); err == nil {
			t.Errorf("%s: it is believed", name)
		}
	}
	if _, err := hosted(t, whole(t)).entry(input(), defaults()); err != nil {
		t.Errorf("as it should be: %v", err)
	}
	broken := hosted(t, &entry{err: gitops.Problemf(gitops.Invalid, "a library broke")})
	if got, err := broken.entry(input(), defaults()); err != nil || got.err == nil {
		t.Errorf("one that broke: %v, %v", got, err)
	}
}

// TestMessagesAreBounded: a worker has few and short messages for the engine's log.
func TestMessagesAreBounded(t *testing.T) {
	var text bytes.Buffer
	long := strings.Repeat("x", 1<<20)
	said := &told{}
	for range 2 * mostLogged {
		said.Logged = append(said.Logged, logged{Message: long, Attributes: append([]string{"a", long}, make([]string, 10*mostAttributes)...)})
	}
	said.log(slog.New(slog.NewTextHandler(&text, nil)))
	if lines := bytes.Count(text.Bytes(), []byte("\n")); lines != mostLogged || text.Len() > mostLogged*3*mostLoggedText {
		t.Errorf("there are %d lines of %d KiB", lines, text.Len()>>10)
	}
}

// TestVariablesAreTheEngines: a plugin has the build environment of its source.
func TestVariablesAreTheEngines(t *testing.T) {
	in := input()
	in.TrackingName, in.Facts.KubeVersion = "shop/web", "1.36.0"
	got := map[string]string{}
	for name, value := range in.variables(0) {
		got[name] = value()
	}
	want := map[string]string{
		"ARGOCD_APP_NAME": "shop/web", "ARGOCD_APP_NAMESPACE": "shop", "ARGOCD_APP_PROJECT_NAME": "ours",
		"ARGOCD_APP_REVISION": "1", "ARGOCD_APP_REVISION_SHORT": "1", "ARGOCD_APP_REVISION_SHORT_8": "1",
		"ARGOCD_APP_SOURCE_REPO_URL": ours, "ARGOCD_APP_SOURCE_PATH": "a", "ARGOCD_APP_SOURCE_TARGET_REVISION": "main",
		"KUBE_VERSION": "1.36.0", "KUBE_API_VERSIONS": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
