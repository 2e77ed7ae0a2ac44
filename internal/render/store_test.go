package render_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/disk"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// process is a Renderer as a new process has it.
func process(o render.Options) *render.Renderer {
	return render.New(o, directory.Renderer{}, helm.New(helm.Options{}), kustomize.New(kustomize.Options{}))
}

// TestStore tells that a second process renders nothing that the first one
// did, for each of several branches.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	files := monorepo()
	branches := []*gitops.Snapshot{
		treetest.Snapshot(repo, rev1, files),
		treetest.Snapshot(repo, rev2, files.With("plain/a.yaml", configMap("a", "2"))),
		treetest.Snapshot(repo, strings.Repeat("3", 40), files.With("plain/a.yaml", "apiVersion: v1\nkind: X\nmetadata: {\n")),
	}
	app := application("one", at("plain"), helmAt("web", "../values/dev.yaml"), at("overlay"))
	var first []string
	for round := range 3 {
		for i, s := range branches {
			r := process(render.Options{Store: disk.Open(dir, 0, nil)})
			in := render.Input{App: app, Snapshots: []*gitops.Snapshot{s, s, s}}
			if known := r.Known(t.Context(), in); known != (round > 0) {
				t.Errorf("round %d, branch %d: known is %v", round, i, known)
			}
			got, err := r.Application(t.Context(), in)
			text := describe(got, err)
			if round == 0 {
				first = append(first, text)
			}
			if d := cmp.Diff(first[i], text); d != "" {
				t.Errorf("round %d, branch %d: %s", round, i, d)
			}
			stats := r.Stats()
			if loaded := uint64(min(round, 1)); stats.Loaded != loaded || stats.Rendered != 1-loaded {
				t.Errorf("round %d, branch %d: %+v", round, i, stats)
			}
		}
	}
}

// describe is all of a rendering that must not differ when it is reused.
func describe(r *gitops.Rendering, err error) string {
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Digest, r.Types, r.Revisions, r.Warnings)
	for _, m := range r.Manifests {
		text, err := m.Object.MarshalJSON()
		fmt.Fprintln(&b, m.Origin, m.Origin.Revision, string(text), err)
	}
	return b.String()
}

// seals opens files that begin with "sealed" when it has the key.
type seals struct{ key bool }

func (s seals) Decrypt(_ context.Context, _ string, text []byte) ([]byte, *record.Encryption, error) {
	rest, ok := strings.CutPrefix(string(text), "# sealed\n")
	if !ok {
		return text, nil, nil
	}
	if !s.key {
		return text, &record.Encryption{Recipients: []string{"age1"}}, nil
	}
	return []byte(rest), &record.Encryption{Opened: true}, nil
}

// TestNeverStored tells what no other process may or can use.
func TestNeverStored(t *testing.T) {
	sealed := monorepo().With("plain/a.yaml", "# sealed\n"+configMap("a", "1"))
	address := "https://user:hunter2@git.example.com/org/repo"
	secret := at("plain")
	secret.RepoURL = address
	cases := map[string]struct {
		reason string
		first  render.Options
		second render.Options
		snap   *gitops.Snapshot
		want   uint64 // loaded
	}{
		"Plain":      {reason: "nothing special", snap: treetest.Snapshot(repo, rev1, monorepo()), want: 1},
		"Secret":     {reason: "what was encrypted", first: render.Options{Decrypt: seals{true}}, snap: treetest.Snapshot(repo, rev1, sealed)},
		"Sealed":     {reason: "what another process may decrypt", first: render.Options{Decrypt: seals{}}, second: render.Options{Decrypt: seals{true}}, snap: treetest.Snapshot(repo, rev1, sealed)},
		"Password":   {reason: "an address with a password", snap: treetest.Snapshot(address, rev1, monorepo())},
		"OtherSet":   {reason: "renderers that are set up otherwise", second: render.Options{Setup: "other"}, snap: treetest.Snapshot(repo, rev1, monorepo())},
		"OtherSize":  {reason: "other limits", second: render.Options{Limits: render.Limits{Objects: 5}}, snap: treetest.Snapshot(repo, rev1, monorepo())},
		"OtherBytes": {reason: "other limits of what is read", second: render.Options{Limits: render.Limits{Bytes: 1 << 20}}, snap: treetest.Snapshot(repo, rev1, monorepo())},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			store := disk.Open(t.TempDir(), 0, nil)
			tc.first.Store, tc.second.Store = store, store
			in := render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{tc.snap}}
			if _, err := process(tc.first).Application(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			second := process(tc.second)
			if _, err := second.Application(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if got := second.Stats().Loaded; got != tc.want {
				t.Errorf("%s: loaded %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// broken is a Store with something else in it.
type broken struct{ saved int }

func (b *broken) Load([32]byte) [][]byte {
	return [][]byte{nil, []byte("x"), []byte(strings.Repeat("\xff", 99))}
}
func (b *broken) Save([32]byte, []byte) { b.saved++ }

func TestBrokenStore(t *testing.T) {
	store := &broken{}
	r := process(render.Options{Store: store})
	look(t, r, application("one", at("plain")), treetest.Snapshot(repo, rev1, monorepo()), gitops.Facts{})
	if s := r.Stats(); s.Rendered != 1 || store.saved != 1 {
		t.Errorf("%+v, saved %d", s, store.saved)
	}
}

// TestForgetStored tells that a hard refresh renders although the store has it.
func TestForgetStored(t *testing.T) {
	r := process(render.Options{Store: disk.Open(t.TempDir(), 0, nil)})
	app, s := application("one", at("plain")), treetest.Snapshot(repo, rev1, monorepo())
	for i := range 3 {
		if got := look(t, r, app, s, gitops.Facts{}); got.Reused {
			t.Errorf("look %d is reused", i)
		}
		r.Forget(app.Namespace, app.Name)
	}
	look(t, r, app, s, gitops.Facts{})
	if got := look(t, r, app, s, gitops.Facts{}); !got.Reused {
		t.Error("after that it is reused again")
	}
}

// elsewhere answers references with snapshots, or with an error.
type elsewhere map[string]*gitops.Snapshot

func (e elsewhere) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	s, ok := e[ref.RepoURL]
	switch {
	case !ok:
		return nil, gitops.Problemf(gitops.NotFound, "%s is not there", ref.RepoURL)
	case s == nil:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := *s
	out.Ref = ref
	return &out, nil
}

// denied refuses what answers.
type denied struct{ elsewhere }

func (d denied) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	return nil, gitops.Problemf(gitops.Forbidden, "%s is denied", ref.RepoURL)
}

// TestDeniedRemote takes a base away from a project that was rendered before:
// what was read of it does not stay, and comes back with the permission.
func TestDeniedRemote(t *testing.T) {
	from := elsewhere{base: treetest.Snapshot(base, rev1, treetest.Files{"a": "1"})}
	for _, stored := range []bool{false, true} {
		o := render.Options{Store: disk.Open(t.TempDir(), 0, nil)}
		r := render.New(o, reader{base})
		in := render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, monorepo())}, Remotes: from}
		if _, err := r.Application(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if stored {
			r = render.New(o, reader{base})
		}
		in.Remotes = denied{from}
		var p *gitops.Problem
		if got, err := r.Application(t.Context(), in); !errors.As(err, &p) || p.Kind != gitops.Forbidden {
			t.Errorf("stored %t: a base that is denied stays: %v, %v", stored, got, err)
		}
		if digest, ok := r.Digest(t.Context(), in); ok {
			t.Errorf("stored %t: %s is kept of it", stored, digest)
		}
		in.Remotes = from
		if got, err := r.Application(t.Context(), in); err != nil || !got.Reused {
			t.Errorf("stored %t: it does not come back: %v, %v", stored, got, err)
		}
	}
}

// reader renders one object from a file of each of its remotes.
type reader []string

func (reader) Type() gitops.SourceType { return gitops.SourceDirectory }

func (r reader) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	var out []gitops.Manifest
	for _, url := range r {
		tree, err := s.Remote.Tree(ctx, gitops.SourceRef{RepoURL: url, Revision: "main"})
		if err != nil {
			return nil, err
		}
		data, err := tree.ReadFile("a")
		if err != nil {
			return nil, err
		}
		out = append(out, gitops.Manifest{
			Object: &unstructured.Unstructured{Object: map[string]any{"kind": "A", "data": string(data)}}, Origin: tree.Where("a", 1),
		})
	}
	return out, nil
}

const base = "https://git.example.com/org/base"

// TestRemotes tells which changes elsewhere render an application again.
func TestRemotes(t *testing.T) {
	defer render.SetRemotePatience(10 * time.Millisecond)()
	at1 := treetest.Snapshot(base, rev1, treetest.Files{"a": "1", "b": "1"})
	unread := treetest.Snapshot(base, rev2, treetest.Files{"a": "1", "b": "2"})
	read := treetest.Snapshot(base, rev2, treetest.Files{"a": "2", "b": "1"})
	cases := map[string]struct {
		reason        string
		before, after *gitops.Snapshot // nil: does not answer
		gone          bool             // before: is not there
		reused        bool
		revision      string // of the manifest's origin
	}{
		"Same":   {reason: "nothing changed", before: at1, after: at1, reused: true, revision: rev1},
		"Unread": {reason: "a file that was not read", before: at1, after: unread, reused: true, revision: rev2},
		"Read":   {reason: "a file that was read", before: at1, after: read, revision: rev2},
		"Hangs":  {reason: "it does not answer now", before: at1, after: nil, reused: true, revision: rev1},
		"Came":   {reason: "it was not there, and is now", gone: true, after: at1, revision: rev1},
	}
	for name, tc := range cases {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stored=%v", name, stored), func(t *testing.T) {
				from := elsewhere{base: tc.before}
				if tc.gone {
					delete(from, base)
				}
				o := render.Options{Remotes: from, Store: disk.Open(t.TempDir(), 0, nil)}
				r := render.New(o, reader{base})
				in := render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, monorepo())}}
				for range 2 {
					if _, err := r.Application(t.Context(), in); (err != nil) != tc.gone {
						t.Fatal(err)
					}
				}
				if s := r.Stats(); s.Rendered != 1 || s.Reused != 1 {
					t.Errorf("%s: also a failure is kept: %+v", tc.reason, s)
				}
				if stored {
					r = render.New(o, reader{base})
				}
				from[base] = tc.after
				got, err := r.Application(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				if got.Reused != tc.reused || got.Manifests[0].Origin.Revision != tc.revision || len(got.Remotes) != 1 {
					t.Errorf("%s: reused %v at %s", tc.reason, got.Reused, got.Manifests[0].Origin.Revision)
				}
			})
		}
	}
}

func TestTooManyRemotes(t *testing.T) {
	from := elsewhere{}
	var all reader
	for i := range 3 {
		url := fmt.Sprintf("%s-%d", base, i)
		from[url] = treetest.Snapshot(url, rev1, treetest.Files{"a": "1"})
		all = append(all, url, url)
	}
	in := render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, monorepo())}}
	if _, err := render.New(render.Options{Remotes: from, Limits: render.Limits{Remotes: 3}}, all).Application(t.Context(), in); err != nil {
		t.Errorf("three places, each twice: %v", err)
	}
	_, err := render.New(render.Options{Remotes: from, Limits: render.Limits{Remotes: 2}}, all).Application(t.Context(), in)
	var p *gitops.Problem
	if !errors.As(err, &p) || !strings.Contains(p.What, "more than the limit of 2 places") {
		t.Errorf("got %v", err)
	}
}

// nested renders one object with lists in one another.
type nested int

func (nested) Type() gitops.SourceType { return gitops.SourceDirectory }

func (n nested) Render(_ context.Context, s *source.Source) ([]gitops.Manifest, error) {
	var inner any = "x"
	for range n {
		inner = []any{inner}
	}
	return []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{"kind": "A", "x": inner}}, Origin: s.Tree.Where("a", 0)}}, nil
}

// TestResultLimits tells of renders that give too much.
func TestResultLimits(t *testing.T) {
	many := monorepo().With("plain/b.yaml", configMap("b", "1")).With("plain/c.yaml", configMap("c", strings.Repeat("x", 500)))
	s := treetest.Snapshot(repo, rev1, many)
	cases := map[string]struct {
		reason string
		r      *render.Renderer
		want   string
	}{
		"Objects": {"too many objects", process(render.Options{Limits: render.Limits{Objects: 2}}), "3 objects, more than the limit of 2"},
		"Output":  {"too many bytes", process(render.Options{Limits: render.Limits{Output: 400}}), "more than 400 bytes"},
		"Depth":   {"an object that is nested too deep", render.New(render.Options{}, nested(100_000)), "levels deep"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := tc.r.Application(t.Context(), render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{s}})
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(p.What, tc.want) || p.Where.RepoURL != repo || p.Fix == "" {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
	if _, err := render.New(render.Options{}, nested(100)).Application(t.Context(), render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{s}}); err != nil {
		t.Errorf("what real objects have: %v", err)
	}
}
