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
		p.use(asked{"git.example.org/shared", project}, w)
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

// TestSpellingsAreOneUser has a project write one address in ever other ways: it is
// known once, and told of once.
func TestSpellingsAreOneUser(t *testing.T) {
	r := newRegistry(t, Options{})
	const host = "git.example.org"
	var p *repo
	for i := range 1 << 10 {
		ref := gitops.SourceRef{RepoURL: "https://" + capitals(host, i) + "/shared" + strings.Repeat("/", i%3), Project: "red"}
		at, err := r.repo(ref)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			p = at
		}
		if p != at {
			t.Fatalf("%s is another repository", ref.RepoURL)
		}
		p.use(askedBy(ref), want{})
	}
	if n := len(p.answers[want{}].users); n != 1 {
		t.Errorf("%d users are kept of one project", n)
	}
	change := p.everything()
	if !slices.Equal(change.Repos, []string{host + "/shared"}) || !change.Concerns(askedBy(gitops.SourceRef{RepoURL: "https://GIT.example.org/shared.git"}).name, "main") {
		t.Errorf("what is told: %v", change)
	}
}

// TestSpellingsOfOneRepositoryAreFew has a project write one repository in ever other
// ways, which a host may tell apart: a few are read, and who is told too many reads
// those on. What another project or another repository has makes no difference.
func TestSpellingsOfOneRepositoryAreFew(t *testing.T) {
	now := time.Now()
	r := newRegistry(t, Options{Credentials: known(Credential{}), Clock: func() time.Time { return now }})
	read := func(project, url string) error {
		ref := gitops.SourceRef{RepoURL: url, Project: project}
		p, err := r.repo(ref)
		if err == nil {
			p.use(askedBy(ref), want{})
		}
		return err
	}
	const host = "https://git.example.org"
	refused := 0
	for i := range 1 << 10 {
		for _, path := range []string{"/%73", "/s"} {
			if err := read("red", host+"/org"+path+capitals("hared", i)); err != nil {
				refused++
			}
		}
	}
	if n := len(r.repos); n != mostSpellings || refused != 1<<11-mostSpellings<<5 {
		t.Errorf("%d repositories are read, and %d times none", n, refused)
	}
	p := problem(t, read("red", host+"/org/shared.git"))
	if p.Kind != gitops.NotReady || !strings.Contains(p.Fix, host+"/org/shared:") {
		t.Errorf("what is told, and tried again: %v, %s", p, p.Fix)
	}
	for url, project := range map[string]string{host + "/org/shared": "red", host + "/org//shared": "blue", host + "/org/other": "red"} {
		if err := read(project, url); err != nil {
			t.Errorf("%s of %s: %v", url, project, err)
		}
	}
	for i := range 2 * mostSpellings {
		if err := read("", host+"/org/"+capitals("shared", i)); err != nil {
			t.Errorf("sets of several teams read for no project: %v", err)
		}
		if err := read("green", fmt.Sprintf("https://u%d@git.example.org/org/shared", i)); err != nil {
			t.Errorf("a user in it makes no clone: %v", err)
		}
		if err := read("green", fmt.Sprintf("u%d@git.example.org:org/shared", i)); err != nil {
			t.Errorf("a user of ssh has a repository of their own: %v", err)
		}
	}
	now = now.Add(keepUnused + time.Minute)
	r.expire()
	if err := read("red", host+"/org/shared.git"); err != nil {
		t.Errorf("the others are not asked for any more: %v", err)
	}
}

// capitals has the letters of a text in capitals whose bits are set.
func capitals(text string, bits int) string {
	out := []byte(text)
	for i := range out {
		if bits>>i&1 == 1 {
			out[i] = strings.ToUpper(text[i : i+1])[0]
		}
	}
	return string(out)
}

// TestNamesOfOneAnswerAreBounded has a project ask for the same by ever other
// names, as where a server sends on from each.
func TestNamesOfOneAnswerAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	p.use(asked{"git.example.org/shared", "blue"}, want{})
	for i := range mostAnswers + 2*crowdEvery {
		now = now.Add(time.Second)
		p.use(asked{fmt.Sprint("git.example.org/", i), "red"}, want{})
	}
	a := p.answers[want{}]
	if n := len(a.users); n > mostAnswers+crowdEvery+1 {
		t.Errorf("%d users are kept", n)
	}
	if _, is := a.users[asked{"git.example.org/shared", "blue"}]; !is || len(a.projects()) != 2 {
		t.Errorf("another project's goes for them: %v", a.projects())
	}
}

// TestRepositoriesOfOneProjectAreBounded has a project name another one each time,
// whoever else does, and whether it answers or not.
func TestRepositoriesOfOneProjectAreBounded(t *testing.T) {
	cases := map[string]struct {
		reason   string
		projects []string
		answers  bool
		most     int
	}{
		"Vain":    {"those that never answered", []string{"red"}, false, mostVainRepos},
		"Shared":  {"another project that names them too makes no difference", []string{"red", "green"}, false, mostVainRepos},
		"Answers": {"those that answer are a burden, too", []string{"red", "green"}, true, mostRepos},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(0, 0)
			r := newRegistry(t, Options{Clock: func() time.Time { return now }})
			use := func(i string, answers bool, projects ...string) *repo {
				now = now.Add(time.Second)
				var p *repo
				for _, project := range projects {
					ref := gitops.SourceRef{RepoURL: "https://git.example.org/" + i, Project: project}
					at, err := r.repo(ref)
					if err != nil {
						t.Fatal(err)
					}
					at.use(askedBy(ref), want{})
					p = at
				}
				p.asked, p.reached = true, answers
				return p
			}
			works, theirs := use("works", true, "red"), use("theirs", false, "blue")
			for i := range c.most + 2*crowdEvery {
				if c.answers && i%crowdEvery == 0 {
					use("works", true, "red")
				}
				use(strconv.Itoa(i), c.answers, c.projects...)
			}
			if n := len(r.repos); n > c.most+crowdEvery+2 {
				t.Errorf("%s: %d are kept, want %d", c.reason, n, c.most)
			}
			if r.repos[works.key] != works || r.repos[theirs.key] != theirs {
				t.Errorf("%s: one that answers and is asked for, or is another project's, went for them", c.reason)
			}
		})
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
		p.use(asked{"git.example.org/shared", "red"}, want{revision: revision})
	}
	p.use(asked{"git.example.org/shared", "blue"}, want{revision: "a"})
	now = now.Add(keepUnused)
	p.expire()
	got, _ := r.news.next()
	if diff := cmp.Diff(gitops.RepoChange{Repos: []string{"git.example.org/shared"}, Revisions: []string{"a", "b", "c"}}, got); diff != "" {
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
