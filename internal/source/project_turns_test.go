package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/test/await"
)

// newRepositories makes repositories with one commit each, and a server of them.
func newRepositories(t *testing.T, names ...string) (server *gitServer, root string) {
	t.Helper()
	root = t.TempDir()
	for _, name := range names {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		runGit(t, dir, "init", "--quiet", "--initial-branch=main")
		write(t, dir, "a.yaml", "1")
		commit(t, dir)
	}
	return newGitServer(t, root), root
}

// asks is what a request to a Git server asks for.
func asks(req *http.Request) string {
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return ""
	}
	req.Body = io.NopCloser(bytes.NewReader(data))
	if req.Header.Get("Content-Encoding") != "gzip" {
		return string(data)
	}
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return ""
	}
	plain, _ := io.ReadAll(in) // what is not whole asks for nothing
	return string(plain)
}

// holding has a server hold what asks for something until release; held tells of each.
func (s *gitServer) holding(t *testing.T, text string) (held chan struct{}, release func()) {
	held, let := make(chan struct{}, 1000), make(chan struct{})
	release = sync.OnceFunc(func() { close(let) })
	t.Cleanup(release)
	s.only(func(req *http.Request) bool {
		if strings.Contains(asks(req), text) {
			held <- struct{}{}
			<-let
		}
		return true
	})
	return held, release
}

// fake are commits that nobody has; all begin alike.
const fake = "0000000000000000000000000000000000000"

// asking has a project ask for commits that nobody has, until the test ends.
func asking(t *testing.T, r *Registry, url, project string, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var g sync.WaitGroup
	for i := range n {
		g.Go(func() {
			_, _ = r.Snapshot(ctx, gitops.SourceRef{RepoURL: url, Project: project, Revision: fmt.Sprintf(fake+"%03x", i)})
		})
	}
	t.Cleanup(func() {
		cancel()
		g.Wait()
	})
}

// TestLackingCommitsHoldUpNoOtherProject has a server that does not answer what one project asks of a repository that
// others read, too.
func TestLackingCommitsHoldUpNoOtherProject(t *testing.T) {
	server, root := newRepositories(t, "shared", "other", "third")
	r := newRegistry(t, Options{Interval: time.Hour})
	start(t, r)
	blue := gitops.SourceRef{RepoURL: server.URL + "/shared", Project: "blue", Revision: "main"}
	snap(t, r, blue)
	held, _ := server.holding(t, "want "+fake)
	asking(t, r, blue.RepoURL, "red", 2*calls)
	<-held

	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	for _, push := range []string{"first", "second"} {
		want := commit(t, filepath.Join(root, "shared"))
		r.Refresh(blue.RepoURL)
		for got := ""; got != want; {
			s, err := r.Snapshot(ctx, blue)
			if err != nil {
				t.Fatalf("blue's %s push: %v", push, err)
			}
			got = s.Revision
		}
	}
	for _, ref := range []gitops.SourceRef{
		{RepoURL: server.URL + "/other", Project: "blue"},
		{RepoURL: server.URL + "/third", Project: "green"},
		{RepoURL: server.URL + "/third", Project: "red"},
	} {
		if _, err := r.Snapshot(ctx, ref); err != nil {
			t.Errorf("%s of %s: %v", ref.RepoURL, ref.Project, err)
		}
	}
	if n := len(held); n > 0 {
		t.Errorf("%d more of red's fetches are on their way", n)
	}
}

// TestAccounts has what one project asks for be charged to no other.
func TestAccounts(t *testing.T) {
	r := newRegistry(t, Options{})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	shared, own := want{revision: "main"}, want{revision: fake + "000"}
	for _, project := range []string{"red", "blue"} {
		p.use(asked{"https://git.example.org/shared", project}, shared)
	}
	p.use(asked{"https://git.example.org/shared", "red"}, own)
	for _, tc := range []struct {
		reason  string
		account account
		want    []string
	}{
		{"what both ask for", p.of(p.answers[shared], nil, shared), []string{"blue", "red"}},
		{"what one asks for", p.of(p.answers[own], nil, own), []string{"red"}},
		{"what all need", p.common(), []string{"blue", "red"}},
	} {
		if got := slices.Sorted(slices.Values(tc.account.projects())); !slices.Equal(got, tc.want) {
			t.Errorf("%s is charged to %v, want %v", tc.reason, got, tc.want)
		}
	}
}

// TestWhoWaitsInLineHasNoTurn has a project wait for its own fetch, and have its share of turns for other repositories.
func TestWhoWaitsInLineHasNoTurn(t *testing.T) {
	r := newRegistry(t, Options{})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	red := account{repo: p, projects: slots.Of("red")}
	end, err := red.inLine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now, cancel := context.WithCancel(t.Context())
	cancel() // what is not free at once is an error
	if _, err := red.inLine(now); err == nil {
		t.Error("a project fetches twice at a time")
	}
	for i := range calls/2 - 1 {
		if _, err := r.calls.Take(now, slots.Of("red")); err != nil {
			t.Fatalf("%d turns are left of %d", i, calls/2-1)
		}
	}
	if _, err := (account{repo: p, projects: slots.Of("blue")}).inLine(now); err != nil {
		t.Errorf("another project waits: %v", err)
	}
	end()
	if end, err = red.inLine(now); err != nil {
		t.Fatalf("a turn or a place in the line was lost: %v", err)
	}
	if _, err := r.calls.Take(now, slots.Of("red")); err == nil {
		t.Error("a project has more than its share of turns")
	}
	end()
}

// TestSearchesOfOneProject has a project search all the time, and others as before.
func TestSearchesOfOneProject(t *testing.T) {
	r := newRegistry(t, Options{})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	red := account{repo: p, projects: slots.Of("red")}
	var end func()
	for range searchesEach {
		var project string
		if project, end, err = red.desk(t.Context()); err != nil || project != "red" {
			t.Fatalf("got %q, %v", project, err)
		}
	}
	now, cancel := context.WithCancel(t.Context())
	cancel() // what is not free at once is an error
	if _, _, err := red.desk(now); err == nil {
		t.Errorf("a project searches %d times at a time", searchesEach+1)
	}
	if project, _, err := (account{repo: p, projects: func() []string { return []string{"red", "blue"} }}).desk(now); err != nil || project != "blue" {
		t.Errorf("what is another one's, too: got %q, %v", project, err)
	}
	end()
	if _, _, err := red.desk(now); err != nil {
		t.Errorf("a place was lost: %v", err)
	}
}

// TestLargeLooksGoAround has a project look up many repositories that list much, and
// have its turns taken besides.
func TestLargeLooksGoAround(t *testing.T) {
	r := newRegistry(t, Options{})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	red, blue := account{repo: p, projects: slots.Of("red")}, account{repo: p, projects: slots.Of("blue")}
	now, cancel := context.WithCancel(t.Context())
	cancel() // what is not free at once is an error
	for range calls / 2 {
		if _, err := r.calls.Take(now, slots.Of("red")); err != nil {
			t.Fatal(err)
		}
	}
	end, err := blue.large(now)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		ended, err := red.large(t.Context())
		if err == nil {
			ended()
		}
		got <- err
	}()
	await.Until(t, func(context.Context) error { // until red waits in the line
		if project, err := r.askers.Take(now, slots.Of("red")); err == nil {
			r.askers.Give(project)
			return errors.New("red has more than one place in the line")
		}
		return nil
	})
	if _, err := red.large(now); err == nil {
		t.Error("there is room for two")
	}
	end()
	if err := <-got; err != nil {
		t.Errorf("red waits for turns that it has taken: %v", err)
	}
	for _, a := range []account{red, blue} {
		if end, err = a.large(now); err != nil {
			t.Fatalf("a place was lost: %v", err)
		}
		end()
	}
}

// TestPollGoesOnBesideAFetch has pushes be told while the server does not answer what one project asks.
func TestPollGoesOnBesideAFetch(t *testing.T) {
	server, root := newRepositories(t, "shared")
	r := newRegistry(t, Options{Interval: time.Hour})
	start(t, r)
	blue := gitops.SourceRef{RepoURL: server.URL + "/shared", Project: "blue", Revision: "main"}
	snap(t, r, blue)
	held, _ := server.holding(t, "want "+fake)
	asking(t, r, blue.RepoURL, "red", 8)
	<-held
	for range 3 {
		want := commit(t, filepath.Join(root, "shared"))
		r.Refresh(blue.RepoURL)
		if c := change(t, r); !slices.Equal(c.Revisions, []string{"main"}) {
			t.Errorf("a change of %v is told", c.Revisions)
		}
		if got := snap(t, r, blue).Revision; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestPollOrder resolves first what is known to exist, then what was asked for last.
func TestPollOrder(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(project string, revisions ...string) {
		for _, revision := range revisions {
			now = now.Add(time.Second)
			p.use(asked{"https://git.example.org/shared", project}, want{revision: revision})
		}
	}
	lacks, fetched, unknown := want{revision: fake + "000"}, want{revision: fake + "111"}, want{revision: fake + "222"}
	ask("red", fetched.revision, "main", "v1", unknown.revision, lacks.revision)
	ask("blue", "main", "theirs")
	p.answers[lacks].err = gitops.Problemf(gitops.NotFound, "it is lacking")
	p.answers[fetched].snap = &gitops.Snapshot{}
	if got, want := p.wanted("red"), []want{{revision: "v1"}, {revision: "main"}, fetched, unknown, lacks}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestLackingCommitsAreBounded has a project ask for more than it may, and for what is there.
func TestLackingCommitsAreBounded(t *testing.T) {
	server, root := newRepositories(t, "shared")
	dir := filepath.Join(root, "shared")
	older := runGit(t, dir, "rev-parse", "HEAD")
	between := commit(t, dir)
	tip := commit(t, dir)
	r := newRegistry(t, Options{Interval: time.Hour})
	ref := func(project, revision string) gitops.SourceRef {
		return gitops.SourceRef{RepoURL: server.URL + "/shared", Project: project, Revision: revision}
	}
	p, err := r.repo(ref("red", ""))
	if err != nil {
		t.Fatal(err)
	}
	for i := range lackingEach {
		w := want{revision: fmt.Sprintf(fake+"%03x", i)}
		p.use(asked{server.URL + "/shared", "red"}, w)
		p.answers[w].err = gitops.Problemf(gitops.NotFound, "it is lacking")
	}
	server.only(func(req *http.Request) bool {
		if strings.Contains(asks(req), "want "+between) {
			t.Error("the server is asked for one that is refused")
		}
		return true
	})
	for _, revision := range []string{between, between[:9]} {
		_, err := r.Snapshot(t.Context(), ref("red", revision))
		if p := problem(t, err); p.Kind != gitops.Invalid || !strings.Contains(err.Error(), "its project asks for 64 commits") {
			t.Errorf("one more: %v", err)
		}
	}
	_, err = r.Snapshot(t.Context(), ref("red", fake+"000"))
	if p := problem(t, err); p.Kind != gitops.NotFound {
		t.Errorf("one of those that count: %v", err)
	}
	snap(t, r, ref("blue", older))
	for _, revision := range []string{older, tip, tip[:9], "main"} {
		if got := snap(t, r, ref("red", revision)); got.Revision != older && got.Revision != tip {
			t.Errorf("%s is %s", revision, got.Revision)
		}
	}
}
