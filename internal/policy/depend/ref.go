// Package depend reads what an Application, an ApplicationSet or an object
// says that it depends on, and finds dependencies that go in a circle.
//
// It works on values: whether a dependency is there and healthy is found out by
// who asks.
package depend

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Ref is something that is depended on: one object by its name, all that a
// selector finds, or all of a kind.
type Ref struct {
	// Cluster is a name or server. Empty is the hub for Applications and
	// ApplicationSets, and the application's destination for anything else.
	Cluster   string
	Group     string
	Kind      string
	Namespace string // empty: the dependant's own
	Name      string // empty: as Selector says
	// Selector finds objects by their labels; empty with an empty Name means all of the kind.
	Selector string
	// Timeout ends the wait; zero waits for as long as it takes.
	Timeout time.Duration

	// selects is Selector as it was read.
	selects *selector
}

// Own reports whether the dependency is an Application or an ApplicationSet of
// the hub.
func (r Ref) Own() bool {
	return r.Cluster == "" && r.Group == v1alpha1.Group && (r.Kind == v1alpha1.ApplicationKind || r.Kind == v1alpha1.ApplicationSetKind)
}

// Means is equal for refs that mean the same, however long they are waited for.
func (r Ref) Means() Ref {
	r.Timeout, r.selects = 0, nil
	return r
}

// Matches reports whether an object of the ref's kind and namespace is meant.
func (r Ref) Matches(name string, of map[string]string) bool {
	if r.Name != "" {
		return r.Name == name
	}
	if r.selects == nil {
		var err error
		if r.selects, err = readSelector(r.Selector); err != nil {
			return false
		}
	}
	return r.selects.matches(of)
}

// Steps is about how much work Matches is.
func (r Ref) Steps() int {
	if r.selects == nil {
		return 1
	}
	return 1 + len(r.selects.sets) + len(r.selects.others)
}

// String has the form of the short writing: "Application/cert-manager",
// "apps/Deployment/shop/web on cluster prod", "Application[tier=platform]".
func (r Ref) String() string {
	var b strings.Builder
	if r.Group != "" && r.Group != groups[r.Kind] {
		b.WriteString(r.Group + "/")
	}
	b.WriteString(r.Kind)
	if r.Namespace != "" {
		b.WriteString("/" + r.Namespace)
	}
	switch {
	case r.Name != "":
		b.WriteString("/" + r.Name)
	case r.Selector != "":
		b.WriteString("[" + r.Selector + "]")
	default:
		b.WriteString("/*")
	}
	if r.Cluster != "" {
		b.WriteString(" on cluster " + r.Cluster)
	}
	return b.String()
}

// groups of the kinds that may be written without one.
var groups = map[string]string{
	"Application": v1alpha1.Group, "ApplicationSet": v1alpha1.Group,
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps",
	"Job": "batch", "CronJob": "batch",
	"Ingress": "networking.k8s.io", "HorizontalPodAutoscaler": "autoscaling", "PodDisruptionBudget": "policy",
	"CustomResourceDefinition": "apiextensions.k8s.io", "APIService": "apiregistration.k8s.io",
	"Namespace": "", "Pod": "", "Service": "", "ConfigMap": "", "Secret": "", "ServiceAccount": "", "Node": "",
	"PersistentVolume": "", "PersistentVolumeClaim": "", "Endpoints": "",
	"LimitRange": "", "ResourceQuota": "", "ReplicationController": "", "PodTemplate": "",
}

// all is the name that stands for all objects of a kind.
const all = "*"

// complete fills in the group of a well-known kind, and refuses what cannot
// be looked for.
func (r Ref) complete() (Ref, error) {
	if r.Kind == "" {
		return r, gitops.Problemf(gitops.Invalid, "the dependency %q has no kind", cmp.Or(r.Name, r.Selector))
	}
	if r.Name != "" && r.Selector != "" {
		return r, gitops.Problemf(gitops.Invalid, "the dependency on %s has both name and selector", r.Kind).Do("write one of them")
	}
	if r.Name == all {
		r.Name = ""
	}
	if strings.Contains(r.Namespace, all) {
		return r, gitops.Problemf(gitops.Invalid, "the dependency %s has a pattern for its namespace, and is looked for in one", r).Do("write the namespace, or leave it out")
	}
	if group, known := groups[r.Kind]; r.Group == "" && known {
		r.Group = group
	} else if r.Group == "" {
		return r, gitops.Problemf(gitops.Invalid, "the dependency %s/%s is of a kind whose group is not known", r.Kind, cmp.Or(r.Name, "*")).
			Do(fmt.Sprintf("write it with its group, as in example.com/%s/NAMESPACE/NAME", r.Kind) + gitops.DidYouMean(r.Kind, slices.Collect(maps.Keys(groups))))
	}
	if err := cmp.Or(gitops.CheckKind(schema.GroupVersionKind{Group: r.Group, Kind: r.Kind}), gitops.CheckKey(gitops.Key{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})); err != nil {
		return r, gitops.Problemf(gitops.Invalid, "there is nothing like the dependency: %w", err).Do("correct the annotation " + gitops.AnnotationDependsOn)
	}
	var err error
	if r.selects, err = readSelector(r.Selector); err != nil {
		return r, gitops.Problemf(gitops.Invalid, "cannot read the selector %q of a dependency: %w", r.Selector, err).Do("write it as for kubectl, as in tier=platform,env!=test")
	}
	return r, nil
}
