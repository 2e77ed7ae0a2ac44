package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/test/await"
)

var anyHash = strings.Repeat("ab", 20)

// listed is a listing of what a server writes.
func listed(t testing.TB, texts ...string) (*refs, error) {
	t.Helper()
	l, err := newStore(t).command.newListing()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := l.Write([]byte(text)); err != nil {
			break
		}
	}
	return l.end()
}

// branches are lines of so many branches.
func branches(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s\trefs/heads/%d\n", anyHash, i)
	}
	return b.String()
}

// TestListingsAreBounded refuses repositories with more references than any has,
// with an error that says what to do.
func TestListingsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 4000)
	for name, c := range map[string]struct {
		reason string
		texts  []string
		want   string
	}{
		"Real":   {"100,000 pull requests are none too many", []string{branches(1000), strings.ReplaceAll(branches(100_000), "heads/", "pull/9/")}, ""},
		"Number": {"more than anybody needs", slices.Repeat([]string{branches(10_000)}, maxRefs/10_000+1), "1000000 references"},
		"Bytes":  {"few with long names", slices.Repeat([]string{anyHash + "\trefs/heads/" + long + "\n"}, maxListing/4000), "64 MiB"},
		"Line":   {"a line without end", slices.Repeat([]string{long}, 10), "8192 characters"},
		"Noise":  {"what are no references", slices.Repeat([]string{long + "\n"}, maxListing/4000+1), "64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := listed(t, c.texts...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("%s: got %v, want %q", c.reason, err, c.want)
			}
			var p *gitops.Problem
			if err != nil && (!errors.As(err, &p) || p.Kind != gitops.Invalid || p.Fix == "") {
				t.Errorf("%s: it does not say what to do: %v", c.reason, err)
			}
		})
	}
}

// TestListingsTakeNoMemory keeps nothing in memory of very many references.
func TestListingsTakeNoMemory(t *testing.T) {
	text := branches(200_000)
	before := heap()
	var all []*refs
	for range 10 {
		r, err := listed(t, text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if after := heap(); after > before+(8<<20) {
		t.Errorf("ten listings of %d MiB take %d MiB", len(text)>>20, (after-before)>>20)
	}
	if got, err := (search{refs: all[9]}).find(t.Context(), "199999"); err != nil || got.hash != anyHash {
		t.Errorf("got %v, %v", got, err)
	}
	runtime.KeepAlive(text)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestListingsEnd has no search through a listing go on for nobody.
func TestListingsEnd(t *testing.T) {
	r, err := listed(t, branches(10))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := &View{refs: r, gaps: &gaps{}, desk: unasked}
	for what, ask := range map[string]func() error{
		"branch":  func() error { _, _, err := v.resolve(ctx, "1"); return err },
		"range":   func() error { _, _, err := v.resolve(ctx, "1.x"); return err },
		"HEAD":    func() error { _, _, err := v.resolve(ctx, ""); return err },
		"commit":  func() error { _, _, err := v.resolve(ctx, "abababa"); return err },
		"missing": func() error { return v.missing(ctx, "x") },
		"named":   func() error { _, err := v.Named(ctx, "x"); return err },
	} {
		if err := ask(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// TestSuggestionsAreBounded looks for names that are alike among some alone.
func TestSuggestionsAreBounded(t *testing.T) {
	r, err := listed(t, branches(3*suggested), strings.ReplaceAll(branches(3*suggested), "heads", "tags"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := search{refs: r}.near(t.Context())
	if err != nil || len(n.branches) != suggested || len(n.tags) != suggested {
		t.Errorf("%d branches and %d tags, %v", len(n.branches), len(n.tags), err)
	}
}

// TestManyBranchesAreNotFetched does not fetch a hundred thousand branches for
// one commit.
func TestManyBranchesAreNotFetched(t *testing.T) {
	r, err := listed(t, branches(maxNamed+1))
	if err != nil {
		t.Fatal(err)
	}
	err = (&View{refs: r, gaps: &gaps{}}).whole(t.Context())
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.NotFound || !strings.Contains(p.Fix, "whole hash") {
		t.Errorf("got %v", err)
	}
}

// TestListingFiles are there for as long as somebody reads them.
func TestListingFiles(t *testing.T) {
	c := newStore(t).command
	left := func() int {
		files, err := filepath.Glob(filepath.Join(c.home, listingName+"*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	l, err := c.newListing()
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.end()
	if err != nil || left() != 1 {
		t.Fatalf("%d files, %v", left(), err)
	}
	runtime.KeepAlive(r)
	await.Until(t, func(context.Context) error {
		runtime.GC()
		if n := left(); n > 0 {
			return fmt.Errorf("%d files are left that nobody reads", n)
		}
		return nil
	})
	if l, err = c.newListing(); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCommand(c.home, c.timeout); err != nil || left() != 0 {
		t.Errorf("another process leaves %d files, %v", left(), err)
	}
	_ = l.page.file.Close()
}

// TestLostListing looks again where somebody has cleared the cache.
func TestLostListing(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	v := look(t, r)
	if err := os.Remove(v.refs.path); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Snapshot(t.Context(), "main"); err == nil || !v.Stale() {
		t.Errorf("got %v", err)
	}
	snapshot(t, look(t, r), "main")
}

// TestLargeLooksAreWaitedForWithoutATurn has no server that others want to ask wait
// for the turn to look up a repository that lists much.
func TestLargeLooksAreWaitedForWithoutATurn(t *testing.T) {
	noProxies(t)
	text := bytes.ReplaceAll([]byte(branches(300_000)), []byte("heads/"), []byte("heads/x"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/info/refs") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	asking, large := 0, 0
	v, err := newRemote(t, server.URL+"/large", access.Credential{}).LookBy(t.Context(), Turns{
		Ask: func(context.Context) (func(), error) {
			asking++
			return func() { asking-- }, nil
		},
		Large: func(context.Context) (func(), error) {
			if asking > 0 {
				t.Error("it is waited for with a turn")
			}
			large++
			return func() {}, nil
		},
	})
	if err != nil || v.refs.count != 300_000 || large != 1 || asking != 0 {
		t.Errorf("%d turns of that kind, %d turns kept, %v", large, asking, err)
	}
}

// TestLargeLooksAreBrisk bounds what a server may have others wait.
func TestLargeLooksAreBrisk(t *testing.T) {
	r := newRemote(t, "https://git.example.org/a", access.Credential{})
	e := r.large(errand{})
	if e.within != largeWithin || !slices.Contains(e.env, "GIT_HTTP_LOW_SPEED_LIMIT=65536") || !slices.Contains(e.env, "GIT_HTTP_LOW_SPEED_TIME=20") {
		t.Errorf("a server may take its time: %+v", e)
	}
	in, out, err := os.Pipe() // which never says anything
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), out.Close() }()
	_, err = r.store.command.run(t.Context(), "", session{within: time.Millisecond}, in, "hash-object", "--stdin")
	var f *failure
	if !errors.As(err, &f) || f.timeout != time.Millisecond {
		t.Errorf("got %v", err)
	}
}

// TestLargeLook gives git more memory for a repository that lists much, and not
// without end.
func TestLargeLook(t *testing.T) {
	noProxies(t)
	text := []byte(branches(300_000))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/info/refs") {
			http.NotFound(w, r)
			return
		}
		for range map[bool]int{true: 8, false: 1}[strings.HasPrefix(r.URL.Path, "/huge")] {
			_, _ = w.Write(bytes.ReplaceAll(text, []byte("heads/"), []byte("heads/x")))
		}
	}))
	t.Cleanup(server.Close)
	if got := look(t, newRemote(t, server.URL+"/large", access.Credential{})).refs.count; got != 300_000 {
		t.Errorf("%d references", got)
	}
	huge := newRemote(t, server.URL+"/huge", access.Credential{})
	if _, err := huge.store.command.Probe(t.Context(), huge.at, open(access.Credential{}), time.Minute); !errors.Is(err, ErrMuch) {
		t.Errorf("to try it takes as much as to read it: %v", err)
	}
	_, err := huge.Look(t.Context())
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(p.What, "memory") {
		t.Errorf("got %v", err)
	}
}
