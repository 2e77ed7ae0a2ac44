package fleet

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

// Times of the link.
const (
	probeTimeout = 15 * time.Second
	firstRetry   = 500 * time.Millisecond
	lastRetry    = 30 * time.Second // of a cluster that is away for a short time
	longestRetry = 5 * time.Minute
	// awayShare is the part of the time that a cluster has been away which a
	// pause takes once that is longer than lastRetry: being away lasts so much
	// longer at most until somebody notices that it is over.
	awayShare = 10
	// spread is how far waits are from what they are meant to be.
	spread = 0.2
)

// link knows whether a cluster answers. While it does, watches tell when
// something is wrong (kick) and nothing is asked on purpose; while it does
// not, the cluster is probed with a growing back-off. It is the gate's breaker.
type link struct {
	client rest.Interface
	kicked chan struct{}
	woken  chan struct{}
	redial time.Duration // the longest pause between two probes

	mu      sync.Mutex
	probed  bool
	up      bool
	err     error // a *downError
	version string
	success time.Time
	latency time.Duration
	// changed is closed, and made anew, whenever probed or up changes.
	changed chan struct{}

	since time.Time // when up became what it is
	next  time.Time // of the next probe, while it does not answer
	// failures are requests in a row without an answer.
	failures int
	// closed is whether the gate lets nothing through, tripped why if it was
	// not for a probe. On trial one failure is enough.
	closed  bool
	tripped error
	onTrial bool
	trips   int
	// life ends when the gate closes.
	life    context.Context //nolint:containedctx // requests in flight end with it
	endLife context.CancelCauseFunc
}

func newLink(redial time.Duration) *link {
	l := &link{redial: redial, kicked: make(chan struct{}, 1), woken: make(chan struct{}, 1), changed: make(chan struct{}), since: time.Now()}
	l.life, l.endLife = context.WithCancelCause(context.Background())
	return l
}

// run probes until ctx ends, and calls report at each transition.
func (l *link) run(ctx context.Context, report func(up bool, err error)) {
	wait := firstRetry
	for {
		err := l.takeTrip()
		if err == nil {
			err = l.probeTwice(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		pause := l.pause(wait)
		if transition := l.set(err, pause); transition {
			report(err == nil, err)
		}
		if err == nil {
			if !l.sleepUntilKicked(ctx) {
				return
			}
			if !l.tried() {
				wait = firstRetry
			}
			continue
		}
		if !l.rest(ctx, pause) {
			return
		}
		wait = min(2*wait, lastRetry)
	}
}

// pause is how long nothing is asked when the probe that has just been made had
// no answer: wait, and longer once the cluster has been away for minutes.
func (l *link) pause(wait time.Duration) time.Duration {
	longest := time.Duration(float64(l.redial) / (1 + spread))
	return jitter(min(max(wait, l.away()/awayShare), longest))
}

// away is for how long the cluster has not answered.
func (l *link) away() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.probed || l.up {
		return 0
	}
	return time.Since(l.since)
}

// rest waits for the next probe, which is due when somebody wakes the link, but
// not in step with whoever does that again and again. A kick says nothing new
// about a cluster that is down.
func (l *link) rest(ctx context.Context, pause time.Duration) bool {
	begin := time.Now()
	due := time.NewTimer(pause)
	defer due.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-due.C:
		return true
	case <-l.woken:
		return sleep(ctx, min(pause, firstRetry)-time.Since(begin))
	}
}

// wake asks for a probe of a cluster that does not answer, since it may by now.
func (l *link) wake() {
	if l.isUp() {
		return
	}
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

func (l *link) sleepUntilKicked(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-l.kicked:
		return true
	}
}

// kick asks for a probe, since a request failed in a way that may mean that
// the cluster is gone.
func (l *link) kick() {
	select {
	case l.kicked <- struct{}{}:
	default:
	}
}

// probeTwice believes a failure of a cluster that was up only when the next
// probe fails, too: one request may fail for its connection alone.
func (l *link) probeTwice(ctx context.Context) error {
	err := l.probe(ctx)
	if err != nil && l.isUp() && sleep(ctx, jitter(firstRetry)) {
		err = l.probe(ctx)
	}
	return err
}

func (l *link) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, probing{}, true), probeTimeout)
	defer cancel()
	start := time.Now()
	body, err := l.client.Get().AbsPath("/version").MaxRetries(0).Do(ctx).Raw() // it has a second try of its own
	if apierrors.IsForbidden(err) {
		err = nil // it answers; its version stays unknown
	}
	if err != nil {
		return err
	}
	var v version.Info
	_ = json.Unmarshal(body, &v)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version, l.latency, l.success = versionText(v.GitVersion), time.Since(start), time.Now()
	return nil
}

// set remembers a probe's result and reports whether it differs from the last.
// The next probe is after pause.
func (l *link) set(err error, pause time.Duration) (transition bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	transition = !l.probed || l.up != (err == nil)
	if transition {
		l.since = time.Now()
	}
	l.probed, l.up, l.err, l.next = true, err == nil, nil, time.Time{}
	if transition {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	if err == nil {
		l.open()
		return transition
	}
	l.err, l.next = &downError{l.since, err}, time.Now().Add(pause)
	l.close()
	return transition
}

// open lets requests through; the lock is held. Failures of requests are not
// made good by a probe's answer: it may be all that the cluster answers.
func (l *link) open() {
	if l.closed {
		l.closed, l.failures = false, 0
		l.life, l.endLife = context.WithCancelCause(context.Background())
	}
}

// close ends the requests in flight; the lock is held.
func (l *link) close() {
	if !l.closed {
		l.closed = true
		l.endLife(l.err)
	}
}

// enter reports whether requests are let through, until the context ends.
func (l *link) enter() (context.Context, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, l.err
	}
	return l.life, nil
}

// answered notes that a request has an answer.
func (l *link) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures, l.onTrial, l.success = 0, false, time.Now()
}

// failed notes that a request has none, and closes the gate when that is too much.
func (l *link) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures++
	if !l.closed && (l.failures >= manyFailures || l.onTrial) {
		l.trips++
		l.tripped, l.onTrial, l.failures = err, true, 0
		l.err = &downError{time.Now(), err}
		l.close()
	}
	l.kick()
}

// takeTrip returns why the gate was closed by failures, once.
func (l *link) takeTrip() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.tripped
	l.tripped = nil
	return err
}

// tried reports whether no request has succeeded since the gate was closed.
func (l *link) tried() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.onTrial
}

// alive notes an answer of the cluster.
func (l *link) alive() {
	l.mu.Lock()
	l.success = time.Now()
	l.mu.Unlock()
}

func (l *link) isUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// tells is the version that the last answered probe told.
func (l *link) tells() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// awaitUp waits until the cluster answers; false means that ctx ended.
func (l *link) awaitUp(ctx context.Context) bool {
	for {
		l.mu.Lock()
		up, changed := l.up, l.changed
		l.mu.Unlock()
		if up {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// check waits for the first probe, no longer than patience, and returns its
// error. Later it returns at once.
func (l *link) check(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l.mu.Lock()
		probed, err, changed := l.probed, l.err, l.changed
		l.mu.Unlock()
		if probed {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// jitter spreads waits, so that clusters do not retry in step.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (1 - spread + 2*spread*rand.Float64())) //nolint:gosec // no secret
}
