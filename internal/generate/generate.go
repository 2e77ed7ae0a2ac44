package generate

import (
	"context"
	"errors"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Clusters lists the clusters of the fleet: those with a Secret, and possibly
// the hub without one.
type Clusters interface {
	Clusters(ctx context.Context) ([]gitops.Cluster, error)
}

// Snapshots fetches a repository at a revision.
type Snapshots interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
}

// Projects reports whether an AppProject exists in the control namespace.
type Projects interface {
	HasProject(ctx context.Context, name string) (bool, error)
}

// Rules tell what AppProjects permit.
type Rules interface {
	// Permits reports whether a project lets an Application go to a destination. Of
	// one that it does not permit the answer is the same whether there is such a
	// cluster or not.
	Permits(ctx context.Context, project string, d v1alpha1.ApplicationDestination) (bool, error)
	// PermitsSource tells why a project does not let a repository be read, as a
	// Problem of kind Forbidden; nil where it does.
	PermitsSource(ctx context.Context, project, repoURL string) error
}

// Generator expands ApplicationSets. It holds no state between expansions and
// may be used from several goroutines.
type Generator struct {
	clusters   Clusters
	snapshots  Snapshots
	projects   Projects
	limits     Limits
	kinds      []kind
	doublestar bool
	parameters bool
	names      bool

	// What generators ask outside of the fleet and of Git; nil where it is not there.
	hosts     Hosts
	settings  Settings
	resources Resources
	rules     Rules
	// signatures are nil where nobody knows what projects ask for.
	signatures Signatures
	// room is nil where expansions do not share one.
	room *Room
	// account takes the turns in it; empty: the projects of the sets do.
	account string
}

// Option changes how a Generator works.
type Option func(*Generator)

// WithLimits replaces the bounds of an expansion; those that are 0 stay.
func WithLimits(l Limits) Option { return func(g *Generator) { g.limits = l.complete() } }

// WithDoublestarFiles makes the git generator match files by path globs in
// which * stays within a folder and ** crosses folders, as Argo CD does with
// --enable-new-git-file-globbing, instead of by Git's own path patterns.
func WithDoublestarFiles() Option { return func(g *Generator) { g.doublestar = true } }

// WithParameters keeps the parameters of each Application: for people who look,
// as they are large.
func WithParameters() Option { return func(g *Generator) { g.parameters = true } }

// WithNames has errors name the clusters that they are about, where who reads them
// has the whole fleet before them anyway, as in a checkout.
func WithNames() Option { return func(g *Generator) { g.names = true } }

// WithRules has a set say of a destination that leads to no cluster only where
// the project of its Application permits it. Else the Application says that it
// does not, as it says of the clusters that others have. What generators read at an
// address that strangers say is held against them too.
func WithRules(r Rules) Option { return func(g *Generator) { g.rules = r } }

// New returns a Generator with every kind of generator that there is.
func New(clusters Clusters, snapshots Snapshots, projects Projects, options ...Option) *Generator {
	g := &Generator{clusters: clusters, snapshots: snapshots, projects: projects, limits: DefaultLimits()}
	g.kinds = []kind{
		listKind{}, clustersKind{}, gitKind{},
		scmKind{}, decisionKind{}, pullRequestKind{},
		matrixKind{}, mergeKind{}, pluginKind{}, ociKind{},
	}
	for _, option := range options {
		option(g)
	}
	return g
}

// Expansion is what an ApplicationSet gives.
type Expansion struct {
	// Applications are sorted by name, complete but for what a live
	// Application keeps: see Merge.
	Applications []v1alpha1.Application
	// Of has for each of the Applications the clusters whose parameters made it.
	// With the keys of Reads it tells which Applications read what of which cluster.
	Of []*Origin
	// Params has for each of the Applications the parameters that made it;
	// nil unless WithParameters asks for them.
	Params []Params
	// Rejected are generated but must not be created; live Applications of
	// these names stay as they are.
	Rejected []Rejected
	// Warnings are for people.
	Warnings []gitops.Warning
	// Unresolved tells in a text of bounded size which parameters the template
	// leaves unresolved, and for whom; empty when it leaves none.
	Unresolved string
	// Reads tells whose changes concern this set.
	Reads Reads
	// Held is about what the Applications take, in bytes.
	Held int64

	// peak is what expanding it held at the most, in bytes.
	peak int64
	// shrink has it hold so much room at most; nil where it has none.
	shrink func(to int64)
	trust  *trust
}

// Refuser is who refuses an Application.
type Refuser string

// Those who refuse one.
const (
	// ByValidation is the engine's own check: equal names, a missing
	// project, an invalid destination.
	ByValidation Refuser = "validation"
	// ByAPIServer is what every API server refuses: an invalid name or label.
	ByAPIServer Refuser = "apiserver"
)

// Rejected is an Application that is generated but not to be created.
type Rejected struct {
	Name string
	By   Refuser
	// Err may quote parameters of clusters. Then Bare is what everybody is told who
	// reads the set, without the name; else it is empty.
	Err  error
	Bare string
	// Application is what would have been created; nil for equal names.
	Application *v1alpha1.Application
	// Params are the parameter sets that gave the name, and Of has for each of them
	// the clusters that it is made of.
	Params []Params
	Of     []*Origin
}

// Applications expands a set. An error means that nothing of the set may be
// created, changed or deleted; the Expansion beside it then has only what was
// read until then, and warnings. The set is not modified. What a Generator
// WithRoom returns is to be released.
func (g *Generator) Applications(ctx context.Context, set *v1alpha1.ApplicationSet) (*Expansion, error) {
	if set.Outlined != "" { // its generators are not all there
		return &Expansion{}, gitops.Problemf(gitops.Invalid, "%s", set.Outlined)
	}
	return g.roomy(ctx, set)
}

// once expands a set within so many bytes.
func (g *Generator) once(ctx context.Context, set *v1alpha1.ApplicationSet, share int64) (out *Expansion, err error) {
	ctx, cancel := context.WithTimeout(ctx, g.limits.Time)
	defer cancel()
	r := newRun(ctx, g, set)
	r.held.share, r.held.most = share, int64(g.limits.Held)
	if out, err = r.expand(); errors.Is(err, errLarge) {
		return nil, err
	}
	if err != nil {
		out, err = &Expansion{}, r.told(err)
	}
	out.Held, out.peak, out.trust = r.applied, r.held.peak, r.trust
	slices.SortFunc(out.Rejected, byRejectedName)
	out.Warnings = slices.Concat(r.warnings, r.unmatched(), r.lacks.warnings(set.Name))
	out.Unresolved = r.lacks.brief()
	out.Reads = r.reads()
	return out, err
}

func (r *run) expand() (*Expansion, error) {
	drafts, err := r.drafts()
	if err != nil {
		return nil, err
	}
	r.ofClusters = r.usesFleet
	return r.check(drafts)
}
