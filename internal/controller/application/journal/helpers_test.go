package journal

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

var (
	web = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web", Path: "deploy", TargetRevision: "main"}
	db  = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/db", Path: "deploy", TargetRevision: "main"}
)

// somewhere is a cluster that is only named.
type somewhere struct{ state.Cluster }

func (somewhere) Desc() gitops.Cluster { return gitops.Cluster{Name: "dev", Server: "https://dev"} }

// told is a history that keeps what it is told.
type told struct {
	syncs      []history.Sync
	steps      []history.Step
	renderings []*gitops.Rendering
	// health has what it was told of each sync.
	health map[string][][]history.Change
}

func (h *told) Sync(s history.Sync)           { h.syncs = append(h.syncs, s) }
func (h *told) Step(s history.Step)           { h.steps = append(h.steps, s) }
func (h *told) Rendering(r *gitops.Rendering) { h.renderings = append(h.renderings, r) }
func (h *told) Health(_ history.App, sync string, changes []history.Change) {
	if h.health == nil {
		h.health = map[string][][]history.Change{}
	}
	h.health[sync] = append(h.health[sync], changes)
}

// last is what was told of a sync at the end.
func (h *told) last() history.Sync {
	if len(h.syncs) == 0 {
		return history.Sync{}
	}
	return h.syncs[len(h.syncs)-1]
}

// clock is a time that tests move on.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// syncing is an Application whose automated sync has begun.
func syncing(began time.Time) *state.Target {
	app := &v1alpha1.Application{}
	app.Namespace, app.Name, app.UID = "argocd", "shop", "1"
	opstate.StartAutomated(app, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}}, 0, began)
	return &state.Target{Subject: state.Subject{App: app, Cluster: somewhere{}}}
}

// outcome is what became of a ConfigMap.
func outcome(name, message string) gitops.Result {
	return gitops.Result{Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: name}, Verb: gitops.Update, Status: "Synced", Message: message}
}
