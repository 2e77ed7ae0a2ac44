package observe

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
	"github.com/causeway-gitops/causeway/internal/observe/shipped"
)

// hookFinalizer keeps a finished hook until its sync has seen the result; an
// object that waits for nothing else still has the health it ended with.
const hookFinalizer = gitops.FinalizerHook

// Check assesses one object of a kind. With an error the health is Unknown
// and its message says why.
type Check func(o *unstructured.Unstructured) (gitops.Health, error)

// checkOn is one to which it matters which cluster has the object.
type checkOn func(server string, o *unstructured.Unstructured) (gitops.Health, error)

// on takes a check to which it does not.
func on(check Check) checkOn {
	return func(_ string, o *unstructured.Unstructured) (gitops.Health, error) { return check(o) }
}

// Checks tell the health of objects. For each kind there is at most one way:
// what the installation says of it, a check of our own, one that ships with
// Argo CD, or, where the installation wants that, its conditions. They are
// safe for concurrent use.
type Checks struct {
	table map[schema.GroupKind]Check
	// gates are checks that an installation's own way must agree with before
	// an object is healthy.
	gates map[schema.GroupKind]Check
	now   atomic.Pointer[ways]
	memo  *memo
	// marking is how the installation marks objects.
	marking atomic.Pointer[gitops.Tracking]
}

// ways are how kinds are assessed while the installation says the same.
type ways struct {
	said *custom.Set
	// found has the ways of kinds that were asked for.
	found sync.Map // schema.GroupKind → *way
	mu    sync.Mutex
	kept  int
}

// Bounds of the ways that are kept. Who writes manifests names kinds, served or not,
// as many as they like.
const (
	// mostWays is room for what the clusters of a fleet serve, some hundred kinds that
	// many have and a thousand of one with many operators, in a few MiB.
	mostWays = 10_000
	// longestKind is as long as a group and a kind can be that an API server takes.
	longestKind = 253 + 63
)

// keep notes the way of a kind. Where there is no room all are found again: that is
// some microseconds each.
func (w *ways) keep(gk schema.GroupKind, made *way) {
	if len(gk.Group)+len(gk.Kind) > longestKind {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept == mostWays {
		w.found.Clear()
		w.kept = 0
	}
	// The texts may be parts of larger ones.
	w.found.Store(schema.GroupKind{Group: strings.Clone(gk.Group), Kind: strings.Clone(gk.Kind)}, made)
	w.kept++
}

// way is how objects of a kind are assessed.
type way struct {
	check checkOn // nil: not at all
	// digest names a script or expressions, whose results are worth keeping.
	digest string
	gate   Check
	// fallback tells that the kind has no check of its own.
	fallback bool
}

// Standard returns the checks that Argo CD has, too.
func Standard() *Checks {
	c := &Checks{table: builtIn(), memo: newMemo()}
	c.now.Store(&ways{said: &custom.Set{}})
	c.marking.Store(&gitops.Tracking{})
	return c
}

// New returns the checks of the engine: the standard ones, and those that make
// Applications and Clusters count where an Application makes them.
func New() *Checks {
	c := Standard()
	app := schema.GroupKind{Group: "argoproj.io", Kind: "Application"}
	c.table[app] = application
	c.table[schema.GroupKind{Group: "causeway.io", Kind: "Cluster"}] = cluster
	c.gates = map[schema.GroupKind]Check{app: application}
	return c
}

// Customize takes what the data of argocd-cm says of kinds. With an error
// everything stays as it is. Changed tells which kinds are assessed in another
// way than before; warnings are about what will fail at each object.
func (c *Checks) Customize(data map[string]string) (changed func(schema.GroupKind) bool, warnings []string, err error) {
	said, err := custom.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	before, after := c.now.Load(), &ways{said: said}
	c.now.Store(after)
	return func(gk schema.GroupKind) bool {
		a, b := c.wayIn(before, gk), c.wayIn(after, gk)
		return a.digest != b.digest || a.fallback != b.fallback || (a.check == nil) != (b.check == nil)
	}, said.Warnings, nil
}

// Mark takes how the installation marks objects, and reports whether marks count
// as another installation's that did not before, or the other way round.
func (c *Checks) Mark(t gitops.Tracking) (changed bool) {
	return c.marking.Swap(&t).Installation != t.Installation
}

// trackingOf is the tracking id that an object bears; empty where another
// installation has marked it.
func (c *Checks) trackingOf(r *reader) string {
	if c.marking.Load().Elsewhere(r.text("metadata", "annotations", gitops.AnnotationInstallation)) {
		return ""
	}
	return gitops.First(r.text("metadata", "annotations", gitops.AnnotationTracking), gitops.MaxTrackingID)
}

// Custom is what the installation says now.
func (c *Checks) Custom() *custom.Set { return c.now.Load().said }

func (c *Checks) way(gk schema.GroupKind) *way { return c.wayIn(c.now.Load(), gk) }

func (c *Checks) wayIn(w *ways, gk schema.GroupKind) *way {
	if found, ok := w.found.Load(gk); ok {
		if known, ok := found.(*way); ok {
			return known
		}
	}
	made := c.newWay(w.said, gk)
	w.keep(gk, made)
	return made
}

func (c *Checks) newWay(said *custom.Set, gk schema.GroupKind) *way {
	if h := said.Health(gk); h != nil {
		return &way{check: byCustom(h), digest: h.Digest(), gate: c.gates[gk]}
	}
	if check := c.own(gk); check != nil {
		return &way{check: on(check)}
	}
	if p := shipped.Health(gk); p != nil {
		return &way{check: byScript(p), digest: p.Digest()}
	}
	if said.Conditions {
		return likeOthers
	}
	return notAtAll
}

// Kinds without a check of their own have their way in common.
var (
	likeOthers = &way{check: on(byConditions), fallback: true}
	notAtAll   = &way{}
)

func (c *Checks) own(gk schema.GroupKind) Check {
	if strings.HasSuffix(gk.Group, awsControllers) {
		return awsResource
	}
	return c.table[gk]
}

// Has reports whether a kind has a check. Of kinds that are judged by their
// conditions, those that are no part of Kubernetes do.
func (c *Checks) Has(group, kind string) bool {
	w := c.way(schema.GroupKind{Group: group, Kind: kind})
	return w.check != nil && (!w.fallback || isCustom(group))
}

// Health assesses an object of the cluster with an address. The zero Health
// means that its kind has no check.
func (c *Checks) Health(server string, o *unstructured.Unstructured) (gitops.Health, error) {
	meta := reader{o: o.Object}
	if meta.text("metadata", "deletionTimestamp") != "" && !hasText(meta.items("metadata", "finalizers"), hookFinalizer) {
		return gitops.Health{Code: gitops.Progressing, Message: "Pending deletion"}, nil
	}
	w := c.way(o.GroupVersionKind().GroupKind())
	if w.check == nil {
		return gitops.Health{}, nil
	}
	h, err := c.assess(w, server, o)
	if err != nil {
		err = fmt.Errorf("cannot assess %s: %w", gitops.KeyOf(o), err)
		return gitops.Health{Code: gitops.HealthUnknown, Message: gitops.First(err.Error(), maxMessage)}, err
	}
	h.Message = gitops.First(h.Message, maxMessage)
	return h, nil
}

// maxMessage bounds what is told of a health, in bytes: it is kept for each
// object, and a cluster writes it.
const maxMessage = 2 << 10

func (c *Checks) assess(w *way, server string, o *unstructured.Unstructured) (gitops.Health, error) {
	if w.digest == "" {
		return w.check(server, o)
	}
	key := keyOf(server, o, w.digest)
	h, known := c.memo.get(key)
	if !known {
		var err error
		if h, err = w.check(server, o); err != nil {
			return h, err
		}
		c.memo.put(key, h)
	}
	if w.gate == nil || h.Code != gitops.Healthy {
		return h, nil
	}
	// What the installation says of it may look at a status that is out of date.
	if gate, err := w.gate(o); err != nil || gate.Code == gitops.Progressing {
		return gate, err
	}
	return h, nil
}

func builtIn() map[schema.GroupKind]Check {
	return map[schema.GroupKind]Check{
		{Group: "apps", Kind: "Deployment"}:                               only(deployment, "v1"),
		{Group: "apps", Kind: "StatefulSet"}:                              only(statefulSet, "v1"),
		{Group: "apps", Kind: "DaemonSet"}:                                only(daemonSet, "v1"),
		{Group: "apps", Kind: "ReplicaSet"}:                               only(replicaSet, "v1"),
		{Kind: "Pod"}:                                                     only(pod, "v1"),
		{Group: "batch", Kind: "Job"}:                                     only(job, "v1"),
		{Group: "batch", Kind: "CronJob"}:                                 cronJob,
		{Kind: "Service"}:                                                 only(service, "v1"),
		{Group: "networking.k8s.io", Kind: "Ingress"}:                     ingress,
		{Group: "extensions", Kind: "Ingress"}:                            ingress,
		{Kind: "PersistentVolumeClaim"}:                                   only(volumeClaim, "v1"),
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:           only(autoscaler, "v1", "v2"),
		{Group: "policy", Kind: "PodDisruptionBudget"}:                    disruptionBudget,
		{Group: "apiregistration.k8s.io", Kind: "APIService"}:             only(apiService, "v1", "v1beta1"),
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: definition,
		{Group: "argoproj.io", Kind: "Workflow"}:                          workflow,
		{Group: "argoproj.io", Kind: "ApplicationSet"}:                    applicationSet,
		{Group: "external-secrets.io", Kind: "PushSecret"}:                pushSecret,
	}
}

// only refuses versions whose fields a check was not written for.
func only(check Check, versions ...string) Check {
	return func(o *unstructured.Unstructured) (gitops.Health, error) {
		gvk := o.GroupVersionKind()
		for _, v := range versions {
			if gvk.Version == v {
				return check(o)
			}
		}
		return gitops.Health{}, fmt.Errorf("no health check for version %s of %s", gvk.Version, gvk.Kind)
	}
}

func healthy(message string) gitops.Health {
	return gitops.Health{Code: gitops.Healthy, Message: message}
}

func progressing(format string, args ...any) gitops.Health {
	return gitops.Health{Code: gitops.Progressing, Message: fmt.Sprintf(format, args...)}
}

func degraded(message string) gitops.Health {
	return gitops.Health{Code: gitops.Degraded, Message: message}
}

func suspended(message string) gitops.Health {
	return gitops.Health{Code: gitops.Suspended, Message: message}
}
