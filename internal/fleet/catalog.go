package fleet

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// kinds is what a cluster serves at one moment; it never changes.
type kinds struct {
	byKind map[schema.GroupKind][]*meta.RESTMapping // preferred version first
	names  map[string]bool                          // resource.group, as definitions are named
	// watchable are the resources that can be listed and watched.
	watchable map[schema.GroupVersionResource]bool
	// mapped counts the mappings of all kinds, and bytes is what they take.
	mapped int
	bytes  int64
	facts  gitops.Facts
}

// maxMapped bounds the kinds of a cluster in all versions: those of groups that
// do not answer are kept, and a cluster may have other groups at each look.
const maxMapped = 50_000

// askAgain is how often at most discovery is repeated for a kind that is not
// known, when nothing told that the kinds changed.
const askAgain = 2 * time.Second

// catalog asks a cluster for its kinds, and again only when they changed.
type catalog struct {
	client discovery.DiscoveryInterface
	// turn holds one token: who has it may use and change the fields below.
	turn    chan struct{}
	current *kinds
	asked   time.Time
	// refused is why what the last look found is not taken; take decides that. All
	// is where there is none.
	refused error
	take    func(*kinds) error
	// told is the same as current, and may be read without the token.
	told atomic.Pointer[kinds]
	// found is how the last look went; it may be read without the token.
	found atomic.Pointer[discovered]
}

// discovered is how a look at a cluster's kinds went.
type discovered struct {
	kinds  int
	failed []string // groups with their version, the first maxFailed
	more   int      // failed ones that are not named
	// refused is why that is what an earlier look found.
	refused error
}

func newCatalog(client discovery.DiscoveryInterface) *catalog {
	return &catalog{client: client, turn: make(chan struct{}, 1)}
}

func (c *catalog) lock(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *catalog) unlock() { <-c.turn }

// get returns the kinds as they were asked for last.
func (c *catalog) get(ctx context.Context) (*kinds, error) {
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	if known := c.current; known != nil {
		c.unlock()
		return known, nil
	}
	if err := c.refused; err != nil && time.Since(c.asked) < refusedFor {
		c.unlock()
		return nil, err // others have to leave first, which it does not help to look for
	}
	return c.askWithin(ctx)
}

// having returns the kinds after a look for one that is not among them.
func (c *catalog) having(ctx context.Context, gk schema.GroupKind) (*kinds, error) {
	known, err := c.get(ctx)
	if err != nil || len(known.byKind[gk]) > 0 {
		return known, err
	}
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	if known := c.current; len(known.byKind[gk]) > 0 || time.Since(c.asked) < askAgain {
		c.unlock()
		return known, nil
	}
	return c.askWithin(ctx)
}

// refresh asks whatever is known.
func (c *catalog) refresh(ctx context.Context) (*kinds, error) {
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	return c.askWithin(ctx)
}

// askWithin asks for who has the token, and gives it back when the cluster has
// answered. A client of discovery takes no context: who waits goes when ctx
// ends, and the question goes on until the gate ends it.
func (c *catalog) askWithin(ctx context.Context) (*kinds, error) {
	var now *kinds
	var err error
	answered := make(chan struct{})
	go func() { // whose end is that the token is free: see idle
		defer c.unlock()
		defer close(answered)
		err = crew.Safely(func() (err error) {
			now, err = c.ask()
			return err
		})
	}()
	select {
	case <-answered:
		return now, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// idle waits until nobody asks.
func (c *catalog) idle() {
	_ = c.lock(context.Background())
	c.unlock()
}

// ask keeps what was known of groups that do not answer now, such as those of
// an aggregated API whose server is down.
func (c *catalog) ask() (*kinds, error) {
	version, err := c.client.ServerVersion()
	if err != nil {
		return nil, err
	}
	groups, lists, err := c.client.ServerGroupsAndResources()
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, err
	}
	now := newKinds(groups, lists)
	if c.current != nil {
		now.keep(c.current, failed)
	}
	c.asked = time.Now()
	if c.take != nil {
		c.refused = c.take(now)
	}
	if c.refused != nil {
		c.refuse()
		return nil, c.refused
	}
	now.facts = factsOf(version.GitVersion, now)
	c.current = now
	c.told.Store(now)
	look := &discovered{kinds: len(now.byKind)}
	look.failed, look.more = namesOf(failed)
	c.found.Store(look)
	return now, nil
}

// refuse notes that the last look's kinds are not taken: those before stay.
func (c *catalog) refuse() {
	look := &discovered{}
	if before := c.found.Load(); before != nil {
		*look = *before
	}
	look.refused = c.refused
	c.found.Store(look)
}

// crowdedOut reports whether what the last look found is not taken.
func (c *catalog) crowdedOut() bool {
	look := c.found.Load()
	return look != nil && look.refused != nil
}

func newKinds(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) *kinds {
	k := &kinds{byKind: map[schema.GroupKind][]*meta.RESTMapping{}, names: map[string]bool{}, watchable: map[schema.GroupVersionResource]bool{}}
	byVersion := map[string]*metav1.APIResourceList{}
	for _, list := range lists {
		byVersion[list.GroupVersion] = list
	}
	for _, group := range groups {
		for _, v := range versionsOf(group) {
			if list := byVersion[v]; list != nil {
				k.add(list)
			}
		}
	}
	return k
}

// versionsOf are the versions of a group, the preferred one first.
func versionsOf(group *metav1.APIGroup) []string {
	out := []string{group.PreferredVersion.GroupVersion}
	known := map[string]bool{out[0]: true}
	for _, v := range group.Versions {
		if !known[v.GroupVersion] {
			known[v.GroupVersion] = true
			out = append(out, v.GroupVersion)
		}
	}
	return out
}

func (k *kinds) add(list *metav1.APIResourceList) {
	gv, err := schema.ParseGroupVersion(list.GroupVersion)
	if err != nil {
		return
	}
	for _, r := range list.APIResources {
		if !isKind(gv, r) {
			continue
		}
		var scope meta.RESTScope = meta.RESTScopeRoot
		if r.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		gvk := gv.WithKind(r.Kind)
		watchable := slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "watch")
		k.put(&meta.RESTMapping{Resource: gv.WithResource(r.Name), GroupVersionKind: gvk, Scope: scope}, watchable)
	}
}

func (k *kinds) put(m *meta.RESTMapping, watchable bool) {
	if k.mapped == maxMapped {
		return
	}
	k.mapped++
	k.bytes += takes(m)
	if watchable {
		k.watchable[m.Resource] = true
	}
	gk := m.GroupVersionKind.GroupKind()
	k.byKind[gk] = append(k.byKind[gk], m)
	k.names[m.Resource.GroupResource().String()] = true
}

func (k *kinds) keep(old *kinds, failed map[schema.GroupVersion]error) {
	for _, mappings := range old.byKind {
		for _, m := range mappings {
			if _, missing := failed[m.GroupVersionKind.GroupVersion()]; missing {
				k.put(m, old.watchable[m.Resource])
			}
		}
	}
}

// mapping returns how a kind is served; in another version when the wanted
// one is not.
func (k *kinds) mapping(gvk schema.GroupVersionKind) (m *meta.RESTMapping, exact bool) {
	all := k.byKind[gvk.GroupKind()]
	for _, m := range all {
		if m.GroupVersionKind.Version == gvk.Version {
			return m, true
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	return all[0], false
}

func factsOf(version string, k *kinds) gitops.Facts {
	version, _, _ = strings.Cut(strings.TrimPrefix(versionText(version), "v"), "-")
	version, _, _ = strings.Cut(version, "+")
	set := map[string]struct{}{}
	for _, mappings := range k.byKind {
		for _, m := range mappings {
			gv := m.GroupVersionKind.GroupVersion().String()
			set[gv] = struct{}{}
			set[gv+"/"+m.GroupVersionKind.Kind] = struct{}{}
		}
	}
	facts := gitops.Facts{KubeVersion: version, APIVersions: make([]string, 0, len(set))}
	for v := range set {
		facts.APIVersions = append(facts.APIVersions, v)
	}
	slices.Sort(facts.APIVersions)
	return facts
}
