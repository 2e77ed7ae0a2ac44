package object

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Every manifest of the public repositories is like itself, and comes and
// goes without a crash.
func TestCorpus(t *testing.T) {
	const corpus = "../../../../shared/corpus"
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the public repositories are not here: ", corpus)
	}
	n := 0
	err := filepath.WalkDir(corpus, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || (filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml") || strings.Contains(name, "/templates/") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil //nolint:nilerr // links to nowhere are part of the corpus
		}
		all, again := objects(text), objects(text)
		n += len(all)
		if got := Compare(all, again, Options{}); len(got.Objects) > 0 {
			t.Errorf("%s differs from itself: %v", name, told(got))
		}
		Compare(nil, all, Options{Namespace: "x"})
		Compare(all, nil, Options{})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects", n)
}

func objects(text []byte) []gitops.Manifest {
	var out []gitops.Manifest
	for doc := range strings.SplitSeq(string(text), "\n---") {
		var object map[string]any
		if yaml.Unmarshal([]byte(doc), &object) == nil && object["kind"] != nil && object["apiVersion"] != nil {
			out = append(out, gitops.Manifest{Object: &unstructured.Unstructured{Object: object}})
		}
	}
	return out
}
