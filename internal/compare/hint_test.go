package compare

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// scopedFleet knows no destination, and one cluster of each project and of none.
type scopedFleet struct{ Fleet[Cluster] }

func (scopedFleet) Resolve(d v1alpha1.ApplicationDestination) (Cluster, error) {
	return nil, gitops.Problemf(gitops.NotFound, "no cluster has the name %q", d.Name).Do("add a cluster Secret")
}

func (scopedFleet) OfProject(project string) []gitops.Cluster {
	return []gitops.Cluster{{Name: project + "-prod", Server: "https://" + project + ".example.com", Project: project}}
}

func (scopedFleet) OfNobody() []gitops.Cluster {
	return []gitops.Cluster{{Name: "common", Server: "https://common.example.com"}}
}

func TestUnknownDestinationsTellOnlyOwnClusters(t *testing.T) {
	cases := map[string]struct {
		reason, namespace string
		dest              v1alpha1.ApplicationDestination
		want              string
	}{
		"Own":     {"the own project's may have been meant", "argocd", v1alpha1.ApplicationDestination{Name: "shop-prd"}, `did you mean "shop-prod"?`},
		"Server":  {"by its address as well", "argocd", v1alpha1.ApplicationDestination{Server: "https://shop.example.co"}, `did you mean "https://shop.example.com"?`},
		"Listed":  {"also from a namespace that the project has", "shop-apps", v1alpha1.ApplicationDestination{Name: "shop-prd"}, `did you mean "shop-prod"?`},
		"Unasked": {"who only names the project reads nothing of it", "other", v1alpha1.ApplicationDestination{Name: "shop-prd"}, ""},
		"Theirs":  {"other projects' clusters are not told", "argocd", v1alpha1.ApplicationDestination{Name: "bank-prd"}, ""},
		"Far":     {"what is not near is not meant", "argocd", v1alpha1.ApplicationDestination{Name: "elsewhere"}, ""},
	}
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: v1alpha1.AppProjectSpec{SourceNamespaces: []string{"shop-*"}}}
	c := &Comparer[Cluster]{Fleet: scopedFleet{}, Namespace: "argocd"}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: tc.namespace, Name: "a"}, Spec: v1alpha1.ApplicationSpec{Destination: tc.dest}}
			_, err := c.Fleet.Resolve(tc.dest)
			err = c.hinted(err, project, app)
			if !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), tc.want) || tc.want == "" && strings.Contains(err.Error(), "did you mean") {
				t.Errorf("%s: %v, want %q in it", tc.reason, err, tc.want)
			}
		})
	}
}
