package application

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// attempt is one try of an operation: its plan and how far it has come. It is
// lost when the engine stops; the next one plans again, finds what was applied
// as it should be, and comes to the same wave without a request.
type attempt struct {
	started time.Time
	retry   int64
	digest  string
	where   where

	// plan is there while a worker goes on with the attempt, and outline is what
	// is kept of it otherwise.
	plan    *gitops.Plan
	outline *plan.Outline
	basis   plan.Basis
	// whole tells that the plan is for all objects of the application.
	whole    bool
	progress plan.Progress
	// cleared tells that the guard lets its deletions go.
	cleared bool
	// expired is why an atomic sync was given up.
	expired error
	// again is when a wave that lacked something may be tried once more.
	again time.Time
	// dependsSince is since when a wave has waited for what its objects depend on.
	dependsSince time.Time
}

// is reports whether an attempt is the try that is under way, with these manifests at this
// destination: what was found out about another one holds nowhere else.
func (a *attempt) is(st *v1alpha1.OperationState, digest string, at where) bool {
	return a != nil && a.started.Equal(st.StartedAt.Time) && a.retry == st.RetryCount && a.digest == digest && a.where == at
}

// letGo forgets the objects of the plan until the attempt goes on.
func (a *attempt) letGo() { a.plan, a.outline = nil, a.basis.Outline(a.plan) }

// takeUp has the objects of the plan back, out of a comparison of the same manifests.
func (a *attempt) takeUp(c *comparison) (err error) {
	a.plan, err = a.outline.Whole(c.Set, c.Rendering.Manifests)
	a.outline = nil
	return err
}

// stage names how far which try of which operation has come.
func (a *attempt) stage() string {
	return fmt.Sprintf("try %d of %s, after %d waves", a.retry, a.started.UTC().Format(time.RFC3339), a.progress.Waves)
}

// attempts holds the attempt that runs for each application, and how often
// objects were healed lately. It is safe for concurrent use.
type attempts struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]*attempt
	heals map[types.NamespacedName]map[gitops.Key][]time.Time
	// swept is when those whose window is over were last dropped.
	swept time.Time
}

func newAttempts() *attempts {
	return &attempts{byApp: map[types.NamespacedName]*attempt{}, heals: map[types.NamespacedName]map[gitops.Key][]time.Time{}}
}

func (s *attempts) get(name types.NamespacedName) *attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byApp[name]
}

func (s *attempts) put(name types.NamespacedName, a *attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byApp[name] = a
}

func (s *attempts) end(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byApp, name)
}

func (s *attempts) forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byApp, name)
	delete(s.heals, name)
}

// An object that something else keeps changing back is healed this often in a
// window; then it rests for the remainder of it. Other objects of the
// application are healed at once all the same.
const (
	healsAllowed = 5
	healWindow   = time.Minute
)

// heal notes that an object is about to be healed. A positive pause means
// that it has been healed too often and has to wait that long.
func (s *attempts) heal(name types.NamespacedName, key gitops.Key, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	if s.heals[name] == nil {
		s.heals[name] = map[gitops.Key][]time.Time{}
	}
	recent := s.heals[name][key]
	for len(recent) > 0 && now.Sub(recent[0]).Abs() > healWindow { // either way: clocks are set back, too
		recent = recent[1:]
	}
	if len(recent) >= healsAllowed {
		return healWindow - now.Sub(recent[0])
	}
	s.heals[name][key] = append(recent, now)
	return 0
}

// sweep drops, once in a window, the objects that were not healed within it: they
// come and go, while their application stays. The lock is held.
func (s *attempts) sweep(now time.Time) {
	if now.Sub(s.swept).Abs() <= healWindow {
		return
	}
	s.swept = now
	for _, objects := range s.heals {
		maps.DeleteFunc(objects, func(_ gitops.Key, at []time.Time) bool { return now.Sub(at[len(at)-1]).Abs() > healWindow })
	}
}
