package massdeletion

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// lands answers dry runs as a cluster does that lacks a namespace, and takes no object with a label.
type lands struct {
	Predicter

	lacks string
}

func (l lands) Predict(_ context.Context, _ apply.Cluster, a gitops.Action) (live, predicted *unstructured.Unstructured, err error) {
	predicted = a.Desired.Object.DeepCopy()
	if a.Live == nil && a.Key.Namespace == l.lacks && l.lacks != "" {
		return nil, predicted, nil // it cannot tell
	}
	if len(a.Desired.Object.GetLabels()) > 0 {
		return nil, nil, gitops.Problemf(gitops.Invalid, "it has a label")
	}
	predicted.SetUID("given")
	return nil, predicted, nil
}

// TestOnlyWhatComesMoves is about which deletions are none, as the object is made anew elsewhere.
func TestOnlyWhatComesMoves(t *testing.T) {
	action := func(verb gitops.Verb, kind, namespace, name string, change ...func(*unstructured.Unstructured)) gitops.Action {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name}}}
		o.SetNamespace(namespace)
		for _, f := range change {
			f(o)
		}
		a := gitops.Action{Verb: verb, Key: gitops.KeyOf(o)}
		if verb == gitops.Prune {
			a.Live = &gitops.Live{Key: a.Key}
			return a
		}
		a.Desired = &gitops.Manifest{Object: o}
		return a
	}
	refused := func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "b"}) }
	owned := func(o *unstructured.Unstructured) {
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "nobody", UID: "9"}})
	}
	goes := action(gitops.Prune, "ConfigMap", "old", "a")
	comes := action(gitops.Create, "ConfigMap", "new", "a")
	hook := action(gitops.Create, "Namespace", "", "new")
	hook.Hook = true
	for name, tc := range map[string]struct {
		reason string
		lacks  string
		waves  [][]gitops.Action
		want   int
	}{
		"There":     {"it moves", "", [][]gitops.Action{{goes, comes}}, 0},
		"Earlier":   {"it has come before", "", [][]gitops.Action{{comes}, {goes}}, 0},
		"Later":     {"the later wave may never be", "", [][]gitops.Action{{goes}, {comes}}, 1},
		"Absent":    {"the namespace is not there", "new", [][]gitops.Action{{goes, comes}}, 1},
		"Written":   {"a UID of the sources is none of the cluster", "new", [][]gitops.Action{{goes, action(gitops.Create, "ConfigMap", "new", "a", func(o *unstructured.Unstructured) { o.SetUID("1") })}}, 1},
		"Refused":   {"the cluster does not take it", "", [][]gitops.Action{{goes, action(gitops.Create, "ConfigMap", "new", "a", refused)}}, 1},
		"Made":      {"the namespace comes before", "new", [][]gitops.Action{{action(gitops.Create, "Namespace", "", "new")}, {goes, comes}}, 0},
		"MadeNot":   {"the namespace is refused", "new", [][]gitops.Action{{action(gitops.Create, "Namespace", "", "new", refused)}, {goes, comes}}, 1},
		"MadeFor":   {"what comes into a new namespace is refused", "new", [][]gitops.Action{{action(gitops.Create, "Namespace", "", "new")}, {goes, action(gitops.Create, "ConfigMap", "new", "a", refused)}}, 1},
		"OfAHook":   {"the namespace goes with its hook", "new", [][]gitops.Action{{hook}, {goes, comes}}, 1},
		"Going":     {"the namespace goes, and counts itself", "", [][]gitops.Action{{goes, action(gitops.Prune, "Namespace", "", "new"), comes}}, 2},
		"Once":      {"one excuses one", "", [][]gitops.Action{{goes, action(gitops.Prune, "ConfigMap", "older", "a"), comes}}, 1},
		"Orphan":    {"what comes has an owner that is not there", "", [][]gitops.Action{{goes, action(gitops.Create, "ConfigMap", "new", "a", owned)}}, 1},
		"InOrphan":  {"the new namespace has an owner that is not there", "new", [][]gitops.Action{{action(gitops.Create, "Namespace", "", "new", owned)}, {goes, comes}}, 1},
		"Namespace": {"one whose name ends like a hash is another one", "", [][]gitops.Action{{action(gitops.Prune, "Namespace", "", "team-bcdfghkmt2"), action(gitops.Create, "Namespace", "", "team-2456789bcd")}}, 1},
		"OtherKind": {"it is something else", "", [][]gitops.Action{{goes, action(gitops.Create, "Secret", "new", "a")}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := &gitops.Plan{}
			for _, actions := range tc.waves {
				p.Waves = append(p.Waves, gitops.Wave{Phase: gitops.Sync, Actions: actions})
			}
			r := &Keeper{Apply: lands{lacks: tc.lacks}}
			project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}}}
			tg := &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: project, Cluster: owning{}}}
			list, _ := r.deletionsOf(t.Context(), tg, p)
			if got := r.withoutMoves(t.Context(), tg, p, list); got.Weight() != tc.want {
				t.Errorf("%s: what counts is %v, want %d", tc.reason, got, tc.want)
			}
		})
	}
}
