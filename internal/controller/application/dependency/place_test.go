package dependency

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// nowhere has no cluster, and theirs has one.
type (
	nowhere struct{ Places }
	theirs  struct{ nowhere }
	vault   struct{ Cluster }
)

func (nowhere) Resolve(v1alpha1.ApplicationDestination) (Cluster, []gitops.Cluster, error) {
	return nil, nil, gitops.Problemf(gitops.NotFound, "no cluster is there")
}

func (vault) Desc() gitops.Cluster { return gitops.Cluster{Name: "vault", Server: "https://10.0.0.1"} }

func (t theirs) Resolve(d v1alpha1.ApplicationDestination) (Cluster, []gitops.Cluster, error) {
	if d.Name == "vault" || d.Server == "https://10.0.0.1" {
		return vault{}, []gitops.Cluster{vault{}.Desc()}, nil
	}
	return t.nowhere.Resolve(d)
}

// TestDependencyOnAClusterOfAnotherProjectLooksLikeNone: whoever guesses a cluster in what an Application depends on
// reads the same whether there is one or not, where the project does not permit it.
func TestDependencyOnAClusterOfAnotherProjectLooksLikeNone(t *testing.T) {
	to := func(server, name string) v1alpha1.ApplicationDestination {
		return v1alpha1.ApplicationDestination{Server: server, Name: name, Namespace: "*"}
	}
	for name, tc := range map[string]struct {
		reason       string
		destinations []v1alpha1.ApplicationDestination
		known, none  string
	}{
		"Elsewhere":    {"another place is permitted alone", []v1alpha1.ApplicationDestination{to("https://shop.example.com", "")}, "does not permit", "does not permit"},
		"DeniedServer": {"its address is denied, which its name does not tell", []v1alpha1.ApplicationDestination{to("*", ""), to("!https://10.0.0.1", "")}, "does not permit", "does not permit"},
		"DeniedName":   {"its name is denied, which its address does not tell", []v1alpha1.ApplicationDestination{to("", "*"), to("", "!vault")}, "does not permit", "does not permit"},
		"All":          {"what is permitted whatever it is may be told", []v1alpha1.ApplicationDestination{to("*", "")}, "", "no cluster has the name or server"},
	} {
		for _, guess := range []string{"vault", "https://10.0.0.1"} {
			t.Run(name+"/"+guess, func(t *testing.T) {
				project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
				project.Spec.Destinations = tc.destinations
				on := &Asker{App: &v1alpha1.Application{}, Project: project}
				of := func(p Places) string {
					_, err := (&Checker{Places: p}).placed(on, depend.Ref{Kind: "ConfigMap", Namespace: "blue", Name: "x", Cluster: guess})
					if err == nil {
						return ""
					}
					return err.Error()
				}
				known, none := of(theirs{}), of(nowhere{})
				if !strings.Contains(known, tc.known) || !strings.Contains(none, tc.none) || (known == "") != (tc.known == "") {
					t.Errorf("%s: %q, and without it %q", tc.reason, known, none)
				}
				if known != "" && known != none {
					t.Errorf("%s: it tells whether there is such a cluster: %q, and without it %q", tc.reason, known, none)
				}
			})
		}
	}
}
