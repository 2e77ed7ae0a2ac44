package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

const repository = "https://git.example.com/shop/web.git"

func commitOf(revision string, at time.Time) history.Commit {
	return history.Commit{RepoURL: repository, Revision: revision, Author: "Mina", Date: at.Add(-time.Minute), Subject: "Raise the memory"}
}

func syncOf(app, id, revision, phase string, at time.Time) history.Sync {
	return history.Sync{
		ID: id, App: history.App{Namespace: "argocd", Name: app, UID: app}, Project: "shop", Cluster: "dev", Cause: history.Automated, Phase: phase,
		Started: at, Commits: []history.Commit{commitOf(revision, at)},
		Passes: history.Passes{Began: at.Add(-4 * time.Second), Fetched: at.Add(-3 * time.Second), Rendered: at.Add(-2 * time.Second), Planned: at.Add(-time.Second)},
		Waves:  []history.Wave{{Started: at, Applied: at.Add(time.Second), Objects: []history.Object{{Kind: "Deployment", Name: "web", Status: "Synced"}}}},
	}
}

// only is the step of a commit that one application has.
func only(t *testing.T, s *Store, revision string) history.Step {
	t.Helper()
	c, err := s.Changed(t.Context(), history.CommitKey{Repo: history.RepoID(repository), Revision: revision})
	if err != nil || len(c.Steps) != 1 {
		t.Fatalf("commit %s: %+v, %v", revision, c, err)
	}
	return c.Steps[0]
}

// How far a commit comes, told by syncs, by what health does after them, and
// by looks without a sync.
func TestSteps(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000).UTC()
	whole := func(to gitops.HealthCode, more ...history.Change) []history.Change {
		return append([]history.Change{{At: at.Add(time.Minute), To: to, Message: "of the whole"}}, more...)
	}
	cases := map[string]struct {
		reason string
		do     func(s *Store)
		state  history.State
		stage  history.Stage
		check  func(st history.Step) bool
	}{
		"runs": {"a sync that runs has applied what its waves say", func(s *Store) { s.Sync(syncOf("web", "1", "a", "Running", at)) }, history.StepRunning, history.Applied, func(st history.Step) bool {
			return st.Applied.Equal(at.Add(time.Second)) && st.Passes.Rendered.Sub(st.Passes.Fetched) == time.Second && st.Sync == "1"
		}},
		"healthy at its end": {"", func(s *Store) {
			one := syncOf("web", "1", "a", "Succeeded", at)
			one.Health, one.Finished = gitops.Healthy, at.Add(9*time.Second)
			s.Sync(one)
		}, history.StepHealthy, "", func(st history.Step) bool { return st.Healthy.Equal(at.Add(9 * time.Second)) }},
		"healthy later": {"most applications need a moment", func(s *Store) {
			s.Sync(syncOf("web", "1", "a", "Succeeded", at))
			s.Health(history.App{}, "1", whole(gitops.Healthy))
		}, history.StepHealthy, "", func(st history.Step) bool { return st.Healthy.Equal(at.Add(time.Minute)) }},
		"breaks": {"what broke is named", func(s *Store) {
			s.Sync(syncOf("web", "1", "a", "Succeeded", at))
			s.Health(history.App{}, "1", whole(gitops.Degraded, history.Change{At: at, Kind: "Deployment", Name: "web", To: gitops.Degraded, Message: "image cannot be pulled"}))
		}, history.StepFailed, history.Healthy, func(st history.Step) bool {
			return st.Object != nil && st.Object.Kind == "Deployment" && st.Message == "image cannot be pulled"
		}},
		"mends itself": {"a broken commit that gets healthy is healthy", func(s *Store) {
			s.Sync(syncOf("web", "1", "a", "Succeeded", at))
			s.Health(history.App{}, "1", whole(gitops.Degraded))
			s.Health(history.App{}, "1", whole(gitops.Healthy))
		}, history.StepHealthy, "", func(st history.Step) bool { return st.Object == nil && st.Message == "" }},
		"fails": {"the object that was refused is named", func(s *Store) {
			one := syncOf("web", "1", "a", "Failed", at)
			one.Waves[0].Objects = append(one.Waves[0].Objects, history.Object{Kind: "Service", Name: "web", Status: "SyncFailed", Message: "port is taken"})
			s.Sync(one)
		}, history.StepFailed, history.Applied, func(st history.Step) bool { return st.Object.Kind == "Service" && st.Message == "port is taken" }},
		"tried again": {"the latest sync counts", func(s *Store) {
			s.Sync(syncOf("web", "1", "a", "Failed", at))
			s.Sync(syncOf("web", "2", "a", "Running", at.Add(time.Hour)))
		}, history.StepRunning, history.Applied, func(st history.Step) bool {
			return st.Sync == "2" && st.Message == "" && st.Passes.Planned.Equal(at.Add(-time.Second))
		}},
		"synced again": {"a commit that was healthy stays so", func(s *Store) {
			s.Sync(syncOf("web", "1", "a", "Succeeded", at))
			s.Health(history.App{}, "1", whole(gitops.Healthy))
			s.Sync(syncOf("web", "2", "a", "Failed", at.Add(time.Hour)))
		}, history.StepHealthy, "", func(st history.Step) bool { return st.Sync == "1" }},
		"cannot be rendered": {"there is no sync to tell", func(s *Store) {
			s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web"}, Commits: []history.Commit{commitOf("a", at)}, State: history.StepFailed, Stage: history.Rendered, At: at, Message: "no such file"})
		}, history.StepFailed, history.Rendered, func(st history.Step) bool { return st.Message == "no such file" && st.Applied.IsZero() }},
		"waits after a sync": {"a sync tells more than a look", func(s *Store) {
			s.Sync(syncOf("web", "1", "a", "Failed", at))
			s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web"}, Commits: []history.Commit{commitOf("a", at)}, State: history.StepWaiting, Stage: history.Applied, At: at})
		}, history.StepFailed, history.Applied, func(st history.Step) bool { return st.Sync == "1" }},
		"a long message": {"it is bounded", func(s *Store) {
			s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web"}, Commits: []history.Commit{commitOf("a", at)}, State: history.StepFailed, Stage: history.Rendered, At: at, Message: strings.Repeat("x", 1<<20)})
		}, history.StepFailed, history.Rendered, func(st history.Step) bool { return len(st.Message) < 2*history.MostMessage }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, s *Store) {
				tc.do(s)
				if st := only(t, s, "a"); st.State != tc.state || st.Stage != tc.stage || !tc.check(st) {
					t.Errorf("%s: %+v", tc.reason, st)
				}
			})
		})
	}
}

// Drift that is undone, tries and rollbacks are no change of the commit.
func TestSyncsThatBringNothing(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000)
	for _, change := range []func(*history.Sync){
		func(s *history.Sync) { s.Cause = history.Heal }, func(s *history.Sync) { s.DryRun = true }, func(s *history.Sync) { s.Cause = history.Rollback }, func(s *history.Sync) { s.Cause = history.AutomaticRollback },
	} {
		one := syncOf("web", "1", "a", "Succeeded", at)
		change(&one)
		if step := history.StepOf(&one, at); step != nil {
			t.Errorf("%+v brings %+v", one, step)
		}
	}
}

func TestCommits(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Store) {
		at := time.UnixMilli(1_700_000_000_000)
		for i, revision := range []string{"a", "b", "c"} {
			now := at.Add(time.Duration(i) * time.Hour)
			s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web-" + revision}, Project: "shop", Cluster: "dev", Commits: []history.Commit{commitOf(revision, now)}, State: history.StepWaiting, At: now})
		}
		s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "dns"}, Project: "platform", Cluster: "prod", Commits: []history.Commit{commitOf("b", at)}, State: history.StepFailed, At: at})
		list := func(q history.CommitQuery) string {
			t.Helper()
			if q.Limit == 0 {
				q.Limit = 10
			}
			all, err := s.Commits(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for i := range all {
				out = append(out, all[i].CommitKey.Revision)
			}
			return strings.Join(out, " ")
		}
		first, err := s.Commits(t.Context(), history.CommitQuery{Limit: 1})
		if err != nil || len(first) != 1 || len(first[0].Steps) != 1 {
			t.Fatalf("%+v, %v", first, err)
		}
		for want, q := range map[string]history.CommitQuery{
			"c b a": {}, "b a": {Before: history.CommitPlace{At: first[0].At, CommitKey: first[0].CommitKey}}, "b": {Project: "platform"}, "c": {Text: "WEB-C"},
			"": {Text: "100%"}, " ": {Repo: history.RepoID("https://elsewhere.example.com")},
		} {
			if got := list(q); got != strings.TrimSpace(want) {
				t.Errorf("%+v: got %q, want %q", q, got, want)
			}
		}
		if got := list(history.CommitQuery{State: history.StepFailed}); got != "b" {
			t.Errorf("failed: %q", got)
		}
		for text, want := range map[string]string{"MINA raise": "c b a", "web-c": "", "100%": "", "raise nothing": ""} {
			if got := list(history.CommitQuery{Own: text}); got != want {
				t.Errorf("what says %q itself: got %q, want %q", text, got, want)
			}
		}
		if got := list(history.CommitQuery{Cluster: "prod"}); got != "b" {
			t.Errorf("on prod: %q", got)
		}
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := list(history.CommitQuery{}); got != "" {
			t.Errorf("commits of years ago are kept: %q", got)
		}
	})
}

// Who made a commit is told of an application that has taken it up itself, by a step
// or by the last good sync of it, which stays when steps are old.
func TestCommitsOf(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Store) {
		at := time.UnixMilli(1_700_000_000_000)
		of := func(app, revision string) history.CommitOf {
			return history.CommitOf{CommitKey: history.CommitKey{Repo: history.RepoID("HTTPS://git.example.com/shop/web"), Revision: revision}, Namespace: "argocd", Name: app}
		}
		s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web"}, Project: "shop", Commits: []history.Commit{commitOf("a", at)}, State: history.StepWaiting, At: at})
		s.Sync(syncOf("dns", "1", "b", history.PhaseSucceeded, at))
		s.Sync(syncOf("dns", "2", "c", history.PhaseSucceeded, at.Add(time.Minute)))
		asked := []history.CommitOf{of("web", "a"), of("web", "none"), of("dns", "b"), of("dns", "c"), of("dns", "a"), of("spy", "a"), of("spy", "c")}
		check := func(when string, want ...history.CommitOf) {
			t.Helper()
			s.flush(t.Context())
			known, err := s.CommitsOf(t.Context(), asked)
			if err != nil || len(known) != len(want) {
				t.Fatalf("%s: %+v, %v", when, known, err)
			}
			for _, k := range want {
				if c := known[k]; c.Author != "Mina" || c.Subject != "Raise the memory" || c.Revision != k.Revision || c.Date.IsZero() {
					t.Errorf("%s: of %+v there is %+v", when, k, c)
				}
			}
		}
		check("at first", of("web", "a"), of("dns", "b"), of("dns", "c"))
		for i := range 2*commitsAsked + 1 {
			asked = append(asked, of(fmt.Sprint("none-", i), "a"))
		}
		slices.Reverse(asked)
		check("among many", of("web", "a"), of("dns", "b"), of("dns", "c"))
		db, err := s.writing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.do(t.Context(), db, `DELETE FROM steps`); err != nil { // as when they are old
			t.Fatal(err)
		}
		check("when the steps are gone", of("dns", "c"))
	})
}

// What was written of a commit when nothing bounded it is not read whole.
func TestCommitsOfAnySize(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Store) {
		at := time.UnixMilli(1_700_000_000_000)
		long := strings.Repeat("é", 10_000)
		commit := func(revision string) history.Commit {
			c := commitOf(revision, at)
			c.Author, c.Subject = long, long
			return c
		}
		app := history.App{Namespace: "argocd", Name: "web"}
		s.Step(history.Step{App: app, Project: "shop", Commits: []history.Commit{commit("a")}, State: history.StepWaiting, At: at})
		last := syncOf("web", "1", "b", history.PhaseSucceeded, at)
		last.Cause, last.Commits = history.Rollback, []history.Commit{commit("b")}
		s.Sync(last)
		key := func(revision string) history.CommitKey {
			return history.CommitKey{Repo: history.RepoID(repository), Revision: revision}
		}
		list, err := s.Commits(t.Context(), history.CommitQuery{Limit: 10})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d commits, %v", len(list), err)
		}
		one, err := s.Changed(t.Context(), key("a"))
		if err != nil {
			t.Fatal(err)
		}
		ofStep, ofSync := history.CommitOf{CommitKey: key("a"), Namespace: "argocd", Name: "web"}, history.CommitOf{CommitKey: key("b"), Namespace: "argocd", Name: "web"}
		known, err := s.CommitsOf(t.Context(), []history.CommitOf{ofStep, ofSync})
		if err != nil || len(known) != 2 {
			t.Fatalf("%d are known, %v", len(known), err)
		}
		want := strings.Repeat("é", gitops.MostCommitText/2) + "…"
		for what, c := range map[string]history.Commit{"the list": list[0].Commit, "one": one.Commit, "a step": known[ofStep], "a sync": known[ofSync]} {
			if c.Author != want || c.Subject != want {
				t.Errorf("of %s: %d bytes of the author, %d of the subject", what, len(c.Author), len(c.Subject))
			}
		}
	})
}

// What is read of a text is a character more than is shown: who shows it sees that there is more.
func TestTextReadOfCommits(t *testing.T) {
	if want := strconv.Itoa(gitops.MostCommitText + 1); textRead != want {
		t.Errorf("%s characters are read of a text, want %s", textRead, want)
	}
}

// TestCommitsCountOnce: a step of many sources does not count each of them for each.
func TestCommitsCountOnce(t *testing.T) {
	s, err := New(Options{URL: t.TempDir() + "/history.db", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	step := history.Step{App: history.App{Namespace: "argocd", Name: "web"}, State: history.StepWaiting, At: at}
	for n := range 100 {
		step.Commits = append(step.Commits, commitOf(fmt.Sprint("r", n), at))
	}
	if err := s.write(t.Context(), []item{{step: &step}}); err != nil {
		t.Fatal(err)
	}
	if got := s.stats.grown.Load(); got != step.Weight() {
		t.Errorf("the history is said to have grown by %d bytes, want %d", got, step.Weight())
	}
}

// everywhere runs a test with each kind of database.
func everywhere(t *testing.T, f func(t *testing.T, s *Store)) {
	each(t, func(t *testing.T, url string) { f(t, opened(t, Options{URL: url, Key: key})) })
}

// A page of 50 commits that are on 10,000 applications.
func BenchmarkCommits(b *testing.B) {
	s, err := New(Options{URL: b.TempDir() + "/history.db", Key: key})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	now := time.Now()
	var batch []item
	for i := range 10_000 {
		step := history.Step{
			App: history.App{Namespace: "argocd", Name: fmt.Sprintf("app-%d", i)}, Project: "shop", Cluster: fmt.Sprintf("prod-%d", i%500),
			Commits: []history.Commit{commitOf(fmt.Sprintf("%040x", i%50), now)}, State: history.StepHealthy, At: now,
		}
		batch = append(batch, item{step: &step})
	}
	if err := s.write(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
	for _, limit := range []int{25, 50} {
		b.Run(strconv.Itoa(limit), func(b *testing.B) {
			for b.Loop() {
				all, err := s.Commits(b.Context(), history.CommitQuery{Limit: limit})
				if err != nil || len(all) != limit {
					b.Fatal(len(all), err)
				}
			}
		})
	}
}
