package preview

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

func TestTables(t *testing.T) {
	manifest := gitops.Manifest{Object: &unstructured.Unstructured{}, Origin: tabletest.Lengthy[gitops.Origin]()}
	manifest.Object.SetKind(tabletest.Longest)
	manifest.Object.SetNamespace(tabletest.Longest)
	manifest.Object.SetName(tabletest.Longest)
	made := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: tabletest.Longest, Source: &v1alpha1.ApplicationSource{Path: tabletest.Longest}}}
	made.Name = tabletest.Longest
	app := &preview.App{Application: made, Parent: tabletest.Lengthy[preview.ID](), Cluster: tabletest.Lengthy[roster.Cluster]()}
	tabletest.Try(t, func(string) map[string]table.Table {
		return map[string]table.Table{
			"generate": generatedTable([]*preview.App{app}), "lint": lintTable(tabletest.Lengthy[LintResult]()),
			"render": manifestsTable([]*gitops.Rendering{{Manifests: []gitops.Manifest{manifest}}}),
		}
	})
}
