package cluster

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// grace is how long each of the two groups may take to stop. What takes longer ends with the process: etcd is closed
// properly in any case, and nothing else holds data.
const grace = 2 * time.Second

// parts are the running components, in two groups: the first serves the second and stops after it.
type parts struct {
	owner  context.Context //nolint:containedctx // it is the object's life: it ends when the cluster is to stop
	ctx    context.Context //nolint:containedctx // the same: it ends then too, and when a component fails
	fail   context.CancelCauseFunc
	groups [2]*group
}

type group struct {
	ctx  context.Context //nolint:containedctx // it is the object's life
	stop context.CancelFunc
	wait sync.WaitGroup
}

// newParts ties no component to ctx directly: when ctx ends the groups have to stop in order.
func newParts(ctx context.Context) *parts {
	p := &parts{owner: ctx}
	p.ctx, p.fail = context.WithCancelCause(ctx)
	for i := range p.groups {
		p.groups[i] = newGroup(ctx)
	}
	return p
}

func newGroup(ctx context.Context) *group {
	g := &group{}
	g.ctx, g.stop = context.WithCancel(context.WithoutCancel(ctx))
	return g
}

func (p *parts) first(name string, run func(context.Context) error)  { p.run(p.groups[0], name, run) }
func (p *parts) second(name string, run func(context.Context) error) { p.run(p.groups[1], name, run) }

func (p *parts) run(g *group, name string, run func(context.Context) error) {
	g.wait.Go(func() {
		err := run(g.ctx)
		if err == nil && g.ctx.Err() == nil {
			err = fmt.Errorf("%s stopped by itself", name)
		}
		if g.ctx.Err() == nil {
			p.fail(err)
		}
	})
}

// wait returns when the owner of the cluster ends it, or with the error of the first component that failed.
func (p *parts) wait() error {
	<-p.ctx.Done()
	return p.reason(nil)
}

// reason prefers the failure of a component over err, which is then but a symptom. An end that was asked for is none.
func (p *parts) reason(err error) error {
	if p.owner.Err() != nil {
		return nil //nolint:nilerr // whatever came of being stopped is not a failure
	}
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	return err
}

// exit is what a component's fatal error does. Once the cluster is to stop it ends no more than the goroutine:
// components that are stopped while they start call that fatal, and nobody would learn why they were stopped.
func (p *parts) exit(code int) {
	if p.ctx.Err() != nil {
		runtime.Goexit()
	}
	os.Exit(code)
}

// stop ends the groups, the second first, and waits for each for a while.
func (p *parts) stop() {
	p.fail(context.Canceled)
	for i := len(p.groups) - 1; i >= 0; i-- {
		p.groups[i].end()
	}
}

func (g *group) end() {
	g.stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.wait.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(grace):
	}
}
