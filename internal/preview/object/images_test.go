package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func TestImagesOfContainers(t *testing.T) {
	swap := func(old, head string) []forecast.Image {
		return []forecast.Image{{Old: old, New: head, Objects: []string{"X/x"}}}
	}
	cases := map[string]struct {
		reason, before, after string
		want                  []forecast.Image
	}{
		"Sidecars":   {"operators have sidecars of their own", "spec: {sidecars: [{name: a, image: 'a:1'}]}", "spec: {sidecars: [{name: a, image: 'a:2'}]}", swap("a:1", "a:2")},
		"Steps":      {"steps of a task are containers", "spec: {steps: [{name: a, image: 'a:1'}]}", "spec: {steps: [{name: a, image: 'a:2'}]}", swap("a:1", "a:2")},
		"Container":  {"one alone", "spec: {templates: [{name: t, container: {image: 'a:1'}}]}", "spec: {templates: [{name: t, container: {image: 'a:2'}}]}", swap("a:1", "a:2")},
		"Script":     {"a script runs in one", "spec: {templates: [{name: t, script: {image: 'a:1'}}]}", "spec: {templates: [{name: t, script: {image: 'a:2'}}]}", swap("a:1", "a:2")},
		"Ephemeral":  {"any field whose name ends so", "spec: {ephemeralContainers: [{name: a, image: 'a:1'}]}", "spec: {ephemeralContainers: [{name: a, image: 'a:2'}]}", swap("a:1", "a:2")},
		"Order":      {"containers that change places run what they ran", "spec: {containers: [{name: a, image: 'a:1'}, {name: b, image: 'b:1'}]}", "spec: {containers: [{name: b, image: 'b:1'}, {name: a, image: 'a:1', args: [x]}]}", nil},
		"Renamed":    {"a container of another name is another one", "spec: {containers: [{name: a, image: 'a:1'}]}", "spec: {containers: [{name: b, image: 'a:1'}]}", []forecast.Image{{New: "a:1", Objects: []string{"X/x"}}, {Old: "a:1", Objects: []string{"X/x"}}}},
		"Nameless":   {"without a name the place tells them apart", "spec: {containers: [{image: 'a:1'}, {image: 'b:1'}]}", "spec: {containers: [{image: 'a:1'}, {image: 'b:2'}]}", swap("b:1", "b:2")},
		"Elsewhere":  {"another field that is called so is no container", "spec: {image: 'a:1', logo: {image: 'b:1'}}", "spec: {image: 'a:2', logo: {image: 'b:2'}}", nil},
		"Empty":      {"no image is none", "spec: {containers: [{name: a, image: ''}]}", "spec: {containers: [{name: a, image: ''}, {name: b}]}", nil},
		"NoText":     {"nor is what is no text", "spec: {containers: [{name: a, image: {tag: 1}}]}", "spec: {containers: [{name: a, image: {tag: 2}}]}", nil},
		"NoLongerBe": {"one without an image ran one before", "spec: {containers: [{name: a, image: 'a:1'}]}", "spec: {containers: [{name: a}]}", []forecast.Image{{Old: "a:1", Objects: []string{"X/x"}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, wrap("e.com/v1", "X", tc.before)), manifests(t, wrap("e.com/v1", "X", tc.after)), Options{})
			if len(got.Objects) != 1 {
				t.Fatalf("%d objects", len(got.Objects))
			}
			if diff := cmp.Diff(tc.want, got.Images); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	for _, kind := range []string{"ConfigMap", "Secret"} {
		side := func(v string) string {
			return wrap("v1", kind, "data: {}\ncontainers: [{name: a, image: 'a:"+v+"'}]")
		}
		if got := Compare(manifests(t, side("1")), manifests(t, side("2")), Options{}); len(got.Images) > 0 || len(got.Objects) != 1 {
			t.Errorf("a %s runs %v", kind, got.Images)
		}
	}
}

func TestImagesOfObjectsThatComeAndGo(t *testing.T) {
	pod := wrap("v1", "Pod", "spec: {containers: [{name: a, image: 'a:1'}], initContainers: [{name: i, image: 'i:1'}]}")
	want := []forecast.Image{{New: "a:1", Objects: []string{"Pod/x"}}, {New: "i:1", Objects: []string{"Pod/x"}}}
	if diff := cmp.Diff(want, Compare(nil, manifests(t, pod), Options{}).Images); diff != "" {
		t.Errorf("of one that comes (-want +got):\n%s", diff)
	}
	want = []forecast.Image{{Old: "a:1", Objects: []string{"Pod/x"}}, {Old: "i:1", Objects: []string{"Pod/x"}}}
	if diff := cmp.Diff(want, Compare(manifests(t, pod), nil, Options{}).Images); diff != "" {
		t.Errorf("of one that goes (-want +got):\n%s", diff)
	}
}
