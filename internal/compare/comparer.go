package compare

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Cluster is what a comparison reads of one member of the fleet.
type Cluster interface {
	Desc() gitops.Cluster
	Facts(ctx context.Context) (gitops.Facts, error)
	Scope() gitops.Scope
	// Live returns the desired objects that exist and all that carry the
	// tracking name, after watching their kinds.
	Live(ctx context.Context, tracking string, kinds []schema.GroupVersionKind, keys []gitops.Key) (map[gitops.Key]*gitops.Live, error)
}

// Fleet finds the cluster of a destination.
type Fleet[C Cluster] interface {
	Resolve(dest v1alpha1.ApplicationDestination) (C, error)
	// Meant are the clusters that a destination may mean, also those that cannot
	// be used.
	Meant(dest v1alpha1.ApplicationDestination) []gitops.Cluster
	// OfProject lists the clusters that belong to a project, OfNobody those that
	// belong to none.
	OfProject(project string) []gitops.Cluster
	OfNobody() []gitops.Cluster
}

// Projects looks up AppProjects of the control namespace.
type Projects interface {
	Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
}

// Applications are those of the hub.
type Applications interface {
	// All are the Applications that are known. They must not be changed.
	All(ctx context.Context) ([]*v1alpha1.Application, error)
	Get(ctx context.Context, name types.NamespacedName) (*v1alpha1.Application, error)
	// Has reports whether there is one of a name, also where it cannot be told.
	Has(ctx context.Context, name types.NamespacedName) bool
}

// Fetcher resolves source references to snapshots.
type Fetcher interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
}

// Verifier knows the keys of signatures.
type Verifier interface {
	// Verify checks the signatures of what a reference resolved to.
	Verify(ctx context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error
}

// Renderer turns an Application's snapshots into manifests.
type Renderer interface {
	// Application takes room for the manifests; the error is room.ErrNoRoom where
	// the work of the context finds none.
	Application(ctx context.Context, in render.Input) (*gitops.Rendering, error)
}

// Comparer compares Applications with clusters of one kind. Its functions say what
// the installation asks for now; each may be nil.
type Comparer[C Cluster] struct {
	// Namespace is the control namespace.
	Namespace string
	Projects  Projects
	Fleet     Fleet[C]
	Apps      Applications
	Sources   Fetcher
	// Signatures are not asked for when nil: nobody knows the keys.
	Signatures Verifier
	Renderer   Renderer
	// Memo knows what was found equal before; nothing is known when nil.
	Memo *Memo
	// Settings are for rendering, Comparing for comparisons, and Tracking for how
	// objects are marked: by annotation when nil.
	Settings  func() source.Settings
	Comparing func() *plan.Settings
	Tracking  func() gitops.Tracking
	// Rendered is told of each render of an Application, also of one that failed.
	Rendered func(types.NamespacedName)
}

// Ask is what somebody wants of a comparison.
type Ask struct {
	// Prune has objects that are no longer in the sources go, and Hooks run.
	Prune, Hooks bool
	// Approved tells that a person confirmed what asks for it.
	Approved bool
}

// Comparison is an Application's desired state beside its live one.
type Comparison struct {
	Rendering *gitops.Rendering
	Set       *plan.Set
	Live      map[gitops.Key]*gitops.Live
	Plan      *gitops.Plan
}

// Application fetches and renders the sources of a subject, and compares them with
// what is live.
func (c *Comparer[C]) Application(ctx context.Context, s *Subject[C], ask Ask) (*Comparison, error) {
	snaps, err := c.Snapshots(ctx, s)
	if err != nil {
		return nil, err
	}
	rendering, err := c.Render(ctx, s, snaps)
	if err != nil {
		return nil, err
	}
	return c.Compare(ctx, s, rendering, ask)
}
