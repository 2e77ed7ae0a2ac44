package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// serving serves namespaced kinds, and Namespaces.
type serving struct{ Cluster }

func (serving) Scope() gitops.Scope {
	return func(_, kind string) (namespaced, known bool) { return kind != "Namespace", kind != "Unserved" }
}

// What a project denies everywhere is not watched for an Application whose files
// or status name it.
func TestDeniedKindsAreNotWatched(t *testing.T) {
	object := func(kind string) plan.Object {
		o := &unstructured.Unstructured{}
		o.SetAPIVersion("example.com/v1")
		o.SetKind(kind)
		return plan.Object{Manifest: gitops.Manifest{Object: o}}
	}
	namespace := object("Namespace")
	namespace.Object.SetAPIVersion("v1")
	namespace.Key = gitops.Key{Kind: "Namespace", Name: "shop"}
	app := &v1alpha1.Application{}
	app.Status.Resources = []v1alpha1.ResourceStatus{{Group: "example.com", Version: "v1", Kind: "AlsoDenied"}}
	project := &v1alpha1.AppProject{}
	project.Spec.NamespaceResourceBlacklist = []metav1.GroupKind{{Group: "*", Kind: "*Denied"}}
	for name, c := range map[string]struct {
		reason string
		set    *plan.Set
		want   []string
	}{
		"permitted":   {"others are watched", &plan.Set{Objects: []plan.Object{object("Denied"), object("Widget")}}, []string{"Widget"}},
		"not served":  {"their arrival is told of", &plan.Set{Objects: []plan.Object{object("Unserved")}}, []string{"Unserved"}},
		"cluster":     {"no list permits it", &plan.Set{Objects: []plan.Object{namespace}}, nil},
		"destination": {"the namespace of the destination is the application's concern", &plan.Set{Namespace: &namespace}, []string{"Namespace"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, k := range (&Subject[Cluster]{App: app, Project: project, Cluster: serving{}}).kinds(c.set) {
				got = append(got, k.Kind)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}
