package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestSmallFilesComeAlong: what is read next is known without a question, as far as it is small and a file.
func TestSmallFilesComeAlong(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, file string
		questions    int
	}{
		"Empty":  {"a file without a text is one", "empty", 1},
		"Most":   {"as large as may come along", "most", 1},
		"Large":  {"one byte more", "large", 3},
		"Folder": {"a folder has no text", "folder", 3},
	} {
		t.Run(name, func(t *testing.T) {
			h, g, asked := pair(t, treetest.Files{"empty": "", "most": strings.Repeat("x", smallFile), "large": strings.Repeat("x", smallFile+1), "folder/a": "a"})
			tree := g.Open(h.Begin(), nil, nil)[0].Tree
			if _, err := tree.Stat(tc.file); err != nil {
				t.Fatal(err)
			}
			_, _ = tree.ReadFile(tc.file)
			_, _ = tree.Digest(tc.file)
			if len(*asked) != tc.questions {
				t.Errorf("%s: asked were %v", tc.reason, *asked)
			}
		})
	}
}

// TestTextsThatWaitAreBounded: files of which only the names are looked at do not fill a worker.
func TestTextsThatWaitAreBounded(t *testing.T) {
	files := treetest.Files{}
	const many = 2 * mostTexts / smallFile
	for i := range many {
		files[fmt.Sprintf("f%03d", i)] = strings.Repeat("x", smallFile)
	}
	h, g, _ := pair(t, files)
	tree := g.Open(h.Begin(), nil, nil)[0].Tree
	for i := range many {
		if _, err := tree.Stat(fmt.Sprintf("f%03d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if g.bytes != mostTexts {
		t.Errorf("%d bytes wait", g.bytes)
	}
	if text, err := tree.ReadFile("f000"); err != nil || len(text) != smallFile || g.bytes != mostTexts-smallFile {
		t.Errorf("%d bytes, %v; %d bytes wait after one was read", len(text), err, g.bytes)
	}
	if g.Open(h.Begin(), nil, nil); g.bytes != 0 {
		t.Errorf("%d bytes wait of another task", g.bytes)
	}
}

// late is elsewhere, and answers nothing once its time is over.
type late struct {
	elsewhere

	asked int
}

func (l *late) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	l.asked++
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.elsewhere.Snapshot(ctx, ref)
}

// TestAnswersThatAreKept: that something is not there is said again, but not that there was no time to look.
func TestAnswersThatAreKept(t *testing.T) {
	l := &late{}
	h := NewHost(nil, Engine{Remotes: l})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		reason  string
		ctx     context.Context //nolint:containedctx // of a row
		address string
		asked   int
		fails   bool
	}{
		{"no time to look", ended, repo, 1, true},
		{"there it is", t.Context(), repo, 2, false},
		{"known, also without any time", ended, repo, 2, false},
		{"not there", t.Context(), "other", 3, true},
		{"which is known", t.Context(), "other", 3, true},
	} {
		_, err := h.snapshot(tc.ctx, &gitops.SourceRef{RepoURL: tc.address})
		if (err != nil) != tc.fails || l.asked != tc.asked {
			t.Errorf("%s: %v, asked %d times", tc.reason, err, l.asked)
		}
	}
}

// TestManyPlacesAreRefused: a template that asks for ever more repositories ends, and those that it has stay.
func TestManyPlacesAreRefused(t *testing.T) {
	l := &late{}
	h := NewHost(nil, Engine{Remotes: l})
	for i := range maxSnapshots + 2 {
		_, _ = h.snapshot(t.Context(), &gitops.SourceRef{RepoURL: repo, Revision: strconv.Itoa(i)})
	}
	if _, err := h.snapshot(t.Context(), &gitops.SourceRef{RepoURL: "one more"}); !errors.Is(err, errTooMany) || l.asked != maxSnapshots {
		t.Errorf("%v, asked %d times", err, l.asked)
	}
	if s, err := h.snapshot(t.Context(), &gitops.SourceRef{RepoURL: repo, Revision: "7"}); err != nil || s.Tree != 7 {
		t.Errorf("%v, %v", s, err)
	}
}

// TestWhatWorkersMakeUp of an error changes nothing: places, references and kinds are the Host's, and a number that it gave
// to no error has no cause.
func TestWhatWorkersMakeUp(t *testing.T) {
	h, _, _ := pair(t, some())
	h.failure(errProgram)
	home := gitops.Origin{RepoURL: repo, Revision: revision}
	for name, tc := range map[string]struct {
		reason  string
		failure Failure
		text    string
		want    gitops.Problem
	}{
		"Told":  {"an error that nobody told it", Failure{Text: "a", Told: 7}, "a", gitops.Problem{}},
		"Minus": {"one before the first", Failure{Text: "a", Told: -1}, "a", gitops.Problem{}},
		"Ref":   {"a reference that it did not ask for", Failure{Text: "a", Ref: &gitops.SourceRef{RepoURL: "https://h/other"}}, "a", gitops.Problem{}},
		"Kind":  {"a kind that there is not", Failure{Problem: &problem{Kind: 99, What: "w"}}, "", gitops.Problem{Kind: gitops.Invalid, What: "w"}},
		"Below": {"one below all", Failure{Problem: &problem{Kind: -1, What: "w"}}, "", gitops.Problem{Kind: gitops.Invalid, What: "w"}},
		"Place": {"a place that it was not given", Failure{Problem: &problem{Kind: gitops.Forbidden, What: "w", Where: gitops.Origin{RepoURL: "https://h/other", File: "a"}}}, "", gitops.Problem{Kind: gitops.Forbidden, What: "w", Where: home}},
	} {
		t.Run(name, func(t *testing.T) {
			err := h.Err(&tc.failure)
			var fetch *gitops.FetchError
			if errors.As(err, &fetch) || errors.Is(err, errProgram) || tc.text != "" && err.Error() != tc.text {
				t.Errorf("%s: %v", tc.reason, err)
			}
			var p *gitops.Problem
			if errors.As(err, &p) != (tc.want.What != "") || p != nil && (p.Kind != tc.want.Kind || p.What != tc.want.What || p.Where != tc.want.Where) {
				t.Errorf("%s: %+v, want %+v", tc.reason, p, tc.want)
			}
		})
	}
	if h.Err(nil) != nil || (*Failure)(nil).told() != nil {
		t.Error("no failure is an error")
	}
}

// TestEnginesWithoutAnything answer nothing beyond the sources, and each says what it does not do.
func TestEnginesWithoutAnything(t *testing.T) {
	h := NewHost([]*gitops.Snapshot{treetest.Snapshot(repo, revision, some())}, Engine{})
	for says, c := range map[string]Call{
		"nothing is read from elsewhere here":     {Op: opSnapshot, Ref: &gitops.SourceRef{RepoURL: repo}},
		"no files are read by their address here": {Op: opFile, Name: "https://h/x", Rule: &source.Rule{}},
		"no programs are run here":                {Op: opRun, Job: &source.Job{Plugin: "p", Path: "app"}},
		"no tree has the number 1":                {Op: opStat, Tree: 1, Name: "."},
		`nothing is known of "Remove"`:            {Op: "Remove", Name: "."},
		"the name has more than 4096 bytes":       {Op: opDigest, Name: strings.Repeat("a", longestName+1)},
		"open " + strings.Repeat("a", 64):         {Op: opStat, Name: strings.Repeat("a", longestName+1)},
		"open none: file does not exist":          {Op: opReadFile, Name: "none"},
	} {
		r, body := h.Answer(t.Context(), c)
		if r.Failure == nil || body != nil || !strings.Contains(r.Failure.Text, says) {
			t.Errorf("it says %+v, want %q", r.Failure, says)
		}
	}
	if h.Elsewhere() {
		t.Error("something lies elsewhere")
	}
}

// TestOpenFoldersAreReadInParts, as the library's own are, and are no files.
func TestOpenFoldersAreReadInParts(t *testing.T) {
	h, g, _ := pair(t, treetest.Files{"d/a": "1", "d/b": "2", "d/c/x": "3"})
	tree := g.Open(h.Begin(), nil, nil)[0].Tree
	open, err := tree.Open("d")
	if err != nil {
		t.Fatal(err)
	}
	dir, ok := open.(fs.ReadDirFile)
	if !ok {
		t.Fatalf("it is a %T", open)
	}
	var got []string
	for {
		entries, err := dir.ReadDir(2)
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if rest, err := dir.ReadDir(-1); len(rest) != 0 || err != nil {
		t.Errorf("behind the end are %v, %v", rest, err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := io.ReadAll(open); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("its text: %v", err)
	}
	if _, err := tree.Open("d/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}
