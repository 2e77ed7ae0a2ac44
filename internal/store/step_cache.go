package store

import (
	"sync"

	"github.com/causeway-gitops/causeway/internal/history"
)

// mostRead is how many steps are remembered: some 20 MiB.
const mostRead = 50_000

// readSteps remembers the steps of commits that were read, each as of a
// version. It is safe for concurrent use; the zero value is ready.
type readSteps struct {
	mu    sync.Mutex
	known map[history.CommitKey]versioned
	count int
}

type versioned struct {
	version int64
	steps   []history.Step
}

func (r *readSteps) get(key history.CommitKey, version int64) ([]history.Step, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.known[key]
	return v.steps, ok && v.version == version
}

// put remembers steps; all is forgotten when that is too much.
func (r *readSteps) put(key history.CommitKey, version int64, steps []history.Step) {
	if len(steps) > mostRead {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count += len(steps) - len(r.known[key].steps)
	if r.known == nil || r.count > mostRead {
		r.known, r.count = map[history.CommitKey]versioned{}, len(steps)
	}
	r.known[key] = versioned{version, steps}
}

func (r *readSteps) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known, r.count = nil, 0
}
