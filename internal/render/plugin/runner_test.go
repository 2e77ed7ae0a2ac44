package plugin

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestJobsOfStrangers: what runs is what the operator installed, in a copy of the
// repository, whatever a worker asks for.
func TestJobsOfStrangers(t *testing.T) {
	r := NewRunner(Options{Plugins: []Plugin{shell("p", "cat in.txt; echo $ARGOCD_ENV_A")}, TempDir: t.TempDir()})
	good := source.Job{Plugin: "p", Tree: treetest.Snapshot(origin, revision, repository()).Tree, Origin: gitops.Origin{RepoURL: origin}, Path: "apps/web", Roots: []string{"."}, Env: []string{"ARGOCD_ENV_A=1"}}
	if got, err := r.Run(t.Context(), good); err != nil || string(got.Output) != "web1\n" {
		t.Fatalf("got %q, %v", got.Output, err)
	}
	for name, tc := range map[string]struct {
		reason string
		change func(*source.Job)
		want   string
	}{
		"Plugin":   {"one that is not installed", func(j *source.Job) { j.Plugin = strings.Repeat("q", 1000) }, "cannot find plugin qqq"},
		"Variable": {"a variable by which a program runs other code", func(j *source.Job) { j.Env = []string{"LD_PRELOAD=./x.so"} }, "cannot give plugin p the variable LD_PRELOAD"},
		"Path":     {"a folder elsewhere", func(j *source.Job) { j.Path = "../../etc" }, "a path is none inside a repository"},
		"Absolute": {"a folder of the machine", func(j *source.Job) { j.Path = "/etc" }, "a path is none inside a repository"},
		"Root":     {"files elsewhere", func(j *source.Job) { j.Roots = []string{"apps/../.."} }, "a path is none inside a repository"},
		"Long":     {"more than any program can be given", func(j *source.Job) { j.Env = []string{"ARGOCD_ENV_A=" + strings.Repeat("x", 3<<20)} }, "have more than 2048 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			j := good
			tc.change(&j)
			got, err := r.Run(t.Context(), j)
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 || len(got.Output) > 0 {
				t.Errorf("%s: got %q, %v", tc.reason, got.Output, err)
			}
		})
	}
}
