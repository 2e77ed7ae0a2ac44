package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Lister reads whole objects of a kind in a namespace.
type Lister interface {
	List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error)
}

// Node is an object in a tree of owners.
type Node struct {
	Key     gitops.Key
	Version string // of the API group
	UID     types.UID
	Health  gitops.Health
	Created time.Time
	// Info is what a person wants to know of the kind: "2/3 ready", a pod's phase.
	Info     string
	Images   []string
	Children []*Node
	// Holder is the other application that has it; empty for what is the
	// application's own. Nothing else is known of one with a holder.
	Holder string
}

// maxGenerations bounds the depth of a tree: CronJob, Job, Pod and what a
// custom kind puts above them.
const maxGenerations = 6

// maxNodes bounds a tree with all that is below its roots.
const maxNodes = 50_000

var (
	pods         = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	replicaSets  = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}
	jobs         = schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
	slicesOf     = schema.GroupVersionKind{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"}
	applications = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}
)

// ownedKinds are the kinds to look for below a kind.
var ownedKinds = map[schema.GroupKind][]schema.GroupVersionKind{
	{Group: "apps", Kind: "Deployment"}:            {replicaSets},
	{Group: "apps", Kind: "ReplicaSet"}:            {pods},
	{Group: "apps", Kind: "StatefulSet"}:           {pods},
	{Group: "apps", Kind: "DaemonSet"}:             {pods},
	{Group: "batch", Kind: "CronJob"}:              {jobs},
	{Group: "batch", Kind: "Job"}:                  {pods},
	{Kind: "Service"}:                              {slicesOf},
	{Kind: "ReplicationController"}:                {pods},
	{Group: "argoproj.io", Kind: "ApplicationSet"}: {applications},
	{Group: "argoproj.io", Kind: "Application"}:    nil,
	externalSecretKind:                             {secrets, configMaps},
}

// customOwned are the kinds to look for below a kind that we do not know.
var customOwned = []schema.GroupVersionKind{
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Group: "apps", Version: "v1", Kind: "StatefulSet"},
	{Group: "apps", Version: "v1", Kind: "DaemonSet"},
	replicaSets,
	{Group: "batch", Version: "v1", Kind: "CronJob"},
	jobs,
	pods,
	{Version: "v1", Kind: "Service"},
	configMaps,
	secrets,
	{Version: "v1", Kind: "PersistentVolumeClaim"},
}

// Tree puts below each object of a cluster what it owns by ownerReferences. Each kind is
// listed at most once a namespace. An object has one place: as a root, or else
// below the first of its owners. Kinds that cannot be listed, and what is more
// than a tree may have, are left out and told in the error, beside the tree
// that is there; so is a context that ended.
func (c *Checks) Tree(ctx context.Context, server string, l Lister, roots []*unstructured.Unstructured) ([]*Node, error) {
	t := &tree{checks: c, server: server, from: l, most: maxNodes}
	nodes := t.grow(ctx, roots)
	return nodes, errors.Join(t.failures...)
}

type listKey struct {
	gvk       schema.GroupVersionKind
	namespace string
}

// listing are the objects of a kind in a namespace.
type listing struct {
	owned map[types.UID][]*unstructured.Unstructured // by their owners
	named map[string]*unstructured.Unstructured
}

type tree struct {
	checks *Checks
	server string
	from   Lister
	lists  map[listKey]listing
	// placed are the objects that have a place in the tree, or none any more.
	placed map[types.UID]bool
	// most is the bound of nodes, left how many were left out for it.
	nodes, most, left int
	failures          []error
}

func (t *tree) grow(ctx context.Context, roots []*unstructured.Unstructured) []*Node {
	t.lists, t.placed = map[listKey]listing{}, map[types.UID]bool{}
	for _, o := range roots {
		t.placed[o.GetUID()] = true
	}
	t.nodes = len(roots)
	nodes := make([]*Node, 0, len(roots))
	for _, o := range roots {
		if ctx.Err() != nil {
			break
		}
		nodes = append(nodes, t.node(ctx, o, maxGenerations))
	}
	if err := ctx.Err(); err != nil {
		t.failures = append(t.failures, fmt.Errorf("cannot look at all objects: %w", err))
	}
	if t.left > 0 {
		t.failures = append(t.failures, fmt.Errorf("at least %d objects are left out: a tree has no more than %d", t.left, t.most))
	}
	return nodes
}

func (t *tree) node(ctx context.Context, o *unstructured.Unstructured, generations int) *Node {
	r := &reader{o: o.Object}
	health, _ := t.checks.Health(t.server, o) // an error is the health's message
	n := &Node{
		Key: gitops.KeyOf(o), Version: o.GroupVersionKind().Version, UID: o.GetUID(),
		Health: health, Created: timeOf(r.text("metadata", "creationTimestamp")),
		Info: info(o), Images: images(r),
	}
	if n.Key.Namespace == "" || n.UID == "" || generations == 0 {
		return n
	}
	for _, gvk := range below(n.Key) {
		children := t.listed(ctx, listKey{gvk, n.Key.Namespace}).owned[n.UID]
		if of, name, ok := made(o); ok && of == gvk {
			if child := t.listed(ctx, listKey{gvk, n.Key.Namespace}).named[name]; child != nil {
				children = append(slices.Clone(children), child)
			}
		}
		for _, child := range children {
			if t.place(child.GetUID()) && ctx.Err() == nil {
				n.Children = append(n.Children, t.node(ctx, child, generations-1))
			}
		}
	}
	slices.SortStableFunc(n.Children, func(a, b *Node) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	return n
}

// place reports whether an object gets a place now. It has one place: as many
// owners as it may name would otherwise be as many copies of all below it.
func (t *tree) place(uid types.UID) bool {
	if t.placed[uid] {
		return false
	}
	t.placed[uid] = true
	if t.nodes >= t.most {
		t.left++
		return false
	}
	t.nodes++
	return true
}

// below returns the kinds to look for; none below the other built-in kinds.
func below(k gitops.Key) []schema.GroupVersionKind {
	kinds, known := ownedKinds[schema.GroupKind{Group: k.Group, Kind: k.Kind}]
	if known {
		return kinds
	}
	if !isCustom(k.Group) {
		return nil
	}
	return customOwned
}

// isCustom tells groups that are no part of Kubernetes.
func isCustom(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

func (t *tree) listed(ctx context.Context, key listKey) listing {
	all, listed := t.lists[key]
	if !listed {
		all = t.list(ctx, key)
		t.lists[key] = all
	}
	return all
}

func (t *tree) list(ctx context.Context, key listKey) listing {
	items, err := t.from.List(ctx, key.gvk, key.namespace)
	if err != nil {
		t.failures = append(t.failures, fmt.Errorf("cannot list %s in %s: %w", key.gvk.Kind, key.namespace, err))
		return listing{}
	}
	out := listing{map[types.UID][]*unstructured.Unstructured{}, map[string]*unstructured.Unstructured{}}
	for i := range items {
		out.named[items[i].GetName()] = &items[i]
		r := reader{o: items[i].Object}
		for _, uid := range owners(r.items("metadata", "ownerReferences")) {
			out.owned[uid] = append(out.owned[uid], &items[i])
		}
	}
	return out
}

// info tells in a few words how an object fares.
func info(o *unstructured.Unstructured) string {
	r := &reader{o: o.Object}
	switch o.GetKind() {
	case "Deployment", "StatefulSet", "ReplicaSet":
		return fmt.Sprintf("%d/%d ready", r.count("status", "readyReplicas"), r.count("spec", "replicas"))
	case "DaemonSet":
		return fmt.Sprintf("%d/%d ready", r.count("status", "numberReady"), r.count("status", "desiredNumberScheduled"))
	case "Pod":
		return r.text("status", "phase")
	case secrets.Kind:
		return changedAt(r)
	}
	return ""
}
