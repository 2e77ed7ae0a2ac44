package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Destination checks where an application goes. clusters are those that belong
// to the project.
func Destination(p *v1alpha1.AppProject, t Target, clusters []gitops.Cluster) error {
	found := false
	for _, d := range p.Spec.Destinations {
		permitted, refused := judge(d, t)
		found = found || permitted
		if refused {
			return denied("cannot deploy to namespace %q of cluster %s: a destination of project %q denies it", t.Namespace, nameOf(t), p.Name).
				Do("use another destination or project")
		}
	}
	if !found {
		return notPermitted(p, t)
	}
	return scoped(p, t, clusters)
}

func notPermitted(p *v1alpha1.AppProject, t Target) error {
	return denied("cannot deploy to namespace %q of cluster %s: project %q does not permit it", t.Namespace, nameOf(t), p.Name).
		Do("add the cluster and namespace to spec.destinations of the project")
}

func scoped(p *v1alpha1.AppProject, t Target, clusters []gitops.Cluster) error {
	if p.Spec.PermitOnlyProjectScopedClusters && !belongs(clusters, t) {
		return denied("cannot deploy to cluster %s: it does not belong to project %q, which permits only its own", nameOf(t), p.Name).
			Do("set project in the cluster's Secret, or permitOnlyProjectScopedClusters: false in the project")
	}
	return nil
}

// Reaches checks that a project permits something on a cluster, in whichever
// namespace: where it does not, the cluster is not even looked at.
func Reaches(p *v1alpha1.AppProject, t Target, clusters []gitops.Cluster) error {
	found := false
	for _, d := range p.Spec.Destinations {
		name, server := meansCluster(d, t)
		found = found || name || server
		if !name && denies(d.Name) {
			return denied("a destination of project %q denies the cluster %s", p.Name, nameOf(t)).Do("use another destination or project")
		}
	}
	if !found {
		return denied("project %q permits nothing on cluster %s", p.Name, nameOf(t)).Do("add the cluster to spec.destinations of the project")
	}
	return scoped(p, t, clusters)
}

// judge tells what one entry says of a target. The name or the server is
// enough for a match. A deny of a name holds whatever the namespace is, one of
// a server for the namespaces of its entry, one of a namespace where the server matches.
func judge(d v1alpha1.ApplicationDestination, t Target) (permitted, refused bool) {
	if permitted, is := ownServer(d, t); is {
		return permitted, false
	}
	name, server := meansCluster(d, t)
	namespace := matchDeny(d.Namespace, t.Namespace)
	if (name || server) && namespace {
		return true, false
	}
	switch {
	case !name && denies(d.Name), !server && denies(d.Server) && meansNamespace(d, t), !namespace && denies(d.Namespace) && meansServer(d, t):
		return false, true
	}
	return false, false
}

// meansCluster reports whether an entry is for the cluster of a target, by its
// name or by its server, in whichever namespace.
func meansCluster(d v1alpha1.ApplicationDestination, t Target) (name, server bool) {
	if mine, is := strings.CutPrefix(d.Server, own); is {
		return false, gitops.SameServer(mine, t.Server)
	}
	return t.Name != "" && matchDeny(d.Name, t.Name), t.Server != "" && matchServer(d.Server, t.Server)
}

// meansNamespace reports whether an entry that denies a server does so for a
// namespace: for each that it does not clearly leave out.
func meansNamespace(d v1alpha1.ApplicationDestination, t Target) bool {
	if rest, deny := strings.CutPrefix(d.Namespace, "!"); deny {
		return !match(rest, t.Namespace, 0)
	}
	return matchAny(d.Namespace, t.Namespace, 0)
}

// meansServer reports whether an entry that denies a namespace does so for a
// server, however that is spelled: for each that it does not clearly leave out.
func meansServer(d v1alpha1.ApplicationDestination, t Target) bool {
	if t.Server == "" {
		return false
	}
	if rest, deny := strings.CutPrefix(d.Server, "!"); deny {
		return !isServer(rest, t.Server, match)
	}
	return isServer(d.Server, t.Server, matchAny)
}

func belongs(clusters []gitops.Cluster, t Target) bool {
	for i := range clusters {
		if t.Server != "" && gitops.SameServer(clusters[i].Server, t.Server) || t.Name != "" && clusters[i].Answers(t.Name) {
			return true
		}
	}
	return false
}

func nameOf(t Target) string {
	if t.Name == "" {
		return t.Server
	}
	return t.Name
}
