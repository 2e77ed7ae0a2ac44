package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/rights"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
)

// What each application, cluster and commit of the estate has.
const (
	listedObjects = 25 // of an application, each Deployment with a ReplicaSet and two pods
	listedKeys    = 24 // of a cluster's metadata
	listedCommits = 30 // each changes what one set makes, on all clusters
	listedTeams   = 20
)

// reader is the header by which the API of an estate knows who asks.
const reader = "X-Bench-User"

// estate is an installation that is made up: rows, applications, clusters and
// metadata in memory, and commits in a database.
type estate struct {
	index *view.Index
	store *store.Store
	apps  map[view.Key]*v1alpha1.Application
	known []clusters.Health
	keys  *api.Bridge
	close func() error
}

func newEstate(ctx context.Context, dir string) (*estate, error) {
	e := &estate{index: view.NewIndex(time.Now()), apps: map[view.Key]*v1alpha1.Application{}}
	for i := range listedApps {
		app := listedApp(i, 0)
		e.index.Put(view.RowOf(app, listedCluster(i)))
		e.apps[view.Key{Namespace: app.Namespace, Name: app.Name}] = app
	}
	since := time.Unix(1_700_000_000, 0).UTC()
	for i := range listedClusters {
		e.known = append(e.known, clusters.Health{
			Name: listedCluster(i), Server: "https://" + listedCluster(i) + ".example.com:6443", Labels: map[string]string{"environment": environmentOf(i), "region": fmt.Sprintf("eu-%d", i%5)},
			Reachable: i%100 != 7, Version: "v1.36.1", Since: &since, LastSuccess: &since, Latency: 12, Kinds: 80,
		})
	}
	e.keys = listedBridge()
	var err error
	if e.store, err = store.New(store.Options{URL: filepath.Join(dir, "history.db")}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { written <- e.store.Run(ctx) }()
	e.close = func() error {
		cancel()
		return errors.Join(<-written, e.store.Close())
	}
	return e, e.seed(ctx)
}

// seed writes the commits, the last of which changes all applications.
func (e *estate) seed(ctx context.Context) error {
	for c := range listedCommits {
		for i := range listedApps {
			if i/listedClusters != c%(listedApps/listedClusters) && c != listedCommits-1 {
				continue
			}
			for e.store.Stats().Queued > 1000 {
				wait(ctx, time.Millisecond)
			}
			e.store.Step(listedStep(i, c))
		}
	}
	for e.store.Stats().Queued > 0 {
		wait(ctx, time.Millisecond)
	}
	_, err := e.store.Commits(ctx, history.CommitQuery{Limit: 1}) // waits for what is queued
	return err
}

// handler is the API as the engine serves it, for whom a header names.
func (e *estate) handler() http.Handler {
	r := rights.New(rights.Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	r.Put(listPolicy())
	h := api.New(api.Options{
		Namespace: "argocd", Index: e.index, Rights: r, Applications: e, Look: estateLook{}, Looks: api.NewLooks(), Around: e, Bridge: e, Commits: e.store, Repositories: estateRepositories{},
		Clusters: func() []clusters.Health { return e.known },
	})
	known := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name := q.Header.Get(reader)
		u := &auth.User{Name: name, Via: auth.Local, Claims: map[string]any{"sub": name}}
		h.ServeHTTP(w, q.WithContext(auth.With(q.Context(), u)))
	})
	return session.Harden(session.Compress(known, api.Streams))
}

// Application implements api.Applications.
func (e *estate) Application(_ context.Context, k view.Key) (*v1alpha1.Application, error) {
	return e.apps[k].DeepCopy(), nil // as the hub's cache does
}

// ApplicationSet implements api.Applications; the sets of an estate have no errors.
func (e *estate) ApplicationSet(_ context.Context, k view.Key) (*v1alpha1.ApplicationSet, error) {
	return nil, gitops.Problemf(gitops.NotFound, "there is no ApplicationSet %s", k.Name)
}

// ApplicationSets implements api.Applications.
func (e *estate) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	out := make([]v1alpha1.ApplicationSet, listedApps/listedClusters)
	for i := range out {
		out[i].Namespace, out[i].Name = "argocd", listedSet(i*listedClusters)
		out[i].Spec.Template.Spec.Project = fmt.Sprintf("team-%02d", i)
	}
	return out, nil
}

// Projects implements api.Applications.
func (e *estate) Projects(context.Context) ([]v1alpha1.AppProject, error) {
	out := make([]v1alpha1.AppProject, listedTeams)
	for i := range out {
		out[i].Namespace, out[i].Name = "argocd", fmt.Sprintf("team-%02d", i)
	}
	return out, nil
}

// estateRepositories are those that are registered: one of each team.
type estateRepositories struct{ api.Repositories }

// All implements api.Repositories.
func (estateRepositories) All(context.Context) ([]api.Repository, error) {
	out := make([]api.Repository, listedTeams)
	for i := range out {
		out[i].ID, out[i].URL = fmt.Sprintf("repo-%02d", i), fmt.Sprintf("https://git.example.com/team-%02d/web", i)
	}
	return out, nil
}

// Bridge implements api.Bridger.
func (e *estate) Bridge(context.Context) (*api.Bridge, error) { return e.keys, nil }

// Facts implements api.Bridger; nothing here asks for them.
func (e *estate) Facts(context.Context, string, string) *api.BridgeFacts { return &api.BridgeFacts{} }

// Suppose implements api.Bridger; nothing here asks for it.
func (e *estate) Suppose(context.Context, *api.BridgeWish, api.Supposable) (*api.Supposed, error) {
	return nil, gitops.Problemf(gitops.NotFound, "nothing is supposed of an estate that is made up")
}

// Without is not asked by the pages that are measured, either.
func (e *estate) Without(context.Context, string) (*api.Supposed, error) {
	return &api.Supposed{}, nil
}

// Windows implements api.Surroundings: projects of an estate have no windows.
func (e *estate) Windows(_ context.Context, app *v1alpha1.Application) (*api.Schedule, error) {
	return &api.Schedule{Application: app.Name, Project: app.Spec.GetProject(), Automated: "now", Manual: "now", Windows: []api.Window{}}, nil
}

// Orphans implements api.Surroundings; there are none.
func (e *estate) Orphans(context.Context, *v1alpha1.Application) (*api.Orphans, error) {
	return &api.Orphans{Objects: []api.Unowned{}}, nil
}

// estateLook has the objects of applications, as a cluster answers at once.
type estateLook struct{ api.Looker }

// Tree implements api.Looker.
func (estateLook) Tree(_ context.Context, app *v1alpha1.Application) (*api.Tree, error) {
	out := &api.Tree{}
	for i := range app.Status.Resources {
		r := &app.Status.Resources[i]
		n := &api.Node{Ref: api.Ref{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}, UID: r.Name, Sync: string(r.Status), Health: string(r.Health.Status), Created: time.Unix(1_700_000_000, 0)}
		if r.Kind == "Deployment" {
			set := &api.Node{Ref: api.Ref{Group: "apps", Version: "v1", Kind: "ReplicaSet", Namespace: r.Namespace, Name: r.Name + "-5d8f"}, UID: r.Name + "-5d8f", Health: "Healthy"}
			for p := range 2 {
				set.Children = append(set.Children, &api.Node{Ref: api.Ref{Version: "v1", Kind: "Pod", Namespace: r.Namespace, Name: fmt.Sprintf("%s-5d8f-%d", r.Name, p)}, Health: "Healthy", Info: "Running", Images: []string{"registry.example.com/app:1"}})
			}
			n.Children = append(n.Children, set)
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out, nil
}

// Logs is of no use here.
func (estateLook) Logs(context.Context, *v1alpha1.Application, api.LogQuery) (io.ReadCloser, error) {
	return nil, gitops.Problemf(gitops.NotFound, "there are no logs in an estate that is made up")
}

func listedCluster(i int) string { return fmt.Sprintf("c%05d", i%listedClusters) }

func environmentOf(i int) string { return []string{"dev", "staging", "prod"}[i%listedClusters%3] }

// listedSet is what the applications of one ApplicationSet are called after.
func listedSet(i int) string {
	n := i / listedClusters
	return fmt.Sprintf("%s-%02d", []string{"web", "api", "worker", "db-schema"}[n%4], n)
}

const listedRepo = "https://git.example.com/platform/fleet"

func listedApp(i, version int) *v1alpha1.Application {
	health := v1alpha1.HealthStatusHealthy
	if (i+version)%50 == 0 {
		health = v1alpha1.HealthStatusDegraded
	}
	sync := v1alpha1.SyncStatusCodeSynced
	if (i+version)%20 == 0 {
		sync = v1alpha1.SyncStatusCodeOutOfSync
	}
	name, cluster, team := listedSet(i)+"-"+listedCluster(i), listedCluster(i), fmt.Sprintf("team-%02d", i%listedTeams)
	at := v1alpha1.NewTime(time.Unix(1_700_000_000+int64(version)*1000+int64(i), 0))
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "argocd", Name: name, UID: "u", Labels: map[string]string{"team": team, "environment": environmentOf(i)},
			OwnerReferences: []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: listedSet(i)}},
		},
		Spec: v1alpha1.ApplicationSpec{
			Project: team, Destination: v1alpha1.ApplicationDestination{Name: cluster, Namespace: "apps"},
			Source: &v1alpha1.ApplicationSource{RepoURL: listedRepo, Path: "apps/" + listedSet(i), TargetRevision: "main"},
		},
		Status: v1alpha1.ApplicationStatus{
			Sync: v1alpha1.SyncStatus{Status: sync, Revision: fmt.Sprintf("%040d", i%97)}, Health: v1alpha1.AppHealthStatus{Status: health}, ReconciledAt: &at,
			Summary: v1alpha1.ApplicationSummary{Images: []string{"registry.example.com/team/" + listedSet(i) + ":1.2.3"}},
		},
	}
	for o := range listedObjects {
		r := v1alpha1.ResourceStatus{Version: "v1", Kind: "ConfigMap", Namespace: "apps", Name: fmt.Sprintf("%s-%d", listedSet(i), o), Status: v1alpha1.SyncStatusCodeSynced, Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy}}
		if o%5 == 0 {
			r.Group, r.Kind = "apps", "Deployment"
		}
		app.Status.Resources = append(app.Status.Resources, r)
	}
	return app
}

func listedStep(i, commit int) history.Step {
	at := time.Unix(1_700_000_000+int64(commit)*600, 0)
	app := listedApp(i, 0)
	st := history.Step{
		App: history.App{Namespace: app.Namespace, Name: app.Name, UID: "u"}, Project: app.Spec.Project, Cluster: listedCluster(i), State: history.StepHealthy,
		Commits: []history.Commit{{RepoURL: listedRepo, Revision: fmt.Sprintf("%040d", commit), Author: "Mina", Subject: "Raise the limits of " + listedSet(i), Date: at}},
		Passes:  history.Passes{Began: at, Fetched: at.Add(time.Second), Rendered: at.Add(2 * time.Second), Planned: at.Add(3 * time.Second)},
		Sync:    "s", Started: at.Add(4 * time.Second), Applied: at.Add(5 * time.Second), Healthy: at.Add(time.Minute), At: at,
	}
	if i%250 == 0 {
		st.State, st.Stage, st.Message = history.StepFailed, history.Applied, "the API server refused the object: field is immutable"
	}
	return st
}

// listedBridge is the metadata of all clusters: each key has a reader or two,
// with an application of each.
func listedBridge() *api.Bridge {
	out := &api.Bridge{At: time.Now().UTC()}
	for i := range listedClusters {
		c := api.BridgeCluster{Name: listedCluster(i), Server: "https://" + listedCluster(i) + ".example.com:6443", Secret: "cluster-" + listedCluster(i), Keys: []api.BridgeKey{}, Missing: []api.BridgeKey{}}
		for k := range listedKeys {
			c.Keys = append(c.Keys, listedKey(i, k))
		}
		if i%25 == 0 {
			c.Missing = append(c.Missing, listedKey(i, listedKeys))
		}
		out.Clusters = append(out.Clusters, c)
	}
	return out
}

func listedKey(cluster, k int) api.BridgeKey {
	out := api.BridgeKey{In: []string{"label", "annotation"}[k%2], Name: fmt.Sprintf("platform.example.com/key-%02d", k), Value: fmt.Sprintf("value-%d", cluster%7), Type: "string", SetBy: "terraform"}
	for r := range k % 3 {
		app := (k+r)%(listedApps/listedClusters)*listedClusters + cluster
		set := listedSet(app)
		out.Readers = append(out.Readers, api.BridgeReader{
			Set: set, Where: "spec.template.spec.source.helm.values", Applications: []string{set + "-" + listedCluster(cluster)},
			From: api.BridgeSet{Namespace: "argocd", Name: set, Project: fmt.Sprintf("team-%02d", app%listedTeams)},
		})
	}
	return out
}

// listPolicy lets readers see most teams, and some of them what is named.
func listPolicy() map[string]string {
	var text strings.Builder
	text.WriteString("g, readers, role:readers\np, role:readers, clusters, get, *, allow\np, role:readers, applicationsets, get, */*, allow\n")
	for i := range 18 {
		fmt.Fprintf(&text, "p, role:readers, applications, get, team-%02d/*, allow\n", i)
	}
	for i := range listedTeams {
		fmt.Fprintf(&text, "p, role:readers, applications, sync, team-%02d/web-*, allow\n", i)
	}
	text.WriteString("p, role:readers, applications, get, team-18/web-*, allow\np, role:readers, applications, get, team-03/*-c00003, deny\n")
	for i := range listReaders {
		fmt.Fprintf(&text, "g, reader-%d, role:readers\n", i)
	}
	return map[string]string{"policy.csv": text.String()}
}
