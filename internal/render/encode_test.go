package render

import (
	"bytes"
	"io/fs"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// sample is an entry with something in every field.
func sample(t testing.TB) *entry {
	t.Helper()
	snap := treetest.Snapshot("https://h/repo", "1", treetest.Files{"a/b.yaml": "x", "c": "y"})
	tree := record.Wrap(t.Context(), snap, record.Limits{})
	_, _ = tree.ReadFile("a/b.yaml")
	_, _ = tree.ReadFile("missing")
	_, _ = tree.ReadDir("a")
	_, _ = tree.Digest("a")
	tree.Revision()
	facts := record.WrapFacts(gitops.Facts{KubeVersion: "1.34.0", APIVersions: []string{"v1"}})
	facts.KubeVersion()
	facts.APIVersions()
	facts.Has("v1")
	facts.Has("v2")
	where := gitops.Origin{Source: 0, RepoURL: "https://h/repo", Revision: "1", File: "a/b.yaml", Line: 7}
	e := &entry{
		key: [32]byte{1, 2, 3}, logs: []*record.Log{tree.Log("a")}, facts: facts.Log(),
		remotes: []remoteLog{
			{ref: gitops.SourceRef{RepoURL: "https://h/base", Revision: "v1", Project: "p"}, revision: "abc", log: tree.Log(".")},
			{ref: gitops.SourceRef{RepoURL: "https://h/gone", Chart: "c"}},
		},
		types: []gitops.SourceType{gitops.SourceHelm, ""}, revisions: []string{"1"},
		warnings:  []gitops.Warning{{Reason: "R", Message: "m", Origin: where}, {Reason: "R", Message: "and 7 more", More: 7}},
		manifests: []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{"kind": "A", "n": int64(1), "f": 1.5}}, Origin: where}},
	}
	if err := e.seal(defaults()); err != nil {
		t.Fatal(err)
	}
	return e
}

// defaults are the limits of a render.
func defaults() Limits { return Options{}.withDefaults().Limits }

func TestEncode(t *testing.T) {
	ok := sample(t)
	failed := sample(t)
	failed.err = &gitops.Problem{Kind: gitops.NotFound, What: "cannot find it", Where: ok.origins[0], Fix: "write it", Err: fs.ErrNotExist}
	failed.packed, failed.origins, failed.bytes = nil, nil, 0
	for name, e := range map[string]*entry{"Manifests": ok, "Problem": failed, "Empty": {key: [32]byte{9}}} {
		t.Run(name, func(t *testing.T) {
			text := encode(e)
			back, err := decode(text, defaults())
			if err != nil {
				t.Fatal(err)
			}
			if again := encode(back); !bytes.Equal(again, text) {
				t.Errorf("what is read is not what was written:\n%q\n%q", text, again)
			}
			for i := range text {
				if _, err := decode(text[:i], defaults()); err == nil {
					t.Errorf("%d of %d bytes are read as a whole", i, len(text))
				}
			}
		})
	}
	back, err := decode(encode(ok), defaults())
	if err != nil {
		t.Fatal(err)
	}
	full, err := back.unpacked()
	if err != nil || len(full.manifests) != 1 || full.manifests[0].Origin.Line != 7 || full.manifests[0].Object.Object["n"] != int64(1) {
		t.Errorf("got %+v, %v", full.manifests, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(sample(f)))
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, text []byte) {
		e, err := decode(text, defaults())
		if err != nil {
			return
		}
		// A broken entry may hold or not; it must not panic.
		snap := treetest.Snapshot("https://h/repo", "1", treetest.Files{"a": "x"})
		for _, l := range e.logs {
			l.Holds(snap)
		}
		_, _ = e.unpacked()
	})
}
