package argocd

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// connection is how something answers.
type connection struct {
	Status      string       `json:"status"`
	Message     string       `json:"message"`
	AttemptedAt *metav1.Time `json:"attemptedAt"`
}

// cluster is a destination without its credentials.
type cluster struct {
	Server string `json:"server"`
	Name   string `json:"name"`
	// Config has no credentials, ever; tools expect that it is there.
	Config          struct{}          `json:"config"`
	ConnectionState connection        `json:"connectionState"`
	ServerVersion   string            `json:"serverVersion,omitempty"`
	Info            clusterInfo       `json:"info"`
	Project         string            `json:"project,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
}

type clusterInfo struct {
	ConnectionState   connection `json:"connectionState"`
	ServerVersion     string     `json:"serverVersion,omitempty"`
	ApplicationsCount int        `json:"applicationsCount"`
	CacheInfo         struct {
		APIsCount int `json:"apisCount,omitempty"`
	} `json:"cacheInfo"`
}

// Repository is what is shown of a repository: no credentials, ever.
type Repository struct {
	Repo            string     `json:"repo"`
	Name            string     `json:"name,omitempty"`
	Type            string     `json:"type,omitempty"`
	Project         string     `json:"project,omitempty"`
	EnableOCI       bool       `json:"enableOCI,omitempty"`
	ConnectionState connection `json:"connectionState"`
	// Written is the address as its Secret has it, with what may be secret: rights
	// are judged by it, as two repositories may have one that is shown.
	Written string `json:"-"`
}

// items is the envelope of lists.
type items[T any] struct {
	Metadata metav1.ListMeta `json:"metadata"`
	Items    []T             `json:"items"`
}

func clusterOf(h *clusters.Health, applications int) cluster {
	state := connection{Status: "Successful", Message: h.Problem}
	if h.Since != nil {
		state.AttemptedAt = &metav1.Time{Time: *h.Since}
	}
	if !h.Reachable {
		state.Status = "Failed"
	}
	c := cluster{Server: h.Server, Name: h.Name, ConnectionState: state, ServerVersion: h.Version, Project: h.Project, Labels: h.Labels}
	c.Info.ConnectionState, c.Info.ServerVersion, c.Info.CacheInfo.APIsCount = state, h.Version, h.Kinds
	c.Info.ApplicationsCount = applications
	return c
}

// mayClusters lists the clusters that somebody may read.
func (s *server) mayClusters(c *call, want func(*clusters.Health) bool) ([]cluster, error) {
	visible, err := s.reach.Visible(c.Context())
	if err != nil {
		return nil, err
	}
	applications := map[string]int{}
	for _, r := range s.Index.Now().Rows {
		if visible(r) {
			applications[r.On()]++
		}
	}
	wanted := where(s.Clusters(), want)
	out := []cluster{}
	for _, h := range reach.Only(c.Context(), s.reach, wanted, reach.ReadCluster) {
		out = append(out, clusterOf(&h, applications[h.Name]))
	}
	slices.SortFunc(out, func(a, b cluster) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (s *server) listClusters(c *call) (any, error) {
	if err := s.reach.Known(c.Context()); err != nil {
		return nil, err
	}
	address, err := c.query.text("server")
	if err != nil {
		return nil, err
	}
	name, err := c.query.text("name")
	if err != nil {
		return nil, err
	}
	only := map[string]string{"server": gitops.ServerKey(address), "name": name}
	found, err := s.mayClusters(c, func(h *clusters.Health) bool {
		return wants(only, map[string]string{"server": gitops.ServerKey(h.Server), "name": h.Name})
	})
	return items[cluster]{Items: found}, err
}

// getCluster finds one by its server, or by its name where id.type says so.
func (s *server) getCluster(c *call) (any, error) {
	if err := s.reach.Known(c.Context()); err != nil {
		return nil, err
	}
	kind, err := c.query.text("id.type")
	if err != nil {
		return nil, err
	}
	id := c.PathValue("id")
	found, err := s.mayClusters(c, func(h *clusters.Health) bool {
		if strings.HasPrefix(kind, "name") {
			return h.Name == id
		}
		return gitops.SameServer(h.Server, id)
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errDenied
	}
	return found[0], nil
}

// mayRepositories lists the repositories that somebody may read.
func (s *server) mayRepositories(c *call) ([]Repository, error) {
	if err := s.reach.Known(c.Context()); err != nil {
		return nil, err
	}
	out := reach.Only(c.Context(), s.reach, s.Repositories(), func(r *Repository) reach.Access {
		return reach.Repository("get", cmp.Or(r.Written, r.Repo), r.Project)
	})
	for i := range out {
		out[i].ConnectionState.Status = "Unknown" // it is asked when it is needed
	}
	slices.SortFunc(out, func(a, b Repository) int {
		return cmp.Or(strings.Compare(a.Repo, b.Repo), strings.Compare(a.Project, b.Project))
	})
	return out, nil
}

func (s *server) listRepositories(c *call) (any, error) {
	found, err := s.mayRepositories(c)
	return items[Repository]{Items: found}, err
}

func (s *server) getRepository(c *call) (any, error) {
	found, err := s.mayRepositories(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(r Repository) bool { return sameRepo(r.Repo, c.PathValue("repo")) })
	if i < 0 {
		return nil, errDenied
	}
	return found[i], nil
}

func (s *server) listProjects(c *call) (any, error) {
	name, err := c.query.text("name")
	if err != nil {
		return nil, err
	}
	if err := s.reach.Known(c.Context()); err != nil {
		return nil, err
	}
	all, err := s.Applications.Projects(c.Context())
	all = where(all, func(p *v1alpha1.AppProject) bool { return name == "" || p.Name == name })
	return items[v1alpha1.AppProject]{Items: reach.Only(c.Context(), s.reach, all, reach.ReadProject)}, err
}

func (s *server) getProject(c *call) (any, error) {
	all, err := s.Applications.Projects(c.Context())
	if err != nil {
		return nil, err
	}
	return s.reach.Project(c.Context(), all, c.PathValue("name"))
}

// where leaves what is wanted, in a list of its own.
func where[T any](all []T, want func(*T) bool) []T {
	out := []T{}
	for i := range all {
		if want(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out
}
