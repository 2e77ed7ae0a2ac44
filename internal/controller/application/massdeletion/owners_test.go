package massdeletion

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// owning is a cluster that has some objects.
type owning struct {
	stocked

	has []unstructured.Unstructured
	// asked are those that were read.
	asked *[]string
}

func (owning) Desc() gitops.Cluster { return described{}.Desc() }

func (owning) Scope() gitops.Scope {
	return func(_, kind string) (namespaced, known bool) { return kind != "Namespace", kind != "Thing" }
}

func (c owning) Get(_ context.Context, _ schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	if c.asked != nil {
		*c.asked = append(*c.asked, name)
	}
	for i := range c.has {
		if o := &c.has[i]; o.GetNamespace() == namespace && o.GetName() == name {
			return o, nil
		}
	}
	return nil, gitops.Problemf(gitops.NotFound, "there is none")
}

// TestOwnersCount is about objects that Kubernetes would delete for what their sources say of owners.
func TestOwnersCount(t *testing.T) {
	there := gitops.Live{Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "owner"}, UID: "1"}
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
	of := func(kind string, live *gitops.Live) *gitops.Live {
		out := *live
		out.Key.Kind = kind
		return &out
	}
	object := func(kind, name, uid string, change ...func(map[string]any)) unstructured.Unstructured {
		o := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
		o.SetName(name)
		o.SetNamespace("shop")
		o.SetUID(types.UID(uid))
		for _, f := range change {
			f(o.Object)
		}
		return o
	}
	ownedBy := func(owners ...metav1.OwnerReference) func(map[string]any) {
		return func(o map[string]any) { (&unstructured.Unstructured{Object: o}).SetOwnerReferences(owners) }
	}
	lives := func(o map[string]any) {
		o["spec"] = map[string]any{"policy": []any{map[string]any{"ttlStrategy": int64(60)}}}
	}
	deleted := func(o map[string]any) {
		at := metav1.Now()
		(&unstructured.Unstructured{Object: o}).SetDeletionTimestamp(&at)
	}
	gets := action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1"))
	keeps := action(gitops.Keep, &there)
	lapsing := action(gitops.Update, &there)
	lives(lapsing.Desired.Object.Object)
	given := action(gitops.Update, &there, by("ConfigMap", "above", "8"))
	below := is("owner", "1")
	below.Owners = []types.UID{"8"}
	deletes := *is("owner", "1")
	deletes.Deleting = true
	// What belongs to the ReplicaSet of a Deployment.
	whole := object("ConfigMap", "owner", "1")
	replicas := object("ReplicaSet", "replicas", "7", ownedBy(by("ConfigMap", "owner", "1")))
	volume := object("ConfigMap", "a", "2", ownedBy(by("ReplicaSet", "replicas", "7")))
	second := object("ConfigMap", "b", "3", ownedBy(by("ReplicaSet", "replicas", "7"), by("ReplicaSet", "apart", "6")))
	apart := object("ReplicaSet", "apart", "6")
	remade := action(gitops.Create, &there)
	remade.Hook, remade.Goes, remade.Remains = true, true, true
	replaced := action(gitops.Update, &there)
	replaced.Goes = true
	orphans := action(gitops.Prune, &there)
	orphans.Options.PrunePolicy = gitops.DeleteOrphan
	for name, tc := range map[string]struct {
		reason  string
		has     []unstructured.Unstructured
		actions []gitops.Action
		want    int
	}{
		"There":      {"its owner is there, and a part of the plan", []unstructured.Unstructured{whole}, []gitops.Action{gets, keeps}, 0},
		"Foreign":    {"its owner is there, and no part of the plan: it may go without it, as a Pod does", []unstructured.Unstructured{whole}, []gitops.Action{gets}, 1},
		"Nobody":     {"no such object is there", nil, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "nobody", "1")), keeps}, 1},
		"Lost":       {"it went after the plan was made", nil, []gitops.Action{gets, keeps}, 1},
		"OtherUID":   {"another object has the name", []unstructured.Unstructured{whole}, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "9")), keeps}, 1},
		"Another":    {"it was made anew after the plan was made", []unstructured.Unstructured{object("ConfigMap", "owner", "9")}, []gitops.Action{gets, keeps}, 1},
		"Kind":       {"it is of a kind that is not served", []unstructured.Unstructured{whole}, []gitops.Action{action(gitops.Update, is("a", "2"), by("Thing", "owner", "1")), keeps}, 1},
		"Path":       {"the name is none", []unstructured.Unstructured{whole}, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "../owner", "1")), keeps}, 1},
		"Deleting":   {"its owner goes", []unstructured.Unstructured{whole}, []gitops.Action{gets, action(gitops.Keep, &deletes)}, 1},
		"Deleted":    {"its owner goes since a moment", []unstructured.Unstructured{object("ConfigMap", "owner", "1", deleted)}, []gitops.Action{gets, keeps}, 1},
		"Pod":        {"its owner goes when its node does", []unstructured.Unstructured{object("Pod", "owner", "1")}, []gitops.Action{action(gitops.Update, is("a", "2"), by("Pod", "owner", "1")), action(gitops.Keep, of("Pod", &there))}, 1},
		"Lives":      {"its owner has a time to live", []unstructured.Unstructured{object("ConfigMap", "owner", "1", lives)}, []gitops.Action{gets, keeps}, 1},
		"Lapses":     {"its owner gets a time to live", []unstructured.Unstructured{whole}, []gitops.Action{gets, lapsing}, 1},
		"Owned":      {"its owner has one that may go", []unstructured.Unstructured{whole}, []gitops.Action{gets, action(gitops.Keep, below)}, 1},
		"OwnedNow":   {"its owner has one since a moment", []unstructured.Unstructured{object("ConfigMap", "owner", "1", ownedBy(by("ConfigMap", "above", "8")))}, []gitops.Action{gets, keeps}, 1},
		"Given":      {"its owner gets one that is not there, and goes itself", []unstructured.Unstructured{whole}, []gitops.Action{gets, given}, 2},
		"One":        {"one of two is not there", []unstructured.Unstructured{whole}, []gitops.Action{action(gitops.Update, is("a", "2"), by("ConfigMap", "owner", "1"), by("ConfigMap", "nobody", "3")), keeps}, 1},
		"Has":        {"it has that owner already", nil, []gitops.Action{action(gitops.Update, is("a", "2", "9"), by("ConfigMap", "nobody", "9"))}, 0},
		"New":        {"nothing is lost", nil, []gitops.Action{action(gitops.Create, nil, by("ConfigMap", "nobody", "9"))}, 0},
		"Pruned":     {"its owner is pruned by the same sync, and counts itself", []unstructured.Unstructured{whole}, []gitops.Action{gets, action(gitops.Prune, &there)}, 2},
		"Along":      {"it goes with its owner, and another with it", nil, []gitops.Action{action(gitops.Prune, &there), action(gitops.Keep, is("a", "2", "1")), action(gitops.Keep, is("b", "3", "2"))}, 3},
		"Between":    {"it goes with what its owner belongs to", []unstructured.Unstructured{whole, replicas, volume}, []gitops.Action{action(gitops.Prune, &there), action(gitops.Keep, is("a", "2", "7"))}, 2},
		"Apart":      {"its other owner belongs to nothing that goes", []unstructured.Unstructured{whole, replicas, second, apart}, []gitops.Action{action(gitops.Prune, &there), action(gitops.Keep, is("b", "3", "7", "6"))}, 1},
		"BetweenNo":  {"nothing goes", []unstructured.Unstructured{whole, replicas, volume}, []gitops.Action{keeps, action(gitops.Keep, is("a", "2", "7"))}, 0},
		"OtherOwner": {"another owner stays", nil, []gitops.Action{action(gitops.Prune, &there), action(gitops.Keep, is("a", "2", "1", "7"))}, 1},
		"Hook":       {"its owner is made anew, as hooks are, and counts for nothing itself", nil, []gitops.Action{remade, action(gitops.Keep, is("a", "2", "1"))}, 1},
		"ByAHook":    {"it gets an owner that is made anew", []unstructured.Unstructured{whole}, []gitops.Action{remade, gets}, 1},
		"Replaced":   {"its owner is made anew, and counts itself", nil, []gitops.Action{replaced, action(gitops.Keep, is("a", "2", "1"))}, 2},
		"TakenAway":  {"the owner that stays is taken from it by the same sync", nil, []gitops.Action{action(gitops.Prune, &there), action(gitops.Update, is("a", "2", "1", "7"), by("ConfigMap", "owner", "1"))}, 2},
		"Kept":       {"it keeps an owner that stays", nil, []gitops.Action{action(gitops.Prune, &there), action(gitops.Update, is("a", "2", "1", "7"), by("ConfigMap", "owner", "1"), by("ConfigMap", "other", "7"))}, 1},
		"Orphan":     {"the deletion leaves what is owned", nil, []gitops.Action{orphans, action(gitops.Keep, is("a", "2", "1"))}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := &gitops.Plan{Waves: []gitops.Wave{{Phase: gitops.Sync, Actions: slices.Clone(tc.actions)}}}
			project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}}}
			tg := &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: project, Cluster: owning{has: tc.has}}}
			r := &Keeper{}
			if err := r.Unowned(t.Context(), tg, p); err != nil {
				t.Fatal(err)
			}
			if list, _ := r.deletionsOf(t.Context(), tg, p); list.Weight() != tc.want {
				t.Errorf("%s: what counts is %v, want %d", tc.reason, list, tc.want)
			}
		})
	}
}

// TestOwnersAreAskedForOnce gives a hundred objects one owner, and reads nobody's
// owners where nothing goes.
func TestOwnersAreAskedForOnce(t *testing.T) {
	key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "owner"}
	all := []gitops.Action{{Verb: gitops.Keep, Key: key, Live: &gitops.Live{Key: key, UID: "1"}}}
	for i := range 100 {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "1"}})
		own := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprintf("owned-%d", i)}
		all = append(all, gitops.Action{Verb: gitops.Update, Key: own, Live: &gitops.Live{Key: own, UID: types.UID(own.Name), Owners: []types.UID{"elsewhere"}}, Desired: &gitops.Manifest{Object: o}})
	}
	owner := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "shop", "name": "owner", "uid": "1"}}}
	var asked []string
	project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}}}
	tg := &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: project, Cluster: owning{has: []unstructured.Unstructured{owner}, asked: &asked}}}
	p := &gitops.Plan{Waves: []gitops.Wave{{Phase: gitops.Sync, Actions: all}}}
	if err := (&Keeper{}).Unowned(t.Context(), tg, p); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 1 || len(leaving(p)) > 0 {
		t.Errorf("the cluster was asked for %v, and %d objects count as going", asked, len(leaving(p)))
	}
}

// TestOwnersAreReadOnce has an object lose one of very many owners: that is looked at
// without reading the others.
func TestOwnersAreReadOnce(t *testing.T) {
	const many = 1000
	refs := make([]metav1.OwnerReference, many)
	for i := range refs {
		refs[i] = metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: types.UID(strconv.Itoa(i))}
	}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetOwnerReferences(refs)
	between := map[types.UID][]types.UID{"between": nil}
	for i := range refs {
		between["between"] = append(between["between"], refs[i].UID)
	}
	p := &gitops.Plan{Waves: []gitops.Wave{{Phase: gitops.Sync, Actions: []gitops.Action{
		{Verb: gitops.Update, Live: &gitops.Live{UID: "owned", Owners: []types.UID{"0"}}, Desired: &gitops.Manifest{Object: o}},
	}}}}
	k := kinshipOf(p, between)
	if made := testing.AllocsPerRun(10, func() { k.along("0") }); made > 0 {
		t.Errorf("%v allocations for an owner that goes", made)
	}
}
