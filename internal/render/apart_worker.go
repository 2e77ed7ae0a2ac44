package render

import (
	"context"
	"errors"
	"log/slog"
	"reflect"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/render/proxy"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/wire"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// workerKind names the processes that render.
const workerKind = "Render"

// Builder makes what a worker renders with, of the setup that the engine sent.
// What lies in no source is read of the engine.
type Builder func(setup []byte, engine *proxy.Guest) (Options, []source.Renderer, error)

// Worker makes this process one that renders if it was started as one, and does
// not return then: see worker.Hook.
func Worker(build Builder) {
	worker.Hook(workerKind, func(c *worker.Conn) error { return serve(c, build) })
}

// serve renders what is ordered until the input ends.
func serve(c *worker.Conn, build Builder) error {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // libraries tell of values
	b := bench{build: build, engine: proxy.NewGuest(func(call proxy.Call) (proxy.Reply, []byte, error) {
		if err := c.Send(saying{Call: &call}, nil); err != nil {
			return proxy.Reply{}, nil, err
		}
		var s saying
		body, err := c.Receive(&s)
		if err == nil && s.Reply == nil {
			err = errSaying
		}
		if err != nil {
			return proxy.Reply{}, nil, err
		}
		return *s.Reply, body, nil
	})}
	for {
		var s saying
		with, err := c.Receive(&s)
		if err != nil {
			return err
		}
		if s.Order == nil || s.Order.Setup < 0 || s.Order.Setup > len(with) {
			return errSaying
		}
		out, body := b.do(*s.Order, with)
		if err := b.engine.Broken(); err != nil {
			return err
		}
		err = c.Send(saying{Outcome: out}, body)
		if errors.Is(err, worker.ErrLong) {
			out = &outcome{}
			body = out.pack(&entry{err: err})
			err = c.Send(saying{Outcome: out}, body)
		}
		if err != nil {
			return err
		}
		worker.Tidy()
	}
}

// bench is what a worker renders with, for one order after the other.
type bench struct {
	build  Builder
	engine *proxy.Guest
	setup  string
	limits Limits
	// project is whose renders it keeps anything of.
	project string
	// renderer is nil until the first order.
	renderer *Renderer
	said     logbook
}

func (b *bench) do(o order, with []byte) (out *outcome, body []byte) {
	err := crew.Safely(func() (err error) {
		out, body, err = b.done(o, with[:o.Setup], with[o.Setup:])
		return err
	})
	if err != nil {
		out = &outcome{}
		body = out.pack(&entry{err: err})
	}
	out.Logged = b.said.take()
	return out, body
}

func (b *bench) done(o order, setup, texts []byte) (*outcome, []byte, error) {
	if err := b.prepare(o, setup); err != nil {
		return nil, nil, err
	}
	in := Input{App: o.App, Snapshots: b.engine.Open(o.Snapshots, o.Known, texts), Facts: o.Facts, TrackingName: o.TrackingName, Settings: o.Settings}
	if o.Remotes {
		in.Remotes = b.engine
	}
	if o.Tell != tellNothing {
		return b.tell(in, o.Tell)
	}
	e := b.renderer.guarded(context.Background(), in)
	out := &outcome{Secret: e.secret, Sealed: e.sealed, Expires: e.expires}
	return out, out.pack(e), nil
}

// pack makes the body of an outcome, and says of it what its head says.
func (o *outcome) pack(e *entry) []byte {
	o.Failure = proxy.FailureOf(e.err)
	text, hidden := encode(e), &wire.Writer{}
	hidden.Texts(e.hidden)
	o.Packed = len(text)
	return append(text, hidden.Bytes()...)
}

// tell answers what is asked of values.
func (b *bench) tell(in Input, what telling) (*outcome, []byte, error) {
	values, err := b.renderer.explained(context.Background(), in, what)
	text, unwritten := encodeValues(values)
	if err == nil {
		err = unwritten
	}
	return &outcome{Failure: proxy.FailureOf(err)}, text, nil
}

// prepare makes the Renderer anew where another is asked for, and where it is for another
// project: what is kept between renders is shared by those of one.
func (b *bench) prepare(o order, setup []byte) error {
	o.Limits.Read.Bytes, o.Limits.Read.All, o.Limits.Read.Hidden = nil, nil, nil
	project := o.App.Spec.GetProject()
	if b.renderer != nil && b.project == project && b.setup == string(setup) && reflect.DeepEqual(b.limits, o.Limits) {
		return nil
	}
	options, renderers, err := b.build(setup, b.engine)
	if err != nil {
		return err
	}
	options.CacheBytes, options.Limits, options.Log = -1, o.Limits, slog.New(&b.said)
	b.renderer, b.project, b.setup, b.limits = New(options, renderers...), project, string(setup), o.Limits
	return nil
}
