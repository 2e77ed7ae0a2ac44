package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
)

// commits has a commit that changes Applications of both projects, and one
// that is of the other project alone.
type commits struct{}

var tookUp = time.Unix(1_700_000_000, 0).UTC()

func commitsOfWorld() []history.Changed {
	step := func(app, project, cluster string, state history.State) history.Step {
		return history.Step{App: history.App{Namespace: "argocd", Name: app}, Project: project, Cluster: cluster, State: state, At: tookUp}
	}
	failed := step("web-prod", "shop", "prod", history.StepFailed)
	failed.Stage, failed.Object, failed.Message = history.Healthy, &gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "web", Name: "web"}, "image cannot be pulled"
	failed.Passes = history.Passes{Began: tookUp, Fetched: tookUp.Add(time.Second), Rendered: tookUp.Add(3 * time.Second), Planned: tookUp.Add(4 * time.Second)}
	failed.Started, failed.Applied = tookUp.Add(4*time.Second), tookUp.Add(9*time.Second)
	gone := step("gone", "shop", "dev", history.StepFailed)
	return []history.Changed{
		{CommitKey: history.CommitKey{Repo: "aaaa", Revision: "abc"}, Commit: history.Commit{Revision: "abc", Subject: "Raise the memory"}, At: tookUp, Steps: []history.Step{
			step("web-dev", "shop", "dev", history.StepHealthy), failed, step("dns", "platform", "prod", history.StepRunning), gone,
		}},
		{CommitKey: history.CommitKey{Repo: "aaaa", Revision: "secret"}, Commit: history.Commit{Revision: "secret"}, At: tookUp.Add(-time.Hour), Steps: []history.Step{step("dns", "platform", "prod", history.StepHealthy)}},
	}
}

func (commits) Commits(_ context.Context, q history.CommitQuery) ([]history.Changed, error) {
	var out []history.Changed
	for _, c := range commitsOfWorld() {
		said := true
		for w := range strings.FieldsSeq(strings.ToLower(q.Own)) {
			said = said && strings.Contains(strings.ToLower(c.Subject+" "+c.CommitKey.Revision), w)
		}
		if said && (q.Before.At.IsZero() || c.At.Before(q.Before.At)) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (commits) Changed(_ context.Context, key history.CommitKey) (*history.Changed, error) {
	for _, c := range commitsOfWorld() {
		if c.CommitKey == key {
			return &c, nil
		}
	}
	return nil, gitops.Problemf(gitops.NotFound, "commit %s is not known", key.Revision)
}

func (commits) CommitsOf(_ context.Context, keys []history.CommitOf) (map[history.CommitOf]history.Commit, error) {
	out := map[history.CommitOf]history.Commit{}
	for _, k := range keys {
		out[k] = history.Commit{Author: "Mina", Subject: "Raise the memory"}
	}
	return out, nil
}

func read[T any](t *testing.T, user, path string) T {
	t.Helper()
	return readFrom[T](t, newWorld().handler(), user, path)
}

func readFrom[T any](t *testing.T, h http.Handler, user, path string) T {
	t.Helper()
	var out T
	w := send(t, h, user, "GET", path, "")
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return out
}

// Each sees a commit as it is on the Applications that they may see: not those
// of others, not those that are gone, and no commit that has none.
func TestChangesAreOfOnesOwn(t *testing.T) {
	mine := read[CommitPage](t, "reader", "/changes")
	if len(mine.Items) != 1 || mine.Items[0].Applications != 2 || mine.Items[0].State != "failed" || len(mine.Items[0].Clusters) != 2 {
		t.Fatalf("the reader's: %+v", mine.Items)
	}
	if text := fmt.Sprintf("%+v", mine); strings.Contains(text, "dns") || strings.Contains(text, "gone") {
		t.Errorf("the reader sees others': %s", text)
	}
	theirs := read[CommitPage](t, "other", "/changes")
	if len(theirs.Items) != 2 || theirs.Items[0].Applications != 1 || theirs.Items[0].State != "running" || theirs.Items[0].Failing != nil {
		t.Errorf("the other's: %+v", theirs.Items)
	}
	if got := read[CommitPage](t, "other", "/changes?q=web-prod"); len(got.Items) != 0 {
		t.Errorf("a search tells that others' Applications are in a commit: %+v", got.Items)
	}
	if got := read[CommitPage](t, "reader", "/changes?state=running"); len(got.Items) != 0 {
		t.Errorf("a filter tells how others' Applications fare: %+v", got.Items)
	}
	h := newWorld().handler()
	first := readFrom[CommitPage](t, h, "other", "/changes?limit=1")
	if rest := readFrom[CommitPage](t, h, "other", "/changes?limit=1&before="+first.Next); len(rest.Items) != 1 || rest.Items[0].Revision != "secret" {
		t.Errorf("the next page: %+v", rest)
	}
}

// hidden is a store with thousands of commits of others.
type hidden struct{ commits }

func (hidden) Commits(_ context.Context, q history.CommitQuery) ([]history.Changed, error) {
	var out []history.Changed
	for n := range 3 * commitsLooked {
		c := history.Changed{CommitKey: history.CommitKey{Repo: "theirs-repo", Revision: fmt.Sprintf("%040d", n)}, At: time.Unix(1e6-int64(n), 0).UTC()}
		c.Commit.Revision, c.Steps = c.CommitKey.Revision, []history.Step{{App: history.App{Namespace: "argocd", Name: "dns"}, Project: "platform", State: history.StepHealthy}}
		if (q.Before.At.IsZero() || c.At.Before(q.Before.At)) && len(out) < q.Limit {
			out = append(out, c)
		}
	}
	return out, nil
}

// Where a page ends is told by a text that says nothing: it may be at a commit
// that somebody may not see. It leads on all the same, and only where the
// server put it.
func TestPlacesTellNothingOfWhatIsHidden(t *testing.T) {
	w := newWorld()
	o := w.options()
	o.Commits = hidden{}
	h, next, pages := as(New(o)), "", 0
	for ; pages == 0 || next != ""; pages++ {
		page := readFrom[CommitPage](t, h, "reader", "/changes?limit=50&before="+next)
		if len(page.Items) != 0 {
			t.Fatalf("the reader sees others': %+v", page.Items)
		}
		raw, err := base64.RawURLEncoding.DecodeString(page.Next)
		if err != nil || strings.Contains(string(raw), "theirs") || strings.Contains(string(raw), "000000") || strings.Contains(string(raw), "1970") {
			t.Errorf("it is told where the page ends: %s, %v", raw, err)
		}
		if pages > 4 {
			t.Fatal("the pages have no end")
		}
		next = page.Next
	}
	if pages < 3 {
		t.Errorf("there were %d pages", pages)
	}
	own := base64.RawURLEncoding.EncodeToString([]byte(`{"At":"1970-01-12T13:00:00Z","Repo":"a","Revision":"b"}`))
	for _, text := range []string{own, "x", "%20"} {
		if got := send(t, h, "reader", "GET", "/changes?before="+text, ""); got.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", text, got.Code, got.Body)
		}
	}
}

// questioned counts what the store is asked for, and has a time for all of it.
type questioned struct {
	hidden

	questions, busy int // busy: the question that is not answered in time
}

func (a *questioned) Commits(ctx context.Context, q history.CommitQuery) ([]history.Changed, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("the question has no end")
	}
	if a.questions++; a.questions == a.busy {
		return nil, gitops.Problemf(gitops.Unreachable, "%w", store.ErrBusy)
	}
	return a.hidden.Commits(ctx, q)
}

// The name of a hidden project or cluster is nothing that the store is asked for:
// the answer is that about a name that nobody has.
func TestFiltersOfHiddenNames(t *testing.T) {
	for query, want := range map[string]bool{
		"project=platform": false, "project=none": false, "cluster=edge": false, "cluster=none": false, "project=shop&cluster=edge": false,
		"project=shop": true, "cluster=prod": true, "": true,
	} {
		w, a := newWorld(), &questioned{}
		w.put("edge-dns", "platform", "edge", "Synced", "Healthy")
		w.index.Put(&view.Row{Namespace: "argocd", Name: "spy", Project: "shop", Cluster: "edge", Nowhere: true}) // anybody may name one
		o := w.options()
		o.Commits = a
		page := readFrom[CommitPage](t, as(New(o)), "reader", "/changes?limit=1&"+query)
		if len(page.Items) != 0 || want != (a.questions > 0) || want != (page.Next != "") {
			t.Errorf("%q: the store is asked %d times, and the page is %+v", query, a.questions, page)
		}
	}
}

// asking notes what the store is asked, and answers all of it: with commits of others,
// that say what nobody else's do, and then one of web-dev.
type asking struct {
	hidden

	asked []history.CommitQuery
}

func (a *asking) Commits(ctx context.Context, q history.CommitQuery) ([]history.Changed, error) {
	a.asked = append(a.asked, q)
	out, err := a.hidden.Commits(ctx, q)
	for i := range out {
		if n := commitsLooked / 2; out[i].CommitKey.Revision == fmt.Sprintf("%040d", n) {
			out[i].Repo, out[i].Subject = "mine", "Raise the memory"
			out[i].Steps = []history.Step{{App: history.App{Namespace: "argocd", Name: "web-dev"}, Project: "shop", State: history.StepFailed}}
			continue
		}
		out[i].Subject = "Move to the new building"
	}
	return out, err
}

// Whether something that is looked for is said of commits that somebody may not see is
// told by nothing: neither by what the store is asked, and how often, nor by the answer.
func TestHiddenCommitsAreNotLookedThrough(t *testing.T) {
	ask := func(path string) (asked []history.CommitQuery, items int, further bool) {
		w, a := newWorld(), &asking{}
		o := w.options()
		o.Commits = a
		if words, ok := strings.CutPrefix(path, "/search?q="); ok {
			found := readFrom[Found](t, as(New(o)), "reader", "/search?limit=1&q="+words)
			for _, g := range found.Groups {
				items, further = items+len(g.Items), further || g.More
			}
			return a.asked, items, further
		}
		page := readFrom[CommitPage](t, as(New(o)), "reader", path)
		return a.asked, len(page.Items), page.Next != ""
	}
	for theirs, nobodys := range map[string]string{
		"/changes?limit=1&q=building":         "/changes?limit=1&q=nothing",
		"/changes?limit=1&q=dns":              "/changes?limit=1&q=nothing",
		"/changes?limit=1&repo=theirs-repo":   "/changes?limit=1&repo=nobodys",
		"/changes?limit=1&state=healthy":      "/changes?limit=1&state=running",
		"/changes?limit=1&state=healthy&q=to": "/changes?limit=1&state=failed&q=to",
		"/search?q=building":                  "/search?q=nothing",
	} {
		asked, items, further := ask(theirs)
		want, wantItems, wantFurther := ask(nobodys)
		if d := cmp.Diff(want, asked); d != "" || len(asked) < 2 {
			t.Errorf("%s is asked otherwise than %s (-want +got):\n%s", theirs, nobodys, d)
		}
		if items != 0 || wantItems != 0 || further != wantFurther {
			t.Errorf("%s: %d are found, further %t; of what nobody says %d, %t", theirs, items, further, wantItems, wantFurther)
		}
	}
	for _, path := range []string{"/changes?limit=1&q=memory", "/changes?limit=1&q=web-dev", "/changes?limit=1&repo=mine", "/changes?limit=1&state=failed", "/search?q=memory"} {
		if asked, items, _ := ask(path); items != 1 {
			t.Errorf("%s: %d are found of one's own, after %d questions", path, items, len(asked))
		}
	}
}

// Who sees all Applications has the store look for what they want, however far back.
func TestWhoSeesAllHasTheStoreLook(t *testing.T) {
	w, a := newWorld(), &asking{}
	w.index.Drop(view.Key{Namespace: "argocd", Name: "dns"})
	o := w.options()
	o.Commits = a
	readFrom[CommitPage](t, as(New(o)), "reader", "/changes?limit=1&q=memory&repo=mine&state=failed")
	readFrom[Found](t, as(New(o)), "reader", "/search?q=memory")
	want := []history.CommitQuery{{Text: "memory", Repo: "mine", State: history.StepFailed, Limit: 1}, {Own: "memory", Limit: commitsAtOnce}}
	if len(a.asked) < 2 || a.asked[0] != want[0] || !slices.Contains(a.asked, want[1]) {
		t.Errorf("the store is asked %+v", a.asked)
	}
}

// What is not read in time is told as that, or ends the page where something was.
func TestChangesThatTakeLong(t *testing.T) {
	for busy, want := range map[int]int{1: http.StatusTooManyRequests, 3: http.StatusOK} {
		w := newWorld()
		o := w.options()
		o.Commits = &questioned{busy: busy}
		got := send(t, as(New(o)), "reader", "GET", "/changes", "")
		if got.Code != want || want == http.StatusOK && !strings.Contains(got.Body.String(), `"next"`) {
			t.Errorf("at question %d: %d %s", busy, got.Code, got.Body)
		}
	}
}

// shared is a store that answers with the same steps as long as none changed.
type shared struct {
	commits

	all []history.Changed
}

func (s *shared) Commits(context.Context, history.CommitQuery) ([]history.Changed, error) {
	return s.all, nil
}

func (s *shared) Changed(context.Context, history.CommitKey) (*history.Changed, error) {
	return &s.all[0], nil
}

// What is remembered of commits is nobody else's, and no longer true once a
// step has gone on or an Application is gone.
func TestChangesThatAreRemembered(t *testing.T) {
	w, kept := newWorld(), &shared{all: commitsOfWorld()}
	s := &server{Options: Options{Index: w.index, Rights: w, Commits: kept, Cursors: ownCursors()}, reach: reach.New(w, w.index, nil), commits: newSums()}
	ask := func(who string) (Commit, CommitDetail) {
		ctx := auth.With(t.Context(), &auth.User{Name: who})
		page, err := s.listChanges(ctx, &changesInput{Limit: 1})
		if err != nil || len(page.Body.Items) != 1 {
			t.Fatalf("%s: %v", who, err)
		}
		one, err := s.getChange(ctx, &changeInput{})
		if err != nil {
			t.Fatalf("%s: %v", who, err)
		}
		var detail CommitDetail
		if err := json.Unmarshal(one.Body.written(), &detail); err != nil {
			t.Fatalf("%s: %v in %s", who, err, one.Body.written())
		}
		return page.Body.Items[0], detail
	}
	for range 2 {
		for who, want := range map[string]string{"reader": "failed", "other": "running"} {
			item, detail := ask(who)
			if item.State != want || detail.State != want || len(detail.Steps) != item.Applications {
				t.Errorf("%s: %s in the list, %s with %d steps alone", who, item.State, detail.State, len(detail.Steps))
			}
		}
	}
	steps := slices.Clone(kept.all[0].Steps)
	steps[1].State = history.StepHealthy
	kept.all[0].Steps, kept.all[0].Version = steps, 1
	if item, detail := ask("reader"); item.State != "healthy" || detail.State != "healthy" {
		t.Errorf("after a step: %s, %s", item.State, detail.State)
	}
	w.index.Drop(view.Key{Namespace: "argocd", Name: "web-prod"})
	if item, detail := ask("reader"); item.Applications != 1 || len(detail.Steps) != 1 {
		t.Errorf("after an Application went: %d, %d", item.Applications, len(detail.Steps))
	}
}

// A commit is told of an Application that has moved to who may read it where it was: not
// to others who see the same ones now.
func TestChangesOfFormerProjects(t *testing.T) {
	w, kept := newWorld(), &shared{all: commitsOfWorld()}
	kept.all[0].Steps[1].Project = "platform"
	kept.all[0].Steps = append(kept.all[0].Steps, kept.all[0].Steps[0]) // of nobody knows which project
	kept.all[0].Steps[len(kept.all[0].Steps)-1].Project = ""
	o := w.options()
	o.Rights, o.Commits = widely{w}, kept
	h := as(New(o))
	for range 2 {
		for who, want := range map[string]int{"reader": 1, "auditor": 2, "other": 1} {
			page, one := readFrom[CommitPage](t, h, who, "/changes?limit=1"), readFrom[CommitDetail](t, h, who, "/changes/aaaa/abc")
			if len(page.Items) != 1 || page.Items[0].Applications != want || len(one.Steps) != want {
				t.Errorf("%s: %d steps, want %d: %+v", who, len(one.Steps), want, page.Items)
			}
			if found := readFrom[Found](t, h, who, "/search?q=memory"); len(found.Groups) != 1 || found.Groups[0].Items[0].Applications != want {
				t.Errorf("%s finds %+v", who, found.Groups)
			}
		}
	}
}

// A sum counts what it holds: all steps that were read with those that may be
// seen, or copies of these alone.
func TestSumsCountWhatTheyHold(t *testing.T) {
	all := make([]history.Step, 1000)
	for i := range all {
		all[i].Message = strings.Repeat("x", 100)
	}
	for seen, want := range map[int]int64{0: 0, 10: 10, 600: 1000, 1000: 1000} {
		s := &sum{}
		for i := range seen {
			s.steps = append(s.steps, &all[i])
		}
		if got := s.hold(all); got != sumSize+want*(stepSize+100) {
			t.Errorf("%d of 1000 steps are counted as %d bytes", seen, got)
		}
		if few := seen > 0 && seen < 500; few && s.steps[0] == &all[0] {
			t.Errorf("%d steps hold the others", seen)
		}
	}
}

// A commit that failed leads to what it failed at, with how long each stage took.
func TestChangeLeadsToTheObject(t *testing.T) {
	c := read[CommitDetail](t, "reader", "/changes/aaaa/abc")
	first := c.Steps[0]
	if first.Name != "web-prod" || first.Object == nil || first.Object.Kind != "Deployment" || first.Message != "image cannot be pulled" {
		t.Fatalf("what failed is not the first: %+v", c.Steps)
	}
	if c.Failing == nil || c.Failing.Name != "web-prod" {
		t.Errorf("the line does not lead there: %+v", c.Failing)
	}
	var took []string
	for _, s := range first.Stages {
		took = append(took, fmt.Sprintf("%s %d", s.Stage, s.Took))
	}
	if got := strings.Join(took, ", "); got != "fetched 1000, rendered 2000, planned 1000, applied 5000" {
		t.Errorf("stages: %s", got)
	}
	if s := c.Stages[4]; s.Stage != "healthy" || s.Failed != 1 {
		t.Errorf("the stage that failed is not counted: %+v", c.Stages)
	}
}

func (commits) Between(_ context.Context, from, to environment.Side) (*Between, error) {
	return &Between{From: from.Name, To: to.Name, Objects: []Difference{}}, nil
}
