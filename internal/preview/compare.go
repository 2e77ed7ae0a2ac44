package preview

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// comparison is of two states.
type comparison struct {
	before, after *State
	options       Options
	pairs         []*pair
	// metadata that differs, by cluster.
	metadata map[string][]roster.Change
	// twins of both sides.
	oldTwins, twins twins
	// elsewhere: on one side nothing is read by an address of the repository itself.
	elsewhere bool
	// addresses are those that move, and what is known of trees that have them.
	addresses *render.Addresses
	done      atomic.Int64
}

// pair is one application on both sides; one of them may be missing.
type pair struct {
	id         ID
	base, head *App
	change     forecast.Change // empty: nothing changes
	unknown    bool            // one side cannot be rendered
	blocked    bool            // what would make it on the other side fails there
	fields     []forecast.Field
	objects    object.Comparison
	alike      [sha256.Size]byte // the same for pairs of one group
	causes     []forecast.Cause
	moreCauses int // that are left out
	masker     redact.Masker
	hidden     []string // decrypted values of both sides
	rendered   int
	reused     int
	// sides of which there is a rendering.
	renderedBase, renderedHead bool
	failures                   []finding
	warnings                   []finding
	oldWarnings                []finding
	// external are the objects of both sides that count for External Secrets' kinds; nil where nothing was rendered.
	external [2]*external
}

func newComparison(before, after *State, o Options) *comparison {
	c := &comparison{before: before, after: after, options: o, metadata: map[string][]roster.Change{}}
	c.elsewhere = len(before.strangers()) > 0 || len(after.strangers()) > 0
	c.addresses = render.NewAddresses(func(address string) bool { return c.moves(address, "") })
	for _, m := range roster.Changes(before.Side.Roster, after.Side.Roster) {
		c.metadata[m.Cluster] = append(c.metadata[m.Cluster], m)
	}
	for id, a := range before.Apps {
		c.pairs = append(c.pairs, &pair{id: id, base: a, head: after.Apps[id]})
	}
	for id, a := range after.Apps {
		if before.Apps[id] == nil {
			c.pairs = append(c.pairs, &pair{id: id, head: a})
		}
	}
	slices.SortFunc(c.pairs, func(a, b *pair) int { return a.id.compare(b.id) })
	return c
}

// run compares all pairs, side by side.
func (c *comparison) run(ctx context.Context) error {
	return inParallel(ctx, c.options.Workers, len(c.pairs), func(ctx context.Context, i int) {
		c.pair(ctx, c.pairs[i])
		c.options.Progress("compare", int(c.done.Add(1)), len(c.pairs))
	})
}

// pair renders what can differ and compares it.
func (c *comparison) pair(ctx context.Context, p *pair) {
	c.values(p)
	if c.equal(ctx, p) {
		return
	}
	base := c.render(ctx, c.before, p.base, p)
	head := c.render(ctx, c.after, p.head, p)
	p.unknown = (p.base != nil && base == nil) || (p.head != nil && head == nil)
	if base == nil && head == nil && c.untouched(ctx, p) {
		p.unknown = false
		return
	}
	p.blocked = (p.head == nil && c.after.blocked(p.base, c.before)) || (p.base == nil && c.before.blocked(p.head, c.after))
	p.hidden = append(hidden(base), hidden(head)...)
	c.compare(p, base, head)
	if p.change != "" {
		p.alike = p.shape(base, head)
		p.masker = redact.NewMasker(redact.NewKnown(p.hidden, c.before.Side.manifests(base), c.after.Side.manifests(head)))
		p.causes = c.causes(ctx, p)
	}
	if p.base != nil && p.base.failed() != nil && head != nil {
		p.warnings = append(p.warnings, c.failedBefore(p.base))
	}
	c.forget(p)
}

// hidden are the decrypted values of a rendering, in a list of its own.
func hidden(r *gitops.Rendering) []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.Hidden)
}

// failedBefore says that a change cannot be told, because there is nothing to
// compare with.
func (c *comparison) failedBefore(a *App) finding {
	f := c.before.failure(a, a.failed())
	f.reason, f.message, f.err = "FailedBefore", fmt.Sprintf("%s can be rendered now; what changes cannot be determined, because before it could not: %v", a.ID, a.failed()), nil
	return f
}

// forget frees what was kept for comparing alone.
func (c *comparison) forget(p *pair) {
	for _, a := range []*App{p.base, p.head} {
		if a != nil {
			a.Rendering = nil
		}
	}
}

// equal reports whether an application cannot differ: same spec, same cluster,
// and sources in which nothing that it can read differs. Nothing is rendered
// for the answer.
func (c *comparison) equal(ctx context.Context, p *pair) bool {
	if p.base == nil || p.head == nil || p.base.Err != nil || p.head.Err != nil {
		return false
	}
	a, b := p.base, p.head
	if !sameApp(a, b) {
		return false
	}
	return c.after.Side.Renderer.Unaffected(ctx, c.before.input(a, c.options.Namespace), c.after.input(b, c.options.Namespace))
}

// sameApp reports whether two sides say the same of an application.
func sameApp(a, b *App) bool {
	return reflect.DeepEqual(a.Spec, b.Spec) && reflect.DeepEqual(a.Labels, b.Labels) &&
		reflect.DeepEqual(a.Annotations, b.Annotations) && slices.Equal(a.Finalizers, b.Finalizers) &&
		a.Cluster.Server == b.Cluster.Server
}

// render returns nil when the application is not there or cannot be rendered.
func (c *comparison) render(ctx context.Context, s *State, a *App, p *pair) *gitops.Rendering {
	if a == nil || a.Err != nil {
		return nil
	}
	out, err := a.Rendering, error(nil)
	if out == nil {
		out, err = s.Side.Renderer.Application(ctx, s.input(a, c.options.Namespace))
	}
	if err != nil {
		a.renderErr = err
		if s == c.after {
			p.failures = append(p.failures, s.failure(a, err))
		}
		return nil
	}
	p.count(out)
	p.external[b2i(s == c.after)] = externalOf(a, out)
	p.note(s == c.after, a, out.Warnings)
	return out
}

// values looks for keys that stand twice in the value files of an application,
// and for files that do not show what changes.
func (c *comparison) values(p *pair) {
	if p.base != nil {
		p.oldWarnings = append(p.oldWarnings, c.oldTwins.of(c.before.Side, p.base)...)
		p.oldWarnings = append(p.oldWarnings, hosted(c.before, p.base)...)
	}
	if p.head != nil {
		p.warnings = append(p.warnings, c.twins.of(c.after.Side, p.head)...)
		p.warnings = append(p.warnings, hosted(c.after, p.head)...)
	}
}

func (p *pair) count(r *gitops.Rendering) {
	if r.Reused {
		p.reused++
		return
	}
	p.rendered++
}

func (p *pair) note(head bool, a *App, all []gitops.Warning) {
	if head {
		p.renderedHead = true
	} else {
		p.renderedBase = true
	}
	for _, w := range all {
		if w.Reason == unresolvedParameter {
			continue // told by line, for all clusters: see unresolved
		}
		f := finding{subject: a.ID, clusters: []string{a.Cluster.Name}, reason: w.Reason, message: w.Message, origin: w.Origin}
		if head {
			p.warnings = append(p.warnings, f)
			continue
		}
		p.oldWarnings = append(p.oldWarnings, f)
	}
}

// failure is what keeps an application from being rendered.
func (s *State) failure(a *App, err error) finding {
	return finding{
		subject: a.ID, clusters: []string{a.Cluster.Name}, reason: reasonOf(err), message: err.Error(), err: err,
		origin: gitops.Origin{RepoURL: a.Repo, File: a.Place.File, Line: a.Place.Line},
	}
}

// compare fills in what differs. An application that cannot be rendered on
// one side is compared by its own fields alone.
func (c *comparison) compare(p *pair, base, head *gitops.Rendering) {
	var before, after []gitops.Manifest
	if !p.unknown {
		before, after = c.before.Side.manifests(base), c.after.Side.manifests(head)
	}
	if p.stays() != "" {
		before = nil
	}
	if !p.blocked && !p.same(base, head) {
		p.objects = p.between(before, after)
	}
	switch {
	case p.blocked: // as long as its maker fails, nothing becomes of it
	case p.base == nil:
		p.change = forecast.Added
	case p.head == nil:
		p.change = forecast.Removed
	default:
		p.fields = ownFields(p.base, p.head)
		if len(p.fields) > 0 || len(p.objects.Objects) > 0 {
			p.change = forecast.Changed
		}
	}
}

// same reports whether both sides give the same objects in the same place.
func (p *pair) same(base, head *gitops.Rendering) bool {
	return base != nil && head != nil && base.Digest == head.Digest &&
		p.base.Cluster.Server == p.head.Cluster.Server && p.base.Spec.Destination.Namespace == p.head.Spec.Destination.Namespace
}

func (p *pair) any() *App {
	if p.head != nil {
		return p.head
	}
	return p.base
}

// manifests are those of a rendering, each with its place as a person finds it.
func (s Side) manifests(r *gitops.Rendering) []gitops.Manifest {
	if r == nil {
		return nil
	}
	out := slices.Clone(r.Manifests)
	for i := range out {
		out[i].Origin = s.place(out[i].Origin)
	}
	return out
}
