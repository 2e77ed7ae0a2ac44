package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// control is the namespace that the repositories expect the engine in.
const control = "argocd"

// sharedRoot is the folder with corpus and conformance data, beside the module.
func sharedRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("cannot find go.mod above the test's folder")
		}
		dir = parent
	}
	root := filepath.Join(filepath.Dir(dir), "shared")
	if _, err := os.Stat(filepath.Join(root, "corpus")); err != nil {
		t.Skip("skipped: there are no repositories in ../shared/corpus beside the module")
	}
	return root
}

// readObjects reads all documents of a YAML file; empty ones are left out.
func readObjects(path string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var out []*unstructured.Unstructured
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		object := map[string]any{}
		if err := yaml.Unmarshal(doc, &object); err != nil {
			return nil, err
		}
		if len(object) > 0 {
			out = append(out, &unstructured.Unstructured{Object: object})
		}
	}
}
