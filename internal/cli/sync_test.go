package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestParseResources(t *testing.T) {
	got, err := parseResources([]string{"apps:Deployment:web", ":ConfigMap:shop/settings"})
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.SyncOperationResource{
		{Group: "apps", Kind: "Deployment", Name: "web"}, {Kind: "ConfigMap", Namespace: "shop", Name: "settings"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"", "web", "Deployment:web", "apps::web", "apps:Deployment:", "a:b:c:d"} {
		if _, err := parseResources([]string{wrong}); exitCode(err) != exitUsage {
			t.Errorf("%q gives %v", wrong, err)
		}
	}
}

func TestOperation(t *testing.T) {
	app := shop()
	app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{SyncOptions: v1alpha1.SyncOptions{"CreateNamespace=true"}, Retry: &v1alpha1.RetryStrategy{Limit: 7}}
	op := (&syncFlags{prune: true, revision: "v2", retries: unsaid}).operation(app, nil, "mark")
	if !op.Sync.Prune || len(op.Sync.Revisions) != 1 || op.Sync.Revision != "" || op.Retry.Limit != 7 || len(op.Sync.SyncOptions) != 1 {
		t.Errorf("the policy counts, and several sources have several revisions: %+v", op)
	}
	app.Spec.Sources, app.Spec.SyncPolicy = nil, nil
	if op := (&syncFlags{revision: "v2", retries: unsaid}).operation(app, nil, "mark"); op.Sync.Revision != "v2" || op.InitiatedBy.Username == "" {
		t.Errorf("got %+v", op)
	}
	app.Status.OperationState = &v1alpha1.OperationState{Operation: *op, Phase: v1alpha1.OperationSucceeded}
	if ours(app, "mark") == nil || ours(app, "other") != nil {
		t.Error("an operation is known again by its mark alone")
	}
	app.Operation = op
	if ours(app, "mark") != nil || !busy(app) {
		t.Error("an operation that the engine has not taken up has no state")
	}
}

func TestParseApplications(t *testing.T) {
	got, err := parseApplications([]byte("kind: ConfigMap\napiVersion: v1\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {destination: {name: x}, project: p}\n---\n"))
	if err != nil || len(got) != 1 || got[0].Name != "a" || got[0].Spec.Destination.Name != "x" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, wrong := range []string{"", "a: [", "kind: Pod\n"} {
		if _, err := parseApplications([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestStandIn(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "deploy", "shop")
	for _, dir := range []string{folder, filepath.Join(top, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	one := &v1alpha1.Application{}
	one.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Path: "elsewhere", TargetRevision: "v1"}
	here, mirror, err := standIn(one, folder)
	if err != nil {
		t.Fatal(err)
	}
	if s := here.Spec.Source; s.Path != "deploy/shop" || s.TargetRevision != "HEAD" || mirror.URL != s.RepoURL || !mirror.WorkTree || filepath.Base(mirror.Path) != filepath.Base(top) {
		t.Errorf("got %+v from %+v", s, mirror)
	}
	if one.Spec.Source.Path != "elsewhere" {
		t.Error("the application itself was changed")
	}
	chart := one.DeepCopy()
	chart.Spec.Source.Chart = "web"
	cases := map[string]struct {
		app    *v1alpha1.Application
		folder string
	}{
		"several sources": {shop(), folder}, "a chart": {chart, folder},
		"no folder": {one, filepath.Join(top, "nowhere")}, "a file": {one, filepath.Join(folder, "file")},
	}
	for label, c := range cases {
		if _, _, err := standIn(c.app, c.folder); err == nil {
			t.Errorf("%s is taken", label)
		}
	}
}
