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
	lastRetry    = 30 * time.Second
)

// link knows whether a cluster answers. While it does, watches tell when
// something is wrong (kick) and nothing is asked on purpose; while it does
// not, the cluster is probed with a growing back-off.
type link struct {
	client rest.Interface
	kicked chan struct{}

	mu      sync.Mutex
	probed  bool
	up      bool
	err     error
	version string
	success time.Time
	latency time.Duration
	// changed is closed, and made anew, whenever the fields above change.
	changed chan struct{}
}

func newLink(client rest.Interface) *link {
	return &link{client: client, kicked: make(chan struct{}, 1), changed: make(chan struct{})}
}

// run probes until ctx ends, and calls report at each transition.
func (l *link) run(ctx context.Context, report func(up bool, err error)) {
	wait := firstRetry
	for {
		err := l.probe(ctx)
		if ctx.Err() != nil {
			return
		}
		if transition := l.set(err); transition {
			report(err == nil, err)
		}
		if err == nil {
			wait = firstRetry
			if !l.sleepUntilKicked(ctx) {
				return
			}
			continue
		}
		// A kick says nothing new about a cluster that is down.
		if !sleep(ctx, jitter(wait)) {
			return
		}
		wait = min(2*wait, lastRetry)
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

func (l *link) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	start := time.Now()
	body, err := l.client.Get().AbsPath("/version").Do(ctx).Raw()
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
	l.version, l.latency, l.success = v.GitVersion, time.Since(start), time.Now()
	return nil
}

// set remembers a probe's result and tells whether it differs from the last.
func (l *link) set(err error) (transition bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	transition = !l.probed || l.up != (err == nil)
	l.probed, l.up, l.err = true, err == nil, err
	close(l.changed)
	l.changed = make(chan struct{})
	return transition
}

// alive notes an answer of the cluster.
func (l *link) alive() {
	l.mu.Lock()
	l.success = time.Now()
	l.mu.Unlock()
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

// jitter spreads waits over ±20 %, so that clusters do not retry in step.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // no secret
}
