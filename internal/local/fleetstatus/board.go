package fleetstatus

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// settleTime is how long everything must be as it should before it counts:
// an Application that was just synced may yet make others.
const settleTime = 1500 * time.Millisecond

// Board holds the current picture. It is safe for concurrent use.
type Board struct {
	now func() time.Time

	mu      sync.Mutex
	base    Snapshot
	apps    map[string]App
	sets    map[string]Set
	settled time.Time // since when; zero while it is not
	version int
	changed chan struct{} // closed, and made anew, at each change
}

// New makes the board of a fleet whose clusters are named, the hub first.
func New(fleet string, clusters []string, now func() time.Time) *Board {
	b := &Board{now: now, apps: map[string]App{}, sets: map[string]Set{}, changed: make(chan struct{})}
	b.base = Snapshot{Fleet: fleet, Started: now()}
	for i, name := range clusters {
		b.base.Clusters = append(b.base.Clusters, Cluster{Name: name, Hub: i == 0, State: Waiting})
	}
	return b
}

// Snapshot returns the picture as it is now.
func (b *Board) Snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.snapshot()
}

func (b *Board) snapshot() Snapshot {
	s := b.base
	s.Clusters = slices.Clone(s.Clusters)
	s.Apps = slices.Collect(maps.Values(b.apps))
	s.Sets = slices.Collect(maps.Values(b.sets))
	s.sort()
	return s
}

// Next waits until the picture is newer than version, and returns it.
func (b *Board) Next(ctx context.Context, version int) (Snapshot, int, error) {
	for {
		b.mu.Lock()
		if b.version > version {
			defer b.mu.Unlock()
			return b.snapshot(), b.version, nil
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-ctx.Done():
			return Snapshot{}, version, ctx.Err()
		case <-changed:
		}
	}
}

func (b *Board) update(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	b.version++
	close(b.changed)
	b.changed = make(chan struct{})
}

// Step tells what is being done now.
func (b *Board) Step(text string) { b.update(func() { b.base.Step = text }) }

// Trouble tells what is wrong with the fleet's own files; nil when nothing is.
func (b *Board) Trouble(err error) {
	b.update(func() {
		b.base.Problem = ""
		if err != nil {
			b.base.Problem = err.Error()
		}
	})
}

// Fail tells what ended the fleet.
func (b *Board) Fail(err error) { b.update(func() { b.base.Failure = err.Error() }) }

// Starting, Ready and Failed tell how a cluster comes up.
func (b *Board) Starting(cluster string, at time.Time) {
	b.cluster(cluster, func(c *Cluster) { c.State, c.Since, c.Error = Starting, at, "" })
}

// Ready tells that a cluster can be used.
func (b *Board) Ready(cluster, server string, took time.Duration) {
	b.cluster(cluster, func(c *Cluster) { c.State, c.Server, c.Took = Ready, server, took })
}

// Failed tells that a cluster cannot be used.
func (b *Board) Failed(cluster string, err error) {
	b.cluster(cluster, func(c *Cluster) { c.State, c.Error = Failed, err.Error() })
}

func (b *Board) cluster(name string, change func(*Cluster)) {
	b.update(func() {
		for i := range b.base.Clusters {
			if b.base.Clusters[i].Name == name {
				change(&b.base.Clusters[i])
			}
		}
	})
}

// Settle looks whether everything has been as it should for long enough, and
// marks the moment. It is to be called every now and then.
func (b *Board) Settle() bool {
	b.mu.Lock()
	now, s := b.now(), b.snapshot()
	switch {
	case !s.Settled():
		b.settled = time.Time{}
	case b.settled.IsZero():
		b.settled = now
	}
	since, done := b.settled, !b.base.Healthy.IsZero()
	b.mu.Unlock()
	if done {
		return true
	}
	if since.IsZero() || now.Sub(since) < settleTime {
		return false
	}
	b.update(func() { b.base.Healthy = since })
	return true
}
