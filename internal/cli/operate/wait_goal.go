package operate

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// What can be waited for.
const (
	forSynced    = "synced"
	forHealthy   = "healthy"
	forOperation = "operation"
	forDeleted   = "deleted"
)

var everyGoal = []string{forSynced, forHealthy, forOperation, forDeleted}

// goal is what an application is to become.
type goal struct {
	synced, healthy, operation, deleted bool
	// revision at which it is to be so; empty for any.
	revision string
}

func goalOf(names []string, revision string) (goal, error) {
	g := goal{revision: revision}
	if isShort(revision) {
		return g, command.Usagef("--revision %s is too short for a commit: write at least %d of its characters", revision, leastCommit)
	}
	for _, name := range names {
		switch name {
		case forSynced:
			g.synced = true
		case forHealthy:
			g.healthy = true
		case forOperation:
			g.operation = true
		case forDeleted:
			g.deleted = true
		default:
			return g, command.Usagef("cannot wait for %q%s: choose of %s", name, gitops.DidYouMean(name, everyGoal), strings.Join(everyGoal, ", "))
		}
	}
	switch {
	case g == goal{revision: revision}:
		return g, command.Usagef("--for is empty: choose of %s", strings.Join(everyGoal, ", "))
	case g.deleted && (g.synced || g.healthy || g.operation || revision != ""):
		return g, command.Usagef("cannot wait for deleted and for anything else: what is gone has no state and no revision")
	}
	return g, nil
}

// How a wait goes.
const (
	stateWaits   = "waiting"
	stateReached = "reached"
	stateFailed  = "failed"
	// stateIll is waiting for health alone while it is Degraded: it may recover by itself.
	stateIll = "ill"
)

// standing is how an application stands to a goal, and why.
type standing struct{ state, why string }

// judge tells how an application stands to the goal; a nil one is not there.
func (g goal) judge(app *v1alpha1.Application) standing {
	switch {
	case app == nil && g.deleted:
		return standing{stateReached, "it is gone"}
	case app == nil:
		return standing{stateFailed, "it was deleted"}
	case g.deleted && app.DeletionTimestamp == nil:
		return standing{stateWaits, "nobody has deleted it"}
	case g.deleted:
		return standing{stateWaits, table.Deletion(app)}
	case app.DeletionTimestamp != nil:
		return standing{stateFailed, "it is being deleted"}
	case operation.Busy(app) && (g.synced || g.operation):
		return standing{stateWaits, screen.Words(operation.Message(app))}
	case !g.seen(app):
		return standing{stateWaits, "the engine has found " + table.ShortRevision(app) + ", not " + gitops.ShortRevision(g.revision)}
	}
	return g.atRest(app)
}

// atRest judges an application that nothing is under way for.
func (g goal) atRest(app *v1alpha1.Application) standing {
	synced, healthy := app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced, app.Status.Health.Status == v1alpha1.HealthStatusHealthy
	st := app.Status.OperationState
	switch {
	case st.Failed() && (g.operation || g.synced && operation.Current(app)):
		return standing{stateFailed, "its operation " + strings.ToLower(string(st.Phase)) + ": " + screen.Words(st.Message)}
	case g.operation && g.revision != "" && !g.operated(app):
		return standing{stateWaits, "no operation has brought " + gitops.ShortRevision(g.revision)}
	case g.synced && !synced:
		return standing{stateWaits, waitingFor(app)}
	case g.healthy && !healthy:
		return standing{unwell(app), waitingFor(app)}
	}
	return standing{stateReached, waitingFor(app)}
}

// unwell is how the wait for an application's health goes.
func unwell(app *v1alpha1.Application) string {
	if app.Status.Health.Status == v1alpha1.HealthStatusDegraded && !operation.Busy(app) {
		return stateIll
	}
	return stateWaits
}

// seen reports whether the engine has compared the application at the revision.
func (g goal) seen(app *v1alpha1.Application) bool {
	return g.revision == "" || slices.ContainsFunc(append(slices.Clone(app.Status.Sync.Revisions), app.Status.Sync.Revision), g.names)
}

// operated reports whether the last operation was of the revision.
func (g goal) operated(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st != nil && st.SyncResult != nil && slices.ContainsFunc(append(slices.Clone(st.SyncResult.Revisions), st.SyncResult.Revision), g.names)
}

// names reports whether a revision is the one that is asked for, which may be
// a shortened commit.
func (g goal) names(revision string) bool {
	return revision == g.revision || isHex(g.revision) && len(g.revision) >= leastCommit && strings.HasPrefix(revision, strings.ToLower(g.revision))
}

// leastCommit is as short as Git prints a commit.
const leastCommit = 7

// isShort reports whether a revision can only be meant as a commit, and is
// shorter than one may be. A number alone may be the version of a chart.
func isShort(revision string) bool {
	return isHex(revision) && len(revision) < leastCommit && strings.Trim(revision, "0123456789") != "" && strings.ContainsAny(revision, "0123456789")
}

func isHex(text string) bool { return text != "" && strings.Trim(text, "0123456789abcdefABCDEF") == "" }
