package deletion

import (
	"context"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// Apps reads Applications of the hub.
type Apps interface {
	Get(ctx context.Context, name types.NamespacedName) (*v1alpha1.Application, error)
}

// Applier carries out waves.
type Applier interface {
	Wave(ctx context.Context, c apply.Cluster, w gitops.Wave) []gitops.Result
}

// Hooks renders and runs the hooks of a deletion as syncs do.
type Hooks interface {
	// Target admits an Application to its cluster.
	Target(ctx context.Context, app *v1alpha1.Application) (*state.Target, error)
	// Render fetches and renders its sources.
	Render(ctx context.Context, t *state.Target) (*gitops.Rendering, error)
	// Wave carries out a wave as far as the project permits it now.
	Wave(ctx context.Context, t *state.Target, w gitops.Wave) []gitops.Result
	// LetGo takes the finalizer from the hooks that are done.
	LetGo(ctx context.Context, t *state.Target, progress *plan.Progress)
}

// Writers says as whom is written.
type Writers interface {
	// Writer is the destination as the user that the project has writes made as: the one
	// that there is, where it is that user's.
	Writer(s *state.Subject, had state.Writer) (state.Writer, error)
	// AsNow brings a subject and its writer up to what its project says now.
	AsNow(ctx context.Context, s state.Subject, w state.Writer) (state.Subject, state.Writer, error)
}

// Remover takes Applications through their deletion.
type Remover struct {
	// Namespace is the control namespace.
	Namespace string
	Apps      Apps
	Projects  state.Projects
	Fleet     state.Fleet
	Comparer  *compare.Comparer[state.Cluster]
	// Comparing is what the installation says of comparisons; nil for nothing.
	Comparing *plan.Settings
	Apply     Applier
	Memo      *compare.Memo
	Hooks     Hooks
	Writers   Writers
	Stuck     *Stuck
	// StuckAfter is how long a deletion may wait for one thing until that is shown as an
	// error, at once when zero, and Pause how soon it is looked at without an event, and
	// the first before hooks that failed are run again.
	StuckAfter, Pause time.Duration
	// Deleted is told what was deleted; nobody when nil.
	Deleted func(Notice)
	// Forget is told of an Application whose last finalizer goes.
	Forget func(types.NamespacedName)
	Log    *slog.Logger
	Now    func() time.Time
}

// now is a removal by its project as that is now.
func (r *Remover) now(ctx context.Context, d *Removal) (*Removal, error) {
	now := *d
	s, w, err := r.Writers.AsNow(ctx, *d.Subject, d.Writer)
	now.Subject, now.Writer = &s, w
	return &now, err
}
