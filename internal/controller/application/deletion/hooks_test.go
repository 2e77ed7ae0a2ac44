package deletion

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// hook is a manifest that is a hook of some phases.
func hook(name, phases string, more ...string) gitops.Manifest {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "shop"}}}
	annotations := map[string]string{gitops.AnnotationHook: phases}
	for i := 0; i+1 < len(more); i += 2 {
		annotations[more[i]] = more[i+1]
	}
	o.SetAnnotations(annotations)
	return gitops.Manifest{Object: o}
}

// TestFinalizersOfHooks stand for hooks that there are, and for no others.
func TestFinalizersOfHooks(t *testing.T) {
	const pre, post = v1alpha1.FinalizerPreDelete, v1alpha1.FinalizerPostDelete
	cases := map[string]struct {
		reason    string
		has       []string
		manifests []gitops.Manifest
		want      []string
	}{
		"none":      {"nothing stands behind them", []string{pre, "a", pre + cleanup, post, post + cleanup}, nil, []string{"a"}},
		"new":       {"a hook comes", []string{"a"}, []gitops.Manifest{hook("h", "PreDelete")}, []string{"a", pre, pre + cleanup}},
		"both":      {"one may be of both phases", nil, []gitops.Manifest{hook("h", "PreDelete,PostDelete")}, []string{pre, pre + cleanup, post, post + cleanup}},
		"twice":     {"they are there once", []string{post + cleanup, post}, []gitops.Manifest{hook("h", "PostDelete")}, []string{post + cleanup, post}},
		"half":      {"somebody took one off", []string{post}, []gitops.Manifest{hook("h", "PostDelete")}, []string{post, post + cleanup}},
		"of a sync": {"hooks of syncs have none", nil, []gitops.Manifest{hook("h", "PreSync")}, nil},
		"of Helm":   {"Helm's are hooks as well", nil, []gitops.Manifest{hook("h", "", "helm.sh/hook", "post-delete")}, []string{post, post + cleanup}},
		"moves":     {"a hook became one of the other phase", []string{pre, pre + cleanup}, []gitops.Manifest{hook("h", "PostDelete")}, []string{post, post + cleanup}},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			app, set := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Finalizers: tc.has}}, &plan.Set{}
			for _, m := range tc.manifests {
				set.Objects = append(set.Objects, plan.Object{Manifest: m})
			}
			MarkHooks(app, set)
			if diff := cmp.Diff(tc.want, app.Finalizers, cmpEmpty); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// cmpEmpty takes no list for an empty one.
var cmpEmpty = cmp.Transformer("empty", func(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return slices.Clone(s)
})

// running is a world in which a deletion runs its PreDelete hooks.
func running(t *testing.T, hooks ...gitops.Manifest) *world {
	w := deleting(t)
	w.app.Finalizers, w.hooks = []string{v1alpha1.FinalizerPreDelete}, hooks
	return w
}

// TestHooksRunOneWaveAfterTheOther, each when the one before is healthy, and none twice.
func TestHooksRunOneWaveAfterTheOther(t *testing.T) {
	w := running(t, hook("late", "PreDelete", gitops.AnnotationWave, "1"), hook("early", "PreDelete"), hook("other", "PostDelete"))
	w.health = gitops.Health{Code: gitops.Progressing, Message: "1 of 3"}
	for range 2 {
		again, err := w.look()
		if err != nil || again != Pause || !slices.Equal(w.sent, []string{"create ConfigMap/early"}) {
			t.Fatalf("sent is %v, and it comes again in %s: %v", w.sent, again, err)
		}
	}
	want := "Deleting: running the PreDelete hooks: waiting for /ConfigMap:shop/early in PreDelete wave 0: 1 of 3; to delete the Application without its hooks: causeway delete shop --no-hooks"
	if !slices.Equal(w.events, []string{want}) {
		t.Errorf("it is told %q", w.events)
	}
	if got := w.app.Status.Resources; len(got) != 1 || got[0].Name != "early" || !got[0].Hook || got[0].Kind != "ConfigMap" {
		t.Errorf("an engine that begins anew does not know of %+v", got)
	}
	w.cluster.has[object("ConfigMap", "early").Key].Health = gitops.Health{Code: gitops.Healthy}
	w.health = gitops.Health{Code: gitops.Healthy}
	again, err := w.look()
	if err != nil || again != NextStep || len(w.app.Finalizers) > 0 || !slices.Equal(w.sent, []string{"create ConfigMap/early", "create ConfigMap/late"}) {
		t.Errorf("sent is %v, and it comes again in %s: %v", w.sent, again, err)
	}
	if got := w.app.Status.Resources; len(got) != 2 {
		t.Errorf("the status has %+v", got)
	}
}

// TestHookThatFailed is run again after pauses that grow; until then its object stays, for
// somebody to look at.
func TestHookThatFailed(t *testing.T) {
	w := running(t, hook("h", "PreDelete"))
	w.health = gitops.Health{Code: gitops.Degraded, Message: "exit code 1"}
	for _, step := range []struct {
		reason string
		after  time.Duration // the look before
		sent   []string
	}{
		{"it runs", 0, []string{"create ConfigMap/h"}},
		{"it is left alone", Pause - 1, nil},
		{"the first pause is over", 1, []string{"create ConfigMap/h anew"}},
		{"the next one is twice as long", Pause, nil},
		{"it is over", Pause, []string{"create ConfigMap/h anew"}},
	} {
		w.sent, w.now = nil, w.now.Add(step.after)
		_, err := w.look()
		if err == nil || !strings.Contains(err.Error(), "a PreDelete hook failed, and is run again in a while") || !strings.Contains(err.Error(), "exit code 1") || !strings.HasSuffix(err.Error(), "causeway delete shop --no-hooks") {
			t.Errorf("%s: it is told %v", step.reason, err)
		}
		if !slices.Equal(w.sent, step.sent) {
			t.Errorf("%s: sent is %v", step.reason, w.sent)
		}
	}
	if got := w.notices; len(got) != 2 || got[0].Why != MadeAnew {
		t.Errorf("of what was deleted it is told %+v", got)
	}
	w.health, w.now = gitops.Health{Code: gitops.Healthy}, w.now.Add(time.Hour)
	if _, err := w.look(); err != nil || len(w.app.Finalizers) > 0 {
		t.Errorf("it was mended: %v", err)
	}
}

// TestPausesOfHooks grow from the first to a few minutes, and no further.
func TestPausesOfHooks(t *testing.T) {
	var try hookTry
	now := at
	var got []time.Duration
	for range 70 {
		try.failed(now, Pause)
		due := try.again
		try.failed(now.Add(time.Second), Pause) // another look at the same failure
		if !try.again.Equal(due) || try.due(due.Add(-1)) || !try.due(due) || try.due(due) {
			t.Fatalf("a try is due at another time than %s, or twice", due)
		}
		got, now = append(got, due.Sub(now)), due
	}
	if diff := cmp.Diff([]time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, mostHookPause}, got[:6]); diff != "" || got[69] != mostHookPause {
		t.Errorf("the last pause is %s; the first ones (-want +got):\n%s", got[69], diff)
	}
}

// TestHookOfAnotherTime: what an earlier sync, or somebody else, left under the name of a
// hook has not run in this deletion.
func TestHookOfAnotherTime(t *testing.T) {
	mark := annotated(gitops.AnnotationHook, "PreDelete")
	healthy := func(l *gitops.Live) { l.Health = gitops.Health{Code: gitops.Healthy} }
	cases := map[string]struct {
		reason string
		live   *gitops.Live
		sent   []string
	}{
		"before":    {"it was made before the deletion began", object("ConfigMap", "h", mark, healthy), []string{"create ConfigMap/h anew"}},
		"since":     {"another engine has run it in this deletion", object("ConfigMap", "h", mark, healthy, func(l *gitops.Live) { l.Created = at }), nil},
		"namesake":  {"an object of the Application that is no hook goes with it", object("ConfigMap", "h", healthy), []string{"create ConfigMap/h"}},
		"PostSync":  {"a hook of its syncs, too", object("ConfigMap", "h", healthy, annotated(gitops.AnnotationHook, "PostSync")), []string{"create ConfigMap/h"}},
		"not there": {"it has not run", nil, []string{"create ConfigMap/h"}},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := running(t, hook("h", "PreDelete"))
			if w.health = (gitops.Health{Code: gitops.Healthy}); tc.live != nil {
				w.cluster.has[tc.live.Key] = tc.live
			}
			if _, err := w.look(); err != nil || !slices.Equal(w.sent, tc.sent) {
				t.Errorf("%s: sent is %v: %v", tc.reason, w.sent, err)
			}
		})
	}
}

// TestHookRunsOnceByAClockThatIsBehind: the time of the cluster is not that of the hub.
func TestHookRunsOnceByAClockThatIsBehind(t *testing.T) {
	w := running(t, hook("h", "PreDelete"))
	w.now, w.health = at.Add(-time.Minute), gitops.Health{Code: gitops.Progressing}
	for range 2 {
		if _, err := w.look(); err != nil || len(w.sent) != 1 {
			t.Errorf("sent is %v: %v", w.sent, err)
		}
	}
}

// TestHookTakesNothingThatStays: an object that another Application has, or that stays when
// this one goes, is not made a hook of its deletion.
func TestHookTakesNothingThatStays(t *testing.T) {
	cases := map[string]struct {
		reason string
		live   *gitops.Live
		change func(*world)
		taken  bool
	}{
		"another's": {"another Application made it", object("ConfigMap", "h", func(l *gitops.Live) { l.Tracking = gitops.TrackingID("other", l.Key) }), func(w *world) {
			w.hub.apps = append(w.hub.apps, &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "other", UID: "2"}})
		}, false},
		"gone": {"the other one is gone", object("ConfigMap", "h", func(l *gitops.Live) { l.Tracking = gitops.TrackingID("other", l.Key) }), nil, true},
		"kept": {"it says that it stays", object("ConfigMap", "h", annotated("argocd.argoproj.io/sync-options", "Delete=false")), nil, false},
		"its": {"another Application has it in its sources", object("ConfigMap", "h"), func(w *world) {
			other := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "other", UID: "2"}, Spec: *w.app.Spec.DeepCopy()}
			other.Status.Resources = []v1alpha1.ResourceStatus{{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "h"}}
			w.hub.apps = append(w.hub.apps, other)
		}, false},
		"plain": {"it goes with this one", object("ConfigMap", "h"), nil, true},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := running(t, hook("h", "PreDelete"))
			w.health = gitops.Health{Code: gitops.Healthy}
			if w.cluster.has[tc.live.Key] = tc.live; tc.change != nil {
				tc.change(w)
			}
			w.app.Status.Resources = []v1alpha1.ResourceStatus{{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "h"}}
			_, err := w.look()
			if taken := err == nil && len(w.sent) == 1; taken != tc.taken || !taken && len(w.sent) > 0 {
				t.Errorf("%s: sent is %v: %v", tc.reason, w.sent, err)
			}
		})
	}
}

// TestHooksThatCannotRun hold the deletion, and say how to go on without them.
func TestHooksThatCannotRun(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*world)
		want   string
	}{
		"rendered": {"the repository does not answer", func(w *world) { w.hookErr = errors.New("no answer") }, "cannot run the PreDelete hooks: no answer"},
		"moved": {"the destination was changed meanwhile", func(w *world) {
			w.target = func(tg *state.Target) { tg.Cluster = &place{server: "https://west"} }
		}, "the destination has become another cluster"},
		"nobody": {"the project has nobody who may write", func(w *world) {
			w.target = func(tg *state.Target) { tg.Refusal = errors.New("names no account") }
		}, "names no account"},
		"forbidden": {"the project does not permit the namespace", func(w *world) {
			w.hooks[0].Object.SetNamespace("pay")
		}, "pay"},
		"cluster": {"the cluster does not tell what is there", func(w *world) { w.cluster.down = errors.New("down") }, "down"},
		"hub":     {"nobody knows what others have", func(w *world) { w.hub.deaf = errors.New("deaf") }, "deaf"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := running(t, hook("h", "PreDelete"))
			tc.change(w)
			_, err := w.look()
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasSuffix(err.Error(), "causeway delete shop --no-hooks") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if len(w.sent) > 0 || len(w.app.Finalizers) != 1 {
				t.Errorf("%s: sent is %v, and finalizers are %v", tc.reason, w.sent, w.app.Finalizers)
			}
		})
	}
}

// TestHooksThatHaveRunGo by their delete policy, where they are the Application's.
func TestHooksThatHaveRunGo(t *testing.T) {
	mark, policy := annotated(gitops.AnnotationHook, "PreDelete"), annotated("argocd.argoproj.io/hook-delete-policy", "HookSucceeded")
	cases := map[string]struct {
		reason string
		live   *gitops.Live
		goes   bool
	}{
		"done":      {"its policy says so", object("ConfigMap", "h", mark, policy), true},
		"stays":     {"its policy says nothing", object("ConfigMap", "h", mark), false},
		"otherwise": {"its policy says when else", object("ConfigMap", "h", mark, annotated("argocd.argoproj.io/hook-delete-policy", "HookFailed,BeforeHookCreation")), false},
		"phase":     {"hooks of another phase have not run yet", object("ConfigMap", "h", annotated(gitops.AnnotationHook, "PostDelete"), policy), false},
		"no hook":   {"an object that only has the policy is none", object("ConfigMap", "h", policy), false},
		"another's": {"another Application runs it", object("ConfigMap", "h", mark, policy, func(l *gitops.Live) { l.Tracking = gitops.TrackingID("other", l.Key) }), false},
		"elsewhere": {"the project does not permit it any more", object("ConfigMap", "h", mark, policy, func(l *gitops.Live) { l.Key.Namespace = "pay"; l.Tracking = gitops.TrackingID("shop", l.Key) }), false},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := deleting(t, tc.live)
			w.app.Finalizers = []string{v1alpha1.FinalizerPreDelete + cleanup}
			if _, err := w.look(); err != nil {
				t.Fatal(err)
			}
			var want []string
			if tc.goes {
				want = []string{"prune ConfigMap/h background"}
			}
			if !slices.Equal(w.sent, want) || len(w.app.Finalizers) > 0 == !tc.goes {
				t.Errorf("%s: sent is %v, and finalizers are %v", tc.reason, w.sent, w.app.Finalizers)
			}
			if tc.goes && (len(w.notices) != 1 || w.notices[0].Why != HasRun) {
				t.Errorf("it is told %+v", w.notices)
			}
		})
	}
}
