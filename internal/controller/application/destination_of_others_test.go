package application

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// scopedFleet knows no destination, and one cluster of each project and of none.
type scopedFleet struct{ Fleet }

func (scopedFleet) Resolve(d v1alpha1.ApplicationDestination) (Cluster, error) {
	return nil, gitops.Problemf(gitops.NotFound, "no cluster has the name %q", d.Name).Do("add a cluster Secret")
}

func (scopedFleet) OfProject(project string) []gitops.Cluster {
	return []gitops.Cluster{{Name: project + "-prod", Server: "https://" + project + ".example.com", Project: project}}
}

func (scopedFleet) OfNobody() []gitops.Cluster {
	return []gitops.Cluster{{Name: "common", Server: "https://common.example.com"}}
}

// theirFleet has one cluster besides, which belongs to another project.
type theirFleet struct{ scopedFleet }

type theirs struct{ Cluster }

func (theirs) Desc() gitops.Cluster {
	return gitops.Cluster{
		Name: "vault", Server: "https://10.0.0.1", Project: "bank", Secret: "vault-secret", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"},
	}
}

func (f theirFleet) Resolve(d v1alpha1.ApplicationDestination) (Cluster, error) {
	if d.Name == "vault" || d.Server == "https://10.0.0.1" {
		return theirs{}, nil
	}
	return f.scopedFleet.Resolve(d)
}

func (scopedFleet) Meant(v1alpha1.ApplicationDestination) []gitops.Cluster { return nil }

func TestClusterOfAnotherProjectLooksLikeNone(t *testing.T) {
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	project.Spec.SourceRepos, project.Spec.Destinations = []string{"*"}, []v1alpha1.ApplicationDestination{{Server: "https://shop.example.com", Namespace: "*"}}
	of := func(f Fleet) *Reconciler {
		return &Reconciler{Options: Options{Fleet: f, Namespace: "argocd", Projects: oneProject{project}, Now: time.Now}}
	}
	with, without := of(theirFleet{}), of(scopedFleet{})
	for name, dest := range map[string]v1alpha1.ApplicationDestination{"name": {Name: "vault"}, "server": {Server: "https://10.0.0.1"}} {
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "a"}}
		app.Spec = v1alpha1.ApplicationSpec{Project: "shop", Destination: dest, Source: &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/a", Path: "."}}
		for what, of := range map[string]func(*Reconciler) error{
			"the look":     func(r *Reconciler) error { _, err := r.target(t.Context(), app); return err },
			"the deletion": func(r *Reconciler) error { _, err := r.removal(t.Context(), app); return err },
			"the pause":    func(r *Reconciler) error { return errors.New(r.pausing(t.Context(), app)) },
		} {
			there, none := of(with), of(without)
			if there == nil || none == nil || there.Error() != none.Error() {
				t.Errorf("%s by its %s tells whether there is such a cluster: %q, and without it %q", what, name, there, none)
			}
		}
	}
	typo := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "a"}, Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{Name: "comon"}}}
	typo.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/a", Path: "."}
	if _, err := with.target(t.Context(), typo); !strings.Contains(err.Error(), `did you mean "common"?`) {
		t.Errorf("a name that is mistyped: %v", err)
	}
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
				on := &target{subject: subject{App: &v1alpha1.Application{}, Project: project, Cluster: somewhere{}}}
				of := func(f Fleet) string {
					_, err := (&Reconciler{Options: Options{Fleet: f}}).placed(on, depend.Ref{Kind: "ConfigMap", Namespace: "blue", Name: "x", Cluster: guess})
					if err == nil {
						return ""
					}
					return err.Error()
				}
				known, none := of(theirFleet{}), of(scopedFleet{})
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
