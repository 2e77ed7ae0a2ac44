package source

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// TestRefreshesAreOneLook asks for a look again and again while one is made:
// all of them get the one after it.
func TestRefreshesAreOneLook(t *testing.T) {
	server := newGitServer(t, filepath.Dir(newRepository(t)))
	r := newRegistry(t, Options{Interval: time.Hour})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	snap(t, r, ref)
	p, err := r.repo(ref)
	if err != nil {
		t.Fatal(err)
	}
	rests := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return !p.polling && !p.due && p.flight == nil
	}
	within(t, "its first looks end", rests)
	before := server.looks.Load()
	looks, goOn := make(chan struct{}, 100), make(chan struct{})
	note := func(req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/info/refs") {
			looks <- struct{}{}
			<-goOn
		}
		return true
	}
	server.allow.Store(&note)
	r.Refresh(ref.RepoURL)
	<-looks
	for range 1000 {
		r.Refresh(ref.RepoURL)
	}
	close(goOn)
	<-looks
	within(t, "the last look ends", rests)
	if got := server.looks.Load() - before; got != 2 {
		t.Errorf("the host was asked %d times, want 2", got)
	}
}

// TestNamesOfUsers has a folder that stands for two repositories.
func TestNamesOfUsers(t *testing.T) {
	now := time.Now()
	dir := newRepository(t)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }, Mirrors: []Mirror{{URL: "https://h/first", Path: dir}, {URL: "https://h/second", Path: dir}}})
	first, second := gitops.SourceRef{RepoURL: "https://h/first"}, gitops.SourceRef{RepoURL: "https://h/second"}
	snap(t, r, first)
	snap(t, r, second)
	p, err := r.repo(second)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"https://h/First.git", "git@H:second", "https://me@h/SECOND/"} {
		if !p.matches(address.Name(url)) {
			t.Errorf("%s is not recognised", url)
		}
	}
	now = now.Add(keepUnused - time.Minute)
	snap(t, r, first)
	now = now.Add(2 * time.Minute)
	r.expire()
	if p.matches("h/second") || !p.matches("h/first") || p.matches("h/third") {
		t.Error("it has a name that nobody uses any more, or lost one that is used")
	}
}

// BenchmarkRefresh names one of 500 repositories, of each of which four
// revisions are in use.
func BenchmarkRefresh(b *testing.B) {
	r := newRegistry(b, Options{Interval: time.Hour})
	for i := range 2000 {
		url := fmt.Sprintf("https://git.example.org/team/repo-%d", i/4)
		p, err := r.repo(gitops.SourceRef{RepoURL: url})
		if err != nil {
			b.Fatal(err)
		}
		p.use(asked{name: url}, want{revision: fmt.Sprintf("v%d", i%4)})
	}
	for b.Loop() {
		r.Refresh("https://git.example.org/team/repo-400.git")
	}
}
