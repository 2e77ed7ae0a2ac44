package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Commits is what is known of commits, and how far they have come.
type Commits interface {
	Commits(ctx context.Context, q history.CommitQuery) ([]history.Changed, error)
	Changed(ctx context.Context, key history.CommitKey) (*history.Changed, error)
	CommitsOf(ctx context.Context, keys []history.CommitOf) (map[history.CommitOf]history.Commit, error)
}

// Bounds of one answer.
const (
	commitsAtOnce = 50
	// commitsLooked is how many commits are looked at for one page, or one search:
	// most of them may be of applications that somebody may not see, or say nothing
	// of what they look for.
	commitsLooked = 1000
	mostSteps     = 2000
)

// CommitPage is a page of commits, the newest first.
type CommitPage struct {
	Items []Commit `json:"items"`
	Next  string   `json:"next,omitempty" doc:"Where the next page begins; empty on the last one."`
}

// Commit is a commit that changed Applications.
type Commit struct {
	Repo         string        `json:"repo" doc:"Names the repository in addresses."`
	RepoURL      string        `json:"repoURL"`
	Revision     string        `json:"revision"`
	Author       string        `json:"author,omitempty"`
	Subject      string        `json:"subject,omitempty"`
	Date         time.Time     `json:"date,omitzero"`
	At           time.Time     `json:"at" doc:"When the first Application took it up."`
	State        string        `json:"state" enum:"failed,waiting,running,applied,healthy,superseded" doc:"The state that needs a look before the others."`
	Applications int           `json:"applications" doc:"How many it changes."`
	Clusters     []string      `json:"clusters" doc:"Where; at most 20."`
	Counts       view.Counts   `json:"counts" doc:"Applications by state."`
	Stages       []CommitStage `json:"stages"`
	Failing      *CommitStep   `json:"failing,omitempty" doc:"The first Application on which it failed."`
}

// CommitStage is how many Applications have a stage behind them.
type CommitStage struct {
	Stage  string    `json:"stage" enum:"fetched,rendered,planned,applied,healthy"`
	Done   int       `json:"done"`
	Failed int       `json:"failed,omitempty"`
	Ended  time.Time `json:"ended,omitzero" doc:"When the last one had."`
	Took   int64     `json:"tookMilliseconds" doc:"The longest that it took one of them."`
}

// CommitDetail is a commit with how far it has come on each Application.
type CommitDetail struct {
	Commit

	Steps []CommitStep `json:"steps" doc:"What needs a look first; at most 2000."`
}

// CommitStep is how far a commit has come on one Application.
type CommitStep struct {
	view.Key

	Project string      `json:"project"`
	Cluster string      `json:"cluster"`
	State   string      `json:"state" enum:"failed,waiting,running,applied,healthy,superseded"`
	Stage   string      `json:"stage,omitempty" doc:"The stage that failed, or is waited for."`
	Sync    string      `json:"sync,omitempty" doc:"The sync that brought it."`
	Stages  []StepStage `json:"stages" doc:"Those that are over."`
	Object  *Ref        `json:"object,omitempty" doc:"The object that it failed at."`
	Message string      `json:"message,omitempty"`
	At      time.Time   `json:"at"`
}

// StepStage is one stage of one Application.
type StepStage struct {
	Stage string    `json:"stage" enum:"fetched,rendered,planned,applied,healthy"`
	Ended time.Time `json:"ended"`
	Took  int64     `json:"tookMilliseconds"`
}

type changesInput struct {
	Text    string `query:"q" maxLength:"256" doc:"Words that all have to occur in the subject, author, revision or address, or in the name of an Application."`
	Repo    string `query:"repo" maxLength:"16" doc:"Repository, as the answers name it."`
	Project string `query:"project" maxLength:"253" doc:"Of an Application that one may read."`
	Cluster string `query:"cluster" maxLength:"253" doc:"Of an Application that one may read."`
	State   string `query:"state" enum:"failed,waiting,running,applied,healthy,superseded" doc:"Only commits that are in this state on an Application."`
	Before  string `query:"before" maxLength:"512" doc:"Go on where the page before ended: its next."`
	Limit   int    `query:"limit" minimum:"1" maximum:"50" default:"25"`
}

type changeInput struct {
	Repo   string `path:"repo" maxLength:"16"`
	Commit string `path:"commit" maxLength:"64"`
}

func (s *server) changes(a huma.API) {
	handle(a, operation("list-changes", http.MethodGet, "/changes", "changes", "Commits and how far they have come, the newest first"), s.listChanges)
	handle(a, operation("get-change", http.MethodGet, "/changes/{repo}/{commit}", "changes", "One commit on each Application that it changes"), s.getChange)
}

func (s *server) listChanges(ctx context.Context, in *changesInput) (*answer[*CommitPage], error) {
	seen, err := s.followsCommits(ctx)
	if err != nil {
		return nil, err
	}
	q := history.CommitQuery{Repo: in.Repo, Project: in.Project, Cluster: in.Cluster, State: history.State(in.State), Text: in.Text, Limit: in.Limit}
	if err := s.placeIn(listOfChanges, in.Before, &q.Before); err != nil {
		return nil, err
	}
	out := &CommitPage{Items: []Commit{}}
	if !seen.names(in) {
		return &answer[*CommitPage]{out}, nil
	}
	q = seen.asks(q)
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	next := func() (*answer[*CommitPage], error) {
		// The last one that was looked at may be one that they may not see.
		if out.Next, err = s.Cursors.Seal(listOfChanges, q.Before); err != nil {
			return nil, httpError(err)
		}
		return &answer[*CommitPage]{out}, nil
	}
	for looked := 0; looked < commitsLooked; looked += q.Limit {
		if looked > 0 {
			q.Limit = commitsAtOnce // many are of others
		}
		some, err := s.Commits.Commits(ctx, q)
		if looked > 0 && errors.Is(err, store.ErrBusy) {
			return next()
		}
		if err != nil {
			return nil, httpError(err)
		}
		for i := range some {
			q.Before = history.CommitPlace{At: some[i].At, CommitKey: some[i].CommitKey}
			sum, err := seen.of(ctx, &some[i])
			if err != nil {
				return nil, httpError(err)
			}
			if !in.wants(&some[i], sum.steps) {
				continue
			}
			out.Items = append(out.Items, sum.commit)
			if len(out.Items) == in.Limit {
				return next()
			}
		}
		if len(some) < q.Limit {
			return &answer[*CommitPage]{out}, nil
		}
	}
	return next()
}

// followsCommits tells which Applications somebody may see.
func (s *server) followsCommits(ctx context.Context) (*seen, error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	if s.Commits == nil {
		return nil, httpError(gitops.Problemf(gitops.NotFound, "no history is kept").Do("run the engine with --store"))
	}
	now := s.Index.Now()
	return s.commits.sees(now.Seen(visible), now, s.reach.Past()), nil
}

func (s *server) getChange(ctx context.Context, in *changeInput) (*ready[CommitDetail], error) {
	seen, err := s.followsCommits(ctx)
	if err != nil {
		return nil, err
	}
	none := gitops.Problemf(gitops.NotFound, "commit %s is not known", in.Commit)
	c, err := s.Commits.Changed(ctx, history.CommitKey{Repo: in.Repo, Revision: in.Commit})
	if err != nil {
		return nil, httpError(err)
	}
	sum, err := seen.of(ctx, c)
	if err != nil {
		return nil, httpError(err)
	}
	if len(sum.steps) == 0 {
		return nil, httpError(none)
	}
	text, err := s.commits.detail(sum)
	if err != nil {
		return nil, httpError(err)
	}
	return readyOf[CommitDetail](text), nil
}

// wants reports whether a commit is asked for, by the steps that may be seen: the
// store has looked at all, or at what is asked for not at all.
func (in *changesInput) wants(c *history.Changed, steps []*history.Step) bool {
	if in.Repo != "" && c.Repo != in.Repo {
		return false
	}
	if !slices.ContainsFunc(steps, func(st *history.Step) bool {
		return (in.Project == "" || st.Project == in.Project) && (in.Cluster == "" || st.Cluster == in.Cluster) && (in.State == "" || string(st.State) == in.State)
	}) {
		return false
	}
	own := wordsOf(c)
	for w := range strings.FieldsSeq(strings.ToLower(in.Text)) {
		if !strings.Contains(own, w) && !slices.ContainsFunc(steps, func(st *history.Step) bool { return strings.Contains(st.App.Name, w) }) {
			return false
		}
	}
	return true
}

// wordsOf is what a commit itself says, as words are looked for in it.
func wordsOf(c *history.Changed) string {
	return strings.ToLower(strings.Join([]string{c.Subject, c.Author, c.Commit.Revision, c.RepoURL}, "\n"))
}

// severity is the order in which states need a look.
var severity = []history.State{history.StepFailed, history.StepWaiting, history.StepRunning, history.StepApplied, history.StepSuperseded, history.StepHealthy}

func bySeverity(a, b *history.Step) int {
	return cmp.Or(cmp.Compare(slices.Index(severity, a.State), slices.Index(severity, b.State)), strings.Compare(a.Cluster, b.Cluster), strings.Compare(a.App.Name, b.App.Name))
}

// mostClusters bounds those that are named.
const mostClusters = 20

// stages of a commit, in their order.
var stages = []history.Stage{history.Fetched, history.Rendered, history.Planned, history.Applied, history.Healthy}

// summed is a commit with what its steps come to.
func summed(c *history.Changed, steps []*history.Step) Commit {
	out := Commit{
		Repo: c.Repo, RepoURL: c.RepoURL, Revision: c.Commit.Revision, Author: c.Author, Subject: c.Subject, Date: c.Date, At: c.At,
		Applications: len(steps), Clusters: []string{}, Counts: view.Counts{}, Stages: make([]CommitStage, len(stages)),
	}
	for i, stage := range stages {
		out.Stages[i].Stage = string(stage)
	}
	clusters := map[string]bool{}
	worst := steps[0]
	for _, st := range steps {
		out.Counts[string(st.State)]++
		clusters[st.Cluster] = true
		if bySeverity(st, worst) < 0 {
			worst = st
		}
		out.add(st)
	}
	out.State = string(worst.State)
	if worst.State == history.StepFailed {
		failing := stepOf(worst)
		out.Failing = &failing
	}
	for name := range clusters {
		out.Clusters = append(out.Clusters, name)
	}
	slices.Sort(out.Clusters)
	out.Clusters = out.Clusters[:min(len(out.Clusters), mostClusters)]
	return out
}

// CommitOf is a commit as who sees all Applications sees it; false where it
// changes none.
func CommitOf(c *history.Changed) (_ Commit, some bool) {
	if len(c.Steps) == 0 {
		return Commit{}, false
	}
	steps := make([]*history.Step, 0, len(c.Steps))
	for i := range c.Steps {
		steps = append(steps, &c.Steps[i])
	}
	slices.SortStableFunc(steps, bySeverity)
	return summed(c, steps), true
}

// add counts the stages of a step.
func (c *Commit) add(st *history.Step) {
	for _, one := range stagesOf(st) {
		stage := &c.Stages[slices.Index(stages, history.Stage(one.Stage))]
		stage.Done++
		stage.Took = max(stage.Took, one.Took)
		if one.Ended.After(stage.Ended) {
			stage.Ended = one.Ended
		}
	}
	if at := slices.Index(stages, st.Stage); at >= 0 && st.State == history.StepFailed {
		c.Stages[at].Failed++
	}
}

func stepOf(st *history.Step) CommitStep {
	out := CommitStep{
		Key: view.Key{Namespace: st.App.Namespace, Name: st.App.Name}, Project: st.Project, Cluster: st.Cluster, State: string(st.State), Stage: string(st.Stage),
		Sync: st.Sync, Stages: stagesOf(st), Message: st.Message, At: st.At,
	}
	if st.Object != nil {
		out.Object = &Ref{Group: st.Object.Group, Kind: st.Object.Kind, Namespace: st.Object.Namespace, Name: st.Object.Name}
	}
	return out
}

// stagesOf are the stages that a step has behind it.
func stagesOf(st *history.Step) []StepStage {
	out := make([]StepStage, 0, len(stages))
	add := func(stage history.Stage, from, to time.Time) {
		if to.IsZero() || st.State == history.StepFailed && st.Stage == stage {
			return
		}
		took := int64(0)
		if !from.IsZero() {
			took = max(to.Sub(from).Milliseconds(), 0)
		}
		out = append(out, StepStage{string(stage), to, took})
	}
	add(history.Fetched, st.Passes.Began, st.Passes.Fetched)
	add(history.Rendered, st.Passes.Fetched, st.Passes.Rendered)
	add(history.Planned, st.Passes.Rendered, st.Passes.Planned)
	if st.State == history.StepApplied || st.State == history.StepHealthy || st.Stage == history.Healthy {
		add(history.Applied, st.Started, st.Applied)
	}
	add(history.Healthy, st.Applied, st.Healthy)
	return out
}

// listOfChanges is the list that places are in.
const listOfChanges = "changes"

// placeIn reads where a page of a list begins; nothing is read of no text.
func (s *server) placeIn(list, text string, place any) error {
	if text == "" || s.Cursors.Open(list, text, place) == nil {
		return nil
	}
	return huma.Error422UnprocessableEntity("cannot read where the page begins: give what the page before said as next, or read from the first page where the server has another key now")
}
