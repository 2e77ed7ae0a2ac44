package gitops

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// A tracking id counts on the object that it was written for: controllers copy
// annotations to what they make.
func TestTrackedBy(t *testing.T) {
	web := Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	role := Key{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "web"}
	hook := Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "migrate-x7"}
	cases := map[string]struct {
		reason, id string
		key        Key
		app        string
	}{
		"Own":            {"its own", "demo:apps/Deployment:shop/web", web, "demo"},
		"OtherNamespace": {"of an Application in another namespace", "team-a_demo:apps/Deployment:shop/web", web, "team-a_demo"},
		"Copied":         {"a ReplicaSet has its Deployment's", "demo:apps/Deployment:shop/web", Key{Group: "apps", Kind: "ReplicaSet", Namespace: "shop", Name: "web-1"}, ""},
		"Renamed":        {"one of another name was copied by somebody", "demo:apps/Deployment:shop/web", Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web2"}, ""},
		"Elsewhere":      {"and so was one of another namespace", "demo:apps/Deployment:bank/web", web, ""},
		"OldGroup":       {"a group is another kind", "demo:extensions/Deployment:shop/web", web, ""},
		"ClusterScoped":  {"what is in no namespace is tracked under its application's", "demo:rbac.authorization.k8s.io/ClusterRole:shop/web", role, "demo"},
		"ClusterBare":    {"or under none", "demo:rbac.authorization.k8s.io/ClusterRole:/web", role, "demo"},
		"NoNamespace":    {"what is in one is not tracked under none", "demo:apps/Deployment:/web", web, ""},
		"Generated":      {"a hook's name is not known when it is written", "demo:batch/Job:shop/", hook, "demo"},
		"GeneratedElse":  {"but its namespace is", "demo:batch/Job:bank/", hook, ""},
		"NoApp":          {"an id of nobody is one of nobody", ":apps/Deployment:shop/web", web, ""},
		"NoID":           {"what has another form is none", "demo", web, ""},
		"Empty":          {"nor is nothing", "", web, ""},
		"NoKind":         {"nor one without a kind", "demo:apps/:shop/web", web, ""},
		"Slashes":        {"a name has no slash", "demo:apps/Deployment:shop/web/x", web, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app, ok := TrackedBy(tc.id, tc.key)
			if app != tc.app || tc.app != "" && !ok {
				t.Errorf("%s: %q is %q's, %v", tc.reason, tc.id, app, ok)
			}
		})
	}
}

// A mark beside which another installation is named is not this one's, and neither is
// one that names none where this one has a name.
func TestMarksOfOtherInstallations(t *testing.T) {
	for _, tc := range []struct {
		own, mark string
		elsewhere bool
	}{{"", "", false}, {"a", "a", false}, {"a", "b", true}, {"a", "", true}, {"", "a", true}} {
		if got := (Tracking{Installation: tc.own}).Elsewhere(tc.mark); got != tc.elsewhere {
			t.Errorf("in the installation %q a mark of %q is elsewhere: %v", tc.own, tc.mark, got)
		}
	}
}

// Argo CD's method of the label alone is none of this engine, and others stay what they are.
func TestOwningMethods(t *testing.T) {
	for method, want := range map[TrackingMethod]TrackingMethod{"": "", TrackByAnnotation: TrackByAnnotation, TrackByLabel: TrackByBoth, TrackByBoth: TrackByBoth} {
		got := Tracking{Method: method, Label: "x", Installation: "i"}.Owning()
		if got != (Tracking{Method: want, Label: "x", Installation: "i"}) {
			t.Errorf("%q becomes %+v", method, got)
		}
	}
}

// A label's value that is cut ends in no sign, however many there are.
func TestLabelsAreCut(t *testing.T) {
	for app, want := range map[string]string{
		strings.Repeat("a", 63):                    strings.Repeat("a", 63),
		strings.Repeat("a", 64):                    strings.Repeat("a", 63),
		strings.Repeat("a", 60) + "-_.-b":          strings.Repeat("a", 60),
		strings.Repeat("a", 30) + "_" + "web.prod": strings.Repeat("a", 30) + "_web.prod",
	} {
		if got := labelValue(app); got != want {
			t.Errorf("%q is cut to %q", app, got)
		}
	}
}

func TestPausedBy(t *testing.T) {
	paused := Cluster{Name: "prod", Secret: "cluster-prod", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}
	if got := PausedBy(paused); !strings.Contains(got, "cluster prod is paused by the annotation "+v1alpha1.AnnotationSkipReconcile+" on its Secret cluster-prod") {
		t.Errorf("who is to end it is told %q", got)
	}
	for name, c := range map[string]Cluster{"None": {Name: "prod"}, "False": {Name: "prod", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "false"}}} {
		if got := PausedBy(c); got != "" {
			t.Errorf("%s: a cluster that is not paused is told %q", name, got)
		}
	}
}

// A cluster drains by the very word alone: what else somebody writes hides no cluster.
func TestDraining(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "True": false, "yes": false, "": false, "false": false} {
		if got := Draining(map[string]string{AnnotationDraining: value}); got != want {
			t.Errorf("%q drains: %v", value, got)
		}
	}
	if Draining(nil) {
		t.Error("a cluster without annotations drains")
	}
}

// What steers a sync is kept of live objects, and nothing else that somebody may annotate.
func TestSteers(t *testing.T) {
	for annotation, want := range map[string]bool{
		AnnotationWave: true, AnnotationHook: true, AnnotationHookDelete: true, AnnotationSync: true, AnnotationCompare: true, AnnotationIgnore: true, AnnotationHookRun: true,
		"helm.sh/hook": true, "helm.sh/hook-weight": true, "helm.sh/hook-delete-policy": true, "helm.sh/resource-policy": true,
		AnnotationTracking: false, AnnotationLastApplied: false, "argocd.argoproj.io/refresh": false, "team.example.com/owner": false, "": false,
	} {
		if Steers(annotation) != want {
			t.Errorf("%q steers: %v", annotation, !want)
		}
	}
}

// Of an Application, words to this engine alone are told from those that are Argo CD's.
func TestOwnAnnotations(t *testing.T) {
	for annotation, want := range map[string]bool{
		AnnotationAtomic: true, OwnPrefix + "whatever": true, v1alpha1.AnnotationDeletionApproved: true,
		"argocd.argoproj.io/refresh": false, "notifications.argoproj.io/x": false, "xcauseway.io/x": false, "": false,
	} {
		if OwnAnnotation(annotation) != want {
			t.Errorf("%q is the engine's own: %v", annotation, !want)
		}
	}
}

// A name that anybody may have written is not taken for one that is known.
func TestInitiators(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, told, want string
		verified           bool
	}{
		"Known":   {"the engine knew who it was", "alice", "alice", true},
		"Claimed": {"somebody wrote a name", Unverified("alice"), "alice (unverified)", false},
		"Nobody":  {"nobody is named", Unverified(""), "", false},
		"NoName":  {"also where that is known", "", "", false},
		"Lies":    {"who is called so is not believed", "alice (unverified)", "alice (unverified)", false},
	} {
		if tc.told != tc.want || Verified(tc.told) != tc.verified {
			t.Errorf("%s: %s: %q, verified %v", name, tc.reason, tc.told, Verified(tc.told))
		}
	}
}
