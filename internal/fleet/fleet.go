package fleet

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Options are what a Fleet needs. Callbacks must not block: they are called
// by the goroutines that read the clusters' watches. Each may be nil.
type Options struct {
	// Hub is the cluster that holds the engine's own objects.
	Hub *rest.Config
	// Namespace is the control namespace.
	Namespace string
	// Convert cuts an object of a cluster down to what is kept.
	Convert func(server string, o *unstructured.Unstructured) *gitops.Live
	// OnChange tells that a live object of an application changed in a way
	// that matters. A change without a Name tells that a kind which the
	// application had asked for in vain is now served.
	OnChange func(gitops.Change)
	// OnCluster tells that a cluster began or ceased to answer.
	OnCluster func(server string, up bool)
	// OnKinds tells that a cluster serves other kinds than before, so that
	// its Facts changed.
	OnKinds func(server string)
	// OnNodes tells that the nodes of a cluster are others than before, or
	// describe themselves in another way, where Cluster.Nodes was asked.
	OnNodes func(server string)
	// Timeout is how long a cluster may take to begin an answer, other than a
	// watch's; a minute when 0.
	Timeout time.Duration
	// Redial is the longest pause between two probes of a cluster that does not
	// answer, the hub apart; five minutes when 0.
	Redial time.Duration
	// Refused is the pause before objects are listed again that the cluster did
	// not let be listed; half a minute when 0.
	Refused time.Duration
	// Kinds is the memory that the kinds of all clusters take, the hub's apart, in
	// bytes; usualKinds when 0.
	Kinds int64
	Log   *slog.Logger
}

// Fleet is the hub and every cluster that was Set.
type Fleet struct {
	o      Options
	ctx    context.Context //nolint:containedctx // the life of the goroutines that the fleet owns
	cancel context.CancelFunc
	owned  sync.WaitGroup

	mu sync.RWMutex
	// hub has its Secret's description while there is one.
	hub *Cluster
	// hubs are what Secrets say of the hub, by the name of the Secret.
	hubs map[string]gitops.Cluster
	// spokes are by the name of their Secret.
	spokes map[string]*Cluster
	index  *index
	asks   *asks
	looks  *reply.Account
	turns  *slots.Slots
	// memory is that of what clusters serve.
	memory *account
	// closed tells that nobody is to be waited for any more but by Close.
	closed bool
}

// New connects to the hub. Close ends what it started.
func New(o Options) (*Fleet, error) {
	if o.Hub == nil || o.Convert == nil {
		return nil, errors.New("cannot make a fleet without a hub and a way to convert objects")
	}
	fillIn(&o)
	f := &Fleet{o: o, hubs: map[string]gitops.Cluster{}, spokes: map[string]*Cluster{}, index: newIndex(), asks: newAsks(), looks: newLooks(), turns: newTurns(), memory: newAccount(o.Kinds)}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	hub, err := newCluster(f, hubWithoutSecret(), o.Hub)
	if err != nil {
		f.cancel()
		return nil, err
	}
	hub.link.redial = min(o.Redial, lastRetry) // it is one, and without it nothing goes on
	hub.catalog.take = nil
	f.hub = hub
	f.index.put(hub)
	hub.start()
	f.owned.Go(f.sweep)
	return f, nil
}

func fillIn(o *Options) {
	if o.Timeout == 0 {
		o.Timeout = beginPatience
	}
	if o.Redial == 0 {
		o.Redial = longestRetry
	}
	if o.Refused == 0 {
		o.Refused = refusedFor
	}
	if o.Kinds == 0 {
		o.Kinds = usualKinds
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.OnChange == nil {
		o.OnChange = func(gitops.Change) {}
	}
	if o.OnCluster == nil {
		o.OnCluster = func(string, bool) {}
	}
	if o.OnKinds == nil {
		o.OnKinds = func(string) {}
	}
	if o.OnNodes == nil {
		o.OnNodes = func(string) {}
	}
}

func hubWithoutSecret() gitops.Cluster {
	return gitops.Cluster{Name: gitops.HubName, Server: gitops.HubServer}
}

// Start blocks until ctx ends, then closes the fleet. It makes a Fleet fit
// where a controller manager runs things.
func (f *Fleet) Start(ctx context.Context) error {
	<-ctx.Done()
	f.Close()
	return nil
}

// Close ends all watches and waits for them, also for those of clusters that
// were replaced or removed.
func (f *Fleet) Close() {
	f.cancel()
	f.mu.Lock()
	if !f.closed {
		for _, c := range f.all() {
			f.leave(c)
		}
	}
	f.closed = true
	f.mu.Unlock()
	f.owned.Wait()
}

// leave ends a cluster, and has Close alone wait for it: one that hangs would
// else hold up what is said of all others. f.mu is held.
func (f *Fleet) leave(c *Cluster) {
	if c.broken != nil || f.closed {
		return // Close has ended them all
	}
	c.end()
	f.owned.Go(c.wait)
}

// Hub returns the cluster that holds the engine's own objects.
func (f *Fleet) Hub() *Cluster { return f.hub }

// Set adds a cluster, or changes the one of the same Secret. A nil config
// means the hub, described by a Secret. Watches go on when only labels,
// annotations or the name changed; otherwise they start anew. One that does not
// answer is asked at once, whatever changed.
func (f *Fleet) Set(_ context.Context, d gitops.Cluster, cfg *rest.Config) error {
	if cfg == nil {
		return f.describeHub(d)
	}
	f.mu.Lock()
	old := f.spokes[d.Secret]
	if old != nil && old.broken == nil && old.serves(d, cfg) {
		before := old.Desc()
		f.index.change(old, d)
		f.mu.Unlock()
		if !reflect.DeepEqual(before, d) {
			old.Redial()
		}
		return nil
	}
	c, err := newCluster(f, d, cfg)
	if err != nil {
		f.mu.Unlock()
		return f.SetBroken(d, err)
	}
	f.replace(d.Secret, c)
	f.freeHub(d.Secret)
	f.mu.Unlock()
	c.start()
	return nil
}

// freeHub takes the description of a Secret from the hub; f.mu is held.
func (f *Fleet) freeHub(secret string) {
	if _, ok := f.hubs[secret]; ok {
		delete(f.hubs, secret)
		f.settleHub()
	}
}

// settleHub describes the hub by the first of its Secrets. Further ones stay
// known, so that a destination which they have in common is told of them all;
// f.mu is held.
func (f *Fleet) settleHub() {
	all := slices.SortedFunc(maps.Values(f.hubs), gitops.Rank)
	if len(all) == 0 {
		f.index.change(f.hub, hubWithoutSecret())
		return
	}
	f.replace(all[0].Secret, nil)
	f.index.change(f.hub, all[0])
	for _, d := range all[1:] {
		f.replace(d.Secret, brokenCluster(f, d, gitops.Problemf(gitops.Invalid, "cannot use cluster Secret %s: Secret %s describes the hub already", d.Secret, all[0].Secret).
			Do("delete one of the two")))
	}
}

// replace puts a cluster, or nothing, in the place of a Secret's, which it ends;
// f.mu is held.
func (f *Fleet) replace(secret string, c *Cluster) {
	if old := f.spokes[secret]; old != nil {
		f.index.drop(old)
		delete(f.spokes, secret)
		if c != nil && c.broken == nil {
			f.memory.hand(old, c)
		}
		f.leave(old)
	}
	if c != nil {
		f.spokes[secret] = c
		f.index.put(c)
	}
}

// SetBroken keeps a cluster whose Secret cannot be used, so that who names
// it is told why. It returns the reason. The hub goes on as it was: its own
// connection does not come from a Secret.
func (f *Fleet) SetBroken(d gitops.Cluster, reason error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hub.Desc().Secret != d.Secret {
		f.replace(d.Secret, brokenCluster(f, d, reason))
	}
	return reason
}

func (f *Fleet) describeHub(d gitops.Cluster) error {
	if !gitops.IsHub(d.Server) {
		return gitops.Problemf(gitops.Invalid, "cannot use cluster Secret %s: it has no way to reach %s", d.Secret, d.Server)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replace(d.Secret, nil)
	f.hubs[d.Secret] = d
	f.settleHub()
	return nil
}

// Remove forgets the cluster of a Secret. The hub stays, without a Secret.
func (f *Fleet) Remove(secret string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replace(secret, nil)
	f.freeHub(secret)
}

// Clusters describes all clusters, by name; the hub is among them even when
// it has no Secret.
func (f *Fleet) Clusters() []gitops.Cluster { return described(f.Members()) }

// OfProject describes the clusters that belong to a project, by name: those to
// whose server no Secret leads that is not the project's, and counts. A project
// would otherwise have what it may do there done with another one's credentials.
func (f *Fleet) OfProject(project string) []gitops.Cluster {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return described(slices.DeleteFunc(slices.Clone(f.index.ofProject[project]), func(c *Cluster) bool { return !f.index.owns(c) }))
}

func described(members []*Cluster) []gitops.Cluster {
	out := make([]gitops.Cluster, len(members))
	for i, c := range members {
		out[i] = c.Desc()
	}
	return out
}

// Members returns all clusters, by name. The list must not be changed.
func (f *Fleet) Members() []*Cluster {
	f.mu.RLock()
	all := f.index.all
	f.mu.RUnlock()
	if all != nil {
		return all
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.index.all == nil {
		f.index.all = f.all()
		slices.SortFunc(f.index.all, byName)
	}
	return f.index.all
}

func (f *Fleet) all() []*Cluster {
	out := []*Cluster{f.hub}
	for _, c := range f.spokes {
		out = append(out, c)
	}
	return out
}

// How often watches that nobody uses are looked for, and how long one may
// have been without use and without an object of an application.
const (
	sweepEvery = 5 * time.Minute
	unusedFor  = 30 * time.Minute
)

func (f *Fleet) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-tick.C:
			for _, c := range f.Members() {
				c.stopUnused(unusedFor)
				c.census.expire(unusedFor)
			}
		}
	}
}
