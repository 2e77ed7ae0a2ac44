package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestProject(t *testing.T) {
	for name, tc := range map[string]struct{ reason, live, wanted, want string }{
		"Foreign":     {"what others added is no drift", "{apiVersion: v1, a: 1, b: {c: 2, d: 3}}", "{b: {c: 2}}", "{b: {c: 2}}"},
		"Changed":     {"what was changed is", "{apiVersion: v1, b: {c: 5}}", "{b: {c: 2}}", "{b: {c: 5}}"},
		"Missing":     {"what was taken away is", "{apiVersion: v1}", "{b: {c: 2}}", "{}"},
		"Empty":       {"the API server drops what says nothing", "{apiVersion: v1}", "{data: {}}", "{data: {}}"},
		"EmptyCustom": {"a custom object keeps it, and it may say something", "{apiVersion: argoproj.io/v1alpha1}", "{automated: {}}", "{}"},
		"Amount":      {"one amount in two forms", "{apiVersion: v1, requests: {cpu: 100m}}", "{requests: {cpu: '0.1'}}", "{requests: {cpu: '0.1'}}"},
		"OtherAmount": {"two amounts", "{apiVersion: v1, requests: {cpu: 200m}}", "{requests: {cpu: '0.1'}}", "{requests: {cpu: 200m}}"},
		"Elements":    {"defaults in elements are no drift", "{apiVersion: v1, l: [{a: 1, x: 9}]}", "{l: [{a: 1}]}", "{l: [{a: 1}]}"},
		"MoreElement": {"another element is", "{apiVersion: v1, l: [{a: 1}, {a: 2}]}", "{l: [{a: 1}]}", "{l: [{a: 1}, {a: 2}]}"},
		"Finalizers":  {"others add theirs", "{apiVersion: v1, finalizers: [a, b]}", "{finalizers: [b]}", "{finalizers: [b]}"},
		"OtherType":   {"a text where a map was", "{apiVersion: v1, b: x}", "{b: {c: 2}}", "{b: x}"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Project(parse(t, tc.live), parse(t, tc.wanted))
			if diff := cmp.Diff(parse(t, tc.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
