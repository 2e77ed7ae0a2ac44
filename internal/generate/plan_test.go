package generate

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
)

func parseApp(t testing.TB, text string) *v1alpha1.Application {
	t.Helper()
	app := &v1alpha1.Application{}
	if err := yaml.UnmarshalStrict([]byte(text), app); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return app
}

// bareSet is a set that generates nothing, with one more field.
func bareSet(t testing.TB, field string) *v1alpha1.ApplicationSet {
	t.Helper()
	return specSet(t, "generators: []\ntemplate: {metadata: {}, spec: {project: p, destination: {}}}\n"+field)
}

func TestMerge(t *testing.T) {
	cases := map[string]struct {
		reason                     string
		live, generated, set, want string
	}{
		"set back": {
			reason:    "what the template does not have is removed",
			live:      "{metadata: {name: a, labels: {hand: x}}, spec: {project: p, destination: {name: d}, revisionHistoryLimit: 3}}",
			generated: "{metadata: {name: a, labels: {l: x}}, spec: {project: p, destination: {name: e}}}",
			want:      "{metadata: {name: a, labels: {l: x}}, spec: {project: p, destination: {name: e}}}",
		},
		"kept": {
			reason: "metadata that others own, status, operation and finalizers of hooks",
			live: `{metadata: {name: a, uid: u, resourceVersion: "7", labels: {team: x, z: x}, annotations: {argocd.argoproj.io/refresh: hard, note: x, z: x},
				finalizers: [post-delete-finalizer.argocd.argoproj.io/cleanup, own, pre-delete-finalizer.argocd.argoproj.io]},
				operation: {sync: {prune: true}}, spec: {project: p, destination: {name: d}}, status: {sync: {status: Synced}}}`,
			generated: "{metadata: {name: a, finalizers: [f]}, spec: {project: p, destination: {name: d}}}",
			set:       "preservedFields: {labels: [team], annotations: [note]}",
			want: `{metadata: {name: a, uid: u, resourceVersion: "7", labels: {team: x}, annotations: {argocd.argoproj.io/refresh: hard, note: x},
				finalizers: [f, pre-delete-finalizer.argocd.argoproj.io, post-delete-finalizer.argocd.argoproj.io/cleanup]},
				operation: {sync: {prune: true}}, spec: {project: p, destination: {name: d}}, status: {sync: {status: Synced}}}`,
		},
		"ignored": {
			reason:    "the live value stays while others are set back",
			live:      "{metadata: {name: a}, spec: {project: x, destination: {name: d}, source: {repoURL: r, targetRevision: live}, syncPolicy: {automated: {}}}}",
			generated: "{metadata: {name: a}, spec: {project: p, destination: {name: d}, source: {repoURL: r, targetRevision: tmpl}}}",
			set:       "ignoreApplicationDifferences: [{jsonPointers: [/spec/source/targetRevision]}, {name: a, jqPathExpressions: [.spec.syncPolicy]}, {name: b, jsonPointers: [/spec/project]}]",
			want:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}, source: {repoURL: r, targetRevision: live}, syncPolicy: {automated: {}}}}",
		},
		"moved": {
			reason:    "what was asked for in another project is not carried out in this one",
			live:      "{metadata: {name: a}, operation: {sync: {prune: true}}, spec: {project: red, destination: {name: d}}, status: {sync: {status: Synced}}}",
			generated: "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}",
			want:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}}, status: {sync: {status: Synced}}}",
		},
		"moved after": {
			reason:    "what was done there stays told",
			live:      "{metadata: {name: a}, spec: {project: red, destination: {name: d}}, status: {operationState: {phase: Succeeded}}}",
			generated: "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}",
			want:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}}, status: {operationState: {phase: Succeeded}}}",
		},
		"nothing": {
			reason:    "an empty syncPolicy is none, and an ignored difference no change",
			live:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}, info: [{name: live, value: x}], syncPolicy: {}}}",
			generated: "{metadata: {name: a}, spec: {project: p, destination: {name: d}, info: [{name: tmpl, value: x}]}}",
			set:       "ignoreApplicationDifferences: [{jsonPointers: [/spec/info/0/name]}]",
		},
		"same": {
			reason: "what others own is no difference",
			live: `{metadata: {name: a, labels: {l: x, team: x}, annotations: {n: x, argocd.argoproj.io/refresh: hard}, finalizers: [f, pre-delete-finalizer.argocd.argoproj.io]},
				operation: {sync: {prune: true}}, spec: {project: p, destination: {name: d}}, status: {sync: {status: Synced}}}`,
			generated: "{metadata: {name: a, labels: {l: x}, annotations: {n: x}, finalizers: [f]}, spec: {project: p, destination: {name: d}}}",
			set:       "preservedFields: {labels: [team]}",
		},
		"label": {
			reason:    "a label alone differs",
			live:      "{metadata: {name: a, labels: {l: x}}, spec: {project: p, destination: {name: d}}}",
			generated: "{metadata: {name: a, labels: {l: y}}, spec: {project: p, destination: {name: d}}}",
			want:      "{metadata: {name: a, labels: {l: y}}, spec: {project: p, destination: {name: d}}}",
		},
		"annotation": {
			reason:    "an annotation alone differs",
			live:      "{metadata: {name: a, annotations: {n: x}}, spec: {project: p, destination: {name: d}}}",
			generated: "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}",
			want:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}",
		},
		"finalizer": {
			reason:    "a finalizer alone differs",
			live:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}",
			generated: "{metadata: {name: a, finalizers: [f]}, spec: {project: p, destination: {name: d}}}",
			want:      "{metadata: {name: a, finalizers: [f]}, spec: {project: p, destination: {name: d}}}",
		},
		"operation": {
			reason:    "an operation alone differs",
			live:      "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}",
			generated: "{metadata: {name: a}, operation: {sync: {prune: true}}, spec: {project: p, destination: {name: d}}}",
			want:      "{metadata: {name: a}, operation: {sync: {prune: true}}, spec: {project: p, destination: {name: d}}}",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set := bareSet(t, c.set)
			live := parseApp(t, c.live)
			got, changed, err := Merge(t.Context(), live, parseApp(t, c.generated), set)
			if err != nil {
				t.Fatal(err)
			}
			var want *v1alpha1.Application
			if c.want != "" {
				want = parseApp(t, c.want)
			}
			if d := cmp.Diff(want, got); d != "" || changed != (c.want != "") {
				t.Errorf("%s\nchanged %v (-want +got):\n%s", c.reason, changed, d)
			}
			if d := cmp.Diff(parseApp(t, c.live), live); d != "" {
				t.Errorf("the live Application was modified: %s", d)
			}
		})
	}
}

func TestMergeBadJQ(t *testing.T) {
	set := bareSet(t, "ignoreApplicationDifferences: [{jqPathExpressions: ['.a[']}]")
	app := parseApp(t, "{metadata: {name: a}, spec: {project: p, destination: {name: d}}}")
	if _, _, err := Merge(t.Context(), app, app, set); err == nil {
		t.Error("no error: a rule that cannot work would overwrite what it was to protect")
	}
}

func TestPlan(t *testing.T) {
	cases := map[string]struct {
		reason, policy         string
		create, update, delete []string
	}{
		"sync":          {reason: "everything", policy: "sync", create: []string{"new"}, update: []string{"old"}, delete: []string{"gone"}},
		"create-only":   {reason: "nothing else", policy: "create-only", create: []string{"new"}},
		"create-update": {reason: "no deletion", policy: "create-update", create: []string{"new"}, update: []string{"old"}},
		"create-delete": {reason: "no update", policy: "create-delete", create: []string{"new"}, delete: []string{"gone"}},
	}
	spec := v1alpha1.ApplicationSpec{Project: "p"}
	named := func(name string, spec v1alpha1.ApplicationSpec) v1alpha1.Application {
		app := v1alpha1.Application{Spec: spec}
		app.Name = name
		return app
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set := bareSet(t, "syncPolicy: {applicationsSync: "+c.policy+"}")
			other := v1alpha1.ApplicationSpec{Project: "other"}
			large := named("large", other)
			large.Outlined = "it is not all there"
			live := []v1alpha1.Application{large, named("old", other), named("same", spec), named("gone", spec), named("refused", spec)}
			exp := &Expansion{
				Applications: []v1alpha1.Application{named("large", spec), named("new", spec), named("old", spec), named("same", spec)},
				Rejected:     []Rejected{{Name: "refused"}},
			}
			got, err := Plan(t.Context(), set, live, exp)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2][]string{{c.create, names(got.Create)}, {c.update, names(got.Update)}, {c.delete, names(got.Delete)}} {
				if d := cmp.Diff(pair[0], pair[1]); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.reason, d)
				}
			}
		})
	}
}

func names(apps []v1alpha1.Application) []string {
	var out []string
	for _, app := range apps {
		out = append(out, app.Name)
	}
	return out
}

// TestComparisonsOfASetHaveOneTime has rules of a set that take long for each of its Applications: they end together,
// not each for itself.
func TestComparisonsOfASetHaveOneTime(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	set.Spec.Template.Spec.Project = "shop"
	set.Spec.IgnoreApplicationDifferences = v1alpha1.ApplicationSetIgnoreDifferences{{JQPathExpressions: []string{".spec.source.path"}}}
	ctx := Comparing(t.Context(), set)
	if got := jq.Project(ctx); got != "shop" {
		t.Errorf("its evaluations count for project %q", got)
	}
	app := v1alpha1.Application{}
	app.Name, app.Spec.Project = "a", "another"
	asked := 0
	// A comparison that shared nothing would make a share of its own, and not look at this one.
	_, _, err := Merge(counting{ctx, &asked}, &app, app.DeepCopy(), set)
	if err != nil || asked == 0 {
		t.Errorf("the share was asked for %d times, %v", asked, err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Plan(over, set, []v1alpha1.Application{app}, &Expansion{Applications: []v1alpha1.Application{app}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a comparison goes on when nobody waits: %v", err)
	}
}

// counting counts the values that are asked for.
type counting struct {
	context.Context //nolint:containedctx // it is one

	asked *int
}

func (c counting) Value(key any) any {
	*c.asked++
	return c.Context.Value(key)
}

// TestOperationsStayInTheirProject has an Application that says a set owns it, and asks for a sync.
func TestOperationsStayInTheirProject(t *testing.T) {
	asked := &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Revision: "other"}}
	for project, kept := range map[string]bool{"red": true, "blue": false} {
		live, made := &v1alpha1.Application{Operation: asked}, &v1alpha1.Application{}
		live.Spec.Project, made.Spec.Project, made.Spec.Source = project, "red", &v1alpha1.ApplicationSource{Path: "new"}
		desired, changed, err := Merge(t.Context(), live, made, &v1alpha1.ApplicationSet{})
		if err != nil || !changed || desired.Spec.Project != "red" || (desired.Operation != nil) != kept {
			t.Errorf("of project %s: %v, and becomes %+v", project, err, desired)
		}
	}
}
