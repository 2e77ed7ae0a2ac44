package fleet

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// description is what a node says of where and what it is.
type description struct{ region, zone, architecture string }

func descriptionOf(o metav1.Object) description {
	l := o.GetLabels()
	return description{l[corev1.LabelTopologyRegion], l[corev1.LabelTopologyZone], l[corev1.LabelArchStable]}
}

// nodes takes the events of a cluster's nodes, and tells when one comes, goes
// or describes itself in another way: all of them say all the time that they
// are alive.
type nodes struct {
	tell func()
	// known are by name; listed are those of a list that goes on.
	known, listed map[string]description
}

func (n *nodes) begin() { n.listed = map[string]description{} }

func (n *nodes) page(o metav1.Object) { n.listed[o.GetName()] = descriptionOf(o) }

// end tells nothing of the first list: who asked for it reads the nodes next.
func (n *nodes) end(string) {
	before := n.known
	n.known, n.listed = n.listed, nil
	if before != nil && !maps.Equal(before, n.known) {
		n.tell()
	}
}

func (n *nodes) event(t watch.EventType, o metav1.Object) {
	name, now := o.GetName(), descriptionOf(o)
	before, was := n.known[name]
	switch {
	case t == watch.Deleted:
		delete(n.known, name)
	case was && before == now:
		return
	default:
		n.known[name] = now
	}
	n.tell()
}

func (n *nodes) gone() {}

// Node is what a node says of where and what it is; empty for what it does not say.
type Node struct {
	Region, Zone, Architecture string
	// Provider is the first part of its provider ID, as aws.
	Provider string
}

func nodeOf(o *unstructured.Unstructured) Node {
	d := descriptionOf(o)
	id, _, _ := unstructured.NestedString(o.Object, "spec", "providerID")
	provider, _, _ := strings.Cut(id, "://")
	return Node{Region: d.region, Zone: d.zone, Architecture: d.architecture, Provider: provider}
}

// nodeWatch follows the nodes while somebody asks for them, and keeps what was
// read of them until they change.
type nodeWatch struct {
	watcher *watcher
	cancel  context.CancelFunc
	used    time.Time

	mu      sync.Mutex
	changes int // how many were told
	known   []Node
	until   time.Time // when they are read again; zero where nothing is known
}

// withoutProvider is how long nodes are believed that have none yet: what gives
// them one changes none of the labels that are watched.
const withoutProvider = 5 * time.Minute

func (w *nodeWatch) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes++
	w.known, w.until = nil, time.Time{}
}

// kept are the nodes as they were read last; changes is what keep wants to know.
func (w *nodeWatch) kept() (known []Node, changes int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known, w.changes, time.Now().Before(w.until)
}

// keep remembers nodes that were read after so many changes.
func (w *nodeWatch) keep(all []Node, changes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if changes != w.changes {
		return
	}
	w.known, w.until = all, time.Now().Add(unusedFor)
	if slices.ContainsFunc(all, func(n Node) bool { return n.Provider == "" }) {
		w.until = time.Now().Add(withoutProvider)
	}
}

// Nodes are the cluster's. From the first time that they are asked for
// Options.OnNodes tells of their changes, until nobody has asked for half an
// hour; in between they are read once for each change. Who may not watch them
// is told of none, and reads them each time. It returns a Problem where the
// cluster does not answer or does not let them be listed.
func (c *Cluster) Nodes(ctx context.Context) ([]Node, error) {
	if _, err := c.kinds(ctx); err != nil {
		return nil, err // before the watch is waited for, which stands still then
	}
	w := c.followNodes()
	watched := w.watcher.outcome(ctx) == nil // List tells better why not
	known, changes, ok := w.kept()
	if watched && ok {
		return known, nil
	}
	all, err := c.readNodes(ctx)
	if err != nil {
		return nil, err
	}
	if watched {
		w.keep(all, changes)
	}
	return all, nil
}

// Bounds of the nodes of a cluster, for 5,000 of which Kubernetes is made: their
// number, and the bytes that are read and taken, a page at a time.
const (
	maxNodes      = 100_000
	maxNodesRead  = 1 << 30
	maxNodesTaken = 16 << 30
)

// readNodes keeps a page of whole nodes at a time: a node has all its images.
func (c *Cluster) readNodes(ctx context.Context) ([]Node, error) {
	ctx, cancel := context.WithCancel(reply.Within(ctx, maxNodesRead, maxNodesTaken))
	defer cancel()
	var all []Node
	err := c.each(ctx, corev1.SchemeGroupVersion.WithKind("Node"), "", func(page *unstructured.UnstructuredList) {
		for i := range page.Items {
			all = append(all, nodeOf(&page.Items[i]))
		}
		if len(all) > maxNodes {
			cancel()
		}
	})
	if len(all) > maxNodes {
		return nil, gitops.Problemf(gitops.Unreachable, "cluster %s lists more than %d nodes", c.Desc().Name, maxNodes).Do("look at what answers at its address")
	}
	return all, err
}

func (c *Cluster) followNodes() *nodeWatch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nodes == nil {
		w := &nodeWatch{}
		to := &nodes{tell: func() {
			w.changed()
			c.o.OnNodes(c.Desc().Server)
		}}
		w.watcher = newWatcher(c, metadataSource(c.metadata.Resource(corev1.SchemeGroupVersion.WithResource("nodes"))), to, "nodes")
		var ctx context.Context
		ctx, w.cancel = context.WithCancel(c.ctx)
		if c.stopped {
			w.watcher.settle(context.Canceled)
		} else {
			c.owned.Go(func() { w.watcher.run(ctx) })
		}
		c.nodes = w
	}
	c.nodes.used = time.Now()
	return c.nodes
}
