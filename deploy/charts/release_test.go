package charts_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/deploy/charts"
)

func TestReleaseIsOrdered(t *testing.T) {
	objects, err := charts.Release{Name: "hub", Namespace: "control", Values: values{"applications": values{"namespaces": []any{"shop"}}}}.Objects()
	if err != nil {
		t.Fatal(err)
	}
	place := func(kind string) int {
		return slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == kind })
	}
	order := []string{"ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding", "Service", "Deployment"}
	for i, kind := range order {
		if place(kind) < 0 || i > 0 && place(kind) < place(order[i-1]) {
			t.Errorf("%s is object %d of %d: what it refers to must be there before", kind, place(kind), len(objects))
		}
	}
	if last := objects[len(objects)-1]; last.GetKind() != "Deployment" || last.GetName() != "hub-causeway" || last.GetNamespace() != "control" {
		t.Errorf("the last object is %s %s/%s, want the engine itself", last.GetKind(), last.GetNamespace(), last.GetName())
	}
}

func TestReleaseIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		reason  string
		release charts.Release
		want    string
	}{
		"Value":      {"nothing reads it", charts.Release{Name: "causeway", Values: values{"replica": 1}}, "replica"},
		"Name":       {"names of objects are made of it", charts.Release{Name: "No_Name"}, "No_Name"},
		"Kubernetes": {"the API server lacks what the chart uses", charts.Release{Name: "causeway", KubeVersion: "1.29.4-eks-1"}, "1.29.4-eks-1"},
		"Version":    {"no version", charts.Release{Name: "causeway", KubeVersion: "new"}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.release.Objects(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got error %v, want one with %q", c.reason, err, c.want)
			}
		})
	}
}

func TestValuesAreMerged(t *testing.T) {
	got := charts.Values{}
	for _, text := range []string{"image: {repository: a, tag: b}", "image: {tag: c}"} {
		if err := got.Add([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := got.Set("image.digest=d"); err != nil {
		t.Fatal(err)
	}
	image, _ := got["image"].(map[string]any)
	if image["repository"] != "a" || image["tag"] != "c" || image["digest"] != "d" {
		t.Errorf("the image is %v", image)
	}
	if err := got.Add([]byte("image: {}\nimage: {}")); err == nil {
		t.Error("one of two values for a key was passed over")
	}
}
