package deletion

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestCascadeGoesDownTheWaves: the highest wave goes first, by its names, and the next
// when nothing of it is left.
func TestCascadeGoesDownTheWaves(t *testing.T) {
	wave := func(n string) func(*gitops.Live) { return annotated(gitops.AnnotationWave, n) }
	w := deleting(
		t, object("ConfigMap", "low", wave("-1")), object("Secret", "b", wave("5")), object("ConfigMap", "plain"),
		object("ConfigMap", "d", wave("5")), object("ConfigMap", "c", wave("5")), object("ConfigMap", "b", wave("5")), object("ConfigMap", "odd", wave("first")), object("ConfigMap", "held", wave("3"), going("example.com/hold")),
	)
	for _, step := range []struct{ reason, sent, waits string }{
		{"the highest wave", "prune ConfigMap/b foreground, prune ConfigMap/c foreground, prune ConfigMap/d foreground, prune Secret/b foreground", "/ConfigMap:shop/b (8 objects left)"},
		{"what goes already is not deleted again, and not overtaken", "", "/ConfigMap:shop/held (4 objects left)"},
		{"nor at the next look", "", "/ConfigMap:shop/held (4 objects left)"},
		{"it is gone; what tells no wave is in wave 0", "prune ConfigMap/odd foreground, prune ConfigMap/plain foreground", "/ConfigMap:shop/odd (3 objects left)"},
		{"the last one", "prune ConfigMap/low foreground", "/ConfigMap:shop/low (1 object left)"},
		{"nothing is left", "", ""},
	} {
		if strings.HasPrefix(step.reason, "it is gone") {
			delete(w.cluster.has, gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "held"})
		}
		w.sent = nil
		err := w.Cascade(t.Context(), w.removal())
		if got := strings.Join(w.sent, ", "); got != step.sent {
			t.Errorf("%s: sent %q, want %q", step.reason, got, step.sent)
		}
		if (err != nil) != (step.waits != "") || err != nil && err.Error() != "waiting for the deletion of "+step.waits {
			t.Errorf("%s: it waits for %v, want %q", step.reason, err, step.waits)
		}
	}
}

// TestWhatGoesWithAnApplication and what stays, as each is somebody else's as well.
func TestWhatGoesWithAnApplication(t *testing.T) {
	other := func(change ...func(*v1alpha1.Application)) func(*world) {
		return func(w *world) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "other", UID: "2"}, Spec: *w.app.Spec.DeepCopy()}
			app.Status.Resources = slices.Clone(w.app.Status.Resources)
			for _, c := range change {
				c(app)
			}
			w.hub.apps = append(w.hub.apps, app)
		}
	}
	goes := func(a *v1alpha1.Application) { a.DeletionTimestamp = &metav1.Time{Time: at} }
	hasNothing := func(a *v1alpha1.Application) { a.Status.Resources = nil }
	others := func(l *gitops.Live) { l.Tracking = gitops.TrackingID("other", l.Key) }
	unlisted := func(w *world) { w.app.Status.Resources[0].RequiresPruning = true }
	option := func(o string) func(*world) {
		return func(w *world) {
			w.app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{SyncOptions: v1alpha1.SyncOptions{o}}
		}
	}
	says := func(o string) func(*gitops.Live) { return annotated("argocd.argoproj.io/sync-options", o) }
	child := func(namespace, name string) func(*gitops.Live) {
		return func(l *gitops.Live) {
			l.Key = gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: namespace, Name: name}
			l.Tracking = gitops.TrackingID("shop", l.Key)
		}
	}
	cases := map[string]struct {
		reason string
		object *gitops.Live
		change func(*world)
		stays  bool
	}{
		"own":        {"it made it", object("ConfigMap", "a"), nil, false},
		"owned":      {"it belongs to another object, which takes it along", object("ConfigMap", "a", func(l *gitops.Live) { l.Owners = []types.UID{"2"} }), nil, true},
		"copied":     {"somebody copied the mark of another object", object("ConfigMap", "a", func(l *gitops.Live) { l.Tracking = object("ConfigMap", "b").Tracking }), nil, true},
		"out of Git": {"it made it, although it is not in its sources any more", object("ConfigMap", "a"), unlisted, false},
		"Delete":     {"it says that it stays", object("ConfigMap", "a", says("Delete=false")), nil, true},
		"options":    {"all of the Application stay", object("ConfigMap", "a"), option("Delete=false"), true},
		"its word":   {"but what says otherwise itself", object("ConfigMap", "a", says("Delete=true")), option("Delete=false"), false},
		"definition": {"its instances may be anybody's", object("CustomResourceDefinition", "a", func(l *gitops.Live) {
			l.Key.Group, l.Key.Namespace = "apiextensions.k8s.io", ""
			l.Tracking = gitops.TrackingID("shop", l.Key)
		}), nil, true},
		"itself":    {"an Application that is part of what it deploys would wait for itself", object("", "", child("argocd", "shop")), nil, true},
		"child":     {"another Application goes", object("", "", child("argocd", "shop-db")), nil, false},
		"namesake":  {"and one of its name elsewhere", object("", "", child("shop", "shop")), nil, false},
		"elsewhere": {"the project does not permit the namespace any more", object("ConfigMap", "a", func(l *gitops.Live) { l.Key.Namespace = "pay"; l.Tracking = gitops.TrackingID("shop", l.Key) }), nil, true},
		"excluded": {"the installation leaves the kind alone", object("Secret", "a"), func(w *world) {
			w.Comparing, _ = plan.ParseSettings(map[string]string{"resource.exclusions": "- {apiGroups: [''], kinds: [Secret], clusters: ['*']}"})
		}, true},
		"taken":       {"another Application has it in its sources", object("ConfigMap", "a"), other(), true},
		"taken, goes": {"it waits for what another one has as well, where it goes already", object("ConfigMap", "a", going()), other(), false},
		"both go":     {"nobody is left to have it", object("ConfigMap", "a"), other(goes), false},
		"not taken":   {"the other one has something else", object("ConfigMap", "a"), other(hasNothing), false},
		"far": {"the other one has it in another cluster", object("ConfigMap", "a"), func(w *world) {
			w.hub.clusters["west"] = &place{server: "https://west"}
			other(func(a *v1alpha1.Application) { a.Spec.Destination.Name = "west" })(w)
		}, false},
		"not its":      {"another Application made it", object("ConfigMap", "a", others), other(hasNothing), true},
		"inherited":    {"who made it is gone, and it is in the sources of this one", object("ConfigMap", "a", others), nil, false},
		"left":         {"who made it is going as well", object("ConfigMap", "a", others), other(goes), false},
		"not listed":   {"who made it is gone, but it is nothing of this one", object("ConfigMap", "a", others), unlisted, true},
		"made by none": {"it is in the sources, and nobody made it", object("ConfigMap", "a", func(l *gitops.Live) { l.Tracking = "" }), nil, true},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := deleting(t, tc.object)
			if tc.change != nil {
				tc.change(w)
			}
			if err := w.Cascade(t.Context(), w.removal()); (err == nil) != tc.stays {
				t.Errorf("%s: it ends with %v", tc.reason, err)
			}
			if stays := len(w.sent) == 0; stays != tc.stays && !tc.object.Deleting {
				t.Errorf("%s: sent is %v", tc.reason, w.sent)
			}
		})
	}
}

// TestCascadeWaitsForAPersonsWord before it deletes anything, if one object asks for it.
func TestCascadeWaitsForAPersonsWord(t *testing.T) {
	asks := annotated("argocd.argoproj.io/sync-options", "Delete=confirm")
	plain, a, b := object("ConfigMap", "plain"), object("Secret", "a", asks), object("Secret", "b", asks)
	cases := map[string]struct {
		reason   string
		objects  []*gitops.Live
		approved string
		option   string
		want     string
	}{
		"nobody asks": {"nothing to confirm", []*gitops.Live{plain}, "", "", ""},
		"one asks":    {"not even what does not ask goes", []*gitops.Live{plain, a}, "", "", "the deletion of /Secret:shop/a; confirm it"},
		"two ask":     {"the others are counted", []*gitops.Live{a, b}, "", "", "the deletion of /Secret:shop/a (and 1 more); confirm it"},
		"all ask":     {"by the options of the Application", []*gitops.Live{plain}, "", "Delete=confirm", "the deletion of /ConfigMap:shop/plain; confirm it"},
		"prune asks":  {"who asks before a sync deletes it asks now as well", []*gitops.Live{object("Secret", "p", annotated("argocd.argoproj.io/sync-options", "Prune=confirm"))}, "", "", "/Secret:shop/p"},
		"goes":        {"it is too late to ask", []*gitops.Live{object("Secret", "a", asks, going())}, "", "", ""},
		"confirmed":   {"in the second of the deletion", []*gitops.Live{a}, "2026-05-04T10:30:00Z", "", ""},
		"elsewhere":   {"in another time zone", []*gitops.Live{a}, "2026-05-04T12:30:01+02:00", "", ""},
		"before":      {"a word from before is not about this", []*gitops.Live{a}, "2026-05-04T10:29:59Z", "", "confirm it"},
		"no time":     {"nor is a word without a time", []*gitops.Live{a}, "true", "", "confirm it"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := deleting(t, tc.objects...)
			w.app.Annotations = map[string]string{v1alpha1.AnnotationDeletionApproved: tc.approved}
			if tc.option != "" {
				w.app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{SyncOptions: v1alpha1.SyncOptions{tc.option}}
			}
			err := w.Cascade(t.Context(), w.removal())
			_, waits := errors.AsType[*expected](err)
			if waits != (tc.want != "") || waits && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			if waits && len(w.sent) > 0 {
				t.Errorf("%s: sent is %v", tc.reason, w.sent)
			}
		})
	}
}

// TestCascadePropagatesAsTheFinalizerSays.
func TestCascadePropagatesAsTheFinalizerSays(t *testing.T) {
	for finalizer, want := range map[string]string{
		v1alpha1.FinalizerResources:           "prune ConfigMap/a foreground",
		v1alpha1.FinalizerResourcesForeground: "prune ConfigMap/a foreground",
		v1alpha1.FinalizerResourcesBackground: "prune ConfigMap/a background",
	} {
		w := deleting(t, object("ConfigMap", "a"))
		w.app.Finalizers = []string{"example.com/other", finalizer}
		if _ = w.Cascade(t.Context(), w.removal()); !slices.Equal(w.sent, []string{want}) {
			t.Errorf("%s: sent is %v", finalizer, w.sent)
		}
	}
}

// TestCascadeStops where it does not know enough, or is refused: it is neither over, nor
// does it wait for an object to go.
func TestCascadeStops(t *testing.T) {
	broken := errors.New("broken")
	cases := map[string]struct {
		reason string
		breaks func(*world)
		want   string
		sent   int
	}{
		"cluster": {"what is there is not known", func(w *world) { w.cluster.down = broken }, "broken", 0},
		"hub":     {"what others have is not known", func(w *world) { w.hub.deaf = broken }, "cannot tell what other applications have", 0},
		"project": {"what is permitted now is not known", func(w *world) { w.meanwhile = func(*state.Subject) error { return broken } }, "broken", 0},
		"refused": {"the API server says no", func(w *world) { w.refused = broken }, "broken", 1},
		"narrowed": {"what is not permitted any more stays, and is not waited for", func(w *world) {
			w.meanwhile = func(s *state.Subject) error { s.Project = &v1alpha1.AppProject{}; return nil }
		}, "", 0},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			w := deleting(t, object("ConfigMap", "a"))
			d := w.removal()
			tc.breaks(w)
			err := w.Cascade(t.Context(), d)
			if _, waits := errors.AsType[*Blocked](err); waits || (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if len(w.sent) != tc.sent || len(w.notices) > 0 {
				t.Errorf("%s: sent is %v, and it is told that %v went", tc.reason, w.sent, w.notices)
			}
		})
	}
}

// TestDeletionsAreTold to who keeps an audit, each once.
func TestDeletionsAreTold(t *testing.T) {
	w := deleting(t, object("ConfigMap", "a"), object("ConfigMap", "b"), object("ConfigMap", "c", going()))
	_ = w.Cascade(t.Context(), w.removal())
	want := []Notice{{App: w.app, Cluster: w.cluster.Desc(), Why: whyCascade, Objects: []gitops.Key{object("ConfigMap", "a").Key, object("ConfigMap", "b").Key}}}
	if diff := cmp.Diff(want, w.notices); diff != "" {
		t.Errorf("told is (-want +got):\n%s", diff)
	}
	w.Deleted = nil // nobody keeps one
	w.cluster.has[object("ConfigMap", "d").Key] = object("ConfigMap", "d")
	if _ = w.Cascade(t.Context(), w.removal()); len(w.sent) != 3 {
		t.Errorf("sent is %v", w.sent)
	}
}

// TestKindsOfADeletion are asked for once each, also those that only the last operation
// touched: its objects may not be in the status yet.
func TestKindsOfADeletion(t *testing.T) {
	w := deleting(t, object("ConfigMap", "a"), object("ConfigMap", "b"))
	w.app.Status.OperationState = &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		{Version: "v1", Kind: "ConfigMap", Name: "a"}, {Group: "batch", Version: "v1", Kind: "Job", Name: "migrate"},
	}}}
	_ = w.Cascade(t.Context(), w.removal())
	var got []string
	for _, k := range w.cluster.asked {
		got = append(got, k.GroupKind().String())
	}
	if !slices.Equal(got, []string{"ConfigMap", "Job.batch"}) {
		t.Errorf("the cluster is asked for %v", got)
	}
	w.app.Status.Resources = append(w.app.Status.Resources, v1alpha1.ResourceStatus{Version: "v1", Kind: "ConfigMap", Namespace: "pay", Name: "a"})
	w.app.Status.Resources[1].Hook = true
	if _ = w.Cascade(t.Context(), w.removal()); !slices.Equal(w.cluster.named, []gitops.Key{object("ConfigMap", "a").Key}) {
		t.Errorf("where the project permits nothing, or of what is in no source, it is asked for %v", w.cluster.named)
	}
	w.app.Status = v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{}}
	if err := w.Cascade(context.Background(), w.removal()); err != nil || len(w.cluster.asked) > 0 {
		t.Errorf("without objects it is asked for %v: %v", w.cluster.asked, err)
	}
}

// TestLongestIsTold: of several objects that are waited for, one that somebody else holds
// tells most.
func TestLongestIsTold(t *testing.T) {
	plain, foreground := object("ConfigMap", "a", going()), object("ConfigMap", "b", going(metav1.FinalizerDeleteDependents))
	held, wants := object("ConfigMap", "c", going(metav1.FinalizerDeleteDependents, "example.com/hold")), object("ConfigMap", "d", func(l *gitops.Live) { l.Finalizers = []string{"example.com/hold"} })
	for name, tc := range map[string]struct {
		reason string
		last   []*gitops.Live
		want   string
	}{
		"held":       {"somebody has to take a finalizer off", []*gitops.Live{plain, foreground, wants, held}, "c"},
		"foreground": {"the garbage collector takes off its own", []*gitops.Live{foreground, plain}, "b"},
		"not yet":    {"what was deleted only now is not held yet", []*gitops.Live{plain, wants}, "a"},
	} {
		if got := longest(tc.last).Key.Name; got != tc.want {
			t.Errorf("%s: %s: it tells of %s", name, tc.reason, got)
		}
	}
}
