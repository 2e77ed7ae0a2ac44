package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Found is what was found, by kind.
type Found struct {
	Groups []FoundGroup  `json:"groups" nullable:"false" doc:"Those in which something was found."`
	Late   []string      `json:"late" nullable:"false" doc:"Kinds of which not all is known yet; ask again."`
	Failed []FoundFailed `json:"failed" nullable:"false" doc:"Kinds that could not be looked through."`
}

// FoundFailed is a kind that could not be looked through.
type FoundFailed struct {
	Kind   string `json:"kind" enum:"applications,clusters,applicationSets,projects,repositories,commits,objects,keys"`
	Reason string `json:"reason" doc:"In plain words."`
}

// FoundGroup are finds of one kind, those that fit best first.
type FoundGroup struct {
	Kind  string `json:"kind" enum:"applications,clusters,applicationSets,projects,repositories,commits,objects,keys"`
	Items []Find `json:"items" nullable:"false"`
	More  bool   `json:"more,omitempty" doc:"There are more than these."`
}

// Find is something that was found. Which fields it has depends on its kind.
type Find struct {
	Name         string    `json:"name" doc:"Its name; the address of a repository, the revision of a commit."`
	ID           string    `json:"id,omitempty" doc:"Of a cluster and a repository, the Secret; of a commit, its repository as changes name it."`
	Namespace    string    `json:"namespace,omitempty" doc:"Of an Application and a set."`
	Project      string    `json:"project,omitempty"`
	Cluster      string    `json:"cluster,omitempty" doc:"Of an Application and an object: where it is."`
	Server       string    `json:"server,omitempty" doc:"Of a cluster."`
	Sync         string    `json:"sync,omitempty"`
	Health       string    `json:"health,omitempty"`
	Text         string    `json:"text,omitempty" doc:"Of a commit its subject, of a project its description, of a repository its name."`
	Author       string    `json:"author,omitempty"`
	At           time.Time `json:"at,omitzero" doc:"Of a commit: when the first Application took it up."`
	State        string    `json:"state,omitempty" doc:"Of a commit: the state that needs a look before the others."`
	Object       *Ref      `json:"object,omitempty"`
	Of           *view.Key `json:"of,omitempty" doc:"Of an object: its Application."`
	In           string    `json:"in,omitempty" enum:"label,annotation" doc:"Of a key of the bridge."`
	Clusters     int       `json:"clusters,omitempty" doc:"Of a key: how many have it."`
	Unreachable  bool      `json:"unreachable,omitempty" doc:"Of a cluster: it does not answer."`
	Template     bool      `json:"template,omitempty" doc:"Of a repository: it is a template of credentials."`
	Applications int       `json:"applications,omitempty" doc:"Of a commit: how many it changes."`
}

type searchInput struct {
	Text  string `query:"q" maxLength:"256" doc:"Words that all have to occur; kind/name finds objects."`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"8" doc:"Of each kind."`
}

// Bounds of a search: somebody types.
const (
	finderTime = time.Second
	// keysTime is for the bridge: to work it out takes longer, and goes on.
	keysTime = 250 * time.Millisecond
	// findersAtOnce work side by side, beside those of what is in memory.
	findersAtOnce = 5
	// reviewsEach is how many questions of Kubernetes one finder may lead to.
	// Answers are remembered, so that the next search comes further.
	reviewsEach = 64
)

// looking is one search: what is looked for, and among which Applications and
// clusters.
type looking struct {
	words    view.Words
	text     string
	limit    int
	now      *view.State
	seen     view.Seen
	clusters []clusters.Health
}

// finder finds what is of one kind. It asks for all there is of it whether it
// may be read, and then looks for the words in the rest: neither what is asked
// nor how long it takes depends on what is hidden and fits.
type finder struct {
	kind string
	find func(ctx context.Context, l *looking) (items []Find, more bool, err error)
	// inMemory: all that it looks through is there before it begins.
	inMemory bool
}

// outcome is what came of one finder.
type outcome struct {
	items []Find
	more  bool
	// late: not all is known yet.
	late bool
	err  error
}

func (s *server) finders() []finder {
	return []finder{
		{kind: "applications", find: s.findApplications, inMemory: true},
		{kind: "clusters", find: s.findClusters, inMemory: true},
		{kind: "applicationSets", find: s.findSets},
		{kind: "projects", find: s.findProjects},
		{kind: "repositories", find: s.findRepositories},
		{kind: "commits", find: s.findCommits},
		{kind: "objects", find: s.findObjects, inMemory: true},
		{kind: "keys", find: s.findKeys},
	}
}

func (s *server) searches(a huma.API) {
	op := operation("search", http.MethodGet, "/search", "search", "Find everything that has a name")
	op.Description = "Applications and their objects, clusters, ApplicationSets, projects, repositories, commits and keys of the bridge. What may not be read is not found."
	handle(a, op, s.search)
}

func (s *server) search(ctx context.Context, in *searchInput) (*answer[*Found], error) {
	soon, cancel := context.WithTimeout(ctx, 2*finderTime) // for finders as well
	defer cancel()
	free, ok := s.Searches.Begin(soon)
	if !ok {
		return nil, later(http.StatusTooManyRequests, "too many searches are under way; try again later", looksWait)
	}
	defer free()
	bounded, bound := reach.Bounded(soon, reviewsEach)
	visible, err := s.reach.Visible(bounded)
	if err != nil {
		return nil, httpError(err)
	}
	out := &Found{Groups: []FoundGroup{}, Late: []string{}, Failed: []FoundFailed{}}
	l := &looking{words: view.WordsOf(in.Text), text: in.Text, limit: in.Limit}
	if l.words.None() {
		return &answer[*Found]{out}, nil
	}
	l.now = s.Index.Now()
	l.seen, l.clusters = l.now.Seen(visible), s.mayClusters(bounded)
	unknown := soon.Err() != nil
	finders := s.finders()
	all := s.findAll(ctx, finders, l)
	if ctx.Err() != nil {
		return nil, httpError(ctx.Err()) // nobody waits any more
	}
	for i, f := range finders {
		one := &all[i]
		one.late = one.late || bound.Short() || unknown
		out.add(f.kind, one)
		if one.err != nil {
			s.Log.WarnContext(ctx, "cannot search all", "kind", f.kind, "error", one.err)
		}
	}
	return &answer[*Found]{out}, nil
}

// findAll looks for all kinds and waits for them: side by side where somebody
// else has to answer, and meanwhile here for what is in memory, as that needs a
// processor and nothing else.
func (s *server) findAll(ctx context.Context, finders []finder, l *looking) []outcome {
	out := make([]outcome, len(finders))
	var others crew.Group
	others.SetLimit(findersAtOnce)
	for i := range finders {
		if !finders[i].inMemory {
			others.Go(func() error {
				out[i] = finders[i].run(ctx, l)
				return nil
			})
		}
	}
	for i := range finders {
		if finders[i].inMemory {
			out[i] = finders[i].run(ctx, l)
		}
	}
	_ = others.Wait() // none returns an error
	return out
}

// run finds within the bounds of a finder.
func (f *finder) run(ctx context.Context, l *looking) (out outcome) {
	ctx, cancel := context.WithTimeout(ctx, finderTime)
	defer cancel()
	ctx, bound := reach.Bounded(ctx, reviewsEach)
	out.err = crew.Safely(func() (err error) {
		out.items, out.more, err = f.find(ctx, l)
		return err
	})
	out.late = bound.Short() || ctx.Err() != nil
	if out.err != nil && (ctx.Err() != nil || errors.Is(out.err, context.DeadlineExceeded)) {
		out.late, out.err = true, nil
	}
	return out
}

func (f *Found) add(kind string, one *outcome) {
	if one.late {
		f.Late = append(f.Late, kind)
	}
	if one.err != nil {
		f.Failed = append(f.Failed, FoundFailed{kind, reasonOf(one.err)})
	}
	if len(one.items) > 0 && one.err == nil {
		f.Groups = append(f.Groups, FoundGroup{Kind: kind, Items: one.items, More: one.more})
	}
}

// reasonOf is what people are told of an error. What nobody foresaw is for the
// log alone.
func reasonOf(err error) string {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return p.Error()
	}
	return "the server could not look through them; its log says why"
}

// best are those that fit best, of those that may be read.
func best[T any](l *looking, all []T, rank func(*T) int, find func(*T) Find) (items []Find, more bool) {
	sorted := view.BestOf[*T](l.limit)
	for i := range all {
		if r := rank(&all[i]); r >= 0 {
			sorted.Add(r, &all[i])
		}
	}
	fit, more := sorted.Items()
	for _, one := range fit {
		items = append(items, find(one))
	}
	return items, more
}

// rank is how well a name fits, or a text beside it; less than 0 if neither does.
func (l *looking) rank(name string, beside ...string) int {
	if !l.words.In(strings.Join(append(beside, name), "\n")) {
		return -1
	}
	return l.words.Rank(name)
}
