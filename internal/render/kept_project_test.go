package render

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/proxy"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// TestKeptOfOneProject: what a worker keeps between renders, it keeps for one project.
func TestKeptOfOneProject(t *testing.T) {
	b := bench{build: func([]byte, *proxy.Guest) (Options, []source.Renderer, error) { return Options{}, nil, nil }}
	var before *Renderer
	for _, step := range []struct {
		reason, project, setup string
		kept                   bool
	}{
		{"nothing is there yet", "red", "", false},
		{"the same project", "red", "", true},
		{"another one", "blue", "", false},
		{"back again: nothing of it is left", "red", "", false},
		{"another setup", "red", "plugins", false},
		{"no project is the default one", "", "plugins", false},
		{"as is its name", "default", "plugins", true},
	} {
		o := order{App: &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: step.project}}}
		if err := b.prepare(o, []byte(step.setup)); err != nil {
			t.Fatal(err)
		}
		if kept := b.renderer == before; kept != step.kept {
			t.Errorf("%s: kept is %t", step.reason, kept)
		}
		before = b.renderer
	}
}
