package inspect

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestDoubtsNameNoHiddenApplications: a warning names Applications to who may read
// all that it is about.
func TestDoubtsNameNoHiddenApplications(t *testing.T) {
	made := func(name, project string) v1alpha1.Application {
		app := v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: project}}
		app.Name = name
		return app
	}
	e := &generate.Expansion{Applications: []v1alpha1.Application{made("web", "shop"), made("vault", "bank")}}
	sees := seesNames(e, api.SetLook{Sees: func(a *api.GeneratedApp) bool { return a.Project == "shop" }})
	for name, tc := range map[string]struct {
		reason string
		of     []string
		want   string
	}{
		"Own":     {"one's own", []string{"web"}, "text"},
		"Hidden":  {"one among others is enough", []string{"web", "vault"}, "bare"},
		"Unknown": {"of which nobody knows whose it is", []string{"other"}, "bare"},
	} {
		if got := doubt(&gitops.Warning{Message: "text", Bare: "bare", Applications: tc.of}, sees); got.Text != tc.want {
			t.Errorf("%s: %s: told %q", name, tc.reason, got.Text)
		}
	}
}

// One that is not created is somebody's, too: whose it would be says who is told of it. Of
// one without an Application nobody knows.
func TestDoubtsOfWhatIsNotCreated(t *testing.T) {
	own := v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: "shop"}}
	e := &generate.Expansion{Rejected: []generate.Rejected{{Name: "web", Application: &own}, {Name: "twice"}}}
	sees := seesNames(e, api.SetLook{Sees: func(a *api.GeneratedApp) bool { return a.Project == "shop" }})
	for name, want := range map[string]bool{"web": true, "twice": false, "none": false} {
		if got := sees(name); got != want {
			t.Errorf("%s is seen: %t", name, got)
		}
	}
	long := strings.Repeat("x", 2*mostText)
	if d := doubt(&gitops.Warning{Message: long, Bare: long, Clusters: []string{"dev"}}, sees); len(d.Text) > mostText+len("…") || len(d.Bare) > mostText+len("…") || len(d.Clusters) != 1 {
		t.Errorf("a long warning has %d and %d bytes, of clusters %v", len(d.Text), len(d.Bare), d.Clusters)
	}
}
