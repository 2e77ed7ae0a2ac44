package hub

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
)

// oneProject is all that there is.
type oneProject []string

func (p oneProject) Project(context.Context, string) (*v1alpha1.AppProject, error) {
	return &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: p}}, nil
}

// TestMirroredFiles reads files of a mirror by their addresses, for projects that
// permit this or that.
func TestMirroredFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "blue", "app", "deploy", "values.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, []byte("blue"), 0o600)); err != nil {
		t.Fatal(err)
	}
	table := source.NewFiles([]source.Mirror{{URL: "https://git.corp.example.com/", Path: dir}})
	const address = "https://git.corp.example.com/blue/app/deploy/values.yaml"
	for name, c := range map[string]struct {
		reason  string
		project oneProject
		reads   bool
	}{
		"repository": {"the repository that has it", oneProject{"https://git.corp.example.com/blue/app"}, true},
		"team":       {"the repositories of a team", oneProject{"https://git.corp.example.com/blue/*"}, true},
		"all":        {"all of them", oneProject{"*"}, true},
		"other team": {"those of another team", oneProject{"https://git.corp.example.com/red/*"}, false},
		"alike":      {"one whose name begins so", oneProject{"https://git.corp.example.com/blue/ap"}, false},
		"nothing":    {"no repository at all", nil, false},
		"denied":     {"all but the one that has it", oneProject{"*", "!https://git.corp.example.com/blue/app"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := mirroredFiles{table, c.project}.File(t.Context(), address, "p")
			if (err == nil) != c.reads || (string(text) == "blue") != c.reads {
				t.Errorf("%s: got %q, %v", c.reason, text, err)
			}
			var p *gitops.Problem
			if !c.reads && (!errors.As(err, &p) || p.Fix == "") {
				t.Errorf("%s: it is not told what to do: %v", c.reason, err)
			}
		})
	}
	if _, err := (mirroredFiles{table, oneProject{}}).File(t.Context(), "https://example.org/values.yaml", "p"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what no mirror stands for is the web's: %v", err)
	}
}
