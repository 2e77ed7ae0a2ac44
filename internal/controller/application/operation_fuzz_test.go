package application

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// named is what an operation may have a sync read, straight from its text.
type named struct {
	Sync *struct {
		Source  *struct{ RepoURL string }   `json:"source"`
		Sources []*struct{ RepoURL string } `json:"sources"`
		// Manifests are in no source.
		Manifests []string `json:"manifests"`
	} `json:"sync"`
}

// reads are the repositories that an operation names; those of the spec where it names none.
func (a named) reads(spec ...string) []string {
	switch {
	case a.Sync == nil || a.Sync.Source == nil && len(a.Sync.Sources) == 0:
		return spec
	case len(a.Sync.Sources) == 0:
		return []string{a.Sync.Source.RepoURL}
	}
	var out []string
	for _, s := range a.Sync.Sources {
		if s == nil {
			s = &struct{ RepoURL string }{}
		}
		out = append(out, s.RepoURL)
	}
	return out
}

// FuzzOperation writes an operation into an Application, as whoever may write
// it can, and asks what a sync would read: nothing that the project does not
// permit, and no manifests where it permits some repositories alone.
func FuzzOperation(f *testing.F) {
	for _, text := range []string{
		`{"sync":{"revision":"v1"}}`,
		`{"sync":{"sources":[{"repoURL":"https://h/ours/"}]}}`,
		`{"sync":{"source":{"repoURL":"https://h/ours/a"}}}`,
		`{"sync":{"source":{"repoURL":"https://h/theirs/a"},"sources":[]}}`,
		`{"sync":{"sources":[{"repoURL":"https://h/ours/a"},{"repoURL":"https://h/ours/../theirs/a"}],"revisions":["a","b","c"]}}`,
		`{"sync":{"sources":[null,{"repoURL":"https://h/ours/a"}]}}`,
		`{"sync":{"manifests":["kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}"]},"info":[{"name":"causeway.io/manifests","value":"0"}]}`,
		`{"sync":{"manifests":["{}","items: []\nkind: List","kind: List\nitems: [{}]"],"source":{"repoURL":"https://h/theirs/a"}},"initiatedBy":{"automated":true}}`,
		`{"initiatedBy":{"username":"applicationset-controller","automated":true},"info":[{"name":"causeway.io/rollback","value":"1"}],"sync":{"source":{"repoURL":"https://h/theirs/a"}}}`,
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	some := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: []string{"https://h/ours/*"}}}
	f.Fuzz(func(t *testing.T, text []byte, several bool) {
		op, a := &v1alpha1.Operation{}, named{}
		if json.Unmarshal(text, op) != nil || json.Unmarshal(text, &a) != nil || op.Sync == nil {
			return
		}
		app := &v1alpha1.Application{Operation: op}
		spec := v1alpha1.ApplicationSource{RepoURL: "https://h/ours/spec"}
		if app.Spec.Source = &spec; several {
			app.Spec.Source, app.Spec.Sources = nil, v1alpha1.ApplicationSources{spec}
		}
		operation.Disown(op)
		tg := &state.Target{Subject: state.Subject{App: app, Project: some, Sources: app.Spec.GetSources()}}
		if _, err := (&Reconciler{}).local(t.Context(), tg); err != nil {
			t.Fatal(err)
		}
		opstate.StartRequested(app, opstate.Wanted{}, time.Unix(0, 0))
		if refused := refuseBrought(tg) != nil; refused != (len(op.Sync.Manifests) > 0) {
			t.Fatalf("manifests %q are refused: %t", op.Sync.Manifests, refused)
		}
		sound(t, tg)
		sources := operationSources(app, op.Sync)
		if sources == nil {
			sources = app.Spec.GetSources()
		}
		want := a.reads(spec.RepoURL)
		if len(sources) != len(want) {
			t.Fatalf("it reads %d sources, and names %q", len(sources), want)
		}
		permitted := policy.Sources(some, sources) == nil
		for i, url := range want {
			if sources[i].RepoURL != url {
				t.Errorf("source %d is %q, and named was %q", i, sources[i].RepoURL, url)
			}
			if permitted && !ours(url) {
				t.Errorf("it is permitted to read %q", url)
			}
		}
	})
}

// ours reports whether an address is one of those that the project permits, read as plainly as can be: a star
// matches no letter as well, as in Argo CD.
func ours(url string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(url)), "https://h/ours/")
	return ok && !strings.Contains("/"+rest+"/", "/../") && !strings.Contains(rest, `\`)
}

// sound holds what an operation brings to objects that have a name and a kind.
func sound(t *testing.T, tg *state.Target) {
	t.Helper()
	if tg.Brought == nil {
		return
	}
	for _, m := range tg.Brought.Rendering.Manifests {
		if o := m.Object; o.GetKind() == "" || o.GetAPIVersion() == "" || o.GetName() == "" && o.GetGenerateName() == "" {
			t.Errorf("%v is an object", o.Object)
		}
	}
}
