package proxy

import (
	"hash/fnv"
	"strconv"
	"sync"
)

// Schedule decides the fault of each request of one seed. It is safe for
// concurrent use.
type Schedule struct {
	seed  uint64
	rates map[Class]float64

	mu    sync.Mutex
	calm  bool
	quiet chan struct{} // closed when the faults end
	count map[string]int
}

// NewSchedule makes the schedule of a seed. The seed decides, too, how rough
// it is: some spoil every twentieth request of a class, some nearly half.
func NewSchedule(seed uint64) *Schedule {
	s := &Schedule{seed: seed, rates: map[Class]float64{}, quiet: make(chan struct{}), count: map[string]int{}}
	for _, class := range []Class{Read, Write, Watch, Lease, Status} {
		s.rates[class] = lowest + share(mix(seed, "rate", string(class)))*(highest-lowest)
	}
	s.rates[Lease] /= 4 // an engine that loses each renewal never leads
	return s
}

// The shares of requests of a class that are spoiled.
const (
	lowest  = 0.05
	highest = 0.45
)

// Shared makes the schedule of requests that all applications need, such as
// discovery and watches. One of them that fails holds up everything, so that
// there are fewer faults, but for watches.
func Shared(seed uint64) *Schedule {
	s := NewSchedule(seed)
	s.rates = map[Class]float64{Read: 0.02, Write: 0.1, Status: 0.1, Watch: 0.3, Lease: 0.05}
	return s
}

// Only keeps the rate of one class at a value and all others at zero.
func (s *Schedule) Only(class Class, rate float64) *Schedule {
	s.rates = map[Class]float64{class: rate}
	return s
}

// Calm ends the faults; requests that hang are let go.
func (s *Schedule) Calm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.calm {
		s.calm = true
		close(s.quiet)
	}
}

// decision is the fault of a request, with a number for its details.
type decision struct {
	fault  Fault
	detail uint64
	quiet  <-chan struct{}
}

// decide takes the identity of a request: its class and what it asks for. The
// n-th request of one identity always meets the same fault.
func (s *Schedule) decide(class Class, identity string) decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.count[identity]
	s.count[identity]++
	if s.calm {
		return decision{}
	}
	chance := mix(s.seed, identity, strconv.Itoa(n))
	if share(chance) >= s.rates[class] {
		return decision{}
	}
	kind := mix(s.seed, "kind", identity, strconv.Itoa(n))
	return decision{fault: pick(menus[class], kind), detail: mix(kind, "detail"), quiet: s.quiet}
}

// mix spreads a seed and words over uint64.
func mix(seed uint64, words ...string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.FormatUint(seed, 16)))
	for _, w := range words {
		_, _ = h.Write([]byte{0})
		_, _ = h.Write([]byte(w))
	}
	// The finalizer of splitmix64: FNV alone leaves near inputs near.
	x := h.Sum64()
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// share is a number from 0 up to 1.
func share(n uint64) float64 { return float64(n>>11) / (1 << 53) }
