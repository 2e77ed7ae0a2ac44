package route

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// listed is a cache of the hub: Applications, and the projects that want commits signed.
type listed struct {
	client.Reader

	apps     []v1alpha1.Application
	projects []v1alpha1.AppProject
	err      error
}

func (l listed) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch list := list.(type) {
	case *v1alpha1.ApplicationList:
		list.Items = l.apps
	case *v1alpha1.AppProjectList:
		list.Items = l.projects
	}
	return l.err
}

// fleetOf has an Application for each way in which news may concern one.
func fleetOf() listed {
	app := func(name string, change func(*v1alpha1.Application)) v1alpha1.Application {
		a := v1alpha1.Application{}
		a.Namespace, a.Name = "argocd", name
		a.Spec.Project, a.Spec.Destination.Server = "shop", "https://own"
		a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git/own", TargetRevision: "main"}
		a.Status.Sync.Status = v1alpha1.SyncStatusCodeSynced
		change(&a)
		return a
	}
	signed := v1alpha1.AppProject{}
	signed.Name, signed.Spec.SignatureKeys = "signed", []v1alpha1.SignatureKey{{KeyID: "4AEE18F83AFDEB23"}}
	free := v1alpha1.AppProject{}
	free.Name = "shop"
	return listed{projects: []v1alpha1.AppProject{signed, free}, apps: []v1alpha1.Application{
		app("plain", func(*v1alpha1.Application) {}),
		app("signed", func(a *v1alpha1.Application) { a.Spec.Project = "signed" }),
		app("theirs", func(a *v1alpha1.Application) { a.Spec.Destination.Server = "https://theirs" }),
		app("named", func(a *v1alpha1.Application) { a.Spec.Destination = v1alpha1.ApplicationDestination{Name: "dev"} }),
		app("new", func(a *v1alpha1.Application) { a.Status.Sync.Status = "" }),
		app("lost", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeUnknown }),
		app("other-repo", func(a *v1alpha1.Application) { a.Spec.Source.RepoURL = "https://git/other" }),
		app("other-branch", func(a *v1alpha1.Application) { a.Spec.Source.TargetRevision = "next" }),
		app("shares", func(a *v1alpha1.Application) {
			a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionSharedResourceWarning}}
		}),
		app("uncovered", func(a *v1alpha1.Application) { a.Namespace = "others" }),
	}}
}

// TestWhomNewsConcern: what is not concerned is not looked at.
func TestWhomNewsConcern(t *testing.T) {
	everybody := strings.Fields("lost named new other-branch other-repo plain shares signed theirs")
	but := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(everybody), func(n string) bool { return slices.Contains(names, n) })
	}
	cases := map[string]struct {
		reason string
		news   func(context.Context, *Router)
		err    error
		want   []string
	}{
		"All":       {reason: "the settings changed", news: func(ctx context.Context, r *Router) { r.All(ctx) }, want: everybody},
		"Unread":    {reason: "before the caches are read each is looked at anyway", news: func(ctx context.Context, r *Router) { r.All(ctx) }, err: &cache.ErrCacheNotStarted{}},
		"Failed":    {reason: "what cannot be listed wakes nobody", news: func(ctx context.Context, r *Router) { r.All(ctx) }, err: errors.New("gone")},
		"Project":   {reason: "a project is edited", news: func(ctx context.Context, r *Router) { r.OfProject(ctx, "signed") }, want: []string{"signed"}},
		"Keys":      {reason: "other keys of signatures are believed", news: func(ctx context.Context, r *Router) { r.Keys(ctx) }, want: []string{"signed"}},
		"Unknown":   {reason: "a repository may be theirs now", news: func(ctx context.Context, r *Router) { r.Unknown(ctx) }, want: []string{"lost", "new"}},
		"Gone":      {reason: "who shared an object may have it now", news: func(ctx context.Context, r *Router) { r.Gone(ctx, named("gone")) }, want: []string{"shares"}},
		"Kinds":     {reason: "a cluster serves other kinds", news: func(ctx context.Context, r *Router) { r.Server(ctx, "https://theirs") }, want: []string{"theirs"}},
		"Back":      {reason: "a cluster is back", news: func(ctx context.Context, r *Router) { r.Answers(ctx, "https://theirs", true) }, want: []string{"theirs"}},
		"Away":      {reason: "nothing can be looked at there", news: func(ctx context.Context, r *Router) { r.Answers(ctx, "https://theirs", false) }},
		"Described": {reason: "a cluster that comes may be that of who knows none", news: func(ctx context.Context, r *Router) { r.Cluster(ctx, gitops.ClusterChange{Secret: "a"}) }, want: []string{"lost", "new"}},
		"Meant": {reason: "a name and an address mean another cluster", news: func(ctx context.Context, r *Router) {
			r.Cluster(ctx, gitops.ClusterChange{Secret: "a", Meant: []gitops.Cluster{{Name: "dev", Server: "https://theirs/"}}})
		}, want: []string{"lost", "named", "new", "theirs"}},
		"Repository": {reason: "a branch moved", news: func(ctx context.Context, r *Router) {
			r.repo(ctx, gitops.RepoChange{Repos: []string{address.Folded("https://git/own")}, Revisions: []string{"main"}})
		}, want: but("other-repo", "other-branch")},
		"Remote": {reason: "a base of a kustomization moved, and what was gone reads it no more", news: func(ctx context.Context, r *Router) {
			base := []gitops.SourceRef{{RepoURL: "https://git/base", Revision: "v1"}}
			r.Rendered(named("plain"), base)
			r.Rendered(named("signed"), base)
			r.Rendered(named("theirs"), []gitops.SourceRef{{RepoURL: "https://git/base", Revision: "v2"}})
			r.Rendered(named("signed"), nil)
			r.repo(ctx, gitops.RepoChange{Repos: []string{address.Folded("https://git/base")}, Revisions: []string{"v1"}})
		}, want: []string{"plain"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			hub := fleetOf()
			hub.err = tc.err
			r := New(Options{
				Reader: hub, Namespace: "argocd", Covers: argocdAnd(), Destination: byServer, Readers: applicationset.NewReaders(),
				Waits: dependency.NewRegister(), Flood: time.Minute, Log: slog.New(slog.DiscardHandler),
			})
			q := &rung{pauses: map[string]time.Duration{}}
			if err := r.Apps.Start(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			tc.news(t.Context(), r)
			var got []string
			for _, name := range slices.Sorted(maps.Keys(q.pauses)) {
				got = append(got, strings.TrimPrefix(name, "argocd/"))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func named(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "argocd", Name: name}
}
