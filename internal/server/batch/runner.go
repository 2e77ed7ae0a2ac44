package batch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Bounds. What is written goes to one API server, whoever asks for it.
const (
	atOnce     = 8 // writes, of everybody
	atOnceEach = 4 // writes, of one person
	running    = 64
	runningOf  = 4 // batches of one person
	kept       = 128
	keptOf     = 16
	keptFor    = time.Hour
	// writeTime is how long one write may take, and endTime how long the end of
	// the process waits for those that have begun.
	writeTime = 20 * time.Second
	endTime   = 5 * time.Second
)

// Errors of Start.
var (
	// ErrBusy asks to come back when another one has ended.
	ErrBusy = errors.New("too many operations are running; wait until one of them has ended")
	// ErrClosed is the answer of a server that ends.
	ErrClosed = errors.New("the server is being shut down; try again in a moment")
)

// Do does it with one Application. It returns the mark of the operation that
// was begun; empty for none.
type Do func(ctx context.Context, k view.Key) (mark string, err error)

// Owner is whose a batch is.
type Owner struct {
	// Person is the one identity of somebody, and not a name that they go by.
	Person string
	// Key is the name of the API key that was sent, which sees what it began
	// itself; empty for none. The bounds are of the person with all their keys.
	Key string
}

// Want is a batch that is asked for.
type Want struct {
	ID, Verb string
	Owner    Owner
	Keys     []view.Key
	Do       Do
	// Say is what is told of an error.
	Say func(error) string
	// Ended is told how it ended; nil for nobody.
	Ended func(*Batch)
}

// Runner runs batches.
type Runner struct {
	now  func() time.Time
	room chan struct{}
	// writes lasts as long as writes may; cut ends it.
	writes context.Context //nolint:containedctx // it is the life of what the runner does
	cut    context.CancelFunc
	grace  time.Duration

	mu     sync.Mutex
	closed bool
	all    map[string]*run
	work   sync.WaitGroup
	// ended counts batches up, to know which ended first.
	ended int
}

// New makes one.
func New(now func() time.Time) *Runner {
	writes, cut := context.WithCancel(context.Background()) //nolint:gosec // Run ends it
	return &Runner{now: now, room: make(chan struct{}, atOnce), writes: writes, cut: cut, grace: endTime, all: map[string]*run{}}
}

// run is a batch while it is kept. The runner's lock is for all of it.
type run struct {
	Batch

	of   Owner
	do   Do
	say  func(error) string
	told func(*Batch)
	stop context.CancelFunc
	// becomes is the state that it ends in; Done unless somebody ended it.
	becomes State
	// lanes are the writes of one person, which their batches share.
	lanes chan struct{}
	next  int
	// order of its end.
	order int
}

// Run waits for the end of ctx, lets no more begin, and waits for what has
// begun; not for ever.
func (r *Runner) Run(ctx context.Context) {
	<-ctx.Done()
	r.mu.Lock()
	r.closed = true
	for _, b := range r.all {
		b.end(Interrupted)
	}
	r.mu.Unlock()
	late := time.AfterFunc(r.grace, r.cut)
	defer late.Stop()
	r.work.Wait()
}

// Start begins one, and returns what it is now. What it does has the values of
// ctx, and lasts longer.
func (r *Runner) Start(ctx context.Context, w *Want) (*Batch, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	r.forget()
	lanes := make(chan struct{}, atOnceEach)
	all, own := 0, 0
	for _, b := range r.all {
		if b.State != Running {
			continue
		}
		all++
		if b.of.Person == w.Owner.Person {
			own, lanes = own+1, b.lanes
		}
	}
	if all >= running || own >= runningOf {
		return nil, ErrBusy
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	b := &run{
		Batch: Batch{ID: w.ID, Verb: w.Verb, State: Running, Started: r.now().UTC()},
		of:    w.Owner, do: w.Do, say: w.Say, told: w.Ended, stop: stop, becomes: Done, lanes: lanes,
	}
	seen := map[view.Key]bool{}
	for _, k := range w.Keys {
		if !seen[k] {
			seen[k] = true
			b.Results = append(b.Results, Result{Key: k, Stage: Waiting})
		}
	}
	b.count()
	r.all[b.ID] = b
	r.work.Go(func() { r.run(ctx, b) })
	return b.snapshot(), nil
}

// run does all of one, and ends it.
func (r *Runner) run(ctx context.Context, b *run) {
	var workers sync.WaitGroup
	for range min(atOnceEach, len(b.Results)) {
		workers.Go(func() {
			for r.one(ctx, b) {
			}
		})
	}
	workers.Wait()
	b.stop()
	if now := r.close(b); b.told != nil {
		b.told(now)
	}
}

// close says how one has ended.
func (r *Runner) close(b *run) *Batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range b.Results {
		if b.Results[i].Stage == Waiting {
			b.Results[i].Stage = Skipped
		}
	}
	r.ended++
	b.State, b.Ended, b.order = b.becomes, r.now().UTC(), r.ended
	b.count()
	if b.Counts.Skipped == 0 {
		b.State = Done // it was told to end when nothing was left
	}
	b.do, b.say = nil, nil // what they hold is not kept
	now := b.snapshot()
	r.forget()
	return now
}

// one does the next; false when there is none, or it is told to end.
func (r *Runner) one(ctx context.Context, b *run) bool {
	leave, ok := enter(ctx, b.lanes, r.room)
	if !ok {
		return false
	}
	defer leave()
	at, ok := r.take(b)
	if !ok {
		return false
	}
	// What has begun is not cut off: nobody would know what became of it.
	one, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	defer context.AfterFunc(r.writes, cancel)()
	var mark string
	err := crew.Safely(func() (err error) { // one Application does not end the server
		mark, err = b.do(one, at.Key)
		return err
	})
	result := Result{Key: at.Key, Stage: Asked, Mark: mark}
	if err != nil {
		result = Result{Key: at.Key, Stage: Failed, Error: b.say(err)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	*at = result
	b.count()
	return true
}

// enter waits for a place in each; not ok where ctx ends before.
func enter(ctx context.Context, places ...chan struct{}) (leave func(), ok bool) {
	taken := 0
	leave = func() {
		for _, p := range places[:taken] {
			<-p
		}
	}
	for _, p := range places {
		select {
		case p <- struct{}{}:
			taken++
		case <-ctx.Done():
			leave()
			return nil, false
		}
	}
	return leave, true
}

// take is the next that waits.
func (r *Runner) take(b *run) (*Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.becomes != Done || b.next == len(b.Results) {
		return nil, false
	}
	at := &b.Results[b.next]
	at.Stage = Working
	b.next++
	return at, true
}

// end tells a batch to end in a state; it does when what has begun is done.
func (b *run) end(as State) {
	if b.State == Running && b.becomes == Done {
		b.becomes = as
		b.stop()
	}
}

// Cancel ends one of somebody's: what has not begun is skipped. One that has
// ended stays as it is.
func (r *Runner) Cancel(of Owner, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.all[id]; b != nil && b.of == of {
		b.end(Canceled)
	}
}

// Get is one of somebody's as it is now; nil where they have none.
func (r *Runner) Get(of Owner, id string) *Batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	if b := r.all[id]; b != nil && b.of == of {
		return b.snapshot()
	}
	return nil
}

// List are all of somebody's that are kept, the latest first, without results.
func (r *Runner) List(of Owner) []*Batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	out := []*Batch{}
	for _, b := range r.all {
		if b.of == of {
			one := b.Batch
			one.Results = nil
			out = append(out, &one)
		}
	}
	slices.SortFunc(out, func(a, b *Batch) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID)) })
	return out
}

func (b *run) snapshot() *Batch {
	out := b.Batch
	out.Results = slices.Clone(b.Results)
	return &out
}

// forget drops those that ended long ago, and the oldest where there are too many.
func (r *Runner) forget() {
	past := slices.DeleteFunc(slices.Collect(maps.Values(r.all)), func(b *run) bool { return b.State == Running })
	slices.SortFunc(past, func(a, b *run) int { return cmp.Compare(b.order, a.order) }) // the latest first
	each := map[string]int{}
	for i, b := range past {
		each[b.of.Person]++
		if i >= kept || each[b.of.Person] > keptOf || r.now().Sub(b.Ended) > keptFor {
			delete(r.all, b.ID)
		}
	}
}
