package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// pointers are n different ones.
func pointers(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint("/data/", i))
	}
	return out
}

func ignoring(rules ...v1alpha1.ResourceIgnoreDifferences) *v1alpha1.Application {
	app := application()
	app.Spec.IgnoreDifferences = rules
	return app
}

// TestObjectsShareTheirRules holds lists that concern many objects to one copy:
// who writes an Application would else take its list's memory for each of them.
func TestObjectsShareTheirRules(t *testing.T) {
	app := ignoring(
		v1alpha1.ResourceIgnoreDifferences{Group: "*", Kind: "*", JSONPointers: pointers(500), ManagedFieldsManagers: []string{"a", "b"}},
		v1alpha1.ResourceIgnoreDifferences{Kind: "ConfigMap", Name: "odd", JSONPointers: []string{"/data/odd"}},
	)
	app.Annotations = map[string]string{gitops.AnnotationDrift: "[{field: /data/a, policy: show}, {field: /data/b, policy: freeze}, {name: odd, field: /data/c, policy: heal}]"}
	own := func(text string) string {
		return ", annotations: {" + difference.AnnotationIgnore + ": '" + text + "'}"
	}
	s := desired(t, app, cm("a"), cm("b"), cm("odd"), cm("own", own("jsonPointers: [/data/x]")), cm("same", own("jsonPointers: [/data/x]")), cm("other", own("jsonPointers: [/data/y]")))
	p, err := plan.Make(plan.Input{Set: s, Heal: true, Live: index(liveOf(key("a")), liveOf(key("b")), liveOf(key("odd")))})
	if err != nil {
		t.Fatal(err)
	}
	healed := func(name string) *gitops.FieldDrift { return unsafe.SliceData(actionOf(p, name).Drift.Fields) }
	shared := func(a, b int) bool {
		x, y := &s.Objects[a], &s.Objects[b]
		return unsafe.SliceData(x.Ignore.JSONPointers) == unsafe.SliceData(y.Ignore.JSONPointers) &&
			unsafe.SliceData(x.Ignore.Managers) == unsafe.SliceData(y.Ignore.Managers)
	}
	if !shared(0, 1) || !shared(3, 4) {
		t.Error("objects with the same rules have lists of their own")
	}
	if shared(0, 2) || shared(0, 3) || shared(3, 5) {
		t.Error("objects with other rules share lists")
	}
	if got := s.Objects[3].Ignore.JSONPointers; len(got) != 501 || got[500] != "/data/x" {
		t.Errorf("of an object that says more itself, %d pointers are ignored", len(got))
	}
	if len(s.Objects[2].Ignore.JSONPointers) != 501 || len(s.Objects[0].Ignore.JSONPointers) != 500 {
		t.Error("a rule for one name concerns that name")
	}
	a, b, odd := s.Objects[0].Drift.Fields, s.Objects[1].Drift.Fields, s.Objects[2].Drift.Fields
	if len(a) != 2 || len(odd) != 3 || unsafe.SliceData(a) != unsafe.SliceData(b) {
		t.Errorf("drift policies are %v, %v and %v", a, b, odd)
	}
	if healed("a") != healed("b") || healed("a") == healed("odd") || actionOf(p, "a").Drift.Fields[0].Policy != gitops.DriftFreeze || a[0].Policy != gitops.DriftShow {
		t.Errorf("in a sync that heals, they are %v, of %v", actionOf(p, "a").Drift, a)
	}
}

// TestStatusOfObjectsThatShareRules: whether a status counts is of each object.
func TestStatusOfObjectsThatShareRules(t *testing.T) {
	with := strings.Replace(cm("with"), "kind: ConfigMap", "kind: ConfigMap, status: {a: b}", 1)
	for name, want := range map[string]bool{"none": true, "all": false} {
		settings, err := plan.ParseSettings(map[string]string{"resource.compareoptions": "ignoreResourceStatusField: " + name})
		if err != nil {
			t.Fatal(err)
		}
		s, err := plan.Desired(plan.Want{App: application(), TrackingName: "app", Scope: scope, Settings: settings, Manifests: manifests(t, cm("without"), with, cm("last"))})
		if err != nil {
			t.Fatal(err)
		}
		if s.Objects[0].Ignore.CountStatus || s.Objects[1].Ignore.CountStatus != want || s.Objects[2].Ignore.CountStatus {
			t.Errorf("%s: of the one with a status it counts: %t", name, s.Objects[1].Ignore.CountStatus)
		}
	}
}

// TestRulesOfManyObjectsAreBounded: where each object has rules of its own,
// nothing is shared, and what they come to is counted.
func TestRulesOfManyObjectsAreBounded(t *testing.T) {
	var own, drifting, kinds []string
	var fields []string
	for i := range 400 {
		own = append(own, cm(fmt.Sprint("a", i), fmt.Sprintf(", annotations: {%s: 'jsonPointers: [/own/%d]'}", difference.AnnotationIgnore, i)))
		drifting = append(drifting, cm(fmt.Sprint("a", i), fmt.Sprintf(", annotations: {%s: '[{field: /own/%d, policy: show}]'}", gitops.AnnotationDrift, i)))
		kinds = append(kinds, fmt.Sprintf("{apiVersion: v1, kind: Kind%d, metadata: {name: a}}", i))
		fields = append(fields, fmt.Sprintf("{field: /data/%d, policy: show}", i))
	}
	drift := application()
	drift.Annotations = map[string]string{gitops.AnnotationDrift: "[" + strings.Join(fields, ", ") + "]"}
	patterns := ignoring()
	for range 900 {
		patterns.Spec.IgnoreDifferences = append(patterns.Spec.IgnoreDifferences, v1alpha1.ResourceIgnoreDifferences{Group: "*.example.com", Kind: "[a-z]*", JSONPointers: []string{"/a"}})
	}
	all := v1alpha1.ResourceIgnoreDifferences{Group: "*", Kind: "*", JSONPointers: pointers(1000)}
	cases := map[string]struct {
		reason string
		app    *v1alpha1.Application
		texts  []string
		want   string
	}{
		"Pointers": {"each object adds one to the application's thousand", ignoring(all), own, "more than 250000 fields"},
		"Drift":    {"each object adds a field to those of the application", drift, drifting, "more than 250000 fields"},
		"Patterns": {"each rule is held against each kind", patterns, kinds, "too many for the"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := plan.Desired(plan.Want{App: tc.app, TrackingName: "app", Scope: scope, Manifests: manifests(t, tc.texts...)})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "have rules concern") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if _, err := plan.Desired(plan.Want{App: tc.app, TrackingName: "app", Scope: scope, Manifests: manifests(t, tc.texts[:100]...)}); err != nil {
				t.Errorf("%s: of fewer objects: %v", tc.reason, err)
			}
		})
	}
}
