package application

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

const (
	oursURL  = "https://git.example.com/ours/web"
	baseURL  = "https://git.example.com/base/web"
	chartURL = "oci://registry.example.com"
	localYAM = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
)

func permitting(repos ...string) *v1alpha1.AppProject {
	p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: repos}}
	p.Name = "web"
	return p
}

// keeping has one sync.
type keeping struct {
	written

	kept history.Kept
}

func (k keeping) Kept(context.Context, string) (*history.Kept, error) {
	out := k.kept
	return &out, nil
}

// backTo plays what becomes of a rollback to a sync: the target, and why it is refused.
func backTo(t *testing.T, project *v1alpha1.AppProject, source *v1alpha1.ApplicationSource, change func(*history.Kept)) (*state.Target, error) {
	t.Helper()
	sources, err := json.Marshal(v1alpha1.ApplicationSources{{RepoURL: oursURL, Path: "."}})
	if err != nil {
		t.Fatal(err)
	}
	kept := history.Kept{Sync: history.Sync{ID: "then", App: history.App{UID: "1"}, Sources: sources}, Rendering: &gitops.Rendering{Digest: "0123"}}
	change(&kept)
	app := &v1alpha1.Application{}
	app.UID, app.Spec.Source = "1", &v1alpha1.ApplicationSource{RepoURL: oursURL, Path: "."}
	app.Status.OperationState = opstate.Begin(v1alpha1.Operation{
		Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}, Sync: &v1alpha1.SyncOperation{Source: source},
	}, opstate.Wanted{}, at)
	r := &Reconciler{Options: Options{Log: slog.New(slog.DiscardHandler), Past: keeping{kept: kept}}, seen: newSeen()}
	tg := &state.Target{Subject: state.Subject{App: app, Project: project, Sources: app.Spec.GetSources()}}
	if err := r.returning(t.Context(), tg); err != nil {
		return tg, err
	}
	if err := refuseBrought(tg); err != nil {
		return tg, err
	}
	return tg, r.refuseReturn(t.Context(), tg)
}

// A rollback brings back what the project of now permits, whatever that of then
// did.
func TestRefuseReturn(t *testing.T) {
	from := func(o *history.Origin) func(*history.Kept) { return func(k *history.Kept) { k.Sync.Origin = o } }
	all, ours, denies := permitting("*"), permitting(oursURL), permitting(oursURL, "!"+baseURL)
	named, blue := permitting(oursURL, baseURL), permitting("*", "!registry.example.com/blue/**")
	local, err := readManifests(t.Context(), []string{localYAM})
	if err != nil {
		t.Fatal(err)
	}
	signed := permitting("*")
	signed.Spec.SignatureKeys = []v1alpha1.SignatureKey{{KeyID: "0123456789ABCDEF"}}
	unknown := func(*history.Kept) {}
	cases := map[string]struct {
		reason  string
		project *v1alpha1.AppProject
		kept    func(*history.Kept)
		named   bool // the operation names a source
		refused string
		sources bool // they are read instead
	}{
		"sources":     {"what a permitted repository had", ours, from(&history.Origin{}), true, "", false},
		"brought":     {"manifests of an operation are in no repository", ours, from(&history.Origin{Brought: true}), true, "permits some repositories alone", false},
		"brought all": {"where every repository is permitted they are", all, from(&history.Origin{Brought: true}), true, "", false},
		"unsigned":    {"nobody has signed them", signed, from(&history.Origin{Brought: true}), true, "signed", false},
		"elsewhere": {"the sources of then are not permitted", ours, func(k *history.Kept) {
			k.Sync.Origin, k.Sync.Sources = &history.Origin{}, json.RawMessage(`[{"repoURL":"`+oursURL+`","path":"."},{"repoURL":"`+baseURL+`","path":"."}]`)
		}, true, baseURL, false},
		"base":         {"a base that is named", named, from(&history.Origin{Besides: []history.Beside{{RepoURL: baseURL}}}), true, "", false},
		"base denied":  {"a base that is denied", denies, from(&history.Origin{Besides: []history.Beside{{RepoURL: baseURL, Open: true}}}), true, "denies", false},
		"base unnamed": {"a base that was read with a credential which is not the project's any more", ours, from(&history.Origin{Besides: []history.Beside{{RepoURL: baseURL}}}), true, baseURL, false},
		"base open":    {"a base that everybody may read", ours, from(&history.Origin{Besides: []history.Beside{{RepoURL: baseURL, Open: true}}}), true, "", false},
		"chart denied": {"a folder of a registry that is denied, in the name of a source's chart", blue, func(k *history.Kept) {
			k.Sync.Origin, k.Sync.Sources = &history.Origin{}, json.RawMessage(`[{"repoURL":"`+chartURL+`","chart":"blue/shop"}]`)
		}, true, "denies", false},
		"chart beside": {"and of a dependency's", blue, from(&history.Origin{Besides: []history.Beside{{RepoURL: chartURL, Chart: "blue/shop"}}}), true, "denies", false},
		"chart other":  {"another folder is not denied", blue, from(&history.Origin{Besides: []history.Beside{{RepoURL: chartURL, Chart: "red/shop"}}}), true, "", false},
		"unknown":      {"an engine of before did not note it: the sources are read again", ours, unknown, true, "", true},
		"unknown bare": {"and where nothing names them it is refused", ours, unknown, false, "does not tell", false},
		"unknown all":  {"nothing is to be known where all is permitted", all, unknown, false, "", false},
		"old brought":  {"that an operation brought them shows in their digest", ours, func(k *history.Kept) { k.Rendering = local }, true, "permits some repositories alone", false},
		"dry run":      {"a dry run applied nothing", all, func(k *history.Kept) { k.Sync.DryRun, k.Sync.Origin = true, &history.Origin{} }, true, "dry run", false},
		"of another":   {"another application's history", all, func(k *history.Kept) { k.Sync.App.UID, k.Sync.Origin = "2", &history.Origin{} }, true, "none of this application", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var source *v1alpha1.ApplicationSource
			if tc.named {
				source = &v1alpha1.ApplicationSource{RepoURL: oursURL, Path: "."}
			}
			tg, err := backTo(t, tc.project, source, tc.kept)
			if (err != nil) != (tc.refused != "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.refused)
			}
			if err == nil && (tg.Brought == nil) != tc.sources {
				t.Errorf("%s: the sources are read: %t", tc.reason, tg.Brought == nil)
			}
		})
	}
}

// away is a history whose database does not answer.
type away struct {
	written

	err error
}

func (a away) Kept(context.Context, string) (*history.Kept, error) { return nil, a.err }

// A rollback that has begun with kept manifests goes on with these, and with nothing
// that its sources may give by now.
func TestRollbackGoesOnWithWhatItBeganWith(t *testing.T) {
	busy := gitops.Problemf(gitops.Unreachable, "the history takes too long")
	gone := gitops.Problemf(gitops.NotFound, "the manifests are not kept any more")
	cases := map[string]struct {
		reason  string
		begun   bool // a look has found the manifests
		pending bool // the operation is asked for, and does not run
		err     error
		waits   bool
	}{
		"begun":     {"what runs waits for the history", true, false, busy, true},
		"ends":      {"also where its own time is over", true, false, context.DeadlineExceeded, true},
		"gone":      {"what is not there does not come", true, false, gone, false},
		"not begun": {"the database is down: there are the sources", false, false, busy, false},
		"pending":   {"nothing was done by the look that found them", true, true, busy, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			sources, err := json.Marshal(v1alpha1.ApplicationSources{{RepoURL: oursURL, Path: "."}})
			if err != nil {
				t.Fatal(err)
			}
			kept := history.Kept{Sync: history.Sync{ID: "then", App: history.App{UID: "1"}, Sources: sources, Origin: &history.Origin{}}, Rendering: &gitops.Rendering{Digest: "0123"}}
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: oursURL, Path: "."}}}
			app.UID = "1"
			op := v1alpha1.Operation{Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}, Sync: &v1alpha1.SyncOperation{Source: app.Spec.Source}}
			if app.Status.OperationState = opstate.Begin(op, opstate.Wanted{}, at); tc.pending {
				app.Operation, app.Status.OperationState = &op, nil
			}
			look := func(h Past) (*state.Target, error) {
				r := &Reconciler{Options: Options{Log: slog.New(slog.DiscardHandler), Past: h}, seen: newSeen()}
				tg := &state.Target{Subject: state.Subject{App: app, Project: permitting(oursURL), Sources: app.Spec.GetSources()}}
				return tg, r.returning(t.Context(), tg)
			}
			if tc.begun {
				if tg, err := look(keeping{kept: kept}); err != nil || tg.Brought == nil {
					t.Fatalf("nothing is brought back: %v", err)
				}
			}
			tg, err := look(away{err: tc.err})
			if waits := errors.Is(err, tc.err); waits != tc.waits || err != nil && !waits || tg.Brought != nil || tg.Unfit != nil {
				t.Errorf("%s: it waits: %t, want %t: %v", tc.reason, waits, tc.waits, err)
			}
			if marked := opstate.Info(opstate.Requested(app).Info, gitops.InfoKept) != ""; marked != tc.waits {
				t.Errorf("%s: marked as begun with kept manifests: %t; want %t", tc.reason, marked, tc.waits)
			}
			if tg, err := look(keeping{kept: kept}); err != nil || tg.Brought == nil {
				t.Errorf("%s: it does not go on when the history is back: %v", tc.reason, err)
			}
		})
	}
}

// counting counts how often the history is read.
type counting struct {
	written

	asked *int
}

func (c counting) Kept(context.Context, string) (*history.Kept, error) {
	*c.asked++
	return nil, gitops.Problemf(gitops.NotFound, "it is not there")
}

type oneProject struct{ *v1alpha1.AppProject }

func (p oneProject) Project(context.Context, string) (*v1alpha1.AppProject, error) {
	return p.AppProject, nil
}

type oneCluster struct{ scopedFleet }

func (oneCluster) Resolve(v1alpha1.ApplicationDestination) (state.Cluster, error) {
	return somewhere{}, nil
}

// An Application that its project does not permit has nothing read for its
// requests: what the history has may be large.
func TestHistoryIsReadForWhatIsPermitted(t *testing.T) {
	cases := map[string]struct {
		reason  string
		project *v1alpha1.AppProject
		asked   int
	}{
		"permitted": {"a rollback is looked up", permitting("*"), 1},
		"forbidden": {"its repository is not permitted", permitting(baseURL), 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked := 0
			tc.project.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Name: "*", Namespace: "*"}}
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: oursURL, Path: "."}}}
			app.Namespace, app.Name, app.Spec.Destination.Namespace = "argocd", "web", "web"
			app.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}}
			r := New(Options{
				Namespace: "argocd", Projects: oneProject{tc.project}, Fleet: oneCluster{}, Past: counting{asked: &asked},
				Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at },
			})
			_, err := r.target(t.Context(), app)
			if asked != tc.asked || (err != nil) != (tc.asked == 0) {
				t.Errorf("%s: the history was read %d times, want %d: %v", tc.reason, asked, tc.asked, err)
			}
		})
	}
}
