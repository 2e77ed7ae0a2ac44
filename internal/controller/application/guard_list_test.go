package application

import (
	"context"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
			out.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: "set", UID: types.UID(set), Controller: &yes}}
		}
		return out
	}
	r := &Reconciler{Options: Options{
		Apps:  NewApps(cached{apps: []v1alpha1.Application{app("argocd", "web", "1", ""), app("argocd", "made", "2", "set-1"), app("dark", "web", "3", "")}}),
		Guard: &Guard{Ledger: guard.NewLedger(), Covers: func(namespace string) bool { return namespace == "argocd" }},
	}}
	for name, tc := range map[string]struct {
		reason, kind, namespace, name, uid string
		want                               []string
		with                               string
	}{
		"Child":     {"an Application of the fleet", v1alpha1.ApplicationKind, "argocd", "web", "1", []string{"argocd/web"}, "with its 7 objects"},
		"Elsewhere": {"another cluster's of the same name", v1alpha1.ApplicationKind, "argocd", "web", "9", nil, ""},
		"Unknown":   {"one that the cache has not", v1alpha1.ApplicationKind, "red", "web", "4", nil, ""},
		"Dark":      {"one that no engine looks at", v1alpha1.ApplicationKind, "dark", "web", "3", nil, "with its 7 objects"},
		"Set":       {"what goes with a set", v1alpha1.ApplicationSetKind, "argocd", "set", "set-1", []string{"argocd/made"}, "with its 1 application"},
		"OtherSet":  {"another cluster's set of the same name", v1alpha1.ApplicationSetKind, "argocd", "set", "set-2", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			key := gitops.Key{Group: v1alpha1.Group, Kind: tc.kind, Namespace: tc.namespace, Name: tc.name}
			a := &gitops.Action{Key: key, Verb: gitops.Prune, Live: &gitops.Live{Key: key, UID: types.UID(tc.uid)}}
			d := r.deletion(&target{}, a, nil)
			p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{*a}}}}
			if got := r.childApps(p, guard.List{d}); !slices.Equal(got, tc.want) || d.With != tc.with {
				t.Errorf("%s: got %v %q, want %v %q", tc.reason, got, d.With, tc.want, tc.with)
			}
			if got := r.childApps(p, nil); got != nil {
				t.Errorf("what is not in the list is counted: %v", got)
			}
		})
	}
}
