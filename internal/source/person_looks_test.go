package source

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

type lookerKey struct{}

func byPerson(ctx context.Context) string {
	name, _ := ctx.Value(lookerKey{}).(string)
	return name
}

// TestWhoLooksKeepsNothing has a person look at whatever they like in a repository of
// a project: nothing of it is kept, looked up again, or taken from the project.
func TestWhoLooksKeepsNothing(t *testing.T) {
	server, root := newRepositories(t, "shared", "other")
	dir := filepath.Join(root, "shared")
	older := runGit(t, dir, "rev-parse", "HEAD")
	tip := commit(t, dir)
	r := newRegistry(t, Options{Interval: time.Hour, Person: byPerson})
	ref := func(revision string) gitops.SourceRef {
		return gitops.SourceRef{RepoURL: server.URL + "/shared", Project: "red", Revision: revision}
	}
	snap(t, r, ref("main"))
	p, err := r.repo(ref(""))
	if err != nil {
		t.Fatal(err)
	}
	ann := context.WithValue(t.Context(), lookerKey{}, "ann")
	for i := range 20 {
		for _, revision := range []string{fmt.Sprint("missing-", i), fmt.Sprintf("~%d", i)} {
			if _, err := r.Snapshot(ann, ref(revision)); err == nil {
				t.Fatalf("%s is there", revision)
			}
		}
	}
	lacks := fake + "000"
	if _, err := r.Snapshot(ann, ref(lacks)); problem(t, err).Kind != gitops.NotFound {
		t.Errorf("a commit that is lacking: %v", err)
	}
	for revision, want := range map[string]string{"main": tip, older: older, "": tip} {
		if s, err := r.Snapshot(ann, ref(revision)); err != nil || s.Revision != want || content(t, s, "a.yaml") != "1" {
			t.Errorf("%q: %v", revision, err)
		}
	}
	if _, err := r.Snapshot(ann, gitops.SourceRef{RepoURL: server.URL + "/other", Project: "red"}); err != nil {
		t.Error(err)
	}
	if err := r.Verify(ann, ref(older), older, gitops.SignatureRule{}); err == nil {
		t.Error("a commit without a signature is signed")
	}
	if n := len(p.answers); n != 1 {
		t.Errorf("%d answers are kept, want the one of the project", n)
	}
	r.expire()
	if n := len(r.repos); n != 1 {
		t.Errorf("%d repositories are kept, want the one of the project", n)
	}
	if p.lacking("red", nil) > 0 {
		t.Error("what a person looks at counts as lacking for the project")
	}
	if got := p.ofPerson("ann").projects(); len(got) != 1 || !strings.HasPrefix(got[0], "\x00") {
		t.Errorf("their account is %q", got)
	}
}

// TestLooksOfOnePersonArePaced: who has had their part is asked to wait, and nobody else.
func TestLooksOfOnePersonArePaced(t *testing.T) {
	server, _ := newRepositories(t, "shared")
	r := newRegistry(t, Options{Interval: time.Hour, Person: byPerson})
	ref := gitops.SourceRef{RepoURL: server.URL + "/shared", Project: "red", Revision: "main"}
	snap(t, r, ref)
	for range 100 { // an hour and more, which is more than anybody waits for
		r.gaits.of("ann", time.Now()).ReserveN(time.Now(), glanceBurst)
	}
	server.only(func(req *http.Request) bool {
		if strings.Contains(asks(req), "want "+fake) {
			t.Error("the server is asked")
		}
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	ann, bob := context.WithValue(ctx, lookerKey{}, "ann"), context.WithValue(ctx, lookerKey{}, "bob")
	for _, revision := range []string{fake + "000", "missing"} {
		missing := ref
		missing.Revision = revision
		if _, err := r.Snapshot(ann, missing); problem(t, err).Kind != gitops.Unreachable {
			t.Errorf("%s: %v", revision, err)
		}
	}
	missing := ref
	missing.Revision = "missing"
	if _, err := r.Snapshot(bob, missing); problem(t, err).Kind != gitops.NotFound {
		t.Errorf("another person: %v", err)
	}
	if _, err := r.Snapshot(ann, ref); err != nil {
		t.Errorf("what is known: %v", err)
	}
}

// TestPacesOfPeopleAreForgotten has more people look than there ever are at a time.
func TestPacesOfPeopleAreForgotten(t *testing.T) {
	var g gaits
	for i := range 10 * fewGaits {
		g.of(strconv.Itoa(i), time.Now())
	}
	if len(g.all) > 2*fewGaits {
		t.Errorf("%d are remembered", len(g.all))
	}
}

// TestVainNamesComeLast resolves again what is known to exist first, so that names
// which are none take nothing from it.
func TestVainNamesComeLast(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"main", "missing", "new"} {
		now = now.Add(time.Second)
		p.use(asked{"https://git.example.org/shared", "red"}, want{revision: revision})
	}
	p.answers[want{revision: "main"}].snap = &gitops.Snapshot{}
	p.answers[want{revision: "missing"}].err = gitops.Problemf(gitops.NotFound, "there is none")
	if got := p.wanted("red"); got[2].revision != "missing" {
		t.Errorf("the order is %v", got)
	}
}
