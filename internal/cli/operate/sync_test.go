package operate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestParseResources(t *testing.T) {
	got, err := parseResources([]string{"apps:Deployment:web", ":ConfigMap:shop/settings", "rbac.authorization.k8s.io:Role:shop/system:a:b"})
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.SyncOperationResource{
		{Group: "apps", Kind: "Deployment", Name: "web"}, {Kind: "ConfigMap", Namespace: "shop", Name: "settings"},
		{Group: "rbac.authorization.k8s.io", Kind: "Role", Namespace: "shop", Name: "system:a:b"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"", "web", "Deployment:web", "apps::web", "apps:Deployment:", "a:b:c:d"} {
		if _, err := parseResources([]string{wrong}); command.ExitCode(err) != command.ExitUsage {
			t.Errorf("%q gives %v", wrong, err)
		}
	}
}

// The options of a sync are those of the application and, after them, those of
// the flags; a server is asked for the latter, and adds its own.
func TestSyncOptions(t *testing.T) {
	s := &syncFlags{Global: &command.Global{}, retries: unsaid}
	f := pflag.NewFlagSet("sync", pflag.ContinueOnError)
	s.into(f)
	if err := f.Parse([]string{"--server-side", "--apply-out-of-sync-only", "--replace", "--sync-option", "PruneLast=true", "--sync-option=Replace=false"}); err != nil {
		t.Fatal(err)
	}
	if err := s.check([]string{"shop"}); err != nil {
		t.Fatal(err)
	}
	flags := []string{"Replace=true", "ServerSideApply=true", "ApplyOutOfSyncOnly=true", "PruneLast=true", "Replace=false"}
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{SyncPolicy: &v1alpha1.SyncPolicy{SyncOptions: []string{"CreateNamespace=true"}}}}
	op, err := s.requested(app, nil, "mark", "ann")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]string{"CreateNamespace=true"}, flags...), []string(op.Sync.SyncOptions)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(flags, s.wanted(nil).Options); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"", "Replace", "=true", "Replace=", "A=1,B=2", "A=1\nB=2"} {
		s.free = []string{wrong}
		if err := s.check([]string{"shop"}); command.ExitCode(err) != command.ExitUsage {
			t.Errorf("%q gives %v", wrong, err)
		}
	}
}

func TestStandIn(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "deploy", "shop")
	git := filepath.Join(top, ".git")
	for _, dir := range []string{folder, filepath.Join(git, "objects"), filepath.Join(git, "refs")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
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
		"several sources": {clitest.Shop(), folder}, "a chart": {chart, folder},
		"no folder": {one, filepath.Join(top, "nowhere")}, "a file": {one, filepath.Join(folder, "file")},
	}
	for label, c := range cases {
		if _, _, err := standIn(c.app, c.folder); err == nil {
			t.Errorf("%s is taken", label)
		}
	}
}
