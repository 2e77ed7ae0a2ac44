package application

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// scopedFleet knows no destination, and one cluster of each project and of none.
type scopedFleet struct{ state.Fleet }

func (scopedFleet) Resolve(d v1alpha1.ApplicationDestination) (state.Cluster, error) {
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

type theirs struct{ state.Cluster }

func (theirs) Desc() gitops.Cluster {
	return gitops.Cluster{
		Name: "vault", Server: "https://10.0.0.1", Project: "bank", Secret: "vault-secret", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"},
	}
}

func (f theirFleet) Resolve(d v1alpha1.ApplicationDestination) (state.Cluster, error) {
	if d.Name == "vault" || d.Server == "https://10.0.0.1" {
		return theirs{}, nil
	}
	return f.scopedFleet.Resolve(d)
}

func (scopedFleet) Meant(v1alpha1.ApplicationDestination) []gitops.Cluster { return nil }

func TestClusterOfAnotherProjectLooksLikeNone(t *testing.T) {
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	project.Spec.SourceRepos, project.Spec.Destinations = []string{"*"}, []v1alpha1.ApplicationDestination{{Server: "https://shop.example.com", Namespace: "*"}}
	of := func(f state.Fleet) *Reconciler {
		return &Reconciler{Options: Options{Fleet: f, Namespace: "argocd", Projects: oneProject{project}, Now: time.Now}}
	}
	with, without := of(theirFleet{}), of(scopedFleet{})
	for name, dest := range map[string]v1alpha1.ApplicationDestination{"name": {Name: "vault"}, "server": {Server: "https://10.0.0.1"}} {
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "a"}}
		app.Spec = v1alpha1.ApplicationSpec{Project: "shop", Destination: dest, Source: &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/a", Path: "."}}
		for what, of := range map[string]func(*Reconciler) error{
			"the look":     func(r *Reconciler) error { _, err := r.target(t.Context(), app); return err },
			"the deletion": func(r *Reconciler) error { _, err := r.remover().Admit(t.Context(), app); return err },
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
