package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

func application(options ...string) *v1alpha1.Application {
	a := &v1alpha1.Application{}
	a.Name, a.Spec.Destination.Namespace = "app", "demo"
	a.Spec.SyncPolicy = &v1alpha1.SyncPolicy{SyncOptions: options}
	return a
}

func manifests(t *testing.T, texts ...string) []gitops.Manifest {
	t.Helper()
	var out []gitops.Manifest
	for i, text := range texts {
		out = append(out, gitops.Manifest{Object: object(t, text), Origin: gitops.Origin{File: fmt.Sprintf("file%d.yaml", i)}})
	}
	return out
}

func desired(t *testing.T, app *v1alpha1.Application, texts ...string) *plan.Set {
	t.Helper()
	s, err := plan.Desired(plan.Want{
		App: app, TrackingName: "app", Manifests: manifests(t, texts...), Scope: scope, Options: app.Spec.SyncPolicy.Options(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func cm(name string, more ...string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s%s}}", name, strings.Join(more, ""))
}

func TestDesired(t *testing.T) {
	s := desired(t, application(),
		cm("a"),
		cm("b", ", namespace: other"),
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, namespace: demo}}",
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.x}, spec: {group: x, scope: Cluster, names: {kind: Thing}}}",
	)
	want := map[string]string{
		"/ConfigMap:demo/a":                                       "app:/ConfigMap:demo/a",
		"/ConfigMap:other/b":                                      "app:/ConfigMap:other/b",
		"rbac.authorization.k8s.io/ClusterRole:/r":                "app:rbac.authorization.k8s.io/ClusterRole:demo/r",
		"apiextensions.k8s.io/CustomResourceDefinition:/things.x": "",
	}
	got := map[string]string{}
	for _, o := range s.Objects {
		got[o.Key.String()] = o.Object.GetAnnotations()[gitops.AnnotationTracking]
		if o.Key != gitops.KeyOf(o.Object) {
			t.Errorf("the key %s is not that of its object", o.Key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tracking ids: -want +got\n%s", diff)
	}
}

func TestDesiredDoesNotChangeItsInput(t *testing.T) {
	in := manifests(t, cm("a", ", annotations: {x: y}"))
	before := in[0].Object.DeepCopy()
	if _, err := plan.Desired(plan.Want{App: application(), TrackingName: "app", Manifests: in, Scope: scope}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Object, in[0].Object.Object); diff != "" {
		t.Errorf("rendered manifests are shared by applications and must not change: %s", diff)
	}
}

func TestDesiredScopeOfComingKinds(t *testing.T) {
	unknown := func(_, kind string) (bool, bool) { return false, kind == "CustomResourceDefinition" }
	definition := "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.x}, spec: {group: x, scope: %s, names: {kind: Thing}}}"
	for scope, want := range map[string]string{"Cluster": "", "Namespaced": "demo"} {
		s, err := plan.Desired(plan.Want{
			App: application(), TrackingName: "app", Scope: unknown,
			Manifests: manifests(t, "{apiVersion: x/v1, kind: Thing, metadata: {name: t}}", fmt.Sprintf(definition, scope)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Objects[0].Key.Namespace; got != want {
			t.Errorf("%s: namespace %q, want %q", scope, got, want)
		}
	}
}

func TestDesiredRepeatedObject(t *testing.T) {
	s := desired(t, application(), cm("a", ", labels: {from: first}"), cm("b"), cm("a", ", namespace: demo, labels: {from: last}"))
	if len(s.Objects) != 2 || s.Objects[1].Object.GetLabels()["from"] != "last" {
		t.Errorf("the last one has to win: %+v", s.Objects)
	}
	if len(s.Warnings) != 1 || s.Warnings[0].Reason != "RepeatedResourceWarning" {
		t.Errorf("unexpected warnings: %+v", s.Warnings)
	}
}

func TestDesiredRefuses(t *testing.T) {
	homeless := application()
	homeless.Spec.Destination.Namespace = ""
	cases := map[string]struct {
		reason string
		app    *v1alpha1.Application
		text   string
		want   string
	}{
		"NoKind":      {"an object without a kind", application(), "{apiVersion: v1, metadata: {name: x}}", "without apiVersion and kind"},
		"OddKind":     {"a kind that no API server has", application(), "{apiVersion: a.test/v1, kind: " + strings.Repeat("K", 64) + ", metadata: {name: x}}", "is no kind of an object"},
		"OddGroup":    {"a group that none has", application(), "{apiVersion: A_b/v1, kind: K, metadata: {name: x}}", "is no group of an API"},
		"NoVersion":   {"an apiVersion that is none", application(), "{apiVersion: a/b/c, kind: K, metadata: {name: x}}", "is no kind of an object"},
		"LongName":    {"a name that none has", application(), cm(strings.Repeat("x", 600)), "more than 512"},
		"NoNamespace": {"a namespaced object that nobody gives a namespace", homeless, cm("a"), "spec.destination.namespace"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := plan.Desired(plan.Want{App: tc.app, TrackingName: "app", Manifests: manifests(t, tc.text), Scope: scope})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "file0.yaml") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func TestDigest(t *testing.T) {
	base := desired(t, application(), cm("a", ", labels: {x: y, z: w}")).Objects[0].Digest
	if same := desired(t, application(), cm("a", ", labels: {z: w, x: y}")).Objects[0].Digest; same != base {
		t.Error("the order of keys must not matter")
	}
	if other := desired(t, application(), cm("a", ", labels: {x: y, z: v}")).Objects[0].Digest; other == base {
		t.Error("another value must matter")
	}
	ignoring := application()
	ignoring.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JSONPointers: []string{"/data"}}}
	if other := desired(t, ignoring, cm("a", ", labels: {x: y, z: w}")).Objects[0].Digest; other == base {
		t.Error("what is ignored must matter")
	}
}

// liveOf is a live object that the application tracks.
func liveOf(k gitops.Key, change ...func(*gitops.Live)) *gitops.Live {
	l := &gitops.Live{Key: k, UID: types.UID(k.Name), ResourceVersion: "1", Tracking: gitops.TrackingID("app", k), Fingerprint: "f", Health: gitops.Health{Code: gitops.Healthy}}
	for _, c := range change {
		c(l)
	}
	return l
}

func key(name string) gitops.Key { return gitops.Key{Kind: "ConfigMap", Namespace: "demo", Name: name} }

func index(lives ...*gitops.Live) map[gitops.Key]*gitops.Live {
	out := map[gitops.Key]*gitops.Live{}
	for _, l := range lives {
		out[l.Key] = l
	}
	return out
}

func always(gitops.Key, string, string) bool { return true }

func TestVerbs(t *testing.T) {
	other := gitops.TrackingID("neighbour", key("a"))
	cases := map[string]struct {
		reason  string
		texts   []string
		in      plan.Input
		verb    gitops.Verb
		sync    gitops.SyncCode
		overall gitops.SyncCode
		none    bool
	}{
		"Create":   {reason: "not there", texts: []string{cm("a")}, verb: gitops.Create, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"Keep":     {reason: "known to be equal", texts: []string{cm("a")}, in: plan.Input{Live: index(liveOf(key("a"))), Known: always}, verb: gitops.Keep, sync: gitops.Synced, overall: gitops.Synced},
		"Unknown":  {reason: "not known to be equal", texts: []string{cm("a")}, in: plan.Input{Live: index(liveOf(key("a")))}, verb: gitops.Update, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"Foreign":  {reason: "fields of kubectl", texts: []string{cm("a")}, in: plan.Input{Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Foreign = true })), Known: always}, verb: gitops.Update, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"Adopted":  {reason: "never applied by us", texts: []string{cm("a")}, in: plan.Input{Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Fingerprint = "" })), Known: always}, verb: gitops.Update, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"Deleting": {reason: "it goes", texts: []string{cm("a")}, in: plan.Input{Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Deleting = true })), Known: always}, verb: gitops.Skip, sync: gitops.Synced, overall: gitops.Synced},
		"Shared":   {reason: "another application's; a sync takes it over", texts: []string{cm("a")}, in: plan.Input{Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Tracking = other }))}, verb: gitops.Update, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"Heal":     {reason: "another application's; healing does not fight for it", texts: []string{cm("a")}, in: plan.Input{Heal: true, Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Tracking = other }))}, verb: gitops.Skip, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"Alike": {
			reason: "known by its content: a sync takes over what others own",
			texts:  []string{cm("a")}, verb: gitops.Update, sync: gitops.Synced, overall: gitops.Synced,
			in: plan.Input{
				Live:  index(liveOf(key("a"), func(l *gitops.Live) { l.Content = "content" })),
				Known: func(_ gitops.Key, _, live string) bool { return live == "content" },
			},
		},

		"Prune":         {reason: "no longer desired", in: plan.Input{Prune: true, Live: index(liveOf(key("a")))}, verb: gitops.Prune, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"PruneOff":      {reason: "pruning is off", in: plan.Input{Live: index(liveOf(key("a")))}, verb: gitops.Skip, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"PruneKept":     {reason: "Prune=false", in: plan.Input{Prune: true, Live: index(annotated("a", gitops.AnnotationSync, "Prune=false"))}, verb: gitops.Skip, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"PruneHelmKeep": {reason: "resource-policy: keep", in: plan.Input{Prune: true, Live: index(annotated("a", "helm.sh/resource-policy", "keep"))}, verb: gitops.Skip, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"PruneConfirm":  {reason: "Prune=confirm", in: plan.Input{Prune: true, Live: index(annotated("a", gitops.AnnotationSync, "Prune=confirm"))}, verb: gitops.Skip, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"PruneApproved": {reason: "Prune=confirm, confirmed", in: plan.Input{Prune: true, Approved: true, Live: index(annotated("a", gitops.AnnotationSync, "Prune=confirm"))}, verb: gitops.Prune, sync: gitops.OutOfSync, overall: gitops.OutOfSync},
		"PruneExtra":    {reason: "IgnoreExtraneous hides it, and does not protect it", in: plan.Input{Prune: true, Live: index(annotated("a", gitops.AnnotationCompare, "IgnoreExtraneous"))}, verb: gitops.Prune, sync: gitops.OutOfSync, overall: gitops.Synced},
		"OwnedByObject": {reason: "another object's, such as a ReplicaSet", in: plan.Input{Prune: true, Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Owners = []types.UID{"x"} }))}, none: true, overall: gitops.Synced},
		"CopiedID":      {reason: "an id that names another object", in: plan.Input{Prune: true, Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Tracking = gitops.TrackingID("app", key("b")) }))}, none: true, overall: gitops.Synced},
		"NotOurs":       {reason: "another application's", in: plan.Input{Prune: true, Live: index(liveOf(key("a"), func(l *gitops.Live) { l.Tracking = other }))}, none: true, overall: gitops.Synced},
		"Hook":          {reason: "a left-over hook", in: plan.Input{Prune: true, Live: index(annotated("a", gitops.AnnotationHook, "PreSync"))}, none: true, overall: gitops.Synced},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.in.Set = desired(t, application(), tc.texts...)
			p, err := plan.Make(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if p.Sync != tc.overall {
				t.Errorf("%s: the application is %s, want %s", tc.reason, p.Sync, tc.overall)
			}
			if tc.none {
				if len(p.Waves) > 0 {
					t.Errorf("%s: nothing is to be done, got %+v", tc.reason, p.Waves)
				}
				return
			}
			if a := p.Waves[0].Actions[0]; a.Verb != tc.verb || a.Sync != tc.sync {
				t.Errorf("%s: %s %s (%s), want %s %s", tc.reason, a.Verb, a.Sync, a.Reason, tc.verb, tc.sync)
			}
			shared := slices.ContainsFunc(p.Warnings, func(w gitops.Warning) bool { return w.Reason == "SharedResourceWarning" })
			if shared != (name == "Shared" || name == "Heal") {
				t.Errorf("%s: warnings %+v", tc.reason, p.Warnings)
			}
			if a := p.Waves[0].Actions[0]; (a.Holder == "neighbour") != shared {
				t.Errorf("%s: it is held by %q", tc.reason, a.Holder)
			}
		})
	}
}

func annotated(name, annotation, value string) *gitops.Live {
	return liveOf(key(name), func(l *gitops.Live) { l.Annotations = map[string]string{annotation: value} })
}

func TestClusterScopedTracking(t *testing.T) {
	k := gitops.Key{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "r"}
	l := liveOf(k)
	l.Tracking = "app:rbac.authorization.k8s.io/ClusterRole:demo/r"
	p, err := plan.Make(plan.Input{Set: desired(t, application()), Live: index(l), Prune: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Waves) != 1 || p.Waves[0].Actions[0].Verb != gitops.Prune {
		t.Errorf("a cluster-scoped object whose id names the destination's namespace is ours: %+v", p.Waves)
	}
}

func TestRefuse(t *testing.T) {
	yes := true
	cases := map[string]struct {
		reason    string
		texts     []string
		live      *gitops.Live
		change    func(*v1alpha1.Application)
		automated bool
		kind      gitops.ProblemKind
		refused   bool
	}{
		"All":        {reason: "everything would go", live: liveOf(key("a")), automated: true, kind: gitops.Forbidden, refused: true},
		"AllByHand":  {reason: "a person asked for it", live: liveOf(key("a"))},
		"AllAllowed": {reason: "allowEmpty", live: liveOf(key("a")), automated: true, change: func(a *v1alpha1.Application) { a.Spec.SyncPolicy.Automated.AllowEmpty = &yes }},
		"Some":       {reason: "something stays", texts: []string{cm("b")}, live: liveOf(key("a")), automated: true},
		"Confirm":    {reason: "a person has to say yes", texts: []string{cm("b")}, live: annotated("a", gitops.AnnotationSync, "Prune=confirm"), kind: gitops.NotReady, refused: true},
		"Shared": {
			reason: "FailOnSharedResource", texts: []string{cm("a")}, kind: gitops.Forbidden, refused: true,
			live:   liveOf(key("a"), func(l *gitops.Live) { l.Tracking = gitops.TrackingID("neighbour", l.Key) }),
			change: func(a *v1alpha1.Application) { a.Spec.SyncPolicy.SyncOptions = []string{"FailOnSharedResource=true"} },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := application()
			app.Spec.SyncPolicy.Automated = &v1alpha1.SyncPolicyAutomated{Prune: &yes}
			if tc.change != nil {
				tc.change(app)
			}
			p, err := plan.Make(plan.Input{Set: desired(t, app, tc.texts...), Live: index(tc.live), Prune: true})
			if err != nil {
				t.Fatal(err)
			}
			err = plan.Refuse(p, app.Spec.SyncPolicy, tc.automated)
			var problem *gitops.Problem
			if errors.As(err, &problem) != tc.refused || tc.refused && problem.Kind != tc.kind {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func TestCreateNamespace(t *testing.T) {
	app := application("CreateNamespace=true")
	ns := gitops.Key{Kind: "Namespace", Name: "demo"}
	p, err := plan.Make(plan.Input{Set: desired(t, app, cm("a"))})
	if err != nil {
		t.Fatal(err)
	}
	first := p.Waves[0].Actions[0]
	if first.Key != ns || first.Verb != gitops.Create || !first.Namespace || first.Desired.Object.GetAnnotations()[gitops.AnnotationTracking] != "" {
		t.Errorf("the first wave has to make the Namespace: %+v", first)
	}
	p, err = plan.Make(plan.Input{Set: desired(t, app, cm("a")), Live: index(&gitops.Live{Key: ns})})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Waves) != 1 {
		t.Errorf("an existing Namespace is left alone: %+v", p.Waves)
	}
	app.Spec.SyncPolicy.ManagedNamespaceMetadata = &v1alpha1.ManagedNamespaceMetadata{Labels: map[string]string{"team": "x"}}
	p, err = plan.Make(plan.Input{Set: desired(t, app, cm("a")), Live: index(&gitops.Live{Key: ns, Fingerprint: "f"})})
	if err != nil {
		t.Fatal(err)
	}
	if a := p.Waves[0].Actions[0]; a.Verb != gitops.Update || a.Desired.Object.GetLabels()["team"] != "x" {
		t.Errorf("managed metadata are applied: %+v", a)
	}
	set := desired(t, app, "{apiVersion: v1, kind: Namespace, metadata: {name: demo}}")
	if set.Namespace != nil {
		t.Error("an application that brings the Namespace keeps its own")
	}
}

// TestNothingBearsTheMarkOfAnother: what gets no mark is not another
// application's by what its manifest or the Application says.
func TestNothingBearsTheMarkOfAnother(t *testing.T) {
	app := application("CreateNamespace=true")
	app.Spec.SyncPolicy.ManagedNamespaceMetadata = &v1alpha1.ManagedNamespaceMetadata{Annotations: map[string]string{
		gitops.AnnotationTracking: "blue:/Namespace:demo/demo", "owner": "ann",
	}}
	definition := fmt.Sprintf("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.x, annotations: {%s: "+
		"'blue:apiextensions.k8s.io/CustomResourceDefinition:demo/things.x', %s: other}}, spec: {group: x, scope: Cluster, names: {kind: Thing}}}",
		gitops.AnnotationTracking, gitops.AnnotationInstallation)
	set := desired(t, app, definition)
	for _, o := range []*plan.Object{set.Namespace, &set.Objects[0]} {
		annotations := o.Object.GetAnnotations()
		if annotations[gitops.AnnotationTracking] != "" || annotations[gitops.AnnotationInstallation] != "" {
			t.Errorf("%s has the annotations %v", o.Key, annotations)
		}
	}
	if set.Namespace.Object.GetAnnotations()["owner"] != "ann" || len(set.Warnings) != 2 {
		t.Errorf("the others are left, and both are said: %v, %v", set.Namespace.Object.GetAnnotations(), set.Warnings)
	}
}

func TestHooks(t *testing.T) {
	job := "{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {argocd.argoproj.io/hook: 'PreSync,PostSync'%s}}}"
	k := gitops.Key{Group: "batch", Kind: "Job", Namespace: "demo", Name: "j"}
	in := plan.Input{Set: desired(t, application(), fmt.Sprintf(job, "")), Hooks: true, Live: index(liveOf(k))}
	p, err := plan.Make(in)
	if err != nil {
		t.Fatal(err)
	}
	if p.Sync != gitops.Synced || len(p.Waves) != 2 || !p.Waves[0].Actions[0].Recreate || !p.Waves[1].Actions[0].Recreate {
		t.Errorf("a hook is made anew in each phase and does not count: %+v", p)
	}
	for _, state := range []plan.HookState{plan.HookStarted, plan.HookOver} {
		in.Ran = func(phase gitops.Phase, _ gitops.Key) plan.HookState {
			if phase == gitops.PreSync {
				return state
			}
			return plan.HookPending
		}
		if p, err = plan.Make(in); err != nil {
			t.Fatal(err)
		}
		if a := p.Waves[0].Actions[0]; a.Verb != gitops.Keep || a.Over != (state == plan.HookOver) || p.Waves[1].Actions[0].Verb != gitops.Create {
			t.Errorf("a hook that this operation ran is not run again: %+v", p.Waves)
		}
	}
	in.Ran, in.Set = nil, desired(t, application(), fmt.Sprintf(job, ", argocd.argoproj.io/hook-delete-policy: HookSucceeded"))
	if p, err = plan.Make(in); err != nil {
		t.Fatal(err)
	}
	if a := p.Waves[0].Actions[0]; a.Recreate || a.Verb != gitops.Update {
		t.Errorf("without BeforeHookCreation a left-over hook is applied in place: %+v", a)
	}
	in.Hooks = false
	if p, err = plan.Make(in); err != nil || len(p.Waves) != 0 {
		t.Errorf("without hooks there is nothing to do: %+v, %v", p, err)
	}
}

func TestGeneratedHookIsTrackedUnderItsName(t *testing.T) {
	for prefix, name := range map[string]string{
		"migrate-": "migrate-0123456-presync-7",
		strings.Repeat("migrate-", 7) + "database-": strings.Repeat("migrate-", 5) + "migrat0123456-presync-7",
	} {
		set := desired(t, application(), "{apiVersion: batch/v1, kind: Job, metadata: {generateName: "+prefix+", annotations: {argocd.argoproj.io/hook: PreSync}}}")
		p, err := plan.Make(plan.Input{Set: set, Hooks: true, Revision: "0123456789", Started: time.Unix(7, 0)})
		if err != nil {
			t.Fatal(err)
		}
		a := p.Waves[0].Actions[0]
		if a.Key.Name != name || a.Desired.Object.GetName() != name || len(name) > 63 {
			t.Errorf("the name is %q, want %q", a.Key.Name, name)
		}
		if want := gitops.TrackingID("app", a.Key); a.Desired.Object.GetAnnotations()[gitops.AnnotationTracking] != want {
			t.Errorf("the id is %q, want %q: by another one nobody sees the Job end", a.Desired.Object.GetAnnotations()[gitops.AnnotationTracking], want)
		}
	}
}

// TestNamespaceThatIsAskedForStays has an application whose sources brought the Namespace of its destination, and that
// asks for it by CreateNamespace now: whatever mark the Namespace bears, it does not go.
func TestNamespaceThatIsAskedForStays(t *testing.T) {
	app := application("CreateNamespace=true")
	namespace := gitops.Key{Kind: "Namespace", Name: "demo"}
	marked := liveOf(namespace, func(l *gitops.Live) { l.Tracking = gitops.TrackingID(app.Name, namespace) })
	p, err := plan.Make(plan.Input{Set: desired(t, app, cm("a")), Live: index(marked), Prune: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Waves {
		for i := range w.Actions {
			if a := &w.Actions[i]; a.Key == namespace && a.Verb == gitops.Prune {
				t.Errorf("it is deleted: %s", a.Reason)
			}
		}
	}
}
