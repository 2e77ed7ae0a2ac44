package lookup

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Hosts remember what Git hosts answered until the generator wants to look
// again or the host tells of a change: a set is expanded whenever one of its
// Applications moves, and hosts count requests. Anybody may say that something
// changed, so each generator has turns to ask for that. It is safe for
// concurrent use.
type Hosts struct {
	open generate.Hosts
	now  func() time.Time
	// pace is that of the events that concern a generator, refreshes that of
	// what people want read again of it.
	pace, refreshes *wake.Pace[string]
	// Elected is closed once this engine leads: others learn nothing of refreshes, and
	// so keep what a host says for a short time. Nil: there are no others.
	Elected <-chan struct{}

	mu    sync.Mutex
	known map[string]*answers
	room  hostMemory
}

// How often people have a host asked again what a generator asks: so often at
// once, and then once in a while. What is younger is what they are shown.
const (
	anewBurst = 3
	anewEvery = time.Minute
)

// NewHosts has so long a pause between two times that a host is asked for events
// that do not end.
func NewHosts(open generate.Hosts, flood time.Duration) *Hosts {
	return &Hosts{
		open: open, now: time.Now, known: map[string]*answers{},
		pace: wake.NewPace[string](wake.FloodBurst, flood), refreshes: wake.NewPace[string](anewBurst, anewEvery),
	}
}

// answers are what a host said to one generator.
type answers struct {
	reads generate.Reads
	until time.Time
	// outdated tells that an event came since, and something else may be so.
	outdated bool
	// wanted tells that somebody asked for newer ones.
	wanted bool

	mu    sync.Mutex
	items map[string]any
	// room is that of all answers, and bytes what these have of it.
	room  *hostMemory
	bytes int64
}

// What is remembered of hosts in all, in bytes, and the largest answer that is: one
// generator must not have others forgotten at once. What is not remembered is asked
// again when it is wanted.
const (
	mostRemembered = 128 << 20
	mostOfAnswer   = mostRemembered / 4
	// perAnswer is about what an answer takes besides its key and content.
	perAnswer = 64
)

// hostMemory counts what is remembered. It is safe for concurrent use.
type hostMemory struct{ held atomic.Int64 }

// take reports whether there is room.
func (m *hostMemory) take(bytes int64) bool {
	if m.held.Add(bytes) <= mostRemembered {
		return true
	}
	m.give(bytes)
	return false
}

func (m *hostMemory) give(bytes int64) { m.held.Add(-bytes) }

// longest is how long answers are kept at most, whatever a generator says.
const longest = 24 * time.Hour

// usual is how long answers are kept of a generator that does not say.
const usual = 30 * time.Minute

// Forge implements generate.Hosts.
func (h *Hosts) Forge(ctx context.Context, namespace string, g *v1alpha1.SCMProviderGenerator) (generate.Forge, error) {
	forge, err := h.open.Forge(ctx, namespace, g)
	if err != nil {
		return nil, err
	}
	key, err := forgeKey(namespace, g)
	if err != nil {
		return nil, err
	}
	kept := h.answers(ctx, key, g.RequeueAfterSeconds, generate.Reads{Forges: []*v1alpha1.SCMProviderGenerator{g}})
	return rememberedForge{forge, kept}, nil
}

// Reviews implements generate.Hosts.
func (h *Hosts) Reviews(ctx context.Context, namespace string, g *v1alpha1.PullRequestGenerator) (generate.Reviews, error) {
	reviews, err := h.open.Reviews(ctx, namespace, g)
	if err != nil {
		return nil, err
	}
	key, err := reviewsKey(namespace, g)
	if err != nil {
		return nil, err
	}
	kept := h.answers(ctx, key, g.RequeueAfterSeconds, generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{g}})
	return rememberedReviews{reviews, kept}, nil
}

// forgeKey and reviewsKey tell generators apart by what they ask a host.
func forgeKey(namespace string, g *v1alpha1.SCMProviderGenerator) (string, error) {
	asked := *g
	asked.Template, asked.Values, asked.Filters = v1alpha1.ApplicationSetTemplate{}, nil, nil
	return keyOf(namespace, asked)
}

func reviewsKey(namespace string, g *v1alpha1.PullRequestGenerator) (string, error) {
	asked := *g
	asked.Template, asked.Values, asked.Filters = v1alpha1.ApplicationSetTemplate{}, nil, nil
	return keyOf(namespace, asked)
}

func keyOf(namespace string, asked any) (string, error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return "", fmt.Errorf("cannot tell generators apart: %w", err)
	}
	return fmt.Sprintf("%s %T %s", namespace, asked, text), nil
}

// answers finds what is remembered of a generator, and drops what is too old.
func (h *Hosts) answers(ctx context.Context, key string, seconds *int64, reads generate.Reads) *answers {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	for key, a := range h.known {
		if !now.Before(a.until) {
			delete(h.known, key)
			a.drop()
		}
	}
	if had, ok := h.known[key]; ok {
		if !h.renews(ctx, key, had) {
			return had
		}
		had.drop()
	}
	keep := usual
	if seconds != nil && *seconds > 0 {
		keep = gitops.Seconds(*seconds)
	}
	if !h.leads() {
		keep = min(keep, anewEvery)
	}
	now = now.Add(min(keep, longest))
	fresh := &answers{reads: reads, until: now, items: map[string]any{}, room: &h.room, bytes: 2*int64(len(key)) + perAnswer}
	delete(h.known, key)
	if !h.room.take(fresh.bytes) {
		return &answers{until: now, room: &h.room} // who asks is answered, and nothing is remembered
	}
	h.known[key] = fresh
	return fresh
}

// leads reports whether refreshes arrive here.
func (h *Hosts) leads() bool {
	if h.Elected == nil {
		return true
	}
	select {
	case <-h.Elected:
		return true
	default:
		return false
	}
}

// renews reports whether a host is asked anew, because of an event or since somebody
// wants that. It is when it is the generator's turn; until then the expansion has the
// old answers, and learns when to come again. The lock is held.
func (h *Hosts) renews(ctx context.Context, key string, had *answers) bool {
	return had.outdated && h.isTurn(ctx, key, h.pace) || had.wanted && h.isTurn(ctx, key, h.refreshes)
}

// isTurn reports whether a generator may ask its host now, and tells the expansion
// otherwise when it may.
func (h *Hosts) isTurn(ctx context.Context, key string, pace *wake.Pace[string]) bool {
	wait := pace.Take(key)
	if wait > 0 {
		makeDo(ctx, h.now().Add(wait))
	}
	return wait == 0
}

// Outdate notes which answers an event concerns: who wants them next has the
// host asked.
func (h *Hosts) Outdate(e generate.HostEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.known {
		a.outdated = a.outdated || a.reads.Concerns(e)
	}
}

// Want notes that somebody asked for newer answers than a set of the namespace read:
// who needs them next has the host asked.
func (h *Hosts) Want(namespace string, r generate.Reads) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mark := func(key string, err error) {
		if had := h.known[key]; err == nil && had != nil {
			had.wanted = true
		}
	}
	for _, g := range r.Forges {
		mark(forgeKey(namespace, g))
	}
	for _, g := range r.Reviews {
		mark(reviewsKey(namespace, g))
	}
}

// drop forgets all, and gives back what it took. Who still asks by these answers has
// the host asked.
func (a *answers) drop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.room.give(a.bytes)
	a.items, a.bytes = nil, 0
}

// keep remembers an answer if there is room. Of two that were asked for at a time the
// first one stays.
func (a *answers) keep(key string, answer any) {
	w := bounded.Weigh(answer)
	bytes := w.Texts + w.Parts + int64(len(key)) + perAnswer
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, had := a.items[key]; had || a.items == nil || bytes > mostOfAnswer || !a.room.take(bytes) {
		return
	}
	a.items[key] = answer
	a.bytes += bytes
}

// remember asks once for each key. A failure is not remembered, nor is what there
// is no room for.
func remember[T any](a *answers, key string, ask func() (T, error)) (T, error) {
	a.mu.Lock()
	had, ok := a.items[key].(T)
	a.mu.Unlock()
	if ok {
		return had, nil
	}
	answer, err := ask()
	if err != nil {
		return answer, err
	}
	a.keep(key, answer)
	return answer, nil
}

type rememberedReviews struct {
	generate.Reviews

	kept *answers
}

func (r rememberedReviews) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	return remember(r.kept, "", func() ([]gitops.PullRequest, error) { return r.Reviews.PullRequests(ctx) })
}

type rememberedForge struct {
	generate.Forge

	kept *answers
}

func (f rememberedForge) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	return remember(f.kept, "", func() ([]gitops.HostRepository, error) { return f.Forge.Repositories(ctx) })
}

// askedOf is what is asked of a repository. A host may give several of one address, or
// none.
func askedOf(what string, r gitops.HostRepository, of ...string) string {
	return strings.Join(append([]string{what, r.Organization, r.Repository, r.ID, r.URL}, of...), "\x00")
}

func (f rememberedForge) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	return remember(f.kept, askedOf("branches", r), func() ([]gitops.HostRepository, error) { return f.Forge.Branches(ctx, r) })
}

func (f rememberedForge) HasPath(ctx context.Context, r gitops.HostRepository, path string) (bool, error) {
	return remember(f.kept, askedOf("path", r, r.Branch, r.SHA, path), func() (bool, error) { return f.Forge.HasPath(ctx, r, path) })
}

// noHosts refuses all: the operator switched them off.
type noHosts struct{}

var errHostsOff = gitops.Problemf(gitops.Forbidden, "generators may not ask Git hosts on this hub").
	Do("let the engine's operator allow it")

func (noHosts) Forge(context.Context, string, *v1alpha1.SCMProviderGenerator) (generate.Forge, error) {
	return nil, errHostsOff
}

func (noHosts) Reviews(context.Context, string, *v1alpha1.PullRequestGenerator) (generate.Reviews, error) {
	return nil, errHostsOff
}
