package difference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// rulesOf are the rules of an installation, and of an Application that says nothing.
func rulesOf(t *testing.T, data map[string]string) *Rules {
	t.Helper()
	settings, err := ParseSettings(data)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := NewRules("red", nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestKeysOfSettings(t *testing.T) {
	const ignore = "resource.customizations.ignoreDifferences"
	status := []string{"/status"}
	cases := map[string]struct {
		reason, key, value string
		object             string
		pointers, managers []string
	}{
		"Kind":       {"a key ends in group and kind", ignore + ".apps_Deployment", "jsonPointers: [/a]", "apps/v1 Deployment", []string{"/status", "/a"}, nil},
		"OtherKind":  {"and is of no other", ignore + ".apps_Deployment", "jsonPointers: [/a]", "apps/v1 ReplicaSet", status, nil},
		"Core":       {"without a group it is of the core", ignore + ".ConfigMap", "jsonPointers: [/a]", "v1 ConfigMap", []string{"/status", "/a"}, nil},
		"CoreNot":    {"and of no other group", ignore + ".ConfigMap", "jsonPointers: [/a]", "example.com/v1 ConfigMap", status, nil},
		"Group":      {"a group has dots", ignore + ".example.com_Widget", "jsonPointers: [/a]", "example.com/v1 Widget", []string{"/status", "/a"}, nil},
		"All":        {"all is every kind", ignore + ".all", "{jsonPointers: [/a], managedFieldsManagers: [m]}", "example.com/v1 Widget", []string{"/a", "/status"}, []string{"m"}},
		"Glob":       {"a part may be a pattern", ignore + ".*.com_Wid*", "jsonPointers: [/a]", "example.com/v1 Widget", []string{"/a", "/status"}, nil},
		"GlobOf":     {"but not of managers", ignore + ".*.com_Wid*", "managedFieldsManagers: [m]", "example.com/v1 Widget", status, nil},
		"Managers":   {"managers are of a kind by its name", ignore + ".example.com_Widget", "managedFieldsManagers: [m, m]", "example.com/v1 Widget", status, []string{"m"}},
		"NoKind":     {"without a kind it is no key of a customization", ignore, "jsonPointers: [/a]", "apps/v1 Deployment", status, nil},
		"Health":     {"of others' keys nothing is read", "resource.customizations.health.apps_Deployment", "{", "apps/v1 Deployment", status, nil},
		"Joined":     {"the old form has the kinds in it", "resource.customizations", "apps/Deployment: {ignoreDifferences: 'jsonPointers: [/a]'}", "apps/v1 Deployment", []string{"/status", "/a"}, nil},
		"JoinedAll":  {"and a star for all", "resource.customizations", "'*/*': {ignoreDifferences: 'jsonPointers: [/a]'}", "apps/v1 Deployment", []string{"/a", "/status"}, nil},
		"JoinedOdd":  {"no kind has a slash", "resource.customizations", "a/b/c: {ignoreDifferences: 'jsonPointers: [/a]'}", "a/v1 c", status, nil},
		"Empty":      {"nothing says nothing", ignore + ".apps_Deployment", "", "apps/v1 Deployment", status, nil},
		"StatusCRD":  {"the status may count but for definitions", "resource.compareoptions", "ignoreResourceStatusField: crd", "apps/v1 Deployment", nil, nil},
		"StatusCRDs": {"whose status does not", "resource.compareoptions", "ignoreResourceStatusField: crd", "apiextensions.k8s.io/v1 CustomResourceDefinition", status, nil},
		"StatusOff":  {"off is no text in YAML", "resource.compareoptions", "ignoreResourceStatusField: off", "apps/v1 Deployment", nil, nil},
		"StatusAll":  {"what is no word of it is as all", "resource.compareoptions", "ignoreResourceStatusField: whatever", "apps/v1 Deployment", status, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			version, kind, _ := strings.Cut(tc.object, " ")
			o := sample()
			o.SetAPIVersion(version)
			o.SetKind(kind)
			want := gitops.Ignore{JSONPointers: tc.pointers, Managers: tc.managers}
			if diff := cmp.Diff(want, rulesOf(t, map[string]string{tc.key: tc.value}).For(o)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// A part that cannot be read names its key, and what to do.
func TestBrokenKeysOfSettings(t *testing.T) {
	for name, tc := range map[string]struct{ reason, key, value, says string }{
		"Joined":      {"the old form is YAML", "resource.customizations", "[", "the key resource.customizations of"},
		"JoinedInner": {"and has YAML in it", "resource.customizations", "apps/Deployment: {ignoreDifferences: '['}", "the key resource.customizations, apps/Deployment of"},
		"JoinedJQ":    {"an expression in it names the kind", "resource.customizations", "apps/Deployment: {ignoreDifferences: 'jqPathExpressions: [.a|]'}", "customizations of apps/Deployment"},
		"Types":       {"types are a list", "resource.customizations.knownTypeFields.apps_Deployment", "a: b", "the key resource.customizations.knownTypeFields.apps_Deployment of"},
		"NoName":      {"a key has a kind", "resource.customizations.ignoreDifferences.", "{}", "it ends neither in a kind nor in GROUP_KIND"},
		"NoNameOf":    {"also a key that others read", "resource.customizations.health.a_b_c", "{}", "it ends neither in a kind nor in GROUP_KIND"},
		"Options":     {"options are a map", "resource.compareoptions", "[a]", "the key resource.compareoptions of"},
	} {
		t.Run(name, func(t *testing.T) {
			settings, err := ParseSettings(map[string]string{tc.key: tc.value})
			if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "argocd-cm") {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if _, again := NewRules("red", nil, settings); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: rules say %v", tc.reason, again)
			}
		})
	}
}

// A field that has a type of Kubernetes is what it means, wherever it is.
func TestFieldsOfKnownTypes(t *testing.T) {
	const widget = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: %s}"
	types := func(field, kind string) map[string]string {
		return map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: " + field + ", type: " + kind + "}]"}
	}
	cases := map[string]struct {
		reason, object, git, live string
		data                      map[string]string
		modified                  bool
	}{
		"Quantity":  {"a quantity", widget, "{a: 1000m}", `{a: "1"}`, types("spec.a", "core/Quantity"), false},
		"Duration":  {"a length of time", widget, "{a: 60s}", "{a: 1m0s}", types("spec.a", "meta/v1/Duration"), false},
		"Struct":    {"a struct has quantities in it", widget, "{a: {limits: {cpu: 1000m}}}", `{a: {limits: {cpu: "1"}}}`, types("spec.a", "core/v1/ResourceRequirements"), false},
		"List":      {"a list of them", widget, "{a: {cpu: 1000m}}", `{a: {cpu: "1"}}`, types("spec.a", "core/v1/ResourceList"), false},
		"Items":     {"the items of a list", widget, "{a: [{limits: {cpu: 1000m}}]}", `{a: [{limits: {cpu: "1"}}]}`, types("spec.a", "core/v1/ResourceRequirements"), false},
		"InItems":   {"and what is in them", widget, "{a: [{b: 1000m}, x]}", `{a: [{b: "1"}, x]}`, types("spec.a.b", "core/Quantity"), false},
		"Texts":     {"a list of texts is left alone", widget, "{a: [1000m]}", `{a: ["1"]}`, types("spec.a", "core/Quantity"), true},
		"Misfit":    {"what does not fit its type is as it is written", widget, "{a: x, b: 1000m}", `{a: x, b: "1"}`, types("spec.a", "core/Quantity"), true},
		"After":     {"and so is what the list names after it", widget, "{a: x, b: 1000m}", `{a: x, b: "1"}`, map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: spec.a, type: core/Quantity}, {field: spec.b, type: core/Quantity}]"}, true},
		"MisfitIn":  {"also in an item", widget, "{a: [{b: x}], c: 1000m}", `{a: [{b: x}], c: "1"}`, map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: spec.a.b, type: core/Quantity}, {field: spec.c, type: core/Quantity}]"}, true},
		"Absent":    {"a field that is not there hides no other", widget, "{b: 1000m}", `{b: "1"}`, map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: spec.a, type: core/Quantity}, {field: spec.b, type: core/Quantity}]"}, false},
		"Through":   {"a text has no fields", widget, "{a: x, b: 1}", "{a: x, b: 1}", types("spec.a.b", "core/Quantity"), false},
		"Unknown":   {"a type that nobody knows says nothing, and hides no other", widget, "{b: 1000m}", `{b: "1"}`, map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: spec.b, type: x/Y}, {field: spec.b, type: core/Quantity}]"}, false},
		"Joined":    {"the old form has them, too", widget, "{a: 1000m}", `{a: "1"}`, map[string]string{"resource.customizations": "example.com/Widget: {knownTypeFields: [{field: spec.a, type: core/Quantity}]}"}, false},
		"Rollout":   {"of Rollouts they are known", "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}, spec: %s}", "{template: {spec: {containers: [{name: a, resources: {limits: {cpu: 1000m}}}]}}}", `{template: {spec: {containers: [{name: a, resources: {limits: {cpu: "1"}}}]}}}`, nil, false},
		"RolloutNo": {"unless somebody says which", "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}, spec: %s}", "{template: {spec: {containers: [{name: a, resources: {limits: {cpu: 1000m}}}]}}}", `{template: {spec: {containers: [{name: a, resources: {limits: {cpu: "1"}}}]}}}`, map[string]string{"resource.customizations.knownTypeFields.argoproj.io_Rollout": "[{field: spec.x, type: core/Quantity}]"}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := Input{Desired: manifest(t, fmt.Sprintf(tc.object, tc.git)), Live: manifest(t, fmt.Sprintf(tc.object, tc.live)), Rules: rulesOf(t, tc.data)}
			got, err := Of(t.Context(), in)
			if err != nil || got.Modified != tc.modified {
				t.Errorf("%s: modified %v, %v\n%s", tc.reason, got.Modified, err, cmp.Diff(got.Live, got.Predicted))
			}
		})
	}
}

// Objects of one concern ignore the same, and others need not.
func TestConcerns(t *testing.T) {
	own := v1alpha1.IgnoreDifferences{
		{Group: "apps", Kind: "*", JSONPointers: []string{"/all"}},
		{Group: "apps", Kind: "Deployment", Name: "web", JSONPointers: []string{"/web"}},
		{Group: "apps", Kind: "Deployment", Namespace: "bank", JSONPointers: []string{"/bank"}},
		{Group: "batch", Kind: "*", JSONPointers: []string{"/none"}},
	}
	rules, err := NewRules("red", own, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := rules.OfKind("apps", "Deployment")
	if !cmp.Equal(of, []int{0, 1, 2}) {
		t.Fatalf("of the kind are the rules %v", of)
	}
	if got, want := rules.Weight(), 4*perRule+len("apps*appsDeploymentappsDeploymentbatch*"); got != want {
		t.Errorf("they weigh %d, want %d", got, want)
	}
	concern := func(name, namespace, annotation string) Concern {
		o := sample()
		o.SetName(name)
		o.SetNamespace(namespace)
		if annotation != "" {
			o.SetAnnotations(map[string]string{AnnotationIgnore: annotation})
		}
		return rules.Concern(of, o)
	}
	if concern("a", "shop", "") != concern("b", "shop", "") {
		t.Error("two that no rule tells apart concern others")
	}
	for other, want := range map[Concern][]string{
		concern("a", "shop", ""):                       {"/all", "/status"},
		concern("web", "shop", ""):                     {"/all", "/web", "/status"},
		concern("a", "bank", ""):                       {"/all", "/bank", "/status"},
		concern("web", "bank", ""):                     {"/all", "/web", "/bank", "/status"},
		concern("a", "shop", "jsonPointers: [/a]"):     {"/all", "/a", "/status"},
		concern("a", "shop", "jsonPointers: [/all,/]"): {"/all", "/", "/status"},
	} {
		if got := rules.Ignore(other).JSONPointers; !cmp.Equal(got, want) {
			t.Errorf("%+v ignores %q, want %q", other, got, want)
		}
	}
}

// What one action ignores is ignored in any object, with the status, or counting it.
func TestOnly(t *testing.T) {
	live := sample()
	live.Object["status"] = map[string]any{"replicas": int64(1)}
	live.Object["spec"].(map[string]any)["replicas"] = int64(7)
	for name, tc := range map[string]struct {
		reason   string
		ignore   gitops.Ignore
		modified bool
	}{
		"Nothing": {"the replicas count", gitops.Ignore{}, true},
		"Pointer": {"by a pointer", gitops.Ignore{JSONPointers: []string{"/spec/replicas"}}, false},
		"JQ":      {"by an expression", gitops.Ignore{JQ: []string{".spec.replicas"}}, false},
		"Status":  {"the status counts, too", gitops.Ignore{JSONPointers: []string{"/spec/replicas"}, CountStatus: true}, true},
	} {
		rules, err := Only(t.Context(), tc.ignore)
		if err != nil {
			t.Fatal(err)
		}
		desired := sample()
		desired.Object["status"] = map[string]any{"replicas": int64(3)}
		got, err := Of(t.Context(), Input{Desired: desired, Live: live, Rules: rules})
		if err != nil || got.Modified != tc.modified {
			t.Errorf("%s: %s: modified %v, %v", name, tc.reason, got.Modified, err)
		}
	}
	if _, err := Only(t.Context(), gitops.Ignore{JQ: []string{".["}}); err == nil {
		t.Error("an expression that cannot be read ignores nothing")
	}
}
