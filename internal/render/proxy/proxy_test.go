package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const repo, revision = "https://git.example.com/org/repo", "1111111111111111111111111111111111111111"

// elsewhere has one repository, and knows why it has no other.
type elsewhere struct{ tree gitops.Tree }

var errNoOther = &gitops.MissingSource{Ref: gitops.SourceRef{RepoURL: "other"}}

func (e elsewhere) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if ref.RepoURL != repo {
		return nil, &gitops.Problem{Kind: gitops.NotMirrored, What: "cannot read it", Fix: "mirror it", Err: errNoOther}
	}
	return &gitops.Snapshot{Ref: ref, Revision: revision, Tree: e.tree}, nil
}

// File implements Files.
func (elsewhere) File(_ context.Context, url string, rule source.Rule) ([]byte, error) {
	if len(rule.Schemes) != 1 {
		return nil, fmt.Errorf("%s: %w", url, fs.ErrNotExist)
	}
	return []byte(url + rule.Schemes[0]), nil
}

// programs print their job and the folder that it is for.
type programs struct{}

var errProgram = errors.New("it does not run")

// Run implements source.Programs.
func (programs) Run(_ context.Context, j source.Job) (source.Printed, error) {
	out := source.Printed{Warnings: []gitops.Warning{{Reason: "Left", Message: "a", Origin: j.Origin}}}
	if j.Finding {
		return out, fmt.Errorf("%w (%w)", errProgram, source.ErrPassing)
	}
	found, err := fs.ReadDir(j.Tree, j.Path)
	out.Output = fmt.Appendf(nil, "%s%d %v %v", j.Plugin, len(found), j.Roots, j.Env)
	return out, err
}

// pair is a Host and its Guest, which speak as over a pipe.
func pair(t *testing.T, files treetest.Files) (h *Host, g *Guest, asked *[]Call) {
	t.Helper()
	s := treetest.Snapshot(repo, revision, files)
	h = NewHost([]*gitops.Snapshot{s}, Engine{
		Rule:    source.Rule{Schemes: source.DefaultSchemes, Hosts: []string{"h"}, Project: "ours"},
		Remotes: elsewhere{s.Tree}, Files: elsewhere{}, Programs: programs{},
	})
	asked = &[]Call{}
	return h, NewGuest(func(c Call) (Reply, []byte, error) {
		*asked = append(*asked, c)
		var there Call
		onTheWay(t, c, &there)
		r, body := h.Answer(t.Context(), there)
		var back Reply
		onTheWay(t, r, &back)
		return back, body, nil
	}), asked
}

func onTheWay(t *testing.T, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func some() treetest.Files {
	return treetest.Files{
		"app/a.yaml": "a: 1\n", "app/templates/b.yaml": "b: 2\n", "app/large.txt": strings.Repeat("x", smallFile+1), "other/c.yaml": "c: 3\n",
	}
}

// TestTree: what a Guest reads of a tree is what the Host has.
func TestTree(t *testing.T) {
	h, g, _ := pair(t, some())
	tree := g.Open(h.Begin(), nil, nil)[0].Tree
	if err := fstest.TestFS(tree, "app/a.yaml", "app/templates/b.yaml", "other/c.yaml"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{".", "app", "app/a.yaml", "app/large.txt", "nothing", "app/a.yaml/x", "../out"} {
		want, wantErr := h.snapshots[0].Tree.Digest(name)
		if got, err := tree.Digest(name); got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) || errors.Is(err, fs.ErrNotExist) != errors.Is(wantErr, fs.ErrNotExist) {
			t.Errorf("digest of %s: %s, %v, want %s, %v", name, got, err, want, wantErr)
		}
		_, wantErr = h.snapshots[0].Tree.ReadFile(name)
		_, err := tree.ReadFile(name)
		var path, wantPath *fs.PathError
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || errors.As(err, &path) != errors.As(wantErr, &wantPath) {
			t.Errorf("%s: %v, want %v", name, err, wantErr)
		}
	}
	if h.Last().File != "../out" {
		t.Errorf("the last file is %v", h.Last())
	}
}

// TestForetold: a small folder is read without a question.
func TestForetold(t *testing.T) {
	h, g, asked := pair(t, some())
	known, texts := h.Foretell(t.Context(), 0, "app", []string{"Chart.yaml"})
	tree := g.Open(h.Begin(), known, texts)[0].Tree
	if _, err := tree.Stat("app/Chart.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	err := fs.WalkDir(tree, "app", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || name == "app/large.txt" {
			return err
		}
		if _, err := tree.Stat(name); err != nil {
			return err
		}
		text, err := tree.ReadFile(name)
		if string(text) != some()[name] {
			t.Errorf("%s has %q", name, text)
		}
		return err
	})
	if err != nil || len(*asked) != 0 {
		t.Errorf("%v; asked were %v", err, *asked)
	}
	again, err := tree.ReadFile("app/a.yaml")
	if err != nil || string(again) != "a: 1\n" || len(*asked) != 1 {
		t.Errorf("a file that is read again: %q, %v, %v", again, err, *asked)
	}
	if known, _ := h.Foretell(t.Context(), 0, "nothing", nil); len(known) != 3 {
		t.Errorf("of a folder that is not there: %v", known)
	}
}

// TestMuchIsNotForetold: a folder of many files is read as it is asked for.
func TestMuchIsNotForetold(t *testing.T) {
	files := treetest.Files{}
	for i := range maxForetold + 1 {
		files[fmt.Sprintf("app/%d/a.yaml", i)] = "a: 1\n"
	}
	h, _, _ := pair(t, files)
	known, texts := h.Foretell(t.Context(), 0, "app", nil)
	if len(texts) > 0 || len(known) > 4 {
		t.Errorf("%d answers with %d bytes", len(known), len(texts))
	}
	h, _, _ = pair(t, treetest.Files{"app/a": strings.Repeat("x", smallFile), "app/b": strings.Repeat("x", smallFile)})
	if _, texts := h.Foretell(t.Context(), 0, "app", nil); len(texts) < 2*smallFile {
		t.Errorf("%d bytes", len(texts))
	}
}

// TestErrorsComeBack: the causes of an error of the Host are found in that of the
// Guest, once it is back.
func TestErrorsComeBack(t *testing.T) {
	h, g, _ := pair(t, some())
	ref := gitops.SourceRef{RepoURL: "other", Project: "ours"}
	_, err := g.Snapshot(t.Context(), ref)
	if !gitops.IsProblem(err, gitops.NotMirrored) {
		t.Fatalf("there: %v", err)
	}
	far := &gitops.Problem{Kind: gitops.NotMirrored, What: "cannot render", Where: gitops.Origin{File: "a.yaml"}, Fix: "mirror it", Err: &gitops.FetchError{Ref: ref, Err: err}}
	var f Failure
	onTheWay(t, FailureOf(far), &f)
	back := h.Err(&f)
	var missing *gitops.MissingSource
	var fetch *gitops.FetchError
	if back.Error() != far.Error() || !errors.As(back, &missing) || missing != errNoOther || !errors.As(back, &fetch) || fetch.Ref != ref {
		t.Errorf("back: %v (%#v)", back, back)
	}
	for name, err := range map[string]error{
		"Nothing": nil,
		"Plain":   errors.New("plain"),
		"Passing": fmt.Errorf("it: %w", source.ErrPassing),
		"Inner":   fmt.Errorf("around: %w", gitops.Problemf(gitops.Forbidden, "no").Do("ask")),
		"Late":    fmt.Errorf("it: %w", context.DeadlineExceeded),
		"Path":    &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
	} {
		var f *Failure
		onTheWay(t, FailureOf(err), &f)
		back := h.Err(f)
		if fmt.Sprint(back) != fmt.Sprint(err) {
			t.Errorf("%s: %v, want %v", name, back, err)
		}
		for _, cause := range []error{source.ErrPassing, context.DeadlineExceeded, fs.ErrNotExist} {
			if errors.Is(back, cause) != errors.Is(err, cause) {
				t.Errorf("%s: %v is not as it was about %v", name, back, cause)
			}
		}
		if gitops.IsProblem(back, gitops.Forbidden) != gitops.IsProblem(err, gitops.Forbidden) {
			t.Errorf("%s: %v has another Problem", name, back)
		}
	}
}

// TestElsewhere reads what lies in no source.
func TestElsewhere(t *testing.T) {
	_, g, asked := pair(t, some())
	s, err := g.Snapshot(t.Context(), gitops.SourceRef{RepoURL: repo})
	if err != nil || s.Revision != revision {
		t.Fatalf("%v, %v", s, err)
	}
	if text, err := s.Tree.ReadFile("other/c.yaml"); string(text) != "c: 3\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := g.File(t.Context(), "https://h/x", source.Rule{Schemes: []string{"https"}}); string(text) != "https://h/xhttps" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := g.File(t.Context(), "https://h/x", source.Rule{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if len(*asked) != 4 {
		t.Errorf("asked were %v", *asked)
	}
}

// TestOddQuestions: a Host answers what nobody should ask.
func TestOddQuestions(t *testing.T) {
	h, _, _ := pair(t, some())
	for _, c := range []Call{{}, {Op: "Write"}, {Op: opReadFile, Tree: -1}, {Op: opReadFile, Tree: 7}, {Op: opSnapshot}, {Op: opFile, Name: "https://h"}} {
		if r, _ := h.Answer(t.Context(), c); r.Failure == nil {
			t.Errorf("%v has %v", c, r)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r, _ := h.Answer(ended, Call{Op: opStat, Name: "."}); r.Failure == nil || !r.Failure.Ended {
		t.Errorf("after the end: %v", r)
	}
}

// TestLongQuestions are asked of nobody, and answered by nobody.
func TestLongQuestions(t *testing.T) {
	h, g, asked := pair(t, some())
	long := strings.Repeat("<", 1<<20)
	tree := g.Open(h.Begin(), nil, nil)[0].Tree
	_, err := tree.ReadFile(long)
	if !errors.Is(err, fs.ErrNotExist) || len(err.Error()) > 1000 {
		t.Errorf("a name: %.200v", err)
	}
	if _, err := g.Snapshot(t.Context(), gitops.SourceRef{RepoURL: long}); err == nil || len(err.Error()) > 1000 {
		t.Errorf("a reference: %.200v", err)
	}
	if _, err := g.File(t.Context(), long, source.Rule{}); err == nil || len(err.Error()) > 1000 {
		t.Errorf("an address: %.200v", err)
	}
	if len(*asked) != 0 {
		t.Errorf("asked were %d", len(*asked))
	}
	for _, c := range []Call{{Op: opStat, Name: long}, {Op: opSnapshot, Ref: &gitops.SourceRef{Chart: long}}} {
		if r, _ := h.Answer(t.Context(), c); r.Failure == nil || len(r.Failure.Text) > 1000 {
			t.Errorf("%s: %.200v", c.Op, r)
		}
	}
	if f := FailureOf(errors.New(long)); len(f.Text) > 32<<10 {
		t.Errorf("an error of %d bytes", len(f.Text))
	}
}

// TestLongLists: what a folder lists is bounded where the Host lists it.
func TestLongLists(t *testing.T) {
	many := treetest.Files{}
	for i := range 70_000 {
		many[fmt.Sprintf("many/%s%d", strings.Repeat("<", 250), i)] = ""
	}
	for reason, files := range map[string]treetest.Files{
		"one name that is long": {"many/" + strings.Repeat("<", longestName+1): ""},
		"many names":            many,
	} {
		h, g, _ := pair(t, files)
		known, texts := h.Foretell(t.Context(), 0, "many", nil)
		if len(texts) > foretoldBytes || len(known) > 3 {
			t.Errorf("%s: %d answers with %d bytes", reason, len(known), len(texts))
		}
		_, err := g.Open(h.Begin(), known, texts)[0].Tree.ReadDir("many")
		if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "cannot list the folder many") {
			t.Errorf("%s: %.200v", reason, err)
		}
	}
	if _, ok := readList([]byte("xname\x00")); ok {
		t.Error("a kind that nobody wrote is read")
	}
}

// TestHostIsGone: once a Host does not answer, it is not asked again.
func TestHostIsGone(t *testing.T) {
	asked := 0
	g := NewGuest(func(Call) (Reply, []byte, error) {
		asked++
		return Reply{}, nil, io.EOF
	})
	for range 2 {
		if _, err := g.File(t.Context(), "https://h", source.Rule{}); !errors.Is(err, io.ErrUnexpectedEOF) || g.Broken() == nil {
			t.Errorf("got %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestPrograms: the engine runs what a worker asks it to, with its own tree.
func TestPrograms(t *testing.T) {
	h, g, asked := pair(t, some())
	tree := g.Open(h.Begin(), nil, nil)[0].Tree
	job := source.Job{Plugin: "p", Tree: tree, Path: "app", Roots: []string{"."}, Env: []string{"A=1"}}
	got, err := g.Run(t.Context(), job)
	want := gitops.Origin{RepoURL: repo, Revision: revision}
	if err != nil || string(got.Output) != "p3 [.] [A=1]" || len(got.Warnings) != 1 || got.Warnings[0].Origin != want {
		t.Errorf("got %q, %v, %v", got.Output, got.Warnings, err)
	}
	if !h.Elsewhere() || h.Last().File != "app" {
		t.Errorf("what a program prints depends on more than the sources, and %v is where it ran", h.Last())
	}
	job.Finding = true
	got, err = g.Run(t.Context(), job)
	if !errors.Is(err, source.ErrPassing) || len(got.Warnings) != 1 || !errors.Is(h.Err(FailureOf(err)), errProgram) {
		t.Errorf("got %v, %v", got.Warnings, err)
	}
	before := len(*asked)
	job.Path = "../app"
	if _, err := g.Run(t.Context(), job); err == nil || len(*asked) != before {
		t.Errorf("a path that leads out of the repository: %v", err)
	}
	job.Path, job.Tree = "app", h.snapshots[0].Tree
	if _, err := g.Run(t.Context(), job); !errors.Is(err, errTree) {
		t.Errorf("a tree that is not the engine's: %v", err)
	}
}

// asked remembers for whom it is asked.
type asked struct {
	ref  gitops.SourceRef
	rule source.Rule
}

func (a *asked) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	a.ref = ref
	return nil, fs.ErrNotExist
}

func (a *asked) File(_ context.Context, _ string, rule source.Rule) ([]byte, error) {
	a.rule = rule
	return nil, fs.ErrNotExist
}

// TestWhoAsksIsKnown: what is read elsewhere is read for the project that the render is
// of, and by the installation's rule, whatever a worker says.
func TestWhoAsksIsKnown(t *testing.T) {
	a := &asked{}
	h := NewHost(nil, Engine{Rule: source.Rule{Schemes: source.DefaultSchemes, Hosts: []string{"*.example.com"}, Project: "ours"}, Remotes: a, Files: a})
	h.Answer(t.Context(), Call{Op: opSnapshot, Ref: &gitops.SourceRef{RepoURL: repo, Project: "theirs", PassCredentials: true, Anonymous: true}})
	if want := (gitops.SourceRef{RepoURL: repo, Project: "ours"}); a.ref != want {
		t.Errorf("read is %+v, want %+v", a.ref, want)
	}
	h.Answer(t.Context(), Call{Op: opFile, Name: "https://10.0.0.1/x", Rule: &source.Rule{Schemes: []string{"https", "file"}, Hosts: []string{"**"}, Project: "theirs"}})
	if diff := cmp.Diff(source.Rule{Schemes: []string{"https"}, Hosts: []string{"*.example.com"}, Project: "ours"}, a.rule); diff != "" {
		t.Errorf("the rule (-want +got):\n%s", diff)
	}
}

// TestOddAnswers: a Guest takes nothing for an answer that is none.
func TestOddAnswers(t *testing.T) {
	answer := []byte("what is no list")
	g := NewGuest(func(Call) (Reply, []byte, error) { return Reply{}, answer, nil })
	tree := g.Open([]Snapshot{{}}, nil, nil)[0].Tree
	for name, ask := range map[string]func() error{
		"Stat":     func() error { _, err := tree.Stat("a"); return err },
		"Open":     func() error { _, err := tree.Open("a"); return err },
		"ReadDir":  func() error { _, err := tree.ReadDir("a"); return err },
		"Snapshot": func() error { _, err := g.Snapshot(t.Context(), gitops.SourceRef{RepoURL: repo}); return err },
	} {
		if err := ask(); !errors.Is(err, errReply) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if g.Broken() != nil {
		t.Errorf("the Host can be asked on: %v", g.Broken())
	}
}

// TestToldAnswers: what comes with a task may be of any length, as it is written.
func TestToldAnswers(t *testing.T) {
	asked := 0
	g := NewGuest(func(c Call) (Reply, []byte, error) {
		asked++
		return Reply{}, []byte("asked " + c.Name), nil
	})
	file := func(name string, length int) Known {
		return Known{Call: Call{Op: opReadFile, Name: name}, Length: length}
	}
	tree := g.Open([]Snapshot{{}}, []Known{file("a", 2), file("negative", -1), file("b", 3), file("long", 1<<40)}, []byte("aabbbc"))[0].Tree
	for name, want := range map[string]string{"a": "aa", "negative": "", "b": "bbb", "long": "c", "other": "asked other"} {
		if got, err := tree.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if got, err := tree.ReadFile("a"); err != nil || string(got) != "asked a" || asked != 2 {
		t.Errorf("a text is given once: %q, %v after %d questions", got, err, asked)
	}
	tree = g.Open([]Snapshot{{}}, nil, nil)[0].Tree
	if got, err := tree.ReadFile("b"); err != nil || string(got) != "asked b" {
		t.Errorf("what another task was told: %q, %v", got, err)
	}
}

// TestTextsOfListsStay as they are, whatever a file is called.
func TestTextsOfListsStay(t *testing.T) {
	files := treetest.Files{"d/plain": "", "d/é \n": "", "d/sub/x": ""}
	h, g, _ := pair(t, files)
	entries, err := g.Open(h.Begin(), nil, nil)[0].Tree.ReadDir("d")
	got := map[string]bool{}
	for _, e := range entries {
		got[e.Name()] = e.IsDir()
	}
	if diff := cmp.Diff(map[string]bool{"plain": false, "é \n": false, "sub": true}, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for _, broken := range []string{"f", "fname", "f\x00", "fa\x00d", "za\x00"} {
		if got, ok := readList([]byte(broken)); ok {
			t.Errorf("%q is read as %v", broken, got)
		}
	}
}
