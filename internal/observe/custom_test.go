package observe

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func customized(t *testing.T, data map[string]string) *Checks {
	t.Helper()
	c := New()
	if _, _, err := c.Customize(data); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConditions(t *testing.T) {
	cases := map[string]struct {
		reason, conditions string
		observed           int
		want               gitops.HealthCode
	}{
		"Ready":       {"Ready is True", `{type: Ready, status: "True"}`, 2, gitops.Healthy},
		"NotReady":    {"Ready is False", `{type: Ready, status: "False", message: m}`, 2, gitops.Progressing},
		"Available":   {"some say Available", `{type: Available, status: "True"}`, 2, gitops.Healthy},
		"Stalled":     {"Stalled comes first", `{type: Ready, status: "True"}, {type: Stalled, status: "True"}`, 2, gitops.Degraded},
		"Reconciling": {"then Reconciling", `{type: Ready, status: "True"}, {type: Reconciling, status: "True"}`, 2, gitops.Progressing},
		"Old":         {"a status of an older spec", `{type: Ready, status: "True"}`, 1, gitops.Progressing},
		"Other":       {"conditions that say nothing of it", `{type: Synced, status: "True"}`, 2, ""},
		"None":        {"no conditions", ``, 2, ""},
		"Texts":       {"what is no condition", `ready`, 2, ""},
	}
	on := customized(t, map[string]string{"causeway.health.conditions": "true"})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := object(t, fmt.Sprintf("apiVersion: x.io/v1\nkind: X\nmetadata: {name: x, generation: 2}\nstatus: {observedGeneration: %d, conditions: [%s]}", tc.observed, tc.conditions))
			if h, err := on.Health("", o); err != nil || h.Code != tc.want {
				t.Errorf("%s: got %+v, %v; want %q", tc.reason, h, err, tc.want)
			}
			if h, _ := New().Health("", o); h.Code != "" {
				t.Errorf("%s: conditions count without being switched on: %+v", tc.reason, h)
			}
		})
	}
	if !on.Has("x.io", "X") || on.Has("", "ConfigMap") || on.Has("rbac.authorization.k8s.io", "Role") {
		t.Error("kinds of Kubernetes without a check got one, or others have none")
	}
}

// TestApplicationBehindTheUsualScript holds a gate although the script that
// most installations have sees a healthy status: it is one of an older spec.
func TestApplicationBehindTheUsualScript(t *testing.T) {
	c := customized(t, map[string]string{"resource.customizations.health.argoproj.io_Application": `return {status = obj.status.health.status, message = "by script"}`})
	old := "status:\n  health: {status: Healthy}\n  sync:\n    status: Synced\n    comparedTo: {source: {repoURL: https://git.test/a, path: b}, destination: {name: spoke, namespace: a}}"
	for status, want := range map[string]gitops.HealthCode{
		old: gitops.Progressing,
		"status:\n  health: {status: Healthy}\n  sync:\n    status: Synced" + comparedTo: gitops.Healthy,
		"status:\n  health: {status: Degraded}":                                          gitops.Degraded,
	} {
		if h, err := c.Health("", object(t, childSpec+status)); err != nil || h.Code != want {
			t.Errorf("got %+v, %v; want %s for\n%s", h, err, want, status)
		}
	}
}

func TestCustomizeTellsWhatChanged(t *testing.T) {
	c := New()
	kind := func(group, name string) schema.GroupKind { return schema.GroupKind{Group: group, Kind: name} }
	steps := []struct {
		reason string
		data   map[string]string
		want   []schema.GroupKind
	}{
		{"nothing is said", nil, nil},
		{"a script for a kind", map[string]string{"resource.customizations.health.apps_Deployment": "return nil"}, []schema.GroupKind{kind("apps", "Deployment")}},
		{"the same", map[string]string{"resource.customizations.health.apps_Deployment": "return nil", "other": "x"}, nil},
		{"more rights for it", map[string]string{"resource.customizations.health.apps_Deployment": "return nil", "resource.customizations.useOpenLibs.apps_Deployment": "true"}, []schema.GroupKind{kind("apps", "Deployment")}},
		{"all kinds of a group, and no longer the one", map[string]string{"resource.customizations": "cert-manager.io/*: {health.lua: return nil}"}, []schema.GroupKind{kind("apps", "Deployment"), kind("cert-manager.io", "Certificate")}},
	}
	for _, step := range steps {
		changed, _, err := c.Customize(step.data)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, gk := range []schema.GroupKind{kind("apps", "Deployment"), kind("cert-manager.io", "Certificate"), kind("", "ConfigMap")} {
			if changed(gk) {
				got = append(got, gk.String())
			}
		}
		var want []string
		for _, gk := range step.want {
			want = append(want, gk.String())
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: changed are %v; want %v", step.reason, got, want)
		}
	}
}

// TestMemo assesses an object once a version.
func TestMemo(t *testing.T) {
	c := customized(t, map[string]string{"resource.customizations.health.x.io_X": `return {status = obj.status.phase}`})
	o := object(t, "{apiVersion: x.io/v1, kind: X, metadata: {name: x, uid: u, resourceVersion: '1'}, status: {phase: Healthy}}")
	assess := func(phase, version string) gitops.HealthCode {
		set(o, phase, "status", "phase")
		o.SetResourceVersion(version)
		h, _ := c.Health("", o)
		return h.Code
	}
	if got := assess("Healthy", "1"); got != gitops.Healthy {
		t.Fatal(got)
	}
	if got := assess("Degraded", "1"); got != gitops.Healthy {
		t.Errorf("the same version was assessed again: %s", got)
	}
	if got := assess("Degraded", "2"); got != gitops.Degraded {
		t.Errorf("another version was not: %s", got)
	}
	if got := assess("Degraded", ""); got != gitops.Degraded || assess("Healthy", "") != gitops.Healthy {
		t.Errorf("an object that no cluster stores was remembered: %s", got)
	}
}

// TestOverrunsStayWithTheirCause: a check that some objects of one team are too
// much for goes on for the objects of all others.
func TestOverrunsStayWithTheirCause(t *testing.T) {
	c := customized(t, map[string]string{"resource.customizations.health.overrun.io_X": `if obj.spec then local s = "x" while true do s = s .. s end end return {status = "Healthy"}`})
	x := func(namespace, uid, spec string) *unstructured.Unstructured {
		return object(t, fmt.Sprintf("{apiVersion: overrun.io/v1, kind: X, metadata: {name: x, namespace: %s, uid: %s}%s}", namespace, uid, spec))
	}
	for i := range 30 {
		if h, err := c.Health("https://a", x("mine", fmt.Sprint("u", i/4), ", spec: {large: true}")); err == nil || h.Code != gitops.HealthUnknown {
			t.Fatalf("an object that is too much: %+v, %v", h, err)
		}
	}
	for place, o := range map[string]*unstructured.Unstructured{"https://a": x("theirs", "v", ""), "https://b": x("mine", "u1", "")} {
		if h, err := c.Health(place, o); err != nil || h.Code != gitops.Healthy {
			t.Errorf("another one, of %s: %+v, %v", place, h, err)
		}
	}
}

// TestMemoIsOfOneCluster: what one says of an object is not believed of another
// one's with the same names.
func TestMemoIsOfOneCluster(t *testing.T) {
	c := customized(t, map[string]string{"resource.customizations.health.x.io_X": `return {status = obj.status.phase}`})
	for server, phase := range map[string]string{"https://a": "Healthy", "https://b": "Degraded"} {
		o := object(t, "{apiVersion: x.io/v1, kind: X, metadata: {name: x, uid: u, resourceVersion: '1'}, status: {phase: "+phase+"}}")
		if h, err := c.Health(server, o); err != nil || string(h.Code) != phase {
			t.Errorf("of %s: %+v, %v; want %s", server, h, err, phase)
		}
	}
}

// TestWaysOfKindsAreBounded names more kinds than there are, with a check of their own
// and without.
func TestWaysOfKindsAreBounded(t *testing.T) {
	c := New()
	kept := func() (n int) {
		c.now.Load().found.Range(func(any, any) bool {
			n++
			return true
		})
		return n
	}
	for i := range mostWays + 10 {
		kind := fmt.Sprintf("Kind%d", i)
		if c.Has("made-up.test", kind) || !c.Has("made-up"+awsControllers, kind) {
			t.Fatalf("%s is assessed in another way than others of its group", kind)
		}
	}
	if n := kept(); n == 0 || n > mostWays {
		t.Errorf("%d ways are kept, and at most %d should be", n, mostWays)
	}
	before := kept()
	if c.Has("made-up.test", strings.Repeat("K", longestKind)) || kept() != before {
		t.Errorf("a kind that no cluster can have is kept")
	}
	if c.way(schema.GroupKind{Kind: "A"}) != c.way(schema.GroupKind{Kind: "B"}) {
		t.Error("kinds without a check have a way each")
	}
}
