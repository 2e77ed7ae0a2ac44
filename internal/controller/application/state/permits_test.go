package state

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// east is a cluster that knows some kinds.
type east struct{ Cluster }

func (east) Desc() gitops.Cluster { return gitops.Cluster{Name: "east", Server: "https://east"} }

func (east) Scope() gitops.Scope {
	return func(_, kind string) (namespaced, known bool) {
		return kind != "Node" && kind != "Widget", kind != "Widget"
	}
}

// syncing is an automated sync of project red, which permits the namespace shop.
func syncing() *Target {
	app := &v1alpha1.Application{}
	app.Spec.Destination.Namespace = "shop"
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, SyncResult: &v1alpha1.SyncOperationResult{}}
	app.Status.OperationState.Operation.InitiatedBy.Automated = true
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "red"}}
	project.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "https://east", Namespace: "shop"}}
	return &Target{Subject: Subject{App: app, Project: project, Cluster: east{}}}
}

// action is what is done to a ConfigMap.
func action(namespace, name string, change ...func(*gitops.Action)) gitops.Action {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	a := gitops.Action{Verb: gitops.Create, Key: gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: name}, Desired: &gitops.Manifest{Object: o}}
	for _, c := range change {
		c(&a)
	}
	return a
}

func planOf(actions ...gitops.Action) *gitops.Plan {
	return &gitops.Plan{Waves: []gitops.Wave{{Phase: gitops.Sync, Actions: actions}}}
}

func prunes(a *gitops.Action) {
	a.Verb, a.Desired = gitops.Prune, nil
	a.Live = &gitops.Live{Version: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
}

// TestRefuse ends a sync before anything is done, and names what is forbidden alone.
func TestRefuse(t *testing.T) {
	keeps := func(a *gitops.Action) { a.Verb = gitops.Keep }
	cases := map[string]struct {
		reason  string
		refusal error
		actions []gitops.Action
		phase   v1alpha1.OperationPhase
		says    string
		objects []string
	}{
		"permitted": {"nothing is forbidden", nil, []gitops.Action{action("shop", "a")}, "", "", nil},
		"forbidden": {"one of them is", nil, []gitops.Action{action("shop", "a"), action("pay", "b")}, v1alpha1.OperationFailed, "pay", []string{"b"}},
		"pruned":    {"also where it would go", nil, []gitops.Action{action("pay", "b", prunes)}, v1alpha1.OperationFailed, "pay", []string{"b"}},
		"kept":      {"what stays as it is needs no leave", nil, []gitops.Action{action("pay", "b", keeps)}, "", "", nil},
		"many":      {"the first few are told, and all are shown", nil, []gitops.Action{action("p1", "a"), action("p2", "b"), action("p3", "c"), action("p4", "d")}, v1alpha1.OperationFailed, "1 more", []string{"a", "b", "c", "d"}},
		"nobody":    {"there is nobody to write as: no object is to blame", errors.New("names no account"), []gitops.Action{action("pay", "b")}, v1alpha1.OperationError, "names no account", nil},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			tg := syncing()
			tg.Refusal = tc.refusal
			phase, text := tg.Refuse(planOf(tc.actions...))
			if phase != tc.phase || !strings.Contains(text, tc.says) || (text == "") != (tc.phase == "") {
				t.Errorf("%s: it ends %q: %q", tc.reason, phase, text)
			}
			var got []string
			for _, r := range tg.App.Status.OperationState.SyncResult.Resources {
				got = append(got, r.Name)
				if r.Status != v1alpha1.ResultCodeSyncFailed || r.HookPhase != "" || r.Message == "" {
					t.Errorf("%s: it is shown as if it had been tried: %+v", tc.reason, r)
				}
			}
			if diff := cmp.Diff(tc.objects, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLifted: an automated sync that was refused is tried again by itself as soon as
// nothing refuses it, and one that failed otherwise is not.
func TestLifted(t *testing.T) {
	refused := v1alpha1.ResourceResult{Kind: "ConfigMap", Status: v1alpha1.ResultCodeSyncFailed}
	tried := v1alpha1.ResourceResult{Kind: "ConfigMap", Status: v1alpha1.ResultCodeSyncFailed, HookPhase: v1alpha1.OperationFailed}
	synced := v1alpha1.ResourceResult{Kind: "ConfigMap", Status: v1alpha1.ResultCodeSynced}
	faulty := func(a *gitops.Action) { a.Fault = errors.New("it is none") }
	cases := map[string]struct {
		reason  string
		change  func(*Target)
		results v1alpha1.ResourceResults
		phase   v1alpha1.OperationPhase
		actions []gitops.Action
		want    bool
	}{
		"lifted":       {"the project permits it now", func(*Target) {}, v1alpha1.ResourceResults{refused}, v1alpha1.OperationFailed, []gitops.Action{action("shop", "a")}, true},
		"error":        {"there is somebody to write as now", func(*Target) {}, nil, v1alpha1.OperationError, []gitops.Action{action("shop", "a")}, true},
		"still nobody": {"there is not", func(t *Target) { t.Refusal = errors.New("no account") }, nil, v1alpha1.OperationError, []gitops.Action{action("shop", "a")}, false},
		"still":        {"the project does not", func(*Target) {}, v1alpha1.ResourceResults{refused}, v1alpha1.OperationFailed, []gitops.Action{action("pay", "a")}, false},
		"faulty":       {"an object cannot be applied", func(*Target) {}, v1alpha1.ResourceResults{refused}, v1alpha1.OperationFailed, []gitops.Action{action("shop", "a", faulty)}, false},
		"tried":        {"the cluster refused it", func(*Target) {}, v1alpha1.ResourceResults{refused, tried}, v1alpha1.OperationFailed, []gitops.Action{action("shop", "a")}, false},
		"done":         {"something was done", func(*Target) {}, v1alpha1.ResourceResults{synced, refused}, v1alpha1.OperationFailed, []gitops.Action{action("shop", "a")}, false},
		"no results":   {"it failed before there was any", func(*Target) {}, nil, v1alpha1.OperationFailed, []gitops.Action{action("shop", "a")}, false},
		"forged":       {"a status without a result", func(t *Target) { t.App.Status.OperationState.SyncResult = nil }, nil, v1alpha1.OperationFailed, nil, false},
		"person":       {"who asked asks again", func(t *Target) { t.App.Status.OperationState.Operation.InitiatedBy.Automated = false }, v1alpha1.ResourceResults{refused}, v1alpha1.OperationFailed, []gitops.Action{action("shop", "a")}, false},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			tg := syncing()
			tg.App.Status.OperationState.Phase, tg.App.Status.OperationState.SyncResult.Resources = tc.phase, tc.results
			tc.change(tg)
			if got := tg.Lifted(planOf(tc.actions...)); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

// TestFaults are shown of what would be applied and of what would go.
func TestFaults(t *testing.T) {
	faulty := func(a *gitops.Action) { a.Fault = errors.New("it is none") }
	results, problems := Faults(planOf(action("shop", "a", faulty), action("shop", "b"), action("shop", "c", prunes, faulty)))
	if len(results) != 2 || len(problems) != 2 || results[1].Name != "c" || results[1].Version != "v1" || results[0].Message != "it is none" || results[0].HookPhase != "" {
		t.Errorf("got %+v, %v", results, problems)
	}
}

// TestKeyOf is the object that an owner reference means, where that may be known.
func TestKeyOf(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		owner  metav1.OwnerReference
		want   string
	}{
		"object":   {"it is in the namespace of what it owns", metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, "apps/Deployment:shop/web"},
		"cluster":  {"the project does not permit what is in none", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "web"}, ""},
		"unserved": {"no cluster serves it", metav1.OwnerReference{APIVersion: "v1", Kind: "Widget", Name: "web"}, ""},
		"no name":  {"it has no name", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap"}, ""},
		"no group": {"its version cannot be read", metav1.OwnerReference{APIVersion: "a/b/c", Kind: "ConfigMap", Name: "web"}, ""},
		"path":     {"its name is a path", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "../web"}, ""},
	} {
		key, ok := syncing().KeyOf("shop", tc.owner)
		if ok != (tc.want != "") || ok && key.String() != tc.want {
			t.Errorf("%s: %s: got %s, %t", name, tc.reason, key, ok)
		}
	}
	if _, ok := syncing().KeyOf("pay", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "web"}); ok {
		t.Error("in a namespace that the project does not permit it is known")
	}
}

// TestAtomic is a sync of all objects that brings something new.
func TestAtomic(t *testing.T) {
	for name, tc := range map[string]struct {
		limit time.Duration
		op    v1alpha1.Operation
		want  bool
	}{
		"sync":     {time.Minute, v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, true},
		"not said": {0, v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, false},
		"dry run":  {time.Minute, v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{DryRun: true}}, false},
		"some":     {time.Minute, v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Resources: make([]v1alpha1.SyncOperationResource, 1)}}, false},
		"heal":     {time.Minute, v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{SelfHealAttemptsCount: 1}}, false},
		"rollback": {time.Minute, v1alpha1.Operation{Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "x"}}}, false},
	} {
		tg := syncing()
		tg.WaveTime, tg.App.Status.OperationState.Operation = tc.limit, tc.op
		if got := tg.Atomic(); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestIsLocal: manifests that are in no repository, also where a rollback brings them back.
func TestIsLocal(t *testing.T) {
	for name, tc := range map[string]struct {
		brought *Brought
		want    bool
	}{
		"sources": {nil, false}, "unknown": {&Brought{ID: "x"}, false}, "rollback": {&Brought{ID: "x", Origin: &history.Origin{}}, false},
		"own": {&Brought{Origin: &history.Origin{Brought: true}}, true}, "back to": {&Brought{ID: "x", Origin: &history.Origin{Brought: true}}, true},
	} {
		if got := (&Target{Brought: tc.brought}).IsLocal(); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
