package members

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Clusters shows the fleet to the application controller and the generators. It
// keeps nothing of a cluster: what belongs to a connection goes with it.
type Clusters struct{ fleet *fleet.Fleet }

// New shows a fleet.
func New(f *fleet.Fleet) *Clusters { return &Clusters{fleet: f} }

// Resolve finds the cluster of a destination.
func (c *Clusters) Resolve(dest v1alpha1.ApplicationDestination) (state.Cluster, error) {
	found, err := c.fleet.Resolve(dest)
	if err != nil {
		return nil, err
	}
	return &member{found}, nil
}

// Clusters lists the fleet as generators see it: without the clusters that
// applications are to leave.
func (c *Clusters) Clusters(context.Context) ([]gitops.Cluster, error) {
	return staying(c.fleet.Clusters()), nil
}

// OfProject lists the clusters that belong to a project, also those that
// applications are to leave: they can only leave what they may still touch.
func (c *Clusters) OfProject(project string) []gitops.Cluster { return c.fleet.OfProject(project) }

// Meant are the clusters that a destination may mean.
func (c *Clusters) Meant(dest v1alpha1.ApplicationDestination) []gitops.Cluster {
	return c.fleet.Meant(dest)
}

// OfNobody lists the clusters that belong to no project.
func (c *Clusters) OfNobody() []gitops.Cluster { return c.fleet.OfNobody() }

// Unheed forgets what an application depends on.
func (c *Clusters) Unheed(tracking string) { c.fleet.Unheed(tracking) }

// Forget forgets what an application waits for.
func (c *Clusters) Forget(tracking string) { c.fleet.Forget(tracking) }

func staying(all []gitops.Cluster) []gitops.Cluster {
	return slices.DeleteFunc(all, func(d gitops.Cluster) bool { return gitops.Draining(d.Annotations) })
}

// member is a cluster as the stages see it.
type member struct{ *fleet.Cluster }

func (m *member) Server() string          { return m.Desc().Server }
func (m *member) Mapper() meta.RESTMapper { return mapper{cluster: m.Cluster} }

// As returns the cluster for writing as a user.
func (m *member) As(user string) (apply.Cluster, error) {
	client, err := m.RESTAs(user)
	if err != nil {
		return nil, err
	}
	return &actor{m, client}, nil
}

// actor is a member that is written to as another user.
type actor struct {
	*member

	rest rest.Interface
}

func (a *actor) REST() rest.Interface { return a.rest }

// mapper answers the one question that is asked of it.
type mapper struct {
	meta.RESTMapper // nil: nothing else is asked

	cluster *fleet.Cluster
}

func (m mapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	gvk := gk.WithVersion("")
	if len(versions) > 0 {
		gvk.Version = versions[0]
	}
	mapping, err := m.cluster.Mapping(context.Background(), gvk)
	if gitops.IsProblem(err, gitops.NotReady) {
		return nil, &meta.NoKindMatchError{GroupKind: gk, SearchedVersions: versions}
	}
	return mapping, err
}
