package plan_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// outlinedTexts have all that changes an object between a set and a plan: hooks with
// and without names, in several phases, moved to another one, and objects with rules
// of their own.
var outlinedTexts = []string{
	waved("first", "0"), waved("second", "1"),
	cm("own", `, annotations: {causeway.io/drift: show, causeway.io/ignore-differences: '{"jsonPointers": ["/data/a"]}'}`),
	"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, namespace: demo}}",
	"{apiVersion: x/v1, kind: Thing, metadata: {name: t, annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}}",
	"{apiVersion: batch/v1, kind: Job, metadata: {name: twice, annotations: {argocd.argoproj.io/hook: 'PreSync,PostSync'}}}",
	"{apiVersion: batch/v1, kind: Job, metadata: {generateName: some-, annotations: {argocd.argoproj.io/hook: PreSync}}}",
	"{apiVersion: batch/v1, kind: Job, metadata: {generateName: some-, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/sync-wave: '-1'}, labels: {other: one}}}",
	"{apiVersion: v1, kind: Namespace, metadata: {name: late, annotations: {argocd.argoproj.io/hook: PostSync}}}",
	cm("early", ", namespace: late"),
	cm("gone", ", annotations: {argocd.argoproj.io/hook: Skip}"),
	cm("twice", ", labels: {from: first}"), cm("twice", ", labels: {from: last}"),
}

func outlinedWant(t *testing.T, texts ...string) plan.Want {
	t.Helper()
	app := application(v1alpha1.SyncOptionCreateNamespace + "=true")
	app.Annotations = map[string]string{gitops.AnnotationDrift: "show"}
	app.Spec.SyncPolicy.ManagedNamespaceMetadata = &v1alpha1.ManagedNamespaceMetadata{Labels: map[string]string{"team": "red"}}
	app.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JSONPointers: []string{"/data/b"}}}
	return plan.Want{App: app, TrackingName: "app", Manifests: manifests(t, texts...), Scope: scope, Options: app.Spec.SyncPolicy.Options()}
}

func outlinedInput(t *testing.T, w plan.Want) plan.Input {
	t.Helper()
	set, err := plan.Desired(w)
	if err != nil {
		t.Fatal(err)
	}
	old := gitops.Key{Kind: "ConfigMap", Namespace: "demo", Name: "old"}
	first := gitops.Key{Kind: "ConfigMap", Namespace: "demo", Name: "first"}
	return plan.Input{
		Set: set, Prune: true, Hooks: true, Revision: "0123456789", Started: time.Unix(1_700_000_000, 0),
		Live: map[gitops.Key]*gitops.Live{
			old:   {Key: old, Tracking: "app:/ConfigMap:demo/old"},
			first: {Key: first, Tracking: "app:/ConfigMap:demo/first"},
		},
	}
}

// TestOutlineComesBack as the plan that it was made of, also where the application,
// the installation and the cluster say something else by then.
func TestOutlineComesBack(t *testing.T) {
	other := func(change func(*plan.Want)) func(plan.Want) plan.Want {
		return func(w plan.Want) plan.Want {
			w.App = w.App.DeepCopy()
			change(&w)
			return w
		}
	}
	for name, tc := range map[string]struct {
		reason string
		heal   bool
		later  func(plan.Want) plan.Want
	}{
		"same":         {"nothing has changed", false, func(w plan.Want) plan.Want { return w }},
		"healing":      {"what is shown is left as it is while drift is undone", true, func(w plan.Want) plan.Want { return w }},
		"served":       {"a kind is served by now, and not namespaced", false, other(func(w *plan.Want) { w.Scope = func(string, string) (bool, bool) { return false, true } })},
		"ignored":      {"other differences are ignored by now", false, other(func(w *plan.Want) { w.App.Spec.IgnoreDifferences = nil })},
		"marked":       {"objects are marked otherwise by now", false, other(func(w *plan.Want) { w.TrackingName = "renamed" })},
		"moved":        {"objects go to another namespace by now", false, other(func(w *plan.Want) { w.App.Spec.Destination.Namespace = "elsewhere" })},
		"drift":        {"another policy of drift holds by now", false, other(func(w *plan.Want) { w.App.Annotations = nil })},
		"no namespace": {"the Namespace is not asked for by now", false, other(func(w *plan.Want) { w.Options = nil })},
		"excluded":     {"some objects are left alone by now, so that others have their places", false, other(func(w *plan.Want) { w.Settings = excluding(t) })},
	} {
		t.Run(name, func(t *testing.T) {
			w := outlinedWant(t, outlinedTexts...)
			in := outlinedInput(t, w)
			in.Heal = tc.heal
			want, err := plan.Make(in)
			if err != nil {
				t.Fatal(err)
			}
			before := *actionOf(want, "own")
			outline := in.Basis().Outline(want)
			if diff := cmp.Diff(before, *actionOf(want, "own")); diff != "" {
				t.Errorf("the plan that is outlined has changed: %s", diff)
			}
			later := tc.later(w)
			now, err := plan.Desired(later)
			if err != nil {
				t.Fatal(err)
			}
			got, err := outline.Whole(now, later.Manifests)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func excluding(t *testing.T) *plan.Settings {
	t.Helper()
	s, err := plan.ParseSettings(map[string]string{v1alpha1.SettingExclusions: "[{kinds: [ClusterRole]}]"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOutlineOfNumbers that were kept as text and read again: their digest is
// another, and they are the same.
func TestOutlineOfNumbers(t *testing.T) {
	w := outlinedWant(t, cm("a"))
	w.Manifests[0].Object.Object["number"] = 1e8
	in := outlinedInput(t, w)
	p, err := plan.Make(in)
	if err != nil {
		t.Fatal(err)
	}
	outline := in.Basis().Outline(p)
	w.Manifests = manifests(t, cm("a"))
	w.Manifests[0].Object.Object["number"] = int64(1e8)
	set, err := plan.Desired(w)
	if err != nil {
		t.Fatal(err)
	}
	if set.Objects[0].Digest == actionOf(p, "a").Digest {
		t.Fatal("this shows nothing: the digests are equal")
	}
	got, err := outline.Whole(set, w.Manifests)
	if err != nil {
		t.Fatal(err)
	}
	if d := actionOf(got, "a").Desired; d == nil || d.Object.Object["number"] != int64(1e8) {
		t.Errorf("the object is another one: %v", d)
	}
}

func actionOf(p *gitops.Plan, name string) *gitops.Action {
	for _, w := range p.Waves {
		for i := range w.Actions {
			if w.Actions[i].Key.Name == name {
				return &w.Actions[i]
			}
		}
	}
	return &gitops.Action{}
}

// TestOutlineWithoutWhatWasFound of live objects, whose fields may have long names.
func TestOutlineWithoutWhatWasFound(t *testing.T) {
	w := outlinedWant(t, cm("a"))
	in := outlinedInput(t, w)
	p, err := plan.Make(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "old"} {
		actionOf(p, name).Deviations, actionOf(p, name).Unheeded = []gitops.Deviation{{Field: "data.a"}}, []string{"it fails"}
	}
	got, err := in.Basis().Outline(p).Whole(in.Set, w.Manifests)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "old"} {
		if a := actionOf(got, name); a.Key.Name != name || a.Deviations != nil || a.Unheeded != nil {
			t.Errorf("%s is kept as %+v", name, a)
		}
	}
}

// TestOutlineOfOtherManifests is an error: nothing of them is applied.
func TestOutlineOfOtherManifests(t *testing.T) {
	for name, texts := range map[string][]string{
		"fewer": {cm("a")}, "other": {cm("a"), cm("c")}, "a hook": {cm("a"), cm("b", ", annotations: {argocd.argoproj.io/hook: Sync}")},
	} {
		in := outlinedInput(t, outlinedWant(t, cm("a"), cm("b")))
		p, err := plan.Make(in)
		if err != nil {
			t.Fatal(err)
		}
		w := outlinedWant(t, texts...)
		set, err := plan.Desired(w)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Basis().Outline(p).Whole(set, w.Manifests); err == nil {
			t.Errorf("%s: %v is taken for the plan", name, got)
		}
	}
}

// TestOutlinesKeepNoManifests: whatever many syncs wait, of how many projects, none
// of their objects stays in memory, nor a text of them.
func TestOutlinesKeepNoManifests(t *testing.T) {
	const waiting = 20
	var outlines []*plan.Outline
	var objects []weak.Pointer[unstructured.Unstructured]
	for range waiting {
		texts := append([]string{cm("large", ", annotations: {causeway.io/drift: show}")}, outlinedTexts...)
		w := outlinedWant(t, texts...)
		w.Manifests[0].Object.Object["data"] = map[string]any{"text": strings.Repeat("x", 1<<20)}
		in := outlinedInput(t, w)
		p, err := plan.Make(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range w.Manifests {
			objects = append(objects, weak.Make(m.Object))
		}
		for _, o := range in.Set.Objects {
			objects = append(objects, weak.Make(o.Object))
		}
		for _, wave := range p.Waves {
			for i := range wave.Actions {
				if d := wave.Actions[i].Desired; d != nil {
					objects = append(objects, weak.Make(d.Object))
				}
			}
		}
		outlines = append(outlines, in.Basis().Outline(p))
	}
	runtime.GC()
	kept := 0
	for _, o := range objects {
		if o.Value() != nil {
			kept++
		}
	}
	if kept > 0 {
		t.Errorf("%d of %d objects are kept by those who wait", kept, len(objects))
	}
	runtime.KeepAlive(outlines)
}
