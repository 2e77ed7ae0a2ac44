package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// clusters shows the fleet to the application controller and the generators.
type clusters struct {
	fleet *fleet.Fleet

	mu      sync.Mutex
	members map[string]*member
}

func newClusters(f *fleet.Fleet) *clusters {
	return &clusters{fleet: f, members: map[string]*member{}}
}

// Resolve finds the cluster of a destination.
func (c *clusters) Resolve(dest v1alpha1.ApplicationDestination) (application.Cluster, error) {
	found, err := c.fleet.Resolve(dest)
	if err != nil {
		return nil, err
	}
	return c.member(found)
}

// Clusters lists the fleet as generators see it: without the clusters that
// applications are to leave.
func (c *clusters) Clusters(context.Context) ([]gitops.Cluster, error) {
	return staying(c.fleet.Clusters()), nil
}

// OfProject lists the clusters that belong to a project, also those that
// applications are to leave: they can only leave what they may still touch.
func (c *clusters) OfProject(project string) []gitops.Cluster { return c.fleet.OfProject(project) }

// Meant are the clusters that a destination may mean.
func (c *clusters) Meant(dest v1alpha1.ApplicationDestination) []gitops.Cluster {
	return c.fleet.Meant(dest)
}

// OfNobody lists the clusters that belong to no project.
func (c *clusters) OfNobody() []gitops.Cluster { return c.fleet.OfNobody() }

// Unheed forgets what an application depends on.
func (c *clusters) Unheed(tracking string) { c.fleet.Unheed(tracking) }

// Forget forgets what an application waits for.
func (c *clusters) Forget(tracking string) { c.fleet.Forget(tracking) }

func staying(all []gitops.Cluster) []gitops.Cluster {
	return slices.DeleteFunc(all, func(d gitops.Cluster) bool { return gitops.Draining(d.Annotations) })
}

// member gives a cluster what the apply stage needs. One whose connection
// changed gets a new one.
func (c *clusters) member(found *fleet.Cluster) (*member, error) {
	desc := found.Desc()
	id := desc.Secret + " " + desc.Server // several Secrets may describe a server
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.members[id]; m != nil && m.Cluster == found {
		return m, nil
	}
	client, err := restClient(found, "")
	if err != nil {
		return nil, err
	}
	m := &member{Cluster: found, rest: client}
	c.members[id] = m
	return m, nil
}

// restClient speaks JSON to a cluster, as another user unless that is empty.
func restClient(c *fleet.Cluster, user string) (rest.Interface, error) {
	cfg := c.RESTConfig()
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.AcceptContentTypes, cfg.ContentType = "application/json", "application/json"
	cfg.Impersonate.UserName = user
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to cluster %s: %w", c.Desc().Name, err)
	}
	return client, nil
}

// member is a cluster as the stages see it.
type member struct {
	*fleet.Cluster

	rest rest.Interface

	mu sync.Mutex
	// acting are the same connection as other users.
	acting map[string]*actor
}

func (m *member) Server() string          { return m.Desc().Server }
func (m *member) REST() rest.Interface    { return m.rest }
func (m *member) Mapper() meta.RESTMapper { return mapper{cluster: m.Cluster} }

// maxActors bounds the users that are kept; one costs a few kilobytes.
const maxActors = 1000

// actor is a member that is written to as another user.
type actor struct {
	*member

	rest rest.Interface
}

func (a *actor) REST() rest.Interface { return a.rest }

// As returns the cluster for writing as a user.
func (m *member) As(user string) (apply.Cluster, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.acting[user]; a != nil {
		return a, nil
	}
	client, err := restClient(m.Cluster, user)
	if err != nil {
		return nil, err
	}
	if m.acting == nil || len(m.acting) >= maxActors {
		m.acting = map[string]*actor{}
	}
	a := &actor{member: m, rest: client}
	m.acting[user] = a
	return a, nil
}

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
	var problem *gitops.Problem
	if errors.As(err, &problem) && problem.Kind == gitops.NotReady {
		return nil, &meta.NoKindMatchError{GroupKind: gk, SearchedVersions: versions}
	}
	return mapping, err
}
