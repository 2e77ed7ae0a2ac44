package application

import (
	"cmp"
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

	// plan is nil where it was let go of while the operation waits.
	plan *gitops.Plan
	// bytes is about the memory of the plan, project whose it counts as.
	bytes   int64
	project string
	// busy tells that a look goes by the plan now.
	busy bool
	// whole tells that the plan is for all objects of the application.
	whole    bool
	progress plan.Progress
	// cleared tells that the guard lets its deletions go.
	cleared bool
	// expired is why an atomic sync was given up.
	expired error
	// again is when a wave that lacked something may be tried once more.
	again time.Time
	// waits is since when a wave has waited for what its objects depend on, last
	// which one did so last.
	waits time.Time
	last  waited
}

// waited is a wave that waited for what its objects depend on.
type waited struct {
	since time.Time
	phase gitops.Phase
	wave  int
}

// sinceOf is since when a wave waits; zero where it did not so far.
func (w waited) sinceOf(wave *gitops.Wave) time.Time {
	if w.phase != wave.Phase || w.wave != wave.Number {
		return time.Time{}
	}
	return w.since
}

func (a *attempt) is(st *v1alpha1.OperationState, digest string) bool {
	return a != nil && a.started.Equal(st.StartedAt.Time) && a.retry == st.RetryCount && a.digest == digest
}

// stage names how far which try of which operation has come.
func (a *attempt) stage() string {
	return fmt.Sprintf("try %d of %s, after %d waves", a.retry, a.started.UTC().Format(time.RFC3339), a.progress.Waves)
}

// outline is what stays of an attempt whose plan is let go of. Who goes on with it
// plans again, as after a start of the engine, and waits no longer for that.
func (a *attempt) outline() *attempt {
	return &attempt{started: a.started, retry: a.retry, digest: a.digest, waits: a.waits, last: a.last, progress: plan.Progress{Waves: a.progress.Waves}}
}

// attempts holds the attempt that runs for each application, and how often
// objects were healed lately. The plans of those that wait take so much memory
// at most. It is safe for concurrent use.
type attempts struct {
	most int64 // bytes

	mu    sync.Mutex
	byApp map[types.NamespacedName]*attempt
	heals map[types.NamespacedName]*healed
}

func newAttempts(most int64) *attempts {
	return &attempts{most: most, byApp: map[types.NamespacedName]*attempt{}, heals: map[types.NamespacedName]*healed{}}
}

func (s *attempts) get(name types.NamespacedName) *attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byApp[name]
}

// resume is get for who goes on with the attempt: it keeps its plan until rest.
func (s *attempts) resume(name types.NamespacedName) *attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.byApp[name]
	if a != nil {
		a.busy = true
	}
	return a
}

// rest ends a look at an application. When the plans that wait take more than there
// is for them, the largest go, of the project first that keeps the most.
func (s *attempts) rest(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.byApp[name]; a != nil {
		a.busy = false
	}
	for {
		name, ok := s.over()
		if !ok {
			return
		}
		s.byApp[name] = s.byApp[name].outline()
	}
}

// over names the attempt whose plan goes next; not ok where all may stay. The lock
// is held.
func (s *attempts) over() (largest types.NamespacedName, ok bool) {
	of, kept := map[string]int64{}, int64(0)
	for _, a := range s.byApp {
		if !a.busy {
			of[a.project] += a.bytes
			kept += a.bytes
		}
	}
	if kept <= s.most {
		return largest, false
	}
	var before *attempt
	for name, a := range s.byApp {
		if a.busy || a.bytes == 0 {
			continue
		}
		if before == nil || cmp.Or(cmp.Compare(of[a.project], of[before.project]), cmp.Compare(a.bytes, before.bytes)) > 0 {
			largest, before = name, a
		}
	}
	return largest, before != nil
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

// healed is when objects of an application were healed.
type healed struct {
	of map[gitops.Key][]time.Time
	// most is how many objects there are before those are looked for that rest.
	most int
}

// fewestHealed is how many objects are kept without looking for those that rest.
const fewestHealed = 64

// heal notes that an object is about to be healed. A positive pause means
// that it has been healed too often and has to wait that long.
func (s *attempts) heal(name types.NamespacedName, key gitops.Key, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.heals[name]
	if h == nil {
		h = &healed{of: map[gitops.Key][]time.Time{}, most: fewestHealed}
		s.heals[name] = h
	}
	recent := lately(h.of[key], now)
	if len(recent) >= healsAllowed {
		return healWindow - now.Sub(recent[0])
	}
	h.of[key] = append(recent, now)
	h.tidy(now)
	return 0
}

// lately are the times of the window that ends now.
func lately(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]).Abs() > healWindow { // either way: clocks are set back, too
		times = times[1:]
	}
	return times
}

// tidy drops the objects that were not healed lately.
func (h *healed) tidy(now time.Time) {
	if len(h.of) < h.most {
		return
	}
	maps.DeleteFunc(h.of, func(_ gitops.Key, times []time.Time) bool { return len(lately(times, now)) == 0 })
	h.most = max(fewestHealed, 2*len(h.of)) //nolint:mnd // half of them may rest
}
