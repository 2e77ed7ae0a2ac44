package massdeletion

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// Apps reads the Applications of the hub. They must not be changed.
type Apps interface {
	// Every has all of them; none where the cache does not answer.
	Every() []*v1alpha1.Application
	// Child is the Application that a live object is; nil where it is none of the hub's.
	Child(live *gitops.Live) *v1alpha1.Application
	// GeneratedBy are those that go with an ApplicationSet of the hub, and are not going anyway.
	GeneratedBy(live *gitops.Live) []*v1alpha1.Application
}

// Predicter asks the API server what it would make of an object.
type Predicter interface {
	Predict(ctx context.Context, c apply.Cluster, a gitops.Action) (live, predicted *unstructured.Unstructured, err error)
}

// Keeper finds out what plans delete, and whether that is too much.
type Keeper struct {
	// Guard has the limits, and what was deleted lately. Where it is nil, nobody judges.
	Guard *Guard
	Apps  Apps
	Apply Predicter
	Log   *slog.Logger
	Now   func() time.Time
}

// Guard is what the guard of deletions needs.
type Guard struct {
	Ledger   *guard.Ledger
	Settings func() guard.Settings
	// Covers reports whether an engine looks at the Applications of a namespace; by
	// default at all that the cache has.
	Covers func(namespace string) bool
	// Dependents tells what needs an object; nothing does when nil.
	Dependents Dependents
}

// counts reports whether an Application is one of the fleet.
func (g *Guard) counts(app *v1alpha1.Application) bool {
	return g != nil && app != nil && (g.Covers == nil || g.Covers(app.Namespace))
}

// Judge lists what a plan deletes, and tells why that is too much; empty when
// it is not. Only what would be held is asked about whether it moves.
func (r *Keeper) Judge(ctx context.Context, t *state.Target, p *gitops.Plan) (list guard.List, why string) {
	list, of := r.deletionsOf(ctx, t, p)
	if why = r.tooMany(ctx, t, p, list, of); why == "" {
		return list, ""
	}
	if rest := r.withoutMoves(ctx, t, p, list); len(rest) < len(list) {
		return rest, r.tooMany(ctx, t, p, rest, of)
	}
	return list, why
}

// tooMany tells why a list is a mass deletion; empty when it is none.
func (r *Keeper) tooMany(ctx context.Context, t *state.Target, p *gitops.Plan, list guard.List, of int) string {
	if len(list) == 0 {
		return ""
	}
	settings := r.Guard.Settings()
	rule, err := guard.Nearest(settings.Application, t.Project.Annotations[gitops.AnnotationDeletionGuard], t.App.Annotations[gitops.AnnotationDeletionGuard])
	if err != nil {
		r.Log.WarnContext(ctx, "limit of deletions not understood; the next more general one holds", "app", t.App.Name, "error", err)
	}
	if gone := list.Weight(); rule.Holds(gone, of) {
		return fmt.Sprintf("%d of %d by weight, where the limit is %s", gone, of, rule)
	}
	if needed := list.Needed(); needed > 0 && !rule.Off {
		return neededText(needed)
	}
	children := r.ChildApps(p, list)
	if len(children) == 0 || rule.Off {
		return ""
	}
	fleet := slices.DeleteFunc(r.Apps.Every(), func(app *v1alpha1.Application) bool { return !r.Guard.counts(app) })
	if ok, gone, of := r.Guard.Ledger.Admit(settings, guard.OfProject(t.Project.Name), children, len(fleet), r.Now()); !ok {
		r.Log.InfoContext(ctx, "deletions are past the limit of the fleet", "app", t.App.Name, "deleted", gone, "of", of)
		return settings.PastFleet()
	}
	return ""
}

// Misread warns of a limit of the Application's own that means nothing.
func (g *Guard) Misread(app *v1alpha1.Application) []gitops.Warning {
	text := app.Annotations[gitops.AnnotationDeletionGuard]
	if text == "" || g == nil {
		return nil
	}
	_, err := guard.Nearest(g.Settings().Application, "", text)
	if err == nil {
		return nil
	}
	return []gitops.Warning{{
		Reason: v1alpha1.ApplicationConditionIneffectiveOptionWarning, Message: "the Application: " + err.Error() + "; the next more general limit holds",
	}}
}

// DoomedAt names what a plan deletes, with where that is: an Application may lead
// elsewhere while its sync runs, and there nobody has approved anything.
func DoomedAt(t *state.Target, p *gitops.Plan) []string {
	at, all := t.Where(), doomed(p)
	out := make([]string, 0, len(all))
	for _, a := range all {
		out = append(out, fmt.Sprintf("%s at %q %q", a.Key, at.Server, at.Namespace))
	}
	return out
}
