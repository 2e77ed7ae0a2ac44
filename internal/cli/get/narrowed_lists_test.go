package get

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestListsOfAProject: each kind has those of the project that is asked for, and of none that is not.
func TestListsOfAProject(t *testing.T) {
	project := func(name string) v1alpha1.AppProject {
		return v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	set := func(name, project string) v1alpha1.ApplicationSet {
		s := v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Spec.Template.Spec.Project = project
		return s
	}
	d := clitest.NewDesk(t, map[string]any{
		"GET /argocd/api/v1/projects": v1alpha1.AppProjectList{Items: []v1alpha1.AppProject{project("data"), project("default"), project("web")}},
		clitest.SetsRoute:             v1alpha1.ApplicationSetList{Items: []v1alpha1.ApplicationSet{set("pages", "web"), set("untold", "")}},
	})
	for kind, want := range map[string]string{
		"projects --project web,data": "appproject.argoproj.io/data\nappproject.argoproj.io/web\n", "projects --project nope": "", "projects": "appproject.argoproj.io/data\nappproject.argoproj.io/default\nappproject.argoproj.io/web\n",
		"appsets --project web": "applicationset.argoproj.io/pages\n", "appsets --project default": "applicationset.argoproj.io/untold\n",
	} {
		got := clitest.Run(t, New, append(strings.Fields(kind), "-o", "name", "--server", d.URL)...)
		if got.Code != command.ExitFine || got.Out != want {
			t.Errorf("%s: exit %d: %q%s, want %q", kind, got.Code, got.Out, got.Errors, want)
		}
	}
}

// TestANamespaceThatIsNamedTwice has each application once.
func TestANamespaceThatIsNamedTwice(t *testing.T) {
	d := fleet(t)
	for _, args := range []string{"apps --app-namespace team,team", "apps --app-namespace team --app-namespace team"} {
		got := clitest.Run(t, New, append(strings.Fields(args), "-o", "name", "--server", d.URL)...)
		if want := "application.argoproj.io/team/db\napplication.argoproj.io/team/shop\n"; got.Out != want {
			t.Errorf("%s: %s%s", args, got.Out, got.Errors)
		}
	}
}
