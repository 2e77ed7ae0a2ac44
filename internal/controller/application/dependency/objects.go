package dependency

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

func namespaceOf(by *Asker, ref depend.Ref) string {
	return cmp.Or(ref.Namespace, by.App.Spec.Destination.Namespace)
}

// placed finds the cluster of a ref, by name or by server, where the project permits
// its place. Of another cluster than the application's own it is not told why it does
// not, nor whether there is one: that would tell which there are, and their names.
func (c *Checker) placed(by *Asker, ref depend.Ref) (Cluster, error) {
	namespace := namespaceOf(by, ref)
	if ref.Cluster == "" {
		desc := by.Cluster.Desc()
		if refusal := policy.Destination(by.Project, policy.Target{Server: desc.Server, Name: desc.Name, Namespace: namespace}, by.Scoped); refusal != nil {
			return nil, unlooked(refusal)
		}
		return by.Cluster, nil
	}
	name, server := v1alpha1.ApplicationDestination{Name: ref.Cluster, Namespace: namespace}, v1alpha1.ApplicationDestination{Server: ref.Cluster, Namespace: namespace}
	means := []v1alpha1.ApplicationDestination{name}
	found, meant, err := c.Places.Resolve(name)
	if gitops.IsProblem(err, gitops.NotFound) {
		means = []v1alpha1.ApplicationDestination{server}
		found, meant, err = c.Places.Resolve(server)
	}
	if gitops.IsProblem(err, gitops.NotFound) { // it is judged as either: a cluster that there is may have that name or that server
		means = []v1alpha1.ApplicationDestination{name, server}
		err = gitops.Problemf(gitops.NotFound, "no cluster has the name or server %q", ref.Cluster)
	}
	for _, d := range means {
		if policy.Leads(by.Project, d, meant, by.Scoped) != nil {
			return nil, gitops.Problemf(gitops.Forbidden, "the project does not permit to look at it").
				Do(fmt.Sprintf("name what project %q permits to deploy", by.Project.Name))
		}
	}
	return found, err
}

func unlooked(why error) error {
	return gitops.Problemf(gitops.Forbidden, "the project does not permit to look at it: %w", why)
}

// permitsKind tells why the project does not permit the kind of a ref, which
// is namespaced or not.
func (by *Asker) permitsKind(ref depend.Ref, namespaced bool) error {
	key := gitops.Key{Group: ref.Group, Kind: ref.Kind, Name: ref.Name}
	if err := policy.Resource(by.Project, key, namespaced); err != nil {
		return unlooked(err)
	}
	return nil
}

// Bounds of what is told of the objects of one ref: of how many, and in how many
// bytes each.
const (
	mostUnmet = 100
	mostWhy   = 1 << 10
)

// unmetObjects looks at objects on clusters. The project has to permit them:
// whether something is there and healthy is nobody else's business.
func (c *Checker) unmetObjects(ctx context.Context, by *Asker, ref depend.Ref) []string {
	found, unmet, err := c.judged(ctx, by, ref)
	switch {
	case err != nil:
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	case found == 0:
		return []string{absent(ref)}
	}
	return unmet
}

// judged counts the objects of a ref, and tells of those that are not healthy.
// Their changes are told from now on.
func (c *Checker) judged(ctx context.Context, by *Asker, ref depend.Ref) (found int, unmet []string, err error) {
	cluster, err := c.placed(by, ref)
	if err != nil {
		return 0, nil, err
	}
	gk, namespace := schema.GroupKind{Group: ref.Group, Kind: ref.Kind}, namespaceOf(by, ref)
	permits := func(namespaced bool) error { return by.permitsKind(ref, namespaced) }
	gvk, namespaced, err := cluster.Heed(ctx, by.Tracking, gk, namespace, ref.Name, permits)
	if err != nil {
		return 0, nil, err
	}
	if !namespaced {
		namespace = ""
	}
	means := meaning(by, cluster.Desc(), ref)
	err = cluster.Judge(ctx, by.Project.Name, gvk, namespace, ref.Name, func(o *unstructured.Unstructured) {
		if !means(o) {
			return
		}
		found++
		if why := c.unmetObject(cluster.Desc().Server, ref, o); why != "" && len(unmet) < mostUnmet {
			unmet = append(unmet, why)
		}
	})
	if ref.Name != "" && gitops.IsProblem(err, gitops.NotFound) {
		return 0, nil, nil
	}
	return found, unmet, err
}

// meaning tells which objects of its kind and place a ref means. One that it names
// is permitted already.
func meaning(by *Asker, on gitops.Cluster, ref depend.Ref) func(*unstructured.Unstructured) bool {
	if ref.Name != "" {
		return func(*unstructured.Unstructured) bool { return true }
	}
	place := policy.Target{Server: on.Server, Name: on.Name}
	return func(o *unstructured.Unstructured) bool {
		return ref.Matches(o.GetName(), o.GetLabels()) && policy.Live(by.Project, gitops.KeyOf(o), place, by.Scoped) == nil
	}
}

// unmetObject tells why an object is waited for; empty when it is healthy.
func (c *Checker) unmetObject(server string, ref depend.Ref, o *unstructured.Unstructured) string {
	ref.Name, ref.Selector, ref.Namespace = o.GetName(), "", o.GetNamespace()
	if o.GetDeletionTimestamp() != nil {
		return ref.String() + ": it is being deleted"
	}
	if code, why := c.healthOf(server, o); code != gitops.Healthy {
		return ref.String() + ": " + gitops.First(why, mostWhy)
	}
	return ""
}
