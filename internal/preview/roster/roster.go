// Package roster lists the clusters that a preview is made for: from cluster
// Secrets in files, or from an exported fleet file, which holds what previews
// need to know and no credentials.
package roster

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// Cluster is one cluster with what charts may ask of it.
type Cluster struct {
	gitops.Cluster
	Facts gitops.Facts
	// Origin is the file that describes it, as far as that is known.
	Origin gitops.Origin
}

// Roster is a list of clusters. The zero value is a hub without a Secret.
type Roster struct {
	Clusters []Cluster
	// Hub is what is known of a hub without a Secret.
	Hub gitops.Facts
	// Former says that it is of a file with the former API version.
	Former bool
}

// List returns the descriptions, as generators read them.
func (r Roster) List() []gitops.Cluster {
	out := make([]gitops.Cluster, len(r.Clusters))
	for i, c := range r.Clusters {
		out[i] = c.Cluster
	}
	return out
}

// Names of the clusters, sorted.
func (r Roster) Names() []string {
	out := make([]string, 0, len(r.Clusters))
	for _, c := range r.Clusters {
		out = append(out, c.Name)
	}
	slices.Sort(out)
	return out
}

// Resolve finds the cluster of a destination. A destination that names none
// is a *gitops.Problem.
func (r Roster) Resolve(d v1alpha1.ApplicationDestination) (Cluster, error) {
	if d.Name != "" && d.Server != "" {
		return Cluster{}, gitops.Problemf(gitops.Invalid, "the destination has both name %q and server %q", d.Name, d.Server).
			Do("remove one of destination.name and destination.server")
	}
	if d.Name == "" && d.Server == "" {
		return Cluster{}, gitops.Problemf(gitops.Invalid, "the destination names no cluster").Do("set destination.name or destination.server")
	}
	if d.Name != "" {
		return r.one("name", d.Name, d.Name == gitops.HubName, func(c Cluster) bool { return c.Answers(d.Name) })
	}
	key := gitops.ServerKey(d.Server)
	return r.one("server", d.Server, key == gitops.HubServer, func(c Cluster) bool { return gitops.ServerKey(c.Server) == key })
}

// one is the only cluster that counts of those that have a name or a server,
// as it is with the engine. The hub is known without being described.
func (r Roster) one(field, value string, hub bool, has func(Cluster) bool) (Cluster, error) {
	found := slices.DeleteFunc(slices.Clone(r.Clusters), func(c Cluster) bool { return !has(c) })
	found = gitops.Deciding(found, func(c Cluster) gitops.Cluster { return c.Cluster })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Cluster{}, gitops.AmbiguousAmong(field, value, Roster{Clusters: found}.List())
	case hub:
		return Cluster{Cluster: gitops.Cluster{Name: gitops.HubName, Server: gitops.HubServer}, Facts: r.Hub}, nil
	}
	return Cluster{}, gitops.Problemf(gitops.NotFound, "no cluster is %q", value).
		Do("add its Secret to the clusters of the preview, or correct the destination")
}

// IsHub reports whether a cluster is the one that the engine's objects live in.
func (c Cluster) IsHub() bool { return gitops.IsHub(c.Server) }

// FromSecrets makes a Roster of cluster Secrets; credentials are not read. All
// clusters get the same facts, but for the version that a label tells.
func FromSecrets(secrets []*corev1.Secret, facts gitops.Facts) (Roster, error) {
	out := Roster{Hub: facts}
	for _, s := range secrets {
		out.Clusters = append(out.Clusters, read(declared.Cluster{Secret: s}, facts))
	}
	slices.SortStableFunc(out.Clusters, func(a, b Cluster) int { return strings.Compare(a.Secret, b.Secret) })
	return out, out.Check()
}

// FromFiles is FromSecrets of Secrets that are written in files. A folder may
// describe one cluster several times, for installations of which each gets one
// of them: the last one counts.
func FromFiles(secrets []declared.Cluster, facts gitops.Facts) (Roster, error) {
	out := Roster{Hub: facts}.Described(secrets, facts)
	return out, out.Check()
}

// Described returns the Roster with what Secrets say of clusters, also of
// those without an address: With takes that of the cluster they are of.
func (r Roster) Described(secrets []declared.Cluster, facts gitops.Facts) Roster {
	for _, s := range secrets {
		r = r.With(read(s, facts))
	}
	return r
}

// read makes a cluster of its Secret.
func read(s declared.Cluster, facts gitops.Facts) Cluster {
	c := Cluster{Cluster: clustersecret.Describe(s.Secret), Facts: facts, Origin: gitops.Origin{File: s.File, Line: s.Line}}
	if v := s.Labels[v1alpha1.LabelKubernetesVersion]; v != "" {
		c.Facts.KubeVersion = complete(v)
	}
	return c
}

// Check tells of a cluster without an address.
func (r Roster) Check() error {
	for _, c := range r.Clusters {
		if c.Server == "" {
			return gitops.Problemf(gitops.Invalid, "cluster Secret %s has no server", c.Secret).At(c.Origin).
				Do("set stringData.server; where something else fills it in, as a LocalFleet does, name that file with --clusters FILE")
		}
	}
	return nil
}

// complete gives a version such as v1.33 a patch number.
func complete(version string) string {
	version = strings.TrimPrefix(version, "v")
	if strings.Count(version, ".") == 1 {
		return version + ".0"
	}
	return version
}

// With returns the Roster with a cluster added, or put in the place of the
// one whose Secret, server or name is the same. What only the one that was
// there knows stays: its facts, and its address where the new one has none.
func (r Roster) With(c Cluster) Roster {
	out := r
	out.Clusters = slices.Clone(r.Clusters)
	i := r.find(c)
	if i < 0 {
		out.Clusters = append(out.Clusters, c)
		slices.SortStableFunc(out.Clusters, func(a, b Cluster) int { return strings.Compare(a.Secret, b.Secret) })
		return out
	}
	c.Facts = out.Clusters[i].Facts
	if c.Server == "" {
		c.Server = out.Clusters[i].Server
	}
	if c.Name == "" {
		c.Name = out.Clusters[i].Name
	}
	out.Clusters[i] = c
	return out
}

// find is the index of the cluster that another description is of, -1 when
// there is none.
func (r Roster) find(c Cluster) int {
	for _, same := range []func(Cluster) bool{
		func(o Cluster) bool { return c.Secret != "" && o.Secret == c.Secret },
		func(o Cluster) bool { return c.Server != "" && gitops.SameServer(o.Server, c.Server) },
		func(o Cluster) bool { return c.Server == "" && c.Name != "" && o.Name == c.Name },
	} {
		if i := slices.IndexFunc(r.Clusters, same); i >= 0 {
			return i
		}
	}
	return -1
}

// Change is one key of a cluster's metadata that differs between two Rosters.
type Change struct {
	Cluster string
	// Key in the form metadata.labels.environment.
	Key string
	// Old and New are empty where there is none, and "" in quotes where it is empty.
	Old, New string
}

// String says what changed.
func (c Change) String() string {
	return fmt.Sprintf("cluster %s: %s %s → %s", c.Cluster, c.Key, quoted(c.Old), quoted(c.New))
}

func quoted(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// Changes tells how the metadata of clusters that both have differ.
func Changes(before, after Roster) []Change {
	old := map[string]Cluster{}
	for _, c := range before.Clusters {
		old[gitops.ServerKey(c.Server)] = c
	}
	var out []Change
	for _, c := range after.Clusters {
		was, ok := old[gitops.ServerKey(c.Server)]
		if !ok {
			continue
		}
		out = append(out, maps(c.Name, "metadata.labels.", was.Labels, c.Labels)...)
		out = append(out, maps(c.Name, "metadata.annotations.", was.Annotations, c.Annotations)...)
		if was.Name != c.Name {
			out = append(out, Change{c.Name, "name", was.Name, c.Name})
		}
	}
	return out
}

func maps(cluster, prefix string, a, b map[string]string) []Change {
	var out []Change
	for k, v := range b {
		if old, had := a[k]; !had || old != v {
			out = append(out, Change{cluster, prefix + k, told(old, had), told(v, true)})
		}
	}
	for k, v := range a {
		if _, ok := b[k]; !ok {
			out = append(out, Change{cluster, prefix + k, told(v, true), ""})
		}
	}
	slices.SortFunc(out, func(x, y Change) int { return strings.Compare(x.Key, y.Key) })
	return out
}

// told is a value, of which an empty one is another than none: selectors ask whether
// a key exists.
func told(value string, there bool) string {
	if there && value == "" {
		return `""`
	}
	return value
}
