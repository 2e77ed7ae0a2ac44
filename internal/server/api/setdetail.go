package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// SetExpander tells what an ApplicationSet gives now. Nothing is written by
// that.
type SetExpander interface {
	Expand(ctx context.Context, set *v1alpha1.ApplicationSet, look SetLook) (*Expansion, error)
	// RefreshSet asks for another expansion by the engine.
	RefreshSet(ctx context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error
}

// Expansion is what a set gives.
type Expansion struct {
	At   time.Time `json:"at"`
	Took int64     `json:"took" doc:"Milliseconds."`
	// Problem is why the whole set gives nothing.
	Problem      string         `json:"problem,omitempty" doc:"Why the whole set gives nothing: then nothing of it is created, changed or deleted."`
	Applications []GeneratedApp `json:"applications" doc:"Those that are not created come first."`
	Total        int            `json:"total" doc:"How many Applications there are that you may read, of the name that is asked for."`
	Next         int            `json:"next,omitempty" doc:"What offset takes for those that were left out after these; absent where none were."`
	Warnings     []string       `json:"warnings,omitempty" doc:"The first 100."`

	// Spec is the set's, as YAML, with what is secret by its name masked.
	Spec string `json:"-"`

	// Doubts are what the warnings are made of.
	Doubts []Doubt `json:"-"`

	bytes int // about what the Applications take
}

// Doubt is a warning about a set.
type Doubt struct {
	// Text is for who may read the clusters that it names, and where it is of the
	// fleet, all there are; Bare for others. Without one Text is for everybody.
	Text, Bare string
	Clusters   []string
	Fleet      bool
}

// GeneratedApp is one Application that a set gives.
type GeneratedApp struct {
	Name       string            `json:"name"`
	Project    string            `json:"project,omitempty"`
	Cluster    string            `json:"cluster,omitempty" doc:"Whose parameters made it. Left out, as the manifest is, where you may not read that one, and there is no such Application that you may."`
	Parameters map[string]string `json:"parameters" doc:"By dotted name; values that are secret by name are masked. None where they are of a cluster that you may not read, or may be of several of which you may not read each."`
	Cut        bool              `json:"cut,omitempty" doc:"That parameters are left out, or the ends of some: 500 are shown of each Application, and 1 MiB of their names and values."`
	Problem    string            `json:"problem,omitempty" doc:"Why it is not created."`
	Exists     bool              `json:"exists"`
	Sync       string            `json:"sync,omitempty"`
	Health     string            `json:"health,omitempty"`
	Manifest   string            `json:"manifest,omitempty" doc:"YAML: what the template gives. Only where one is asked for by name."`

	// Server and ClusterProject are of the cluster, for the rights alone; Fleet
	// tells that the parameters may have those of any other one.
	Server, ClusterProject string `json:"-"`
	Fleet                  bool   `json:"-"`

	// Bare is the problem without what it may quote of a cluster; empty where it quotes none.
	Bare string `json:"-"`
}

// SetDetail is an ApplicationSet, whole.
type SetDetail struct {
	Set

	Spec      string         `json:"spec" doc:"YAML."`
	States    []SetCondition `json:"states" doc:"All conditions, also those that are not so."`
	Expansion *Expansion     `json:"expansion"`

	Rollout *Rollout `json:"rollout,omitempty" doc:"Of a set that brings its Applications up to date in steps."`

	Held *HeldApplications `json:"held,omitempty" doc:"Applications that it would delete, and that are kept until somebody approves."`
	Can  []string          `json:"can" nullable:"false" doc:"What you may of: update (approve deletions, pause and resume the roll-out)."`
}

// SetCondition is a condition of a set.
type SetCondition struct {
	Type    string    `json:"type"`
	Status  string    `json:"status"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

type setInput struct {
	KeyInput

	Application string `query:"application" maxLength:"253" doc:"Only the one of this name, with what the template gives for it."`
	Offset      int    `query:"offset" minimum:"0" maximum:"1000000" doc:"Leave out so many: next of the answer before."`
	Limit       int    `query:"limit" minimum:"1" maximum:"20000" default:"20000" doc:"Applications at most; an answer has no more than 8 MiB of them."`
}

func (s *server) setDetails(a huma.API) {
	const path = "/applicationsets/{namespace}/{name}"
	get := operation("get-applicationset", http.MethodGet, path, "applications", "One ApplicationSet: what it generates, with which parameters, and what is wrong")
	get.Errors = append(get.Errors, http.StatusBadGateway, http.StatusGatewayTimeout)
	handle(a, get, s.setDetail)
	refresh := operation("refresh-applicationset", http.MethodPost, path+"/refresh", "operations", "Expand an ApplicationSet anew")
	refresh.DefaultStatus = http.StatusAccepted
	refresh.Errors = append(refresh.Errors, http.StatusConflict)
	handle(a, refresh, s.refreshSet)
}

// maySet finds a set that somebody may read. One that may not be read is not
// there.
func (s *server) maySet(ctx context.Context, key view.Key) (*v1alpha1.ApplicationSet, error) {
	all, err := s.Applications.ApplicationSets(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	set, err := s.reach.Set(ctx, all, key)
	return set, httpError(err)
}

func (s *server) setDetail(ctx context.Context, in *setInput) (*answer[*SetDetail], error) {
	set, err := s.maySet(ctx, in.key())
	if err != nil {
		return nil, err
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	var made []*view.Row
	rows := s.Index.Now().Rows
	for _, r := range rows {
		if r.Set == set.Name && r.Namespace == set.Namespace && visible(r) {
			made = append(made, r)
		}
	}
	others := reach.UnseenOf(rows, visible)
	out := &SetDetail{Set: setOf(set, made, others), States: statesOf(set, others), Held: heldOfSet(set, made, others), Rollout: rolloutOf(set, others)}
	out.Can = s.reach.Can(ctx, reach.Set("", set.Spec.Template.Spec.GetProject(), in.key()), "update")
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	there := byName(made)
	look := SetLook{Application: in.Application, Offset: in.Offset, Limit: in.Limit, Sees: s.seesOf(ctx, set, there)}
	if out.Expansion, err = s.Sets.Expand(ctx, set, look); err != nil {
		return nil, httpError(err)
	}
	out.Spec = out.Expansion.Spec
	s.shown(ctx, out.Expansion, there)
	if err := ctx.Err(); err != nil {
		return nil, httpError(err) // what could not be asked in time is not shown
	}
	return &answer[*SetDetail]{out}, nil
}

func statesOf(set *v1alpha1.ApplicationSet, u *reach.Unseen) []SetCondition {
	out := []SetCondition{}
	for _, c := range u.Conditions(set) {
		one := SetCondition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message}
		if c.LastTransitionTime != nil {
			one.Since = gitops.Moment(c.LastTransitionTime.Time)
		}
		out = append(out, one)
	}
	return out
}

func byName(rows []*view.Row) map[string]*view.Row {
	out := make(map[string]*view.Row, len(rows))
	for _, r := range rows {
		out[r.Name] = r
	}
	return out
}

// seesOf tells of an Application that a set gives whether somebody may read it.
func (s *server) seesOf(ctx context.Context, set *v1alpha1.ApplicationSet, there map[string]*view.Row) func(*GeneratedApp) bool {
	return func(a *GeneratedApp) bool {
		access := reach.Application("applications", "get", a.Project, view.Key{Namespace: set.Namespace, Name: a.Name})
		return there[a.Name] != nil || s.reach.Permits(ctx, access)
	}
}

// shown adds to an expansion what is there already, and veils what somebody may not
// read.
func (s *server) shown(ctx context.Context, e *Expansion, there map[string]*view.Row) {
	sight := s.sightOfClusters(ctx)
	for _, d := range e.Doubts {
		if text := d.textFor(sight); !slices.Contains(e.Warnings, text) { // how many there are tells of what is left out
			e.Warnings = append(e.Warnings, text)
		}
	}
	for i := range e.Applications {
		a := &e.Applications[i]
		if row := there[a.Name]; row != nil {
			a.Exists, a.Sync, a.Health = true, row.Sync, row.Health
		}
		a.veil(sight)
	}
}

// sightOfClusters is what somebody may read of the clusters that parameters are of.
type sightOfClusters struct {
	// one tells of the cluster of an Application, fleet of all together.
	one   func(a *GeneratedApp) bool
	fleet func() bool
	// named tells of all clusters of a name.
	named func(name string) bool
}

func (s *server) sightOfClusters(ctx context.Context) sightOfClusters {
	asked := map[reach.Access]bool{} // several clusters may have one address
	seen := sync.OnceValue(func() seenClusters {
		all := s.Clusters()
		return seenClusters{all, reach.Only(ctx, s.reach, all, reach.ReadCluster)}
	})
	return sightOfClusters{
		one: func(a *GeneratedApp) bool {
			access := reach.Cluster("get", a.Server, a.ClusterProject)
			may, known := asked[access]
			if !known {
				may = s.reach.Permits(ctx, access)
				asked[access] = may
			}
			return may
		},
		fleet: func() bool { return len(seen().may) == len(seen().all) },
		named: func(name string) bool {
			may := countNamed(seen().may, name)
			return may > 0 && may == countNamed(seen().all, name)
		},
	}
}

// seenClusters are those of the fleet, and which of them somebody may read.
type seenClusters struct{ all, may []clusters.Health }

func countNamed(list []clusters.Health, name string) (n int) {
	for i := range list {
		if list[i].Name == name {
			n++
		}
	}
	return n
}

// textFor is what somebody is told: what names nothing, unless they may read all that it names.
func (d *Doubt) textFor(sight sightOfClusters) string {
	hidden := func(name string) bool { return !sight.named(name) }
	if d.Bare == "" || sight.fleet() || !d.Fleet && !slices.ContainsFunc(d.Clusters, hidden) {
		return d.Text
	}
	return d.Bare
}

// Whose notes the one cluster that the parameters are of. Where that is nil, they may
// be those of any.
func (a *GeneratedApp) Whose(c *gitops.Cluster) {
	if a.Fleet = c == nil || c.Server == ""; !a.Fleet {
		a.Cluster, a.Server, a.ClusterProject = c.Name, c.Server, c.Project
	}
}

// of reports whether somebody may read each cluster that parameters may be of.
func (v sightOfClusters) of(a *GeneratedApp) bool {
	return (a.Server == "" || v.one(a)) && (!a.Fleet || v.fleet())
}

// veil leaves out the parameters of clusters that somebody may not read, and where
// there is no Application that shows the same, what was made with them.
func (a *GeneratedApp) veil(sight sightOfClusters) {
	if sight.of(a) {
		return
	}
	clear(a.Parameters)
	a.Cut = false
	if a.Exists {
		return
	}
	a.Problem = cmp.Or(a.Bare, a.Problem)
	if a.Manifest = ""; a.Server == "" || !sight.one(a) {
		a.Cluster = ""
	}
}

func (s *server) refreshSet(ctx context.Context, in *KeyInput) (*struct{}, error) {
	set, err := s.maySet(ctx, in.key())
	if err != nil {
		return nil, err
	}
	return nil, httpError(s.Sets.RefreshSet(ctx, auth.From(ctx), set))
}
