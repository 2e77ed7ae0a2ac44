package massdeletion

import (
	"context"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/appcache"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// cached has Applications, as the engine's cache has.
type cached struct {
	client.Client

	apps []v1alpha1.Application
}

func (c cached) Get(_ context.Context, name types.NamespacedName, into client.Object, _ ...client.GetOption) error {
	for i := range c.apps {
		if client.ObjectKeyFromObject(&c.apps[i]) == name {
			c.apps[i].DeepCopyInto(into.(*v1alpha1.Application))
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (c cached) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	into.(*v1alpha1.ApplicationList).Items = slices.Clone(c.apps)
	return nil
}

// TestChildApps is about which deletions the fleet's limit counts.
func TestChildApps(t *testing.T) {
	yes := true
	app := func(namespace, name, uid, set string) v1alpha1.Application {
		out := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(uid), Finalizers: []string{v1alpha1.FinalizerResources}}}
		out.Status.Resources = make([]v1alpha1.ResourceStatus, 7)
		if set != "" {
			out.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.Group + "/v1alpha1", Kind: v1alpha1.ApplicationSetKind, Name: "set", UID: types.UID(set), Controller: &yes}}
		}
		return out
	}
	like := func(name string, change func(*v1alpha1.Application)) v1alpha1.Application {
		out := app("argocd", name, name, "set-1")
		change(&out)
		return out
	}
	gone := metav1.NewTime(at)
	r := &Keeper{
		Apps: appcache.New(cached{apps: []v1alpha1.Application{
			app("argocd", "web", "1", ""), app("argocd", "made", "2", "set-1"), app("dark", "web", "3", ""),
			app("red", "elsewhere", "5", "set-1"),
			like("going", func(a *v1alpha1.Application) { a.DeletionTimestamp = &gone }),
			like("held", func(a *v1alpha1.Application) { a.OwnerReferences[0].Controller = nil }),
			like("group", func(a *v1alpha1.Application) { a.OwnerReferences[0].APIVersion = "example.com/v1alpha1" }),
			like("kind", func(a *v1alpha1.Application) { a.OwnerReferences[0].Kind = "AppProject" }),
		}}),
		Guard: &Guard{Ledger: guard.NewLedger(), Covers: func(namespace string) bool { return namespace != "dark" }},
	}
	for name, tc := range map[string]struct {
		reason, kind, namespace, name, uid string
		want                               []string
		with                               string
	}{
		"Child":     {"an Application of the fleet", v1alpha1.ApplicationKind, "argocd", "web", "1", []string{"argocd/web"}, "with its 7 objects"},
		"Elsewhere": {"another cluster's of the same name", v1alpha1.ApplicationKind, "argocd", "web", "9", nil, ""},
		"Unknown":   {"one that the cache has not", v1alpha1.ApplicationKind, "red", "web", "4", nil, ""},
		"Dark":      {"one that no engine looks at", v1alpha1.ApplicationKind, "dark", "web", "3", nil, "with its 7 objects"},
		"Set":       {"what goes with a set, and not what only says so", v1alpha1.ApplicationSetKind, "argocd", "set", "set-1", []string{"argocd/made"}, "with its 1 application"},
		"OtherSet":  {"another cluster's set of the same name", v1alpha1.ApplicationSetKind, "argocd", "set", "set-2", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			key := gitops.Key{Group: v1alpha1.Group, Kind: tc.kind, Namespace: tc.namespace, Name: tc.name}
			a := &gitops.Action{Key: key, Verb: gitops.Prune, Live: &gitops.Live{Key: key, UID: types.UID(tc.uid)}}
			d := r.deletion(t.Context(), &state.Target{}, a, nil)
			p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{*a}}}}
			if got := r.ChildApps(p, guard.List{d}); !slices.Equal(got, tc.want) || d.With != tc.with {
				t.Errorf("%s: got %v %q, want %v %q", tc.reason, got, d.With, tc.want, tc.with)
			}
			if got := r.ChildApps(p, nil); got != nil {
				t.Errorf("what is not in the list is counted: %v", got)
			}
		})
	}
}

// stocked is a cluster of which is known how much is in each Namespace and of each definition.
type stocked struct {
	state.Cluster

	count int
}

func (c stocked) Inside(string, func(gitops.Key) bool) int { return c.count }

func (c stocked) Instances(context.Context, string) int { return c.count }

// TestDeletionsOf is about what counts as a deletion besides what is pruned.
func TestDeletionsOf(t *testing.T) {
	configMap := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	namespace := gitops.Key{Kind: "Namespace", Name: "shop"}
	definition := gitops.Key{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "things.example.com"}
	child := gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: "argocd", Name: "web"}
	before, began, after := time.Unix(100, 0), time.Unix(200, 0), time.Unix(300, 0)
	r := &Keeper{
		Apps: appcache.New(cached{apps: []v1alpha1.Application{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "web", UID: "1", Finalizers: []string{v1alpha1.FinalizerResources}},
			Status:     v1alpha1.ApplicationStatus{Resources: make([]v1alpha1.ResourceStatus, 7)},
		}}}),
	}
	for name, tc := range map[string]struct {
		reason string
		key    gitops.Key
		action gitops.Action
		// undoes tells that the plan is of a rollback.
		undoes  bool
		created time.Time
		count   int
		gone    int
		of      int
	}{
		"Prune":           {reason: "as ever", key: configMap, action: gitops.Action{Verb: gitops.Prune}, gone: 1, of: 2},
		"Update":          {reason: "nothing goes", key: configMap, action: gitops.Action{Verb: gitops.Update}, gone: 0, of: 0},
		"Hook":            {reason: "an object becomes a hook", key: configMap, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true}, gone: 1, of: 2},
		"HookLater":       {reason: "and goes at the end", key: configMap, action: gitops.Action{Verb: gitops.Update, Hook: true, Goes: true}, gone: 1, of: 2},
		"Remains":         {reason: "a usual hook", key: configMap, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Remains: true}, gone: 0, of: 0},
		"Anew":            {reason: "Force=true", key: configMap, action: gitops.Action{Verb: gitops.Update, Goes: true}, gone: 1, of: 2},
		"Deleting":        {reason: "it goes anyway", key: configMap, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Live: &gitops.Live{Deleting: true}}, gone: 0, of: 0},
		"Namespace":       {reason: "with what is in it", key: namespace, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true}, count: 10, gone: 11, of: 12},
		"NamespaceAnew":   {reason: "with what is in it", key: namespace, action: gitops.Action{Verb: gitops.Update, Goes: true}, count: 10, gone: 11, of: 12},
		"NamespaceOfHook": {reason: "what is in a hook's Namespace is no hook's", key: namespace, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Remains: true}, count: 10, gone: 11, of: 12},
		"EmptyOfHook":     {reason: "it goes alone", key: namespace, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Remains: true}, gone: 0, of: 1},
		"Definition":      {reason: "with the objects of its kind", key: definition, action: gitops.Action{Verb: gitops.Update, Goes: true}, count: 10, gone: 11, of: 12},
		"Child":           {reason: "with its objects", key: child, action: gitops.Action{Verb: gitops.Update, Hook: true, Goes: true}, gone: 2, of: 3},
		"ChildOfHook":     {reason: "what a child has deployed is no hook's", key: child, action: gitops.Action{Verb: gitops.Create, Hook: true, Goes: true, Remains: true}, gone: 2, of: 3},
		"RollbackPrunes":  {reason: "what the failed sync made goes", key: configMap, action: gitops.Action{Verb: gitops.Prune}, undoes: true, created: after, gone: 0, of: 2},
		"RollbackAtOnce":  {reason: "clocks differ, and times have whole seconds", key: configMap, action: gitops.Action{Verb: gitops.Prune}, undoes: true, created: began.Add(-opstate.Skew), gone: 0, of: 2},
		"RollbackAdopted": {reason: "the failed sync has only adopted it", key: configMap, action: gitops.Action{Verb: gitops.Prune}, undoes: true, created: before, gone: 1, of: 2},
		"RollbackOfOther": {reason: "an adopted Namespace goes with what others have in it", key: namespace, action: gitops.Action{Verb: gitops.Prune}, undoes: true, created: before, count: 10, gone: 11, of: 12},
		"RollbackOfAnew":  {reason: "the failed sync made it anew", key: configMap, action: gitops.Action{Verb: gitops.Update, Goes: true}, undoes: true, created: after, gone: 0, of: 2},
		"RollbackOfOld":   {reason: "it was there before the failed sync", key: namespace, action: gitops.Action{Verb: gitops.Update, Goes: true}, undoes: true, created: before, count: 10, gone: 11, of: 12},
	} {
		t.Run(name, func(t *testing.T) {
			a := tc.action
			a.Key = tc.key
			if a.Live == nil {
				a.Live = &gitops.Live{Key: tc.key, UID: "1", Created: tc.created}
			}
			stays := gitops.Action{Verb: gitops.Keep, Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "stays"}, Live: &gitops.Live{}}
			app := &v1alpha1.Application{}
			if tc.undoes {
				app = rollingBack(began)
			}
			p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{a, stays}}}}
			list, of := r.deletionsOf(t.Context(), &state.Target{Subject: state.Subject{App: app, Cluster: stocked{count: tc.count}}}, p)
			if list.Weight() != tc.gone || of != tc.of {
				t.Errorf("%s: got %d of %d, want %d of %d", tc.reason, list.Weight(), of, tc.gone, tc.of)
			}
			if named := Results(p, list); (len(named) == 1) != (tc.gone > 0) || len(named) == 1 && (named[0].Status != v1alpha1.ResultCodePruneSkipped || named[0].HookType != "") {
				t.Errorf("%s: what is held is %+v", tc.reason, named)
			}
		})
	}
}

// rollingBack is an Application that is going back to what it had before a sync that began at a time.
func rollingBack(began time.Time) *v1alpha1.Application {
	app := &v1alpha1.Application{}
	app.Status.History = v1alpha1.RevisionHistories{{DeployedAt: v1alpha1.NewTime(began.Add(-time.Hour))}}
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Info: []v1alpha1.Info{
			{Name: gitops.InfoRollback, Value: "x"}, {Name: gitops.InfoUndoes, Value: began.UTC().Format(time.RFC3339)},
		},
	}}
	return app
}
