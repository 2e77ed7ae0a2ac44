package dependency

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// Apps reads Applications and ApplicationSets of the hub. What it lists must not be
// changed, and is in the order of names.
type Apps interface {
	Get(ctx context.Context, name types.NamespacedName) (*v1alpha1.Application, error)
	Matching(ctx context.Context, namespace string, f func(*v1alpha1.Application) bool) ([]*v1alpha1.Application, error)
	Set(ctx context.Context, namespace, name string) (*v1alpha1.ApplicationSet, error)
	MatchingSets(ctx context.Context, namespace string, f func(*v1alpha1.ApplicationSet) bool) ([]*v1alpha1.ApplicationSet, error)
}

// Places finds the clusters of destinations, and what projects permit there.
type Places interface {
	// Resolve finds the cluster of a destination, and all that it may mean.
	Resolve(d v1alpha1.ApplicationDestination) (found Cluster, meant []gitops.Cluster, err error)
	// OnHub reports whether the destination of an Application is the hub.
	OnHub(app *v1alpha1.Application) bool
	// RulesOf is what the project of an Application says of its objects; nil when it
	// does not permit the Application at all.
	RulesOf(ctx context.Context, app *v1alpha1.Application) *policy.Question
	// Unheed forgets what an Application depends on, on all clusters.
	Unheed(tracking string)
}

// Cluster is one member of the fleet, as far as objects are depended on there.
type Cluster interface {
	Desc() gitops.Cluster
	Scope() gitops.Scope
	// Heed has each change of an object told until Places.Unheed, or of all
	// objects of its kind, and returns the version that the kind is served in. Permits is
	// asked before anything is watched.
	Heed(ctx context.Context, tracking string, gk schema.GroupKind, namespace, name string, permits func(namespaced bool) error) (gvk schema.GroupVersionKind, namespaced bool, err error)
	// Judge hands whole objects to take, which keeps nothing of them: the one of a
	// name, or all of a namespace, or everywhere. What that takes is the project's.
	Judge(ctx context.Context, project string, gvk schema.GroupVersionKind, namespace, name string, take func(*unstructured.Unstructured)) error
}

// Checker looks at what Applications and their objects depend on.
type Checker struct {
	// Namespace is the control namespace.
	Namespace string
	Apps      Apps
	Places    Places
	// Register has who waits for what; nobody is woken when nil.
	Register *Register
	Checks   *observe.Checks
	// Looks has what each Application was compared with last; nothing when nil.
	Looks *comparisons.Book
	Now   func() time.Time
}

// Asker is who depends on something: an Application with what it was admitted to.
type Asker struct {
	App      *v1alpha1.Application
	Project  *v1alpha1.AppProject
	Cluster  Cluster
	Tracking string
	// Scoped are the clusters that belong to the project.
	Scoped []gitops.Cluster
	// Compared tells that the Application was compared with Revisions of Sources, which
	// what it depends on has to have been compared with, too.
	Compared  bool
	Sources   v1alpha1.ApplicationSources
	Revisions []string
}

// asking is an Asker with whom it may learn of.
type asking struct {
	*Asker

	within reach
	// guessed are the names so far for which one was looked for that may be meant.
	guessed *int
}

// guesses reports whether to look for a name that may be meant: that of each that is not
// there would be compared with all others, and the first few are shown.
func (a asking) guesses() bool {
	*a.guessed++
	return *a.guessed <= mostShown
}

// Of are what an Application says that it depends on, and what the set that made it
// says for all of its Applications.
func (c *Checker) Of(ctx context.Context, app *v1alpha1.Application) ([]depend.Ref, error) {
	refs, _, err := c.dependencies(ctx, app)
	return refs, err
}

// Unsettled tells which dependencies of an Application are not there or not healthy, and
// nothing when none is waited for. Dependencies that can never be met are an error.
func (c *Checker) Unsettled(ctx context.Context, by *Asker, refs []depend.Ref) (string, error) {
	return c.unsettled(ctx, asking{Asker: by, within: c.reachOf(by.App), guessed: new(int)}, refs)
}
