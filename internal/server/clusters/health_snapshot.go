package clusters

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Steady shows clusters as they are, but what is measured of them (latencies,
// requests in flight) up to a moment old: so that thousands of answers in that
// moment are the same one. It is safe for concurrent use.
type Steady struct {
	now func() time.Time

	mu   sync.Mutex
	last Moment
	at   time.Time
}

// Moment is all clusters by name, as they were shown. It is not to be changed.
type Moment struct {
	All []Health
	// Number is another one for other clusters, measurements and all; State
	// stays when measurements alone are others.
	Number, State uint64
}

// measuredFor is how old measurements may be.
const measuredFor = time.Second

// NewSteady makes one with a clock.
func NewSteady(now func() time.Time) *Steady { return &Steady{now: now} }

// Of takes the clusters as they are, in any order.
func (s *Steady) Of(all []Health) Moment {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Health) int { return strings.Compare(a.Name, b.Name) })
	s.mu.Lock()
	defer s.mu.Unlock()
	same := slices.EqualFunc(s.last.All, all, func(a, b Health) bool { return reflect.DeepEqual(a.described(), b.described()) })
	now := s.now()
	if same && now.Sub(s.at) < measuredFor {
		return s.last
	}
	if !same {
		s.last.State++
	}
	if !same || !reflect.DeepEqual(s.last.All, all) {
		s.last.All = all
		s.last.Number++
	}
	s.at = now
	return s.last
}

// described is a cluster without what is measured of it.
func (h Health) described() Health {
	h.Latency, h.InFlight, h.Parked, h.LastSuccess, h.Next = 0, 0, 0, nil, nil
	return h
}
