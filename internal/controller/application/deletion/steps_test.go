package deletion

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/room"
)

// TestStepsOfADeletion come one a look, whatever the order of the finalizers, each before
// its finalizer goes; those of others stay.
func TestStepsOfADeletion(t *testing.T) {
	const pre, post, cascade, foreign = v1alpha1.FinalizerPreDelete, v1alpha1.FinalizerPostDelete, v1alpha1.FinalizerResourcesBackground, "example.com/other"
	w := deleting(t, object("ConfigMap", "a"))
	w.app.Finalizers = []string{post + cleanup, foreign, post, cascade, pre + cleanup, pre}
	w.hooks = []gitops.Manifest{hook("before", "PreDelete"), hook("after", "PostDelete")}
	w.Memo.Remember("https://east", object("ConfigMap", "a").Key, "d", "l")
	for i, step := range []struct{ sent, left string }{
		{"create ConfigMap/before", strings.Join([]string{post + cleanup, foreign, post, cascade, pre + cleanup}, " ")},
		{"", strings.Join([]string{post + cleanup, foreign, post, cascade}, " ")},
		{"prune ConfigMap/a background, prune ConfigMap/before background", strings.Join([]string{post + cleanup, foreign, post, cascade}, " ")},
		{"", strings.Join([]string{post + cleanup, foreign, post}, " ")},
		{"create ConfigMap/after", strings.Join([]string{post + cleanup, foreign}, " ")},
		{"", foreign},
		{"", foreign},
	} {
		w.sent = nil
		if _, err := w.look(); err != nil {
			t.Fatalf("look %d: %v", i+1, err)
		}
		if got := strings.Join(w.sent, ", "); got != step.sent {
			t.Errorf("look %d sends %q, want %q", i+1, got, step.sent)
		}
		if got := strings.Join(w.app.Finalizers, " "); got != step.left {
			t.Errorf("look %d leaves %q, want %q", i+1, got, step.left)
		}
		if over := i >= 5; over != (len(w.forgot) > 0) || over == w.Memo.Has("https://east", object("ConfigMap", "a").Key) {
			t.Errorf("look %d: %v is forgotten", i+1, w.forgot)
		}
	}
	if want := []types.NamespacedName{{Namespace: "argocd", Name: "shop"}}; !slices.Equal(w.forgot, want) {
		t.Errorf("forgotten is %v", w.forgot)
	}
}

// TestWhatIsForgottenIsItsOwn: a status may name objects of others.
func TestWhatIsForgottenIsItsOwn(t *testing.T) {
	w, theirs := deleting(t), gitops.Key{Kind: "ConfigMap", Namespace: "pay", Name: "a"}
	w.app.Status.Resources = []v1alpha1.ResourceStatus{{Version: "v1", Kind: "ConfigMap", Namespace: "pay", Name: "a"}}
	w.Memo.Remember("https://east", theirs, "d", "l")
	if _, err := w.look(); err != nil || len(w.app.Finalizers) > 0 || !w.Memo.Has("https://east", theirs) {
		t.Errorf("what is known of %s is gone: %v", theirs, err)
	}
}

// TestDeletionThatReachesNothing leaves the objects and tells so; where that is not known
// it waits, and lets nothing go.
func TestDeletionThatReachesNothing(t *testing.T) {
	away := gitops.Problemf(gitops.Unreachable, "cluster east does not answer")
	noProject := func(w *world) { w.hub.projects = nil }
	noCluster := func(w *world) { delete(w.hub.clusters, "east") }
	narrow := func(w *world) { w.hub.projects["web"].Spec.Destinations = nil }
	unanswered := func(w *world) { w.hub.unknown = away }
	cases := map[string]struct {
		reason string
		change []func(*world)
		left   string // the objects stay
		waits  string
	}{
		"cluster":           {"nobody knows where it was", []func(*world){noCluster}, "there is no cluster", ""},
		"both":              {"neither a project nor a cluster comes back", []func(*world){noCluster, noProject}, "there is no cluster", ""},
		"project":           {"what it may touch is not known", []func(*world){noProject}, "", `no project "web"`},
		"unanswered":        {"a cluster that does not answer has the objects", []func(*world){unanswered}, "", "does not answer"},
		"nothing permitted": {"the project permits nothing there", []func(*world){narrow}, "permits nothing there", ""},
		"narrowed, away":    {"nor where the cluster does not answer", []func(*world){narrow, unanswered}, "permits nothing there", ""},
		"its namespace":     {"Applications of another namespace may not use the project", []func(*world){func(w *world) { w.app.Namespace = "team" }}, "project", ""},
		"two names":         {"a destination that names a cluster in two ways leads to none", []func(*world){unanswered, noProject, func(w *world) { w.app.Spec.Destination.Server = "https://east" }}, "does not answer", ""},
		"no name":           {"nor does one that names none", []func(*world){unanswered, func(w *world) { w.app.Spec.Destination.Name = "" }}, "does not answer", ""},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := deleting(t, object("ConfigMap", "a"))
			w.app.Finalizers = []string{v1alpha1.FinalizerResources, "example.com/other", v1alpha1.FinalizerPostDelete}
			for _, change := range tc.change {
				change(w)
			}
			_, err := w.look()
			if (err != nil) != (tc.waits != "") || err != nil && (!strings.Contains(err.Error(), tc.waits) || !strings.Contains(err.Error(), "causeway delete shop --no-cascade")) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.waits)
			}
			events := strings.Join(w.events, "; ")
			if (events != "") != (tc.left != "") || !strings.Contains(events, tc.left) {
				t.Errorf("%s: it is told %q", tc.reason, events)
			}
			want := []string{"example.com/other"}
			if tc.left == "" {
				want = []string{v1alpha1.FinalizerResources, "example.com/other", v1alpha1.FinalizerPostDelete}
			}
			if diff := cmp.Diff(want, w.app.Finalizers); diff != "" || len(w.sent) > 0 || len(w.forgot) > 0 != (tc.left != "") {
				t.Errorf("%s: sent is %v, forgotten %v, and finalizers are (-want +got):\n%s", tc.reason, w.sent, w.forgot, diff)
			}
		})
	}
}

// TestClusterIsNotToldApart: who writes an Application does not learn from its deletion
// which clusters there are.
func TestClusterIsNotToldApart(t *testing.T) {
	var told []string
	for _, there := range []bool{true, false} {
		w := deleting(t)
		w.hub.projects["web"].Spec.Destinations = nil
		if !there {
			delete(w.hub.clusters, "east")
		}
		_, err := w.Admit(t.Context(), w.app)
		told = append(told, fmt.Sprint(err))
	}
	if told[0] != told[1] || told[0] == "<nil>" {
		t.Errorf("it is told %q", told)
	}
}

// TestDeletionWithoutRoom comes again as if nothing had been: no step is over, nothing is told.
func TestDeletionWithoutRoom(t *testing.T) {
	w := deleting(t)
	w.app.Finalizers = []string{v1alpha1.FinalizerPreDelete}
	w.hookErr = fmt.Errorf("cannot render: %w", room.ErrNoRoom)
	if _, err := w.look(); !errors.Is(err, room.ErrNoRoom) || strings.Contains(err.Error(), "causeway") || len(w.app.Finalizers) != 1 || len(w.events) > 0 {
		t.Errorf("it is told %v: %v", w.events, err)
	}
}

// TestDeletionWithoutFinalizers has no step: the objects stay where they are, and nobody asks for them.
func TestDeletionWithoutFinalizers(t *testing.T) {
	w := deleting(t, object("ConfigMap", "a"))
	w.app.Finalizers, w.hub.projects = []string{"example.com/other"}, nil
	if again, err := w.look(); err != nil || len(w.sent) > 0 || len(w.forgot) > 0 || w.cluster.asked != nil || again != 0 {
		t.Errorf("sent is %v, and it comes again in %s: %v", w.sent, again, err)
	}
}

// TestCommandsNameTheApplication that is meant: by its name alone it would be another one,
// of the control namespace, that somebody deletes.
func TestCommandsNameTheApplication(t *testing.T) {
	cases := map[string]struct {
		reason string
		live   *gitops.Live
		change func(*world)
		want   string
	}{
		"cascade":   {"the objects may be left", object("ConfigMap", "a"), func(w *world) { w.refused = errors.New("no") }, "causeway delete team/shop --no-cascade"},
		"confirm":   {"somebody has to confirm", object("ConfigMap", "a", annotated("argocd.argoproj.io/sync-options", "Delete=confirm")), func(w *world) { w.StuckAfter = 0 }, "causeway approve team/shop;"},
		"cannot":    {"hooks cannot be rendered", object("ConfigMap", "a"), func(w *world) { w.hookErr = errors.New("no") }, "causeway delete team/shop --no-hooks"},
		"hook":      {"a hook failed", object("ConfigMap", "a"), func(w *world) { w.health.Code = gitops.Degraded }, "causeway delete team/shop --no-hooks"},
		"hook runs": {"a hook runs", object("ConfigMap", "a"), func(w *world) { w.health.Code, w.StuckAfter = gitops.Progressing, 0 }, "causeway delete team/shop --no-hooks"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			tc.live.Tracking = gitops.TrackingID("team_shop", tc.live.Key)
			w := deleting(t, tc.live)
			w.app.Namespace, w.hub.projects["web"].Spec.SourceNamespaces = "team", []string{"team"}
			if strings.Contains(tc.want, "hooks") {
				w.app.Finalizers, w.hooks = []string{v1alpha1.FinalizerPreDelete}, []gitops.Manifest{hook("h", "PreDelete")}
			}
			tc.change(w)
			if _, err := w.look(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
