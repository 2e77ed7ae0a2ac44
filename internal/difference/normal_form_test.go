package difference

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Two ways of writing one object are no difference.
func TestWaysOfWriting(t *testing.T) {
	const (
		secret    = `{apiVersion: v1, kind: Secret, metadata: {name: a}, %s}`
		role      = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a}, %s}`
		foreign   = `{apiVersion: example.com/v1, kind: Role, metadata: {name: a}, %s}`
		endpoints = `{apiVersion: v1, kind: Endpoints, metadata: {name: a}, subsets: [%s]}`
		config    = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, %s}}`
		quota     = `{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: {%s}}}`
		odd       = `{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}, spec: {unheardOf: 1, hard: {%s}}}`
	)
	cases := map[string]struct {
		reason, object, git, live string
		modified                  bool
	}{
		"StringData":     {"a text is what is encoded of it", secret, "stringData: {a: x}", "data: {a: eA==}", false},
		"StringDataWins": {"of both the text counts", secret, "stringData: {a: x}, data: {a: enp6}", "data: {a: eA==}", false},
		"StringDataNot":  {"another text is a difference", secret, "stringData: {a: w}", "data: {a: eA==}", true},
		"NoData":         {"an empty map has nothing", secret, "data: {}", "type: Opaque", false},
		"EmptyValue":     {"an empty value is an empty text", secret, `data: {a: }`, `data: {a: ""}`, false},
		"NoRules":        {"no rules are an empty list of them", role, "rules: []", "rules: null", false},
		"Rules":          {"some are not", role, "rules: [{verbs: [get]}]", "rules: []", true},
		"RulesOf":        {"of another kind an empty list is one", foreign, "rules: []", "rules: [1]", true},
		"Addresses":      {"addresses have no order", endpoints, `{addresses: [{ip: 10.0.0.2}, {ip: 10.0.0.1}]}`, `{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]}`, false},
		"NotReady":       {"those that are not ready neither", endpoints, `{notReadyAddresses: [{ip: 10.0.0.2}, {ip: 10.0.0.1}]}`, `{notReadyAddresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]}`, false},
		"Targets":        {"of one address it is its target that counts", endpoints, `{addresses: [{ip: 10.0.0.1, targetRef: {uid: b}}, {ip: 10.0.0.1, targetRef: {uid: a}}, {ip: 10.0.0.1}]}`, `{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.1, targetRef: {uid: a}}, {ip: 10.0.0.1, targetRef: {uid: b}}]}`, false},
		"Ports":          {"ports have none, and are TCP", endpoints, `{ports: [{port: 443}, {name: b, port: 80}, {name: a, port: 80}]}`, `{ports: [{name: a, port: 80, protocol: TCP}, {name: b, port: 80, protocol: TCP}, {port: 443, protocol: TCP}]}`, false},
		"Subsets":        {"nor have subsets", endpoints, `{addresses: [{ip: 10.0.0.2}], ports: [{port: 1}]}, {addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}`, `{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}, {addresses: [{ip: 10.0.0.2}], ports: [{port: 1}]}`, false},
		"SubsetsByPort":  {"those of one address are sorted by their ports", endpoints, `{addresses: [{ip: 10.0.0.1}], ports: [{port: 2}]}, {addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}`, `{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}, {addresses: [{ip: 10.0.0.1}], ports: [{port: 2}]}`, false},
		"OtherAddress":   {"another address is a difference", endpoints, `{addresses: [{ip: 10.0.0.2}]}`, `{addresses: [{ip: 10.0.0.1}]}`, true},
		"OddEndpoints":   {"what has another form is compared as it is", endpoints, `{addresses: x}`, `{addresses: w}`, true},
		"Created":        {"when it was made does not count, also in what was exported", config, `creationTimestamp: "2020-01-01T00:00:00Z"`, `creationTimestamp: "2026-01-01T00:00:00Z"`, false},
		"Quantity":       {"a quantity is what it means", quota, "cpu: 1000m, memory: 1024Mi", `cpu: "1", memory: 1Gi`, false},
		"QuantityOther":  {"another one is another", quota, "cpu: 1000m", `cpu: "2"`, true},
		"QuantityOdd":    {"in an object with a field that its type does not have it is a text", odd, "cpu: 1000m", `cpu: "1"`, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired, live := manifest(t, fmt.Sprintf(tc.object, tc.git)), manifest(t, fmt.Sprintf(tc.object, tc.live))
			before := []any{desired.DeepCopy(), live.DeepCopy()}
			got, err := Of(t.Context(), Input{Desired: desired, Live: live})
			if err != nil || got.Modified != tc.modified {
				t.Errorf("%s: modified %v, %v\n%s", tc.reason, got.Modified, err, cmp.Diff(got.Live, got.Predicted))
			}
			if diff := cmp.Diff(before, []any{desired, live}); diff != "" {
				t.Errorf("what was given is changed:\n%s", diff)
			}
		})
	}
}

// An object that was marked by the label is not changed by a method of marking alone.
func TestMarksOfAnotherMethod(t *testing.T) {
	const id, other = "web:/ConfigMap:shop/a", "blue:/ConfigMap:shop/a"
	label, own := map[string]string{gitops.LabelInstance: "web"}, map[string]string{"example.com/app": "web"}
	marked := func(id string) map[string]string { return map[string]string{gitops.AnnotationTracking: id} }
	definition := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}}`
	cases := map[string]struct {
		reason              string
		settings            map[string]string
		object              string
		git                 map[string]string // labels
		labels, annotations map[string]string // of live
		modified            bool
	}{
		"Label":      {"what had the label is as if it had the annotation", nil, "", nil, label, nil, false},
		"Both":       {"so is what has both", nil, "", nil, label, marked(id), false},
		"Git":        {"the label stays where Git writes it", nil, "", label, label, nil, false},
		"Others":     {"another application's annotation is a difference", nil, "", nil, label, marked(other), true},
		"Neither":    {"what bears no mark is no one's", nil, "", nil, nil, nil, true},
		"ByLabel":    {"the annotation is new where the label is the method", map[string]string{"application.resourceTrackingMethod": "label"}, "", nil, label, nil, true},
		"OwnLabel":   {"an installation may name the label", map[string]string{"application.instanceLabelKey": "example.com/app"}, "", nil, own, nil, false},
		"OtherLabel": {"then the usual one is as any", map[string]string{"application.instanceLabelKey": "example.com/app"}, "", nil, label, nil, true},
		"Definition": {"definitions have no mark", nil, definition, nil, label, nil, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			settings, err := ParseSettings(tc.settings)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := NewRules("red", nil, settings)
			if err != nil {
				t.Fatal(err)
			}
			text := tc.object
			if text == "" {
				text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}`
			}
			desired, live := manifest(t, text), manifest(t, text)
			desired.SetAnnotations(marked(id))
			desired.SetLabels(tc.git)
			live.SetLabels(maps.Clone(tc.labels))
			live.SetAnnotations(maps.Clone(tc.annotations))
			got, err := Of(t.Context(), Input{Desired: desired, Live: live, Rules: rules})
			if err != nil || got.Modified != tc.modified {
				t.Errorf("%s: modified %v, %v\n%s", tc.reason, got.Modified, err, cmp.Diff(got.Live, got.Predicted))
			}
		})
	}
}

// Fields that an ignored manager wrote do not count, as far as they differ.
func TestIgnoredManagers(t *testing.T) {
	const extra = `{manager: x, operation: Update, fieldsV1: {"i:x": {}}},`
	cases := map[string]struct {
		reason, git, live, entries string
		managers                   []string
		modified                   bool
		says                       string
	}{
		"Theirs":   {"what it wrote is its own", "a: x", "a: y1", holding("hpa", "Update", "a"), []string{"hpa"}, false, ""},
		"Apply":    {"whichever way", "a: x", "a: y1", holding("hpa", "Apply", "a"), []string{"hpa"}, false, ""},
		"Another":  {"what another wrote counts", "a: x", "a: y1", holding("kubectl", "Update", "a"), []string{"hpa"}, true, ""},
		"Field":    {"and so does another field", "a: x, b: x", "a: x, b: y1", holding("hpa", "Update", "a"), []string{"hpa"}, true, ""},
		"Added":    {"what Git has new is nobody's yet", "a: x, b: x", "a: x", holding("hpa", "Update", "a", "b"), []string{"hpa"}, true, ""},
		"None":     {"nobody is ignored", "a: x", "a: y1", holding("hpa", "Update", "a"), nil, true, ""},
		"Several":  {"several may be", "a: x, b: x", "a: y1, b: y1", holding("hpa", "Update", "a") + holding("vpa", "Update", "b"), []string{"hpa", "vpa"}, false, ""},
		"Broken":   {"what it wrote cannot be read", "a: x", "a: y1", extra, []string{"x"}, false, `fields of manager "x"`},
		"Unharmed": {"what others wrote need not be", "a: x", "a: y1", extra + holding("hpa", "Update", "a"), []string{"hpa"}, false, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules, err := NewRules("red", v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", ManagedFieldsManagers: tc.managers}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Of(t.Context(), Input{Desired: config(t, tc.git, ""), Live: config(t, tc.live, tc.entries), Rules: rules})
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if err != nil || got.Modified != tc.modified {
				t.Errorf("%s: modified %v, %v", tc.reason, got.Modified, err)
			}
		})
	}
}
