package apply

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Cluster is what applying needs of a cluster.
type Cluster interface {
	// Server is the cluster's address, which names it.
	Server() string
	// REST speaks to the whole API by absolute paths. It must ask for JSON;
	// a rate limit that it has is not used.
	REST() rest.Interface
	// Mapper tells the resource of a kind. It looks again when it does not
	// know a kind, and when it is a meta.ResettableRESTMapper that was reset.
	Mapper() meta.RESTMapper
}

// Options of an Applier.
type Options struct {
	// InFlight bounds the requests to one cluster at the same time.
	InFlight InFlight
	// Convert makes the compact form of an object that a cluster's API server returned.
	Convert func(server string, o *unstructured.Unstructured) *gitops.Live
	// Remember is told that a desired object of this digest is now equal to
	// the live object of this fingerprint, or of this content where others own
	// fields that an apply would make ours. It may be nil.
	Remember func(server string, key gitops.Key, digest, live string)
}

// Applier applies to any number of clusters.
type Applier struct {
	options Options

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is what the Applier keeps of one cluster.
type lane struct {
	limit *limiter
	// fresh are the kinds whose CustomResourceDefinition was applied just now.
	fresh freshKinds
	// treatments are for objects that server-side apply does not take as they are.
	treatments treatments
}

// New returns an Applier.
func New(o Options) *Applier {
	if o.Remember == nil {
		o.Remember = func(string, gitops.Key, string, string) {}
	}
	o.InFlight = o.InFlight.orDefaults()
	return &Applier{options: o, lanes: map[string]*lane{}}
}

// Forget drops what is kept of a cluster that has left the fleet.
func (a *Applier) Forget(server string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.lanes, server)
}

func (a *Applier) lane(server string) *lane {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, ok := a.lanes[server]
	if !ok {
		l = &lane{limit: newLimiter(a.options.InFlight), treatments: newTreatments()}
		a.lanes[server] = l
	}
	return l
}

// maxParallel bounds the goroutines of one step; the requests in flight are
// fewer, and shared by all waves to a cluster.
const maxParallel = 256

// Wave carries out the actions of a wave, step by step, those of a step at the
// same time. An action that fails does not stop the others. The results are in
// the order of the actions. When the API server would refuse an update of the
// wave, nothing is written, and the results are those of the refused objects.
func (a *Applier) Wave(ctx context.Context, c Cluster, w gitops.Wave) []gitops.Result {
	w.Actions = slices.Clone(w.Actions)
	if refused := a.rehearse(ctx, c, &w); len(refused) > 0 {
		return refused
	}
	results := make([]gitops.Result, len(w.Actions))
	for start := 0; start < len(w.Actions); {
		end := start + 1
		for end < len(w.Actions) && w.Actions[end].Step == w.Actions[start].Step {
			end++
		}
		a.step(ctx, c, w, start, end, results)
		start = end
	}
	return results
}

func (a *Applier) step(ctx context.Context, c Cluster, w gitops.Wave, start, end int, results []gitops.Result) {
	if end-start == 1 {
		results[start] = a.act(ctx, c, &w, &w.Actions[start])
		return
	}
	var group crew.Group
	group.SetLimit(maxParallel)
	for i := start; i < end; i++ {
		group.Go(func() error {
			results[i] = a.act(ctx, c, &w, &w.Actions[i])
			return nil
		})
	}
	// The goroutines return no errors: those are in the results.
	_ = group.Wait()
}

// The states of a result, in the words of the Application's status.
const (
	synced       = "Synced"
	syncFailed   = "SyncFailed"
	pruned       = "Pruned"
	pruneSkipped = "PruneSkipped"
)

// act carries out one action and tells what became of it.
func (a *Applier) act(ctx context.Context, c Cluster, w *gitops.Wave, action *gitops.Action) (r gitops.Result) {
	started := time.Now()
	defer func() { r.Started, r.Took = started, time.Since(started) }()
	r = gitops.Result{Key: action.Key, Version: version(action), Verb: action.Verb, Phase: w.Phase, Wave: w.Number, Hook: action.Hook, Status: synced}
	r.Err = crew.Safely(func() error { return a.carryOut(ctx, c, action, &r) })
	if r.Err != nil {
		r.Status, r.Message, r.Live = syncFailed, r.Err.Error(), nil
	}
	return r
}

// carryOut does what an action's verb says, and fills in the result; the error is
// the result's, too.
func (a *Applier) carryOut(ctx context.Context, c Cluster, action *gitops.Action, r *gitops.Result) (err error) {
	switch action.Verb {
	case gitops.Keep:
		r.Live, r.Message = action.Live, "unchanged"
	case gitops.Skip:
		r.Live, r.Message = action.Live, action.Reason
		if action.Desired == nil {
			r.Status = pruneSkipped
		}
	case gitops.Prune:
		r.Status = pruned
		r.Message, err = a.Delete(ctx, c, action)
		r.Deleted = r.Message == gitops.Pruned
	case gitops.Create, gitops.Update:
		err = a.write(ctx, c, action, r)
	default:
		err = fmt.Errorf("cannot carry out the verb %q", action.Verb)
	}
	return err
}

func version(a *gitops.Action) string {
	if a.Desired != nil {
		return a.Desired.Object.GroupVersionKind().Version
	}
	if a.Live != nil {
		return a.Live.Version.Version
	}
	return ""
}
