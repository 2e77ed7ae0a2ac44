package render_test

import (
	"context"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// published is a registry with one chart.
type published struct{ chart *gitops.Snapshot }

func (p published) Snapshot(context.Context, gitops.SourceRef) (*gitops.Snapshot, error) {
	return p.chart, nil
}

// overwrites puts another object in the place of what its dependency brings.
const overwrites = `{{- $file := index .Subcharts.public.Files "crds/thing.yaml" }}
{{- $object := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: planted}\n" }}
{{- $_ := now.AppendFormat (slice $file 0 0) (printf "%s%s" $object (repeat (int (sub (len $file) (len $object))) "#")) }}
{{- $_ := now.AppendFormat $file "x" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: own}
`

// TestProjectsShareAWorker: what one project's chart does to a chart that another one
// deploys, too, is not seen there.
func TestProjectsShareAWorker(t *testing.T) {
	const charts = "https://charts.example.com"
	public := treetest.Snapshot(charts, "1.0.0", treetest.Files{
		"Chart.yaml":       "apiVersion: v2\nname: public\nversion: 1.0.0\n",
		"crds/thing.yaml":  "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n" + strings.Repeat("# words\n", 50),
		"templates/x.yaml": configMap("x", "1"),
	})
	hostile := treetest.Files{
		"web/Chart.yaml":           "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: public, version: 1.0.0, repository: \"" + charts + "\"}\n",
		"web/templates/write.yaml": overwrites,
	}
	r := apartly(t, render.Options{}, nil, worker.Limits{Parallel: 2})
	deployed := func(app, project string) string {
		a := application(app, v1alpha1.ApplicationSource{RepoURL: charts, Chart: "public", TargetRevision: "1.0.0"})
		a.Spec.Project = project
		got, err := r.Application(t.Context(), render.Input{App: a, Snapshots: []*gitops.Snapshot{public}})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, m := range got.Manifests {
			kinds = append(kinds, m.Object.GetKind())
		}
		return strings.Join(kinds, " ")
	}
	want := deployed("before", "blue")
	for _, project := range []string{"red", "blue"} {
		a := application("hostile-"+project, at("web"))
		a.Spec.Project = project
		if _, err := r.Application(t.Context(), render.Input{App: a, Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, hostile)}, Remotes: published{public}}); err != nil {
			t.Fatal(err)
		}
		if got := deployed("after-"+project, "blue"); got != want {
			t.Errorf("after a render of %s: %s, want %s", project, got, want)
		}
	}
}
