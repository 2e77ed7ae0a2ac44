package generate

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/test/await"
)

// FuzzExpand: no ApplicationSet may stall the engine or end it.
func FuzzExpand(f *testing.F) {
	for _, group := range []map[string]expansion{listCases, clusterCases, gitCases, matrixCases, mergeCases, templateCases, checkCases} {
		for _, c := range group {
			text, err := yaml.Marshal(specSet(f, c.spec))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	seedCorpus(f)
	limits := Limits{ParameterSets: 2000, Text: 1 << 20, Steps: 10_000, Time: 5 * time.Second}
	g := New(testFleet(), testRepo(), fakeProjects{"default"}, WithLimits(limits))
	f.Fuzz(func(t *testing.T, text []byte) {
		set := &v1alpha1.ApplicationSet{}
		if err := yaml.Unmarshal(text, set); err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
		defer cancel()
		exp, err := g.Applications(ctx, set)
		if ctx.Err() != nil {
			t.Fatal("the limits should have ended it before")
		}
		if err != nil {
			return
		}
		if _, err := Plan(t.Context(), set, exp.Applications, exp); err != nil {
			return
		}
	})
}

// seedCorpus adds the ApplicationSets of real repositories, where there are any.
func seedCorpus(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "conformance", "applicationset", "semantics*", "[0-9]*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		for _, doc := range readDocs(f, file) {
			f.Add(doc)
		}
	}
}
