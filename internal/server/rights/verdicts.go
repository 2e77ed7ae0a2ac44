package rights

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// verdicts remember which rows somebody may read, by the rows' seats, and which
// clusters and sets: a page of thousands asks for each of them. They hold as
// long as the policy and the projects stay as they are.
type verdicts struct {
	// grew is told how many bytes they take, each time that it is more.
	grew func(bytes int64)

	mu sync.Mutex
	// known has the last verdict of each number, with the turn that it is of.
	known atomic.Pointer[[]atomic.Uint32]
	// reads has what else was asked, of which there is less: clusters, sets. Texts
	// are how many bytes their keys have.
	reads map[rbac.Request]bool
	texts int64
}

// mostReads bounds what is remembered beside rows; readSize is what one takes
// beside its texts, and readsStep in which steps all of them are counted.
const (
	mostReads = 8192
	readSize  = 256
	readsStep = 64 * readSize
)

// What is remembered, in the last two bits; those before them are the turn.
const (
	unasked uint32 = iota
	visible
	hidden
)

// answers is how many there may be: so many times the turn is kept beside one.
const answers = 4

// of answers by what is remembered, or else by asking.
func (v *verdicts) of(ask func(*view.Row) bool) func(*view.Row) bool {
	known := v.known.Load()
	return func(r *view.Row) bool {
		number := int(r.Seat.Number)
		if known == nil || number >= len(*known) {
			known = v.grow(number)
		}
		at, turn := &(*known)[number], r.Seat.Turn*answers
		switch at.Load() {
		case turn + visible:
			return true
		case turn + hidden:
			return false
		}
		if !ask(r) {
			at.Store(turn + hidden)
			return false
		}
		at.Store(turn + visible)
		return true
	}
}

// grow makes room for a row. What others are just writing to the list before
// may be lost, and is asked again.
func (v *verdicts) grow(number int) *[]atomic.Uint32 {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.known.Load()
	if old != nil && number < len(*old) {
		return old
	}
	larger := make([]atomic.Uint32, 2*number+1024)
	if old != nil {
		for i := range *old {
			larger[i].Store((*old)[i].Load())
		}
	}
	v.known.Store(&larger)
	v.grew(v.size())
	return &larger
}

// read answers by what is remembered, or else by asking.
func (v *verdicts) read(r rbac.Request, ask func() (bool, error)) (bool, error) {
	v.mu.Lock()
	ok, known := v.reads[r]
	v.mu.Unlock()
	if known {
		return ok, nil
	}
	ok, err := ask()
	if err != nil {
		return ok, err
	}
	v.remember(r, ok)
	return ok, nil
}

// remember keeps a copy: texts of a request are parts of all that was sent with
// it, which would stay for as long as they do.
func (v *verdicts) remember(r rbac.Request, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.size()
	if v.reads == nil || len(v.reads) >= mostReads {
		v.reads, v.texts = map[rbac.Request]bool{}, 0
	}
	if _, known := v.reads[r]; !known {
		r = rbac.Request{Resource: strings.Clone(r.Resource), Action: strings.Clone(r.Action), Object: strings.Clone(r.Object)}
		v.texts += int64(len(r.Resource) + len(r.Action) + len(r.Object))
	}
	v.reads[r] = ok
	if size := v.size(); size != before {
		v.grew(size)
	}
}

// size is how many bytes all of it takes. The caller holds the lock.
func (v *verdicts) size() int64 {
	size := (int64(len(v.reads))*readSize + v.texts + readsStep - 1) / readsStep * readsStep
	if known := v.known.Load(); known != nil {
		size += int64(4 * len(*known))
	}
	return size
}
