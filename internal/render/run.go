package render

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
)

type counters struct{ rendered, reused, failed, loaded atomic.Uint64 }

// within runs work of a project in one of the slots, for no longer than the
// limit, and waits as long for a slot. Work that does not end in time keeps its
// slot until it does. The worker that does it is ended then; without workers,
// neither Kustomize nor Jsonnet can be interrupted. Wait waits for it.
func (r *Renderer) within(ctx context.Context, project string, work func(context.Context) *entry) (*entry, error) {
	// Who waits for a render needs no worker: the slots are what is scarce.
	return seat.Away(ctx, "", func(ctx context.Context) (*entry, error) { return r.slotted(ctx, project, work) })
}

func (r *Renderer) slotted(ctx context.Context, project string, work func(context.Context) *entry) (*entry, error) {
	if err := r.slot(ctx, project); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(slots.ForProject(ctx, project), r.limits.Time)
	defer cancel()
	done := make(chan *entry, 1)
	r.running.Go(func() {
		defer r.slots.Give(project)
		var e *entry
		if err := crew.Safely(func() error { e = work(limited); return nil }); err != nil {
			e = &entry{err: err}
		}
		done <- e
	})
	select {
	case e := <-done:
		if limited.Err() != nil && e.err != nil {
			return nil, r.late(ctx)
		}
		return e, nil
	case <-limited.Done():
		return nil, r.late(ctx)
	}
}

// slot waits for a slot, no longer than a render may take.
func (r *Renderer) slot(ctx context.Context, project string) error {
	limited, cancel := context.WithTimeout(ctx, r.limits.Time)
	defer cancel()
	if _, err := r.slots.Take(limited, slots.Of(project)); err == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.log.Warn("render given up", "reason", "no slot", "project", project, "limit", r.limits.Time)
	return gitops.Problemf(gitops.Unreachable, "cannot render the application: no slot for rendering became free within %s", r.limits.Time).
		Do("see which applications of project " + project + " take long to render: the engine tries again by itself")
}

func (r *Renderer) late(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.log.Warn("render given up", "reason", "time", "limit", r.limits.Time)
	return gitops.Problemf(gitops.Invalid, "cannot render the application: rendering did not end within %s", r.limits.Time).
		Do("look for endless loops in templates, or split the application")
}

// render renders all sources and closes the record.
func (r *Renderer) render(ctx context.Context, in Input) *entry {
	begun := r.now()
	run := newRun(ctx, in, r.limits, in.from(r.remotes))
	run.decrypting(r.decrypt)
	run.discoverers = r.discoverers
	e := &entry{}
	for i, spec := range in.App.Spec.GetSources() {
		kind, err := r.whole(ctx, run, i, spec)
		e.types = append(e.types, kind)
		if err != nil {
			e.err = err
			break
		}
	}
	run.seals(e)
	if run.lifetime > 0 {
		e.expires = begun.Add(run.lifetime)
	}
	e.manifests, e.warnings, e.remotes = run.manifests, run.warnings, run.remotes.entries()
	e.revisions = in.revisions()
	for i, t := range run.trees {
		e.logs = append(e.logs, t.Log(run.folders[i]))
	}
	e.facts = run.facts.Log()
	if e.err == nil {
		e.err = e.seal(r.limits)
	}
	run.hides(e)
	e.brief()
	if e.err != nil {
		e.manifests = nil // those of the sources before the one that failed
		e.hidden = nil    // nothing is told of it but what they are taken out of
	}
	return e
}

// run is what the sources of one render share.
type run struct {
	in      Input
	trees   []*record.Tree
	folders []string // of the sources, "." where there is none
	refs    map[string]*record.Tree
	facts   *record.Facts
	remotes *remotes
	values  *bounded.Budget
	output  *bounded.Budget
	loaded  *sync.Map
	// explained is what is told of where values come from.
	explained *source.Explained
	// discoverers are asked for the type of a source that does not say it.
	discoverers []discoverer
	manifests   []gitops.Manifest
	warnings    []gitops.Warning
	// lifetime is the shortest that a source was told; none when 0.
	lifetime time.Duration
}

// maxHidden bounds the decrypted values of one render, in all forms in which
// they may come up, in bytes. redact.NewKnown knows as many.
const maxHidden = 16 << 20

// mostPlain bounds what a plain application reads, and what it gives, in bytes, and
// mostPlainValues the values of that.
const (
	mostPlain       = 256 << 10
	mostPlainValues = 20_000
)

func newRun(ctx context.Context, in Input, l Limits, from Snapshots) *run {
	most := document.MostValues
	if in.plain {
		l.Bytes, l.Output, most, from = mostPlain, mostPlain, mostPlainValues, nil
	}
	l.Read.Bytes = bounded.NewBytes(l.Bytes)
	l.Read.All, l.Read.Hidden = bounded.NewFiles(l.Files), bounded.NewBytes(maxHidden)
	r := &run{
		in: in, refs: map[string]*record.Tree{}, facts: record.WrapFacts(in.Facts), remotes: newRemotes(ctx, from, l),
		values: bounded.NewBudget(most), output: bounded.NewBytes(l.Output), loaded: &sync.Map{},
		explained: &source.Explained{},
	}
	for i, spec := range in.App.Spec.GetSources() {
		tree := record.Wrap(ctx, in.Snapshots[i], l.Read)
		r.trees = append(r.trees, tree)
		r.folders = append(r.folders, ".")
		if spec.Ref != "" {
			r.refs[spec.Ref] = tree
		}
	}
	return r
}

// source renders one source into the run.
func (r *Renderer) source(ctx context.Context, run *run, i int, spec v1alpha1.ApplicationSource) (gitops.SourceType, error) {
	if !spec.Renders() {
		return "", nil
	}
	s, kind, err := run.prepare(ctx, i, spec)
	if err != nil {
		return kind, at(err, run.trees[i], spec.Path)
	}
	renderer, ok := r.renderers[kind]
	if !ok {
		return kind, gitops.Problemf(gitops.Invalid, "cannot render source %d: type %s is not supported", i, kind).
			At(run.trees[i].Where(s.Path, 0)).Do("use Helm, Kustomize or plain manifests")
	}
	manifests, err := renderer.Render(ctx, s)
	run.perishes(s.Lifetime())
	run.take(i, manifests, append(unresolved(s.Spec, run.trees[i].Where(s.Path, 0)), s.Warnings()...))
	return kind, at(err, run.trees[i], s.Path)
}

func (r *run) take(i int, manifests []gitops.Manifest, warnings []gitops.Warning) {
	for _, m := range manifests {
		m.Origin.Source = i
		r.manifests = append(r.manifests, m)
	}
	for _, w := range warnings {
		w.Origin.Source = i
		r.warnings = append(r.warnings, w)
	}
}

func (r *run) perishes(after time.Duration) {
	if after > 0 && (r.lifetime == 0 || after < r.lifetime) {
		r.lifetime = after
	}
}

// at gives an error without a place the place of its source.
func at(err error, t *record.Tree, path string) error {
	var p *gitops.Problem
	if errors.As(err, &p) {
		_ = p.At(t.Where(path, 0))
	}
	return err
}
