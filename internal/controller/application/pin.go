package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// pin is what the sources of an operation resolved to when it began, which it keeps to
// whatever their branches are at later: Argo CD's operations do. It stands in the
// operation's info, because the status can be written by others and that is sealed.
type pin struct {
	// Sources is a digest of the sources, whatever revision they ask for: of others
	// the revisions say nothing.
	Sources   string   `json:"sources"`
	Revisions []string `json:"revisions"`
}

// followsSpec tells that the operation that runs is at what the spec's sources say now:
// an automated one gives way to a newer revision, or is at it. One of a roll-out, or that
// goes back, keeps to what it names.
func followsSpec(app *v1alpha1.Application) bool {
	op := app.Status.OperationState.Operation
	return op.InitiatedBy.Automated && !rollsOut(op) && !rolls(app)
}

// pinned are the revisions that the operation that runs keeps to with these sources; nil
// where it keeps to none yet.
func pinned(app *v1alpha1.Application, sources v1alpha1.ApplicationSources) []string {
	var p pin
	text := info(app.Status.OperationState.Operation.Info, gitops.InfoResolved)
	if followsSpec(app) || json.Unmarshal([]byte(text), &p) != nil || p.Sources != whatever(sources) || len(p.Revisions) != len(sources) {
		return nil
	}
	return p.Revisions
}

// keepTo has the operation that runs keep to what was compared of the target's sources.
func keepTo(t *target, c *comparison) {
	if t.brought == nil {
		keep(t.app, t.sources, c.revisions)
	}
}

func keep(app *v1alpha1.Application, sources v1alpha1.ApplicationSources, revisions []string) {
	if followsSpec(app) || len(revisions) != len(sources) || slices.Equal(pinned(app, sources), revisions) {
		return
	}
	text, _ := json.Marshal(pin{whatever(sources), revisions}) //nolint:errchkjson // texts always encode
	op := &app.Status.OperationState.Operation
	op.Info = append(without(op.Info, gitops.InfoResolved), v1alpha1.Info{Name: gitops.InfoResolved, Value: string(text)})
}

// whatever names sources, whatever revision they ask for.
func whatever(sources v1alpha1.ApplicationSources) string {
	sources = slices.Clone(sources)
	for i := range sources {
		sources[i].TargetRevision = ""
	}
	text, _ := json.Marshal(sources) //nolint:errchkjson // they were read from JSON
	return short(text)
}

func short(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// atKept tells whether what the sources were just compared at is what the operation
// keeps to.
func atKept(t *target, c *comparison) bool {
	keeps := pinned(t.app, t.sources)
	return keeps == nil || slices.Equal(keeps, c.revisions)
}

// settle resolves what an operation that somebody asked for names, at its first look: it
// may have to wait before it is rendered. What cannot be resolved now is told of when its
// turn comes.
func (r *Reconciler) settle(ctx context.Context, t *target, c *comparison) {
	sources := t.ownSources(c)
	if sources == nil {
		t.carries = c.carriedTo(t)
		if pinned(t.app, t.sources) == nil {
			keepTo(t, c)
		}
		return
	}
	if t.app.Status.OperationState.Operation.InitiatedBy.Automated || pinned(t.app, sources) != nil || policy.Sources(t.project, sources) != nil {
		return
	}
	own := *t
	own.sources = sources
	if _, err := r.snapshots(ctx, &own); err == nil {
		keep(t.app, sources, own.revisions)
	}
}

// ownSources are those that the operation that runs names, unless they were just compared.
func (t *target) ownSources(c *comparison) v1alpha1.ApplicationSources {
	st := t.app.Status.OperationState
	if t.brought != nil || rollsOut(st.Operation) && c.named(syncOf(st)) {
		return nil
	}
	return operationSources(t.app, syncOf(st))
}

// carriedTo names what a sync brings where.
func (c *comparison) carriedTo(t *target) string {
	return short([]byte(t.where().String() + "\n" + c.rendering.Digest))
}

// mayBring tells whether an operation goes on with what was just compared. What the engine
// did not see it begin with, or to another destination, begins now: a window in which
// nothing begins holds that up.
func (r *Reconciler) mayBring(ctx context.Context, out *report.Outcome, t *target, c *comparison) bool {
	t.carries = c.carriedTo(t)
	op := &t.app.Status.OperationState.Operation
	with, at := operation.Began(op)
	if at.IsZero() || with == t.carries {
		return true
	}
	operation.SeeBegin(op, t.carries, r.Now())
	return r.windowOpen(ctx, out, t)
}
