package store

import (
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// item is something to write.
type item struct {
	sync      *history.Sync
	rendering *sealed
	health    *healthOf
	step      *history.Step
	bytes     int64
	// alone tells that no engine before this one has written of the sync.
	alone bool
}

type sealed struct {
	address string
	body    []byte
}

type healthOf struct {
	sync    string
	at      time.Time
	changes []history.Change
}

// Sync takes how far a sync has come.
func (s *Store) Sync(sync history.Sync) {
	sync.Rendering = s.options.Key.address(sync.Rendering)
	if sync.Finished.IsZero() && s.halfFull() {
		s.lost() // its end tells all of it
		return
	}
	s.put(item{sync: &sync, bytes: sync.Weight()})
}

// Rendering takes the manifests of a sync that begins. What is kept already
// costs a look-up.
func (s *Store) Rendering(r *gitops.Rendering) {
	if r.Digest == "" || s.kept.has(r.Digest) {
		return
	}
	if s.crowded() {
		s.lost() // not packed for nothing
		return
	}
	body, err := s.sealer.seal(r)
	if err != nil {
		s.options.Log.Warn("manifests are not kept", "error", err)
		return
	}
	if s.put(item{rendering: &sealed{s.options.Key.address(r.Digest), body}, bytes: int64(len(body))}) {
		s.kept.add(r.Digest)
	}
}

// Health takes changes of health after a sync began.
func (s *Store) Health(_ history.App, sync string, changes []history.Change) {
	if len(changes) > 0 {
		s.put(item{health: &healthOf{sync, changes[0].At, changes}, bytes: history.ChangesWeight(changes)})
	}
}

// crowded reports whether what waits takes all the memory that it may.
func (s *Store) crowded() bool { return s.waiting.Load() > queueBytes }

// halfFull reports whether only the room is left that is for how syncs end. A record weighs
// all of its sync, however many of one wait: those of syncs that run would take all.
func (s *Store) halfFull() bool {
	return s.waiting.Load() > queueBytes/2 || len(s.queue) >= queueItems/2
}

func (s *Store) put(i item) bool {
	taken := s.line.come(func() bool {
		if s.crowded() {
			return false
		}
		select {
		case s.queue <- i:
			s.waiting.Add(i.bytes)
			return true
		default:
			return false
		}
	})
	if !taken {
		s.lost()
	}
	return taken
}

func (s *Store) lost() { s.stats.lost.Add(1) }
