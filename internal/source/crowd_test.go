package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhatCanBeNothingIsNotKept refuses it before anything is remembered of it, and
// does not repeat it.
func TestWhatCanBeNothingIsNotKept(t *testing.T) {
	const url = "https://git.example.org/shared"
	long := strings.Repeat("x", 300<<10)
	for name, ref := range map[string]gitops.SourceRef{
		"Revision": {RepoURL: url, Revision: long},
		"Chart":    {RepoURL: url, Revision: "1.0.0", Chart: long},
		"Address":  {RepoURL: "https://user:hunter2@" + long + "/x", Revision: "main"},
		"Dash":     {RepoURL: url, Revision: "-main"},
		"Control":  {RepoURL: url, Revision: "main\x00"},
		"Encoding": {RepoURL: url, Revision: "main\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t, Options{})
			_, err := r.Snapshot(t.Context(), ref)
			if p := problem(t, err); p.Kind != gitops.Invalid || len(err.Error()) > 4<<10 || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %.200v (%d bytes)", err, len(err.Error()))
			}
			if err := r.Verify(t.Context(), ref, fake+"000", gitops.SignatureRule{}); problem(t, err).Kind != gitops.Invalid {
				t.Errorf("its signature: %.200v", err)
			}
			if len(r.repos) > 0 {
				t.Error("something is remembered of it")
			}
		})
	}
}

// TestAnswersOfOneProjectAreBounded has a project name another revision each time.
func TestAnswersOfOneProjectAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	use := func(project, revision string) *answer {
		now = now.Add(time.Second)
		w := want{revision: revision}
		p.use(asked{"https://git.example.org/shared", project}, w)
		return p.answers[w]
	}
	good := &gitops.Snapshot{}
	use("red", "main").snap = good
	use("blue", "shared").err = gitops.Problemf(gitops.NotFound, "there is none")
	use("red", "shared")
	for i := range 3 * mostVain {
		use("red", strconv.Itoa(i)).err = gitops.Problemf(gitops.NotFound, "there is none")
	}
	if n := len(p.answers); n > mostVain+crowdEvery+2 {
		t.Errorf("%d answers are kept, want some %d", n, mostVain)
	}
	for revision, kept := range map[string]bool{"main": true, "shared": true, "0": false, strconv.Itoa(3*mostVain - 1): true} {
		if p.answers[want{revision: revision}] != nil != kept {
			t.Errorf("%s is kept: %t", revision, !kept)
		}
	}
	if got := p.answers[want{revision: "shared"}].projects(); !slices.Equal(got, []string{"blue"}) {
		t.Errorf("what another project asks for as well is of %v", got)
	}
	for i := range mostAnswers + crowdEvery {
		use("green", fmt.Sprint("green-", i)).snap = good
	}
	if n := len(p.answers); n > mostVain+mostAnswers+2*crowdEvery || p.answers[want{revision: "green-0"}] != nil {
		t.Errorf("%d answers are kept, all of which are good", n)
	}
	if p.answers[want{revision: "main"}] == nil {
		t.Error("another project's go for them")
	}
}

// TestRepositoriesOfOneProjectAreBounded has a project name another one each time,
// none of which answers.
func TestRepositoriesOfOneProjectAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	name := func(project string, i int) *repo {
		now = now.Add(time.Second)
		url := fmt.Sprintf("https://git.example.org/%s/%d", project, i)
		p, err := r.repo(gitops.SourceRef{RepoURL: url, Project: project})
		if err != nil {
			t.Fatal(err)
		}
		p.use(asked{url, project}, want{})
		p.asked = true
		return p
	}
	works, theirs := name("red", -1), name("blue", 0)
	works.reached = true
	for i := range 2 * mostVainRepos {
		name("red", i)
	}
	if n := len(r.repos); n > mostVainRepos+2 {
		t.Errorf("%d are kept, want %d", n, mostVainRepos+2)
	}
	if r.repos[works.key] != works || r.repos[theirs.key] != theirs {
		t.Error("one that answers, or is another project's, went for them")
	}
}

// TestWhatExpiresIsOneChange: who is told looks through all applications each time.
func TestWhatExpiresIsOneChange(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"b", "a", "c"} {
		p.use(asked{"https://git.example.org/shared", "red"}, want{revision: revision})
	}
	p.use(asked{"https://git.example.org/shared", "blue"}, want{revision: "a"})
	now = now.Add(keepUnused)
	p.expire()
	got, _ := r.news.next()
	if diff := cmp.Diff(gitops.RepoChange{RepoURLs: []string{"https://git.example.org/shared"}, Revisions: []string{"a", "b", "c"}}, got); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
	if more, ok := r.news.next(); ok {
		t.Errorf("something is told besides: %v", more)
	}
}

// TestErrorsAreToldByWhatIsWrong: names to suggest come and go with every branch, and
// what is remembered of an error is short.
func TestErrorsAreToldByWhatIsWrong(t *testing.T) {
	one, other := gitops.Problemf(gitops.NotFound, "no branch x").Do("set it to main"), gitops.Problemf(gitops.NotFound, "no branch x").Do("set it to next")
	if identity(nil, one) != identity(nil, other) {
		t.Error("another suggestion is another answer")
	}
	if identity(nil, one) == identity(nil, gitops.Problemf(gitops.NotFound, "no branch y")) || identity(nil, one) == identity(nil, gitops.Problemf(gitops.Unreachable, "no branch x")) {
		t.Error("another error is the same answer")
	}
	if n := len(identity(nil, gitops.Problemf(gitops.NotFound, "%s", strings.Repeat("x", 1<<20)))); n > 100 {
		t.Errorf("%d bytes are remembered", n)
	}
}
