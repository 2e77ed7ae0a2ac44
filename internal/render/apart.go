package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/proxy"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// Apart has renders done by workers, each a process of its own with a bound of
// memory: what a file has a library do costs its own render, and nothing else.
type Apart struct {
	Workers *worker.Pool
	// Setup is what the Builder of the workers makes them of.
	Setup []byte
	// Files are read by their address for the workers, Programs run for them.
	Files    proxy.Files
	Programs source.Programs
}

// apartTime is longer than a render may take: that is what ends a worker.
const apartTime = time.Hour

// NewWorkers are processes that render, if this executable calls Worker; nil if
// it does not.
func NewWorkers(l worker.Limits) *worker.Pool {
	if !worker.Hooked(workerKind) {
		return nil
	}
	l.Time = apartTime
	l.Parallel = orElse(l.Parallel, 2*runtime.GOMAXPROCS(0)) //nolint:mnd // as many as render: see parallel
	return worker.NewPool(workerKind, l)
}

// saying is what the engine and a worker say to each other; one field is set.
// The engine says Order, the worker Call as often as it needs to, each answered
// by Reply, and Outcome at the end.
type saying struct {
	Order   *order       `json:",omitempty"`
	Call    *proxy.Call  `json:",omitempty"`
	Reply   *proxy.Reply `json:",omitempty"`
	Outcome *outcome     `json:",omitempty"`
}

// order is what is to be rendered. The body of its message is the setup, and then the
// texts of what is known.
type order struct {
	App       *v1alpha1.Application
	Snapshots []proxy.Snapshot
	Known     []proxy.Known
	// Setup is the length of the setup, in bytes.
	Setup int
	// Remotes: something may be read from elsewhere.
	Remotes      bool
	Facts        gitops.Facts
	TrackingName string
	Settings     source.Settings
	Limits       Limits
	// Tell asks for values instead of manifests.
	Tell telling
}

// outcome is what became of it. The body of its message is the entry with the texts that
// it hides, or the values.
type outcome struct {
	Failure        *proxy.Failure `json:",omitempty"`
	Secret, Sealed bool
	// Packed is the length of the entry.
	Packed  int
	Expires time.Time `json:",omitzero"`
	Logged  []logged  `json:",omitempty"`
}

var errSaying = errors.New("a message is none that is expected now")

// made renders an application, in a worker where there are some.
func (r *Renderer) made(ctx context.Context, in Input) *entry {
	if r.apart == nil {
		return r.guarded(ctx, in)
	}
	if e := r.plain(ctx, in); e != nil {
		return e
	}
	t, err := r.ask(ctx, in, tellNothing)
	if err != nil {
		return r.unmade(ctx, in, t, err)
	}
	e, err := t.entry(in, r.limits)
	if err != nil {
		return &entry{err: fmt.Errorf("cannot render application %s: %w", in.App.Name, err)}
	}
	return e
}

// plain renders here what needs no library: few and small files of YAML such as
// people write most, which cost less than a message. It is nil for others, and for
// what has an error: a worker tells that.
func (r *Renderer) plain(ctx context.Context, in Input) *entry {
	in.plain = true
	if e := r.guarded(ctx, in); e.err == nil {
		return e
	}
	return nil
}

// told is what a worker said at the end, and what it was told until then.
type told struct {
	outcome

	host *proxy.Host
	body []byte
}

// ask has a worker do what the input says. What it was told is there with an error, too.
func (r *Renderer) ask(ctx context.Context, in Input, tell telling) (*told, error) {
	from := in.from(r.remotes)
	t := &told{host: proxy.NewHost(nil, proxy.Engine{})}
	o := order{
		App: outlined(in.App), Remotes: from != nil, Facts: in.Facts, TrackingName: in.TrackingName,
		Settings: in.Settings, Limits: r.limits, Setup: len(r.apart.Setup), Tell: tell,
	}
	if _, err := json.Marshal(o.App); err != nil {
		return t, gitops.Problemf(gitops.Invalid, "cannot write its sources as JSON: %w", err)
	}
	err := r.apart.Workers.Do(ctx, func(c *worker.Conn) (err error) {
		t.host = proxy.NewHost(slices.Clone(in.Snapshots), proxy.Engine{
			Rule:    in.Settings.Rule(in.App.Spec.GetProject()),
			Remotes: from, Files: r.apart.Files, Programs: r.apart.Programs,
			Passing: slices.ContainsFunc(in.App.Spec.GetSources(), passes), Variables: in.variables,
		})
		var texts []byte
		o.Snapshots = t.host.Begin()
		o.Known, texts = foretold(ctx, t.host, in)
		if err := c.Send(saying{Order: &o}, slices.Concat(r.apart.Setup, texts)); err != nil {
			return err
		}
		return t.listen(ctx, c)
	})
	t.log(r.log)
	return t, err
}

// foretold is what a render of an application is about to ask of its sources.
func foretold(ctx context.Context, host *proxy.Host, in Input) (known []proxy.Known, texts []byte) {
	for i, spec := range in.App.Spec.GetSources() {
		dir, ok := source.Inside(".", spec.Path)
		if i >= mostForetold || !ok || !spec.Renders() {
			continue
		}
		if spec.Chart != "" {
			dir = "."
		}
		more, text := host.Foretell(ctx, i, dir, namesIn(in.trackingName()))
		known, texts = append(known, more...), append(texts, text...)
	}
	return known, texts
}

// mostForetold bounds the sources of which anything is told before it is asked for.
const mostForetold = 16

// outlined is what a render needs of an Application.
func outlined(app *v1alpha1.Application) *v1alpha1.Application {
	out := &v1alpha1.Application{}
	out.Name, out.Namespace = app.Name, app.Namespace
	if paths := app.Annotations[v1alpha1.AnnotationManifestGeneratePaths]; paths != "" {
		out.Annotations = map[string]string{v1alpha1.AnnotationManifestGeneratePaths: paths}
	}
	out.Spec = v1alpha1.ApplicationSpec{
		Project: app.Spec.Project, Source: app.Spec.Source, Sources: app.Spec.Sources, Destination: app.Spec.Destination,
	}
	return out
}

// listen answers the worker's questions until it is done.
func (t *told) listen(ctx context.Context, c *worker.Conn) error {
	for {
		var s saying
		body, err := c.Receive(&s)
		switch {
		case err != nil:
			return err
		case s.Outcome != nil:
			t.outcome, t.body = *s.Outcome, body
			return nil
		case s.Call == nil:
			return errSaying
		}
		r, text := t.host.Answer(ctx, *s.Call)
		if err := c.Send(saying{Reply: &r}, text); err != nil {
			return err
		}
	}
}

// unmade is a render that its worker did not end. What needs too much does so
// until anything changes that it may have read.
func (r *Renderer) unmade(ctx context.Context, in Input, t *told, why error) *entry {
	if ctx.Err() != nil {
		return &entry{err: why}
	}
	if gitops.IsProblem(why, gitops.Invalid) {
		return &entry{err: why}
	}
	if !errors.Is(why, worker.ErrMemory) && !errors.Is(why, worker.ErrDeep) && !errors.Is(why, worker.ErrLong) {
		return &entry{err: gitops.Problemf(gitops.Unreachable, "cannot render application %s: %w", in.App.Name, why).
			Do("see whether the engine's machine or container has memory and processes left: it tries again by itself")}
	}
	if t.host.Elsewhere() {
		why = fmt.Errorf("%w (%w)", why, source.ErrPassing) // what lies there may change
	}
	e := &entry{revisions: in.revisions(), err: gitops.Problemf(gitops.Invalid, "cannot render application %s: %w", in.App.Name, why).
		At(t.host.Last()).Do("look at what it read there, or split the application")}
	for _, s := range in.Snapshots {
		tree := record.Wrap(ctx, s, record.Limits{})
		_ = tree.Revision()
		_, _ = tree.Digest(".") // noted, also what is wrong with it
		e.logs = append(e.logs, tree.Log("."))
	}
	facts := record.WrapFacts(in.Facts)
	_, _ = facts.KubeVersion(), facts.APIVersions()
	e.facts = facts.Log()
	return e
}
