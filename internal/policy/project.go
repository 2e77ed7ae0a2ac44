package policy

import (
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// DefaultProject is the project of applications that name none: it permits
// everything. It is made at start where it is missing.
func DefaultProject(namespace string) *v1alpha1.AppProject {
	p := &v1alpha1.AppProject{}
	p.APIVersion, p.Kind = "argoproj.io/v1alpha1", "AppProject"
	p.Namespace, p.Name = namespace, v1alpha1.DefaultProject
	p.Spec.SourceRepos = []string{"*"}
	p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}
	p.Spec.ClusterResourceWhitelist = []v1alpha1.ClusterResourceRestrictionItem{{Group: "*", Kind: "*"}}
	return p
}

// Target is where an application or an object goes. Server and Name are those
// of the cluster that was found, both set.
type Target struct {
	Server, Name, Namespace string
}

// Question is what has to be known to check an Application.
type Question struct {
	Project *v1alpha1.AppProject
	App     *v1alpha1.Application
	Target  Target
	// ControlNamespace is where Applications need no permission to live.
	ControlNamespace string
	// Clusters are those that belong to the project.
	Clusters []gitops.Cluster
}

// Application checks all of an Application that needs no manifests: where it
// lives, its sources and its destination.
func Application(q Question) error {
	if err := Origins(q); err != nil {
		return err
	}
	return Destination(q.Project, q.Target, q.Clusters)
}

// Origins checks where an Application lives, and its sources: all of it that needs
// no cluster.
func Origins(q Question) error {
	if err := Namespace(q.Project, q.App.Namespace, q.ControlNamespace); err != nil {
		return err
	}
	return Sources(q.Project, q.App.Spec.GetSources())
}

// Live checks whether an Application may touch a live object: its kind, and
// for a namespaced one its namespace.
func Live(p *v1alpha1.AppProject, k gitops.Key, cluster Target, clusters []gitops.Cluster) error {
	if err := resource(p, k, k.Namespace != ""); err != nil {
		return err
	}
	if k.Namespace == "" {
		return nil
	}
	cluster.Namespace = k.Namespace
	return Destination(p, cluster, clusters)
}

// Resource checks a kind, and for cluster-scoped kinds the name.
func Resource(p *v1alpha1.AppProject, k gitops.Key, namespaced bool) error {
	// A nil *Problem must not become an error that is not nil.
	if err := resource(p, k, namespaced); err != nil {
		return err
	}
	return nil
}

func resource(p *v1alpha1.AppProject, k gitops.Key, namespaced bool) *gitops.Problem {
	s := &p.Spec
	if namespaced {
		if s.NamespaceResourceWhitelist != nil && !hasKind(s.NamespaceResourceWhitelist, k, match) {
			return denied("cannot deploy %s: project %q does not permit kind %s", k, p.Name, kindOf(k)).Do("add the kind to spec.namespaceResourceWhitelist of the project")
		}
		if hasKind(s.NamespaceResourceBlacklist, k, matchAny) {
			return denied("cannot deploy %s: project %q denies kind %s", k, p.Name, kindOf(k)).Do("take the pattern that covers it, or that nobody can read, out of spec.namespaceResourceBlacklist of the project")
		}
		return nil
	}
	if !hasClusterKind(s.ClusterResourceWhitelist, k, match) {
		return denied("cannot deploy %s: project %q does not permit the cluster-scoped kind %s", k, p.Name, kindOf(k)).Do("add the kind to spec.clusterResourceWhitelist of the project")
	}
	if hasClusterKind(s.ClusterResourceBlacklist, k, matchAny) {
		return denied("cannot deploy %s: project %q denies the cluster-scoped kind %s", k, p.Name, kindOf(k)).Do("take the pattern that covers it, or that nobody can read, out of spec.clusterResourceBlacklist of the project")
	}
	return nil
}

// Kind reports whether a project permits some object of a kind, whatever its name:
// of one that it denies everywhere nothing need be known.
func Kind(p *v1alpha1.AppProject, k schema.GroupKind, namespaced bool) bool {
	key := gitops.Key{Group: k.Group, Kind: k.Kind}
	if namespaced {
		return resource(p, key, true) == nil
	}
	ofKind := func(list []v1alpha1.ClusterResourceRestrictionItem, matches matcher, all bool) bool {
		return slices.ContainsFunc(list, func(i v1alpha1.ClusterResourceRestrictionItem) bool {
			return matches(i.Group, k.Group, 0) && matches(i.Kind, k.Kind, 0) && (!all || i.Name == "" || i.Name == "*")
		})
	}
	return ofKind(p.Spec.ClusterResourceWhitelist, match, false) && !ofKind(p.Spec.ClusterResourceBlacklist, matchAny, true)
}

// DeniedEverywhere reports whether a project permits no object of a kind that a cluster
// serves, wherever it is.
func DeniedEverywhere(p *v1alpha1.AppProject, k schema.GroupKind, scope gitops.Scope) bool {
	namespaced, known := scope(k.Group, k.Kind)
	return known && !Kind(p, k, namespaced)
}

func kindOf(k gitops.Key) string {
	if k.Group == "" {
		return k.Kind
	}
	return k.Kind + "." + k.Group
}

func denied(format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Forbidden, format, args...)
}

// matcher is match for lists that permit, matchAny for those that forbid.
type matcher func(pattern, s string, separator rune) bool

func hasClusterKind(list []v1alpha1.ClusterResourceRestrictionItem, k gitops.Key, matches matcher) bool {
	for _, item := range list {
		if matches(item.Group, k.Group, 0) && matches(item.Kind, k.Kind, 0) && nameMatches(item.Name, k.Name, matches) {
			return true
		}
	}
	return false
}

// nameMatches has the globs of file paths, unlike groups and kinds. A broken
// one is what a broken glob is to the list that it is in.
func nameMatches(pattern, name string, matches matcher) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	if err != nil {
		return matches(brokenGlob, name, 0)
	}
	return ok
}

func hasKind(list []metav1.GroupKind, k gitops.Key, matches matcher) bool {
	for _, item := range list {
		if matches(item.Group, k.Group, 0) && matches(item.Kind, k.Kind, 0) {
			return true
		}
	}
	return false
}
