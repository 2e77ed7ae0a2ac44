package difference

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// sides are what is compared: Git, what client-side apply was last given, and the cluster.
// Each is the body of an object of one kind.
type sides struct {
	reason, git, last, live string
	modified                bool
}

func (s sides) try(t *testing.T, head string) {
	t.Helper()
	body := func(text string) *unstructured.Unstructured { return manifest(t, head+text+"}") }
	live := body(s.live)
	if s.last != "" {
		annotations := withLast(t, body(s.last)).GetAnnotations()
		live.SetAnnotations(annotations)
	}
	got, err := Of(t.Context(), Input{Desired: body(s.git), Live: live})
	if err != nil || got.Modified != s.modified {
		t.Errorf("%s: modified %v, %v\n%s", s.reason, got.Modified, err, cmp.Diff(got.Live, got.Predicted))
	}
}

func TestThreeWaysOfBuiltInKinds(t *testing.T) {
	const head = "apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: b}, "
	const web, proxy, webEnv = "{name: web, image: a}", "{name: proxy, image: b}", "{name: web, image: a, env: [{name: X, value: z}]}"
	spec := func(containers string) string {
		return "spec: {template: {spec: {containers: [" + containers + "]}}}"
	}
	cases := map[string]sides{
		"Same":       {"nothing differs", spec(web), spec(web), spec(web), false},
		"Added":      {"Git has another container", spec(web + "," + proxy), spec(web), spec(web), true},
		"Injected":   {"what others added stays", spec(web), spec(web), spec(web + "," + proxy), false},
		"Unknown":    {"and nobody knows whose it is where nothing was applied", spec(web), "", spec(web + "," + proxy), false},
		"Removed":    {"what Git had and has no more goes", spec(web), spec(web + "," + proxy), spec(web + "," + proxy), true},
		"Gone":       {"unless it is gone", spec(web), spec(web + "," + proxy), spec(web), false},
		"Changed":    {"somebody changed what Git says", spec(web), spec(web), spec("{name: web, image: c}"), true},
		"Field":      {"a field that Git never had stays", spec(web), spec(web), spec(webEnv), false},
		"FieldGone":  {"one that it had goes", spec(web), spec(webEnv), spec(webEnv), true},
		"Order":      {"containers in another order make a difference: the first is the one that people mean", spec(web + "," + proxy), spec(web + "," + proxy), spec(proxy + "," + web), true},
		"EmptyAndNo": {"an empty list of variables is none", spec("{name: web, image: a, env: []}"), spec(web), spec(web), false},
		"Namespace":  {"live alone has a namespace", "spec: {replicas: 1}", "spec: {replicas: 1}", "spec: {replicas: 1}", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { tc.try(t, "{"+head) })
	}
}

// A kind without a schema is merged as JSON is: a list is one value.
func TestThreeWaysOfOtherKinds(t *testing.T) {
	cases := map[string]sides{
		"Same":     {"nothing differs", "spec: {a: 1, l: [1, 2]}", "spec: {a: 1, l: [1, 2]}", "spec: {a: 1, l: [1, 2]}", false},
		"Default":  {"what a controller filled in stays", "spec: {a: 1}", "spec: {a: 1}", "spec: {a: 1, b: 2}", false},
		"Removed":  {"what Git had goes", "spec: {a: 1}", "spec: {a: 1, b: 2}", "spec: {a: 1, b: 2}", true},
		"List":     {"an item that somebody added is a difference", "spec: {l: [1]}", "spec: {l: [1]}", "spec: {l: [1, 2]}", true},
		"Items":    {"a field that was filled in in an item is none", "spec: {l: [{name: x}]}", "spec: {l: [{name: x}]}", "spec: {l: [{name: x, b: 1}]}", false},
		"ItemsOf":  {"unless Git never said so much", "spec: {l: [{name: x}, {name: w}]}", "spec: {l: [{name: x}]}", "spec: {l: [{name: x}]}", true},
		"Type":     {"a text is no number", `spec: {a: "1"}`, `spec: {a: "1"}`, "spec: {a: 1}", true},
		"Null":     {"nothing is as what is absent", "spec: {a: null}", "spec: {}", "spec: {}", false},
		"NullGoes": {"and takes away what was there", "spec: {a: null}", "spec: {a: 1}", "spec: {a: 1}", true},
		"Status":   {"the status does not count", "spec: {}, status: {a: 1}", "spec: {}", "spec: {}, status: {a: 2}", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.try(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, ")
		})
	}
}

// What the API server fills in in a claim template is no difference, although templates are one value.
func TestClaimTemplates(t *testing.T) {
	const silent, filled = "{metadata: {name: a}, spec: {accessModes: [x]}}", "{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: a}, spec: {accessModes: [x], volumeMode: Filesystem}, status: {phase: Pending}}"
	spec := func(claims string) string { return "spec: {serviceName: a, volumeClaimTemplates: [" + claims + "]}" }
	cases := map[string]sides{
		"Filled": {"the server filled it in", spec(silent), spec(silent), spec(filled), false},
		"Other":  {"another mode was written", spec(silent), spec(silent), spec("{metadata: {name: a}, spec: {accessModes: [w]}}"), true},
		"More":   {"another template was added", spec(silent), spec(silent), spec(filled + ", {metadata: {name: b}}"), true},
		"None":   {"Git has none", "spec: {serviceName: a}", "spec: {serviceName: a}", "spec: {serviceName: a}", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.try(t, "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, ")
		})
	}
}

// What was last applied may be of anybody's making: what cannot be read, or merged, is no origin.
func TestLastAppliedThatIsNone(t *testing.T) {
	for name, last := range map[string]string{
		"NoJSON": "{", "Empty": "", "List": "[]", "Nothing": "null", "NoObject": `{"spec": {"replicas": 5}}`, "OtherKind": `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "spec": {"replicas": 5}}`,
		"Odd": `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": [1]}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			live := sample()
			live.SetAnnotations(map[string]string{gitops.AnnotationLastApplied: last})
			got, err := Of(t.Context(), Input{Desired: sample(), Live: live})
			if err != nil || got.Modified {
				t.Errorf("%q: modified %v, %v", last, got.Modified, err)
			}
			if err := unstructured.SetNestedField(live.Object, int64(7), "spec", "replicas"); err != nil {
				t.Fatal(err)
			}
			if got, err = Of(t.Context(), Input{Desired: sample(), Live: live}); err != nil || !got.Modified {
				t.Errorf("%q: a difference is not seen, %v", last, err)
			}
		})
	}
}

func TestOneSideAlone(t *testing.T) {
	got, err := Of(t.Context(), Input{Desired: sample()})
	if err != nil || !got.Modified || got.Live != nil || got.Predicted == nil {
		t.Errorf("what is not there is made: %+v, %v", got, err)
	}
	got, err = Of(t.Context(), Input{Live: sample()})
	if err != nil || got.Modified || got.Predicted != nil || got.Live == nil {
		t.Errorf("what is no longer desired is not changed by comparing: %+v, %v", got, err)
	}
	if _, err = Of(t.Context(), Input{}); err == nil || !strings.Contains(err.Error(), "nothing with nothing") {
		t.Error(err)
	}
}

// An object that no API server would have taken is an error, and no end of the engine.
func TestObjectsOfNoForm(t *testing.T) {
	for name, text := range map[string]string{
		"ListOfTexts": `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {containers: [a, b]}}}}`,
		"NoKey":       `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {containers: [{image: a}]}}}}`,
		"Mixed":       `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {containers: [{name: a}, [1]]}}}}`,
		"NoMap":       `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: 7}`,
	} {
		for _, serverSide := range []bool{false, true} {
			_, err := Of(t.Context(), Input{Desired: manifest(t, text), Live: sample(), ServerSide: serverSide, Manager: "m"})
			if err != nil && !strings.HasPrefix(err.Error(), "cannot ") {
				t.Errorf("%s (%v): %v", name, serverSide, err)
			}
		}
	}
}

// An object asks for the comparison by owners itself.
func TestOptionOfServerSide(t *testing.T) {
	live := config(t, "a: x, b: x", holding("m", "Apply", "a", "b"))
	for options, modified := range map[string]bool{
		"": false, "ServerSideApply=true": true, "Prune=false, serversideapply=TRUE ,Force=true": true, "ServerSideApply=false": false, "XServerSideApply=true": false,
	} {
		desired := config(t, "a: x", "")
		desired.SetAnnotations(map[string]string{gitops.AnnotationSync: options})
		cluster := live.DeepCopy()
		cluster.SetAnnotations(desired.GetAnnotations())
		got, err := Of(t.Context(), Input{Desired: desired, Live: cluster, Manager: "m"})
		if err != nil || got.Modified != modified {
			t.Errorf("with %q the key that Git no longer has goes: %v, %v", options, got.Modified, err)
		}
	}
}

// By owners, a kind without a schema is not comparable: whoever asks falls back to what was applied.
func TestServerSideNeedsASchema(t *testing.T) {
	widget := manifest(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}")
	_, err := Of(t.Context(), Input{Desired: widget, Live: widget, ServerSide: true, Manager: "m"})
	var p *gitops.Problem
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "cannot compare by field ownership") {
		t.Error(err)
	}
}

// Fields that somebody owns in another version of the kind do not count.
func TestOwnersInOtherVersions(t *testing.T) {
	entry := strings.Replace(holding("m", "Apply", "a", "b"), "apiVersion: v1", "apiVersion: v0", 1)
	got, err := Of(t.Context(), Input{Desired: config(t, "a: x", ""), Live: config(t, "a: x, b: x", entry), ServerSide: true, Manager: "m"})
	if err != nil || got.Modified {
		t.Errorf("modified %v, %v", got.Modified, err)
	}
}

// What says nothing about an object is no difference.
func TestMetadataThatSayNothing(t *testing.T) {
	kinds := []string{"apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole", "apiVersion: example.com/v1, kind: Widget"}
	for name, tc := range map[string]struct {
		reason, metadata string
		modified         bool
	}{
		"Namespace":   {"what is in no namespace may be written with one", "{name: a, namespace: shop}", false},
		"Annotations": {"no annotations", "{name: a, annotations: {}}", false},
		"Null":        {"or nothing in their place", "{name: a, annotations: null}", false},
		"One":         {"one is a difference", "{name: a, annotations: {x: z}}", true},
		"Label":       {"and so is a label", "{name: a, labels: {x: z}}", true},
	} {
		for _, kind := range kinds {
			desired := manifest(t, "{"+kind+", metadata: "+tc.metadata+"}")
			got, err := Of(t.Context(), Input{Desired: desired, Live: manifest(t, "{"+kind+", metadata: {name: a}}")})
			if err != nil || got.Modified != tc.modified {
				t.Errorf("%s, %s: %s: modified %v, %v", name, kind, tc.reason, got.Modified, err)
			}
		}
	}
}
