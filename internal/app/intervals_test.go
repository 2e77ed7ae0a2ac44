package app

import (
	"sync"
	"time"
)

// hasty makes the pauses short that the engine makes where no event calls for
// it, for tests that have to see the end of one.
func hasty(c *Config) {
	const soon = 200 * time.Millisecond
	c.Pauses = Pauses{Redial: soon, Refused: soon, Credential: soon, Lacking: soon, Kept: soon, Declared: soon, Progress: soon, Deletion: soon, Flood: soon}
}

// clock is an engine's: it stands still, or goes ahead of the machine's.
type clock struct {
	mu    sync.Mutex
	still time.Time
	ahead time.Duration
}

// standing is one that shows a time until it runs.
func standing(at time.Time) *clock { return &clock{still: at} }

// wind is what makes it an engine's.
func (c *clock) wind(cfg *Config) { cfg.Now = c.now }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.still.IsZero() {
		return c.still
	}
	return time.Now().Add(c.ahead)
}

func (c *clock) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.still = time.Until(c.still), time.Time{}
}

func (c *clock) skip(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}
