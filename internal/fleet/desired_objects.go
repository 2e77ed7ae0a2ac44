package fleet

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// desires are the applications that desire an object which another one has,
// or which is not there. Each is told of the next change, and says again what
// it desires when it looks. They are guarded by the store's lock.
type desires struct {
	// now and before are two generations: who has not looked for long has
	// another source, or has gone.
	now, before map[place][]string
	since       time.Time
}

func newDesires() desires { return desires{now: map[place][]string{}, since: time.Now()} }

func (d *desires) has(p place, app string) bool { return slices.Contains(d.now[p], app) }

func (d *desires) add(p place, app string) {
	if !d.has(p, app) {
		d.now[p] = append(d.now[p], app)
	}
}

// take returns who desires a place, and forgets it.
func (d *desires) take(p place) []string {
	if len(d.now) == 0 && len(d.before) == 0 {
		return nil
	}
	apps := slices.Concat(d.now[p], d.before[p])
	delete(d.now, p)
	delete(d.before, p)
	slices.Sort(apps)
	return slices.Compact(apps)
}

// age forgets what was not said again since the time before last.
func (d *desires) age(after time.Duration) {
	if time.Since(d.since) > after {
		d.now, d.before, d.since = map[place][]string{}, d.now, time.Now()
	}
}

// want returns the live object at a place that an application desires; marked
// tells that there is one of which only that is known. The application is told
// of the next change also where it is not the one that has the object.
func (s *store) want(p place, app string) (live *gitops.Live, marked bool) {
	s.mu.RLock()
	live, marked, noted := s.look(p, app)
	s.mu.RUnlock()
	if noted {
		return live, marked
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if live, marked, noted = s.look(p, app); !noted {
		s.desires.add(p, app)
	}
	return live, marked
}

// look reads a place; noted tells that the application is told of a change.
func (s *store) look(p place, app string) (live *gitops.Live, marked, noted bool) {
	_, marked = s.marks[p]
	e := s.entries[p]
	if e == nil {
		return nil, marked, marked || s.desires.has(p, app)
	}
	return e.live, false, e.app == app || s.desires.has(p, app)
}

// age forgets the applications that have not said for long what they desire.
func (s *store) age(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.desires.age(after)
}
