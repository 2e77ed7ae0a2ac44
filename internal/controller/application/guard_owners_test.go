package application

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// owning is a cluster that has one ConfigMap, besides what a plan has.
type owning struct {
	stocked

	has gitops.Live
}

func (owning) Desc() gitops.Cluster { return described{}.Desc() }

func (owning) Scope() gitops.Scope {
	return func(_, kind string) (namespaced, known bool) { return kind != "Namespace", kind != "Thing" }
}

func (c owning) Find(_ context.Context, _ schema.GroupVersionKind, key gitops.Key) (*gitops.Live, error) {
	if key != c.has.Key {
		return nil, nil //nolint:nilnil // as the interface has it
	}
	return &c.has, nil
}

// TestOwnersCount is about objects that Kubernetes would delete for what their sources say of owners.
func TestOwnersCount(t *testing.T) {
	there := gitops.Live{Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "owner"}, UID: "1"}
	going := there
	going.Deleting = true
	action := func(verb gitops.Verb, live *gitops.Live, owners ...metav1.OwnerReference) gitops.Action {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetOwnerReferences(owners)
		a := gitops.Action{Verb: verb, Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, Live: live, Desired: &gitops.Manifest{Object: o}}
		if live != nil {
			a.Key = live.Key
		}
		if verb == gitops.Prune {
			a.Desired = nil
		}
		return a
	}
	by := func(kind, name, uid string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: name, UID: types.UID(uid)}
	}
	is := func(name, uid string, owners ...types.UID) *gitops.Live {
		return &gitops.Live{Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: name}, UID: types.UID(uid), Owners: owners}
	}
	remade := action(gitops.Create, &there)
	remade.Hook, remade.Goes, remade.Remains = true, true, true
	replaced := action(gitops.Update, &there)
	replaced.Goes = true
	orphans := action(gitops.Prune, &there)
	orphans.Options.PrunePolicy = gitops.DeleteOrphan
	for name, tc := range map[string]struct {
		reason  string
		has     gitops.Live
		actions []gitops.Action
		want    int
	}{
		"There":      {"its owner is there", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1"))}, 0},
		"Nobody":     {"no such object is there", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "nobody", "1"))}, 1},
		"OtherUID":   {"another object has the name", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "9"))}, 1},
		"Kind":       {"it is of a kind that is not served", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("Thing", "owner", "1"))}, 1},
		"Path":       {"the name is none", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "../owner", "1"))}, 1},
		"Deleting":   {"its owner goes", going, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1"))}, 1},
		"One":        {"one of two is not there", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1"), by("ConfigMap", "nobody", "3"))}, 1},
		"Has":        {"it has that owner already", there, []gitops.Action{action(gitops.Update, is("a", "2", "9"), by("ConfigMap", "nobody", "9"))}, 0},
		"New":        {"nothing is lost", there, []gitops.Action{action(gitops.Create, nil, by("ConfigMap", "nobody", "9"))}, 0},
		"Pruned":     {"its owner is pruned by the same sync, and counts itself", there, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1")), action(gitops.Prune, &there)}, 2},
		"Along":      {"it goes with its owner, and another with it", there, []gitops.Action{action(gitops.Prune, &there), action(gitops.Keep, is("a", "2", "1")), action(gitops.Keep, is("b", "3", "2"))}, 3},
		"OtherOwner": {"another owner stays", there, []gitops.Action{action(gitops.Prune, &there), action(gitops.Keep, is("a", "2", "1", "7"))}, 1},
		"Hook":       {"its owner is made anew, as hooks are, and counts for nothing itself", there, []gitops.Action{remade, action(gitops.Keep, is("a", "2", "1"))}, 1},
		"ByAHook":    {"it gets an owner that is made anew", there, []gitops.Action{remade, action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1"))}, 1},
		"Replaced":   {"its owner is made anew, and counts itself", there, []gitops.Action{replaced, action(gitops.Keep, is("a", "2", "1"))}, 2},
		"TakenAway":  {"the owner that stays is taken from it by the same sync", there, []gitops.Action{action(gitops.Prune, &there), action(gitops.Update, is("a", "2", "1", "7"), by("ConfigMap", "owner", "1"))}, 2},
		"Given":      {"it keeps an owner that stays", there, []gitops.Action{action(gitops.Prune, &there), action(gitops.Update, is("a", "2", "1", "7"), by("ConfigMap", "owner", "1"), by("ConfigMap", "other", "7"))}, 1},
		"Orphan":     {"the deletion leaves what is owned", there, []gitops.Action{orphans, action(gitops.Keep, is("a", "2", "1"))}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := &gitops.Plan{Waves: []gitops.Wave{{Phase: gitops.Sync, Actions: tc.actions}}}
			project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}}}
			tg := &target{app: &v1alpha1.Application{}, project: project, cluster: owning{has: tc.has}}
			r := &Reconciler{}
			if err := r.unowned(t.Context(), tg, p); err != nil {
				t.Fatal(err)
			}
			if list, _ := r.deletionsOf(t.Context(), tg, p); list.Weight() != tc.want {
				t.Errorf("%s: what counts is %v, want %d", tc.reason, list, tc.want)
			}
		})
	}
}
