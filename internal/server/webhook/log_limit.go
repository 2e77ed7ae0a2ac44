package webhook

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What is logged of events that are refused, and of those of hosts with a secret
// and of others each: anybody sends most of them.
const (
	noiseEvery = time.Second
	noiseBurst = 20
)

// noise bounds what strangers write to the log. It is safe for concurrent use.
type noise struct {
	mu     sync.Mutex
	limit  *rate.Limiter
	unsaid int64
}

// say reports whether a line is logged, and how many were not before it.
func (n *noise) say() (unsaid int64, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.limit == nil {
		n.limit = rate.NewLimiter(rate.Every(noiseEvery), noiseBurst)
	}
	if !n.limit.Allow() {
		n.unsaid++
		return 0, false
	}
	unsaid, n.unsaid = n.unsaid, 0
	return unsaid, true
}
