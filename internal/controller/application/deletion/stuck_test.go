package deletion

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestWayOut(t *testing.T) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	refused := func(fix string) *gitops.Problem { return gitops.Problemf(gitops.Refused, "cannot delete it").Do(fix) }
	tests := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Rights":   {"a fix may name the engine's account, and is no way out", refused("give service account argocd/causeway the right to delete pods"), "right to delete pods; to delete the Application and leave what is left of its objects: causeway delete shop --no-cascade"},
		"Optional": {"what may be left out says how", optional{refused("without its hooks: causeway delete shop --no-hooks")}, "cannot delete it; without its hooks: causeway delete shop --no-hooks"},
		"Plain":    {"what is nobody's problem says nothing", errors.New("odd"), "odd; to delete the Application and leave what is left of its objects: causeway delete shop --no-cascade"},
		"No fix":   {"nor does one without a fix", gitops.Problemf(gitops.Refused, "cannot delete it"), "cannot delete it; to delete the Application and leave what is left of its objects: causeway delete shop --no-cascade"},
		"Wrapped":  {"what stands around it stays", fmt.Errorf("of wave 2: %w", refused("mend it")), "of wave 2: cannot delete it; mend it; to delete the Application and leave what is left of its objects: causeway delete shop --no-cascade"},
		"Pending":  {"so does what is waited for", &expected{problem: refused("confirm it")}, "cannot delete it; confirm it"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := (&Remover{}).wayOut(app, tc.err).Error(); !strings.HasSuffix(got, tc.want) {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestUnfinalize: a command to copy has no name in it that a shell would run.
func TestUnfinalize(t *testing.T) {
	const without = "take it off metadata.finalizers"
	patch := func(what string) string {
		return "kubectl patch " + what + ` --type=merge -p '{"metadata":{"finalizers":null}}'`
	}
	for name, tc := range map[string]struct {
		key  gitops.Key
		want string
	}{
		"Object":  {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a.b"}, patch("configmap a.b -n shop")},
		"Role":    {gitops.Key{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:shop"}, patch("clusterrole.rbac.authorization.k8s.io system:shop")},
		"Command": {gitops.Key{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "x;reboot"}, without},
		"Flag":    {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "--all"}, without},
		"Space":   {gitops.Key{Kind: "ConfigMap", Namespace: "shop -A", Name: "a"}, without},
		"Empty":   {gitops.Key{Kind: "ConfigMap", Namespace: "shop"}, without},
		"Letters": {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "é"}, without},
		"Lines":   {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a\nreboot"}, without},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unfinalize(tc.key); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestDeletionThatWaits is told at once, and is an error when it has waited for the same
// too long.
func TestDeletionThatWaits(t *testing.T) {
	w := deleting(t, object("ConfigMap", "a", going("example.com/hold")), object("ConfigMap", "b", annotated(gitops.AnnotationWave, "1"), going("example.com/hold")), object("ConfigMap", "c"))
	w.cluster.whole = &unstructured.Unstructured{Object: map[string]any{}}
	w.cluster.whole.SetDeletionTimestamp(w.app.DeletionTimestamp)
	for _, step := range []struct {
		reason string
		after  time.Duration
		goes   string
		again  time.Duration
		event  string
		fails  bool
	}{
		{"it is told", 0, "", Pause, "/ConfigMap:shop/b (3 objects left)", false},
		{"and not again, although fewer are left", Pause, "c", Pause, "", false},
		{"shortly before it is an error it is looked at then", StuckAfter - Pause - time.Second, "", time.Second, "", false},
		{"it has waited too long", time.Second, "", Pause, "", true},
		{"it goes on, so it has time again", time.Second, "b", Pause, "/ConfigMap:shop/a (1 object left)", false},
		{"which ends", StuckAfter, "", Pause, "", true},
	} {
		w.now, w.events = w.now.Add(step.after), nil
		delete(w.cluster.has, object("ConfigMap", step.goes).Key)
		again, err := w.look()
		if (err != nil) != step.fails || again != step.again || err != nil && !strings.Contains(err.Error(), "it is being deleted since") {
			t.Errorf("%s: it comes again in %s: %v", step.reason, again, err)
		}
		if events := strings.Join(w.events, "; "); (events != "") != (step.event != "") || !strings.HasSuffix(events, step.event) {
			t.Errorf("%s: it is told %q", step.reason, events)
		}
	}
	w.StuckAfter = 0
	w.Stuck.Forget(types.NamespacedName{Namespace: "argocd", Name: "shop"})
	if _, err := w.look(); err == nil || len(w.events) != 1 {
		t.Errorf("without patience it is told %q, and fails at once: %v", w.events, err)
	}
}

// TestWaitIsTheSameWhateverIsSaidOfIt: a hook that counts what it has done, and objects of
// which somebody deletes one by hand, are waited for since they were waited for first.
func TestWaitIsTheSameWhateverIsSaidOfIt(t *testing.T) {
	asks := annotated(gitops.AnnotationSync, "Delete=confirm")
	for name, tc := range map[string]struct {
		reason  string
		world   func() *world
		between func(*world)
		says    string
	}{
		"Hook": {"its health says something else at each look", func() *world {
			w := running(t, hook("h", "PreDelete"))
			w.health = gitops.Health{Code: gitops.Progressing, Message: "1 of 3"}
			return w
		}, func(w *world) { w.cluster.has[object("ConfigMap", "h").Key].Health.Message = "2 of 3" }, "2 of 3"},
		"Person": {"one of two that ask for a word is gone", func() *world {
			return deleting(t, object("ConfigMap", "a", asks), object("ConfigMap", "b", asks))
		}, func(w *world) { delete(w.cluster.has, object("ConfigMap", "a").Key) }, "the deletion of /ConfigMap:shop/b;"},
	} {
		t.Run(name, func(t *testing.T) {
			w := tc.world()
			if _, err := w.look(); err != nil || len(w.events) != 1 {
				t.Fatalf("%s: at first it is told %q: %v", tc.reason, w.events, err)
			}
			tc.between(w)
			w.now = w.now.Add(StuckAfter)
			if _, err := w.look(); err == nil || !strings.Contains(err.Error(), tc.says) || len(w.events) != 1 {
				t.Errorf("%s: having waited for too long it fails with %v, and is told %q", tc.reason, err, w.events)
			}
		})
	}
}

// TestNextHookHasItsOwnTime: another one that is waited for is progress.
func TestNextHookHasItsOwnTime(t *testing.T) {
	w := running(t, hook("early", "PreDelete"), hook("late", "PreDelete", gitops.AnnotationWave, "1"))
	w.health = gitops.Health{Code: gitops.Progressing, Message: "runs"}
	if _, err := w.look(); err != nil {
		t.Fatal(err)
	}
	w.cluster.has[object("ConfigMap", "early").Key].Health = gitops.Health{Code: gitops.Healthy}
	w.now = w.now.Add(StuckAfter)
	if again, err := w.look(); err != nil || again != Pause || len(w.events) != 2 {
		t.Errorf("it comes again in %s, and is told %q: %v", again, w.events, err)
	}
}

// TestDeletionThatFailsIsToldAtOnce: nobody has to wait to learn that.
func TestDeletionThatFailsIsToldAtOnce(t *testing.T) {
	w := deleting(t, object("ConfigMap", "a"))
	w.refused = gitops.Problemf(gitops.Refused, "cannot delete it").Do("give it the right")
	again, err := w.look()
	if want := "cannot delete it; give it the right; to delete the Application and leave what is left of its objects: causeway delete shop --no-cascade"; err == nil || err.Error() != want {
		t.Errorf("it is told %v, want %s", err, want)
	}
	if again != Pause || len(w.app.Finalizers) != 1 {
		t.Errorf("it comes again in %s, and finalizers are %v", again, w.app.Finalizers)
	}
}

// TestHooksAreRememberedBesideTheWait, and gone with the Application.
func TestHooksAreRememberedBesideTheWait(t *testing.T) {
	s, name := NewStuck(), types.NamespacedName{Namespace: "argocd", Name: "shop"}
	try := s.try(name)
	if since, news := s.Note(name, "a", at); !news || !since.Equal(at) || s.try(name) != try {
		t.Errorf("since %s, news: %t", since, news)
	}
	if _, news := s.Note(types.NamespacedName{Namespace: "team", Name: "shop"}, "a", at); !news {
		t.Error("a namesake waits for the same since then")
	}
	if s.Forget(name); s.try(name) == try {
		t.Error("one that is made under the name goes on with the hooks of the one that is gone")
	}
}

// TestWhatHoldsAnObject is told, with what lets it go.
func TestWhatHoldsAnObject(t *testing.T) {
	condition := func(kind, status, message string) map[string]any {
		return map[string]any{"type": kind, "status": status, "message": message}
	}
	whole := func(kind string, finalizers []string, conditions ...any) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"kind": kind, "status": map[string]any{"conditions": conditions}}}
		since := metav1.NewTime(at.Add(-time.Hour))
		o.SetDeletionTimestamp(&since)
		o.SetFinalizers(finalizers)
		return o
	}
	untouched := whole("ConfigMap", []string{"example.com/hold"})
	untouched.SetDeletionTimestamp(nil)
	odd := whole("Namespace", nil)
	odd.Object["status"] = map[string]any{"conditions": []any{"odd", map[string]any{"type": int64(7)}}}
	const waits, since = "waiting for the deletion of /ConfigMap:shop/a (1 object left)", ": it is being deleted since 2026-05-04T09:30:00Z"
	cases := map[string]struct {
		reason string
		whole  *unstructured.Unstructured
		want   string
	}{
		"gone":       {"it went meanwhile", nil, waits},
		"not yet":    {"it was made again meanwhile", untouched, waits},
		"nothing":    {"it goes now", whole("ConfigMap", nil), waits + since},
		"dependents": {"what it owns goes first", whole("ConfigMap", []string{metav1.FinalizerDeleteDependents}), waits + since + ", and waits for the objects that it owns"},
		"finalizer": {"somebody has to take it off", whole("ConfigMap", []string{metav1.FinalizerDeleteDependents, "example.com/hold", "b"}),
			waits + since + ", and finalizer example.com/hold, b holds it; see that the controller of this finalizer runs; to let the object go without it: " + unfinalize(object("ConfigMap", "a").Key)},
		"namespace": {"what is left in it is told by it", whole("Namespace", []string{"kubernetes"}, condition("NamespaceContentRemaining", "True", "pods. has 1"), condition("NamespaceDeletionDiscoveryFailure", "False", "all found"), condition("NamespaceDeletionContentFailure", "True", ""), condition("NamespaceFinalizersRemaining", "True", "b/c in 1")),
			waits + since + ", and pods. has 1; b/c in 1"},
		"application": {"why another Application stays is told by it", whole(v1alpha1.ApplicationKind, []string{v1alpha1.FinalizerResources}, map[string]any{"type": "DeletionError", "message": "denied"}),
			waits + since + ", and denied"},
		"silent": {"an Application that says nothing is held as others are", whole(v1alpha1.ApplicationKind, []string{"x"}, condition("SyncError", "", "no")),
			waits + since + ", and finalizer x holds it; see that the controller of this finalizer runs; to let the object go without it: " + unfinalize(object("ConfigMap", "a").Key)},
		"odd": {"conditions of any form are read", odd, waits + since},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			b := &Blocked{cluster: &place{whole: tc.whole}, object: object("ConfigMap", "a"), left: 1}
			if got := b.explain(t.Context()).Error(); got != tc.want {
				t.Errorf("%s: got\n%s\nwant\n%s", tc.reason, got, tc.want)
			}
		})
	}
}
