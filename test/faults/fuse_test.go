package faults

import (
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// moment is when, in the course of a write, the control plane is killed.
type moment int

const (
	before  moment = iota // it never hears of the write
	during                // it has done it, or not, and nobody is told
	after                 // it has done it, and the engine may know
	moments               // how many there are
)

const (
	// kills is how often a fuse kills its control plane.
	kills = 2
	// mostWrites is how many writes a control plane carries out at the most before the next kill.
	mostWrites = 25
	// inTheMiddle is how long a write has been under way at the most.
	inTheMiddle = 10 * time.Millisecond
)

// blow is one kill: at the n-th write of the engine since the last one.
type blow struct {
	moment moment
	write  int
	delay  time.Duration
}

// fuse kills a control plane at the writes that a seed chose. It is safe for concurrent use.
type fuse struct {
	blown chan struct{} // gets one for each kill

	mu              sync.Mutex
	blows           []blow // still to come
	cluster         *embedded.Cluster
	asked, answered int // since the control plane was armed
}

func newFuse(seed uint64) *fuse {
	random := scene.Random(seed, 3)
	f := &fuse{blown: make(chan struct{}, kills)}
	for range kills {
		f.blows = append(f.blows, blow{
			moment: moment(random.IntN(int(moments))), write: 1 + random.IntN(mostWrites), delay: time.Duration(random.Int64N(int64(inTheMiddle))),
		})
	}
	return f
}

// arm counts from now on, on a control plane that has just come up.
func (f *fuse) arm(c *embedded.Cluster) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cluster, f.asked, f.answered = c, 0, 0
}

// left is how many kills have not come yet.
func (f *fuse) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.blows)
}

// disarm returns how many kills have not come.
func (f *fuse) disarm() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cluster = nil
	return len(f.blows)
}

// request counts a write that comes from the engine.
func (f *fuse) request(r *http.Request) {
	if f == nil || r.Method == http.MethodGet || r.URL.Query().Has("dryRun") {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.cluster == nil || len(f.blows) == 0 || f.asked != f.blows[0].write {
		return
	}
	switch b := f.blows[0]; b.moment {
	case before:
		f.blow()
	case during:
		time.AfterFunc(b.delay, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.cluster != nil {
				f.blow()
			}
		})
	default:
	}
}

// answer counts a write that the API server has carried out.
func (f *fuse) answer(w proxy.Written) {
	if f == nil || w.Dry || w.Status < http.StatusOK || w.Status >= http.StatusMultipleChoices {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered++
	if f.cluster != nil && len(f.blows) > 0 && f.blows[0].moment == after && f.answered == f.blows[0].write {
		f.blow()
	}
}

// blow kills API server and etcd, which are one process.
func (f *fuse) blow() {
	select {
	case <-f.cluster.Done(): // its number may be another one's by now
	default:
		_ = syscall.Kill(f.cluster.PID(), syscall.SIGKILL)
	}
	f.cluster, f.blows = nil, f.blows[1:]
	f.blown <- struct{}{}
}
