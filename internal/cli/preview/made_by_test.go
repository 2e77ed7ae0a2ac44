package preview

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/preview"
)

// TestNamedParentsAndApplications: a name is that of a set, of an app of apps or of an application; what none has is near another.
func TestNamedParentsAndApplications(t *testing.T) {
	dir := clitest.NewFleet(t)
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		out    string
		errors string
	}{
		"order":    {"in the order that they are named", []string{"web-prod", "db"}, command.ExitFailed, "application/web-prod\napplication/db\n", ""},
		"once":     {"what two names mean is one", []string{"web-prod", "web", "web-dev"}, command.ExitFailed, "application/web-prod\napplication/web-dev\n", ""},
		"empty":    {"a variable without a value means no application that nobody made", []string{""}, command.ExitUsage, "", "cannot tell which ApplicationSet or Application is meant by an empty name"},
		"near":     {"an application may be meant", []string{"web", "web-prd"}, command.ExitFailed, "", `no ApplicationSet or Application "web-prd"; did you mean "web-prod"?`},
		"far":      {"nothing is guessed", []string{"elsewhere"}, command.ExitFailed, "", `no ApplicationSet or Application "elsewhere"` + "\n"},
		"capitals": {"names are as they are written", []string{"WEB"}, command.ExitFailed, "", "no ApplicationSet or Application"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Look(t, NewGenerate, dir, append(c.args, "-o", "name", "--root", "web", "--root", "db")...)
			got.Says(t, c.reason, c.code, c.errors)
			if got.Out != c.out {
				t.Errorf("%s: it prints\n%s", c.reason, got.Out)
			}
		})
	}
}

// TestGeneratedApplicationsAreAsWritten: what is not there is left out, so that the text can be kept and applied.
func TestGeneratedApplicationsAreAsWritten(t *testing.T) {
	dir := clitest.NewFleet(t)
	got := clitest.Look(t, NewGenerate, dir, "web-dev", "--root", "web")
	if !strings.HasPrefix(got.Out, "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  annotations:\n    region: eu\n") || strings.Contains(got.Out, "null") || strings.Contains(got.Out, "status") {
		t.Errorf("it is\n%s", got.Out)
	}
	got = clitest.Look(t, NewGenerate, dir, "-o", "json", "--root", "web")
	var list v1alpha1.ApplicationList
	if err := json.Unmarshal([]byte(got.Out), &list); err != nil || list.Kind != "List" || len(list.Items) != 2 || strings.Contains(got.Out, "null") {
		t.Errorf("%v: %s", err, got.Out)
	}
	clitest.Write(t, dir, map[string]string{"set.yaml": "", "db.yaml": ""})
	if got = clitest.Look(t, NewGenerate, dir, "-o", "json"); got.Code != command.ExitFine || !strings.Contains(got.Out, `"items": []`) {
		t.Errorf("a repository without applications: exit %d\n%s%s", got.Code, got.Out, got.Errors)
	}
	if got = clitest.Look(t, NewGenerate, dir); got.Code != command.ExitFine || got.Out != "" {
		t.Errorf("a stream of nothing: exit %d\n%s%s", got.Code, got.Out, got.Errors)
	}
}

// TestSourcesInALine: of several sources the first is named, and how many there are beside it.
func TestSourcesInALine(t *testing.T) {
	cases := map[string]struct {
		reason string
		all    []v1alpha1.ApplicationSource
		want   string
	}{
		"none":     {"a mistake that a table shows", nil, "-"},
		"path":     {"a folder at a revision", []v1alpha1.ApplicationSource{{Path: "web", TargetRevision: "main"}}, "web@main"},
		"chart":    {"which is not in a folder", []v1alpha1.ApplicationSource{{Chart: "db", Path: "ignored", TargetRevision: "1.x"}}, "db@1.x"},
		"default":  {"no revision is said", []v1alpha1.ApplicationSource{{Path: "web"}}, "web"},
		"several":  {"the rest is counted", []v1alpha1.ApplicationSource{{Path: "web"}, {Ref: "values"}, {Chart: "db"}}, "web +2"},
		"only ref": {"one that is only referred to has neither", []v1alpha1.ApplicationSource{{Ref: "values"}}, "-"},
	}
	got := map[string]string{}
	want := map[string]string{}
	for name, c := range cases {
		app := &preview.App{Application: &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Sources: c.all}}}
		got[name+": "+c.reason], want[name+": "+c.reason] = sourceOf(app), c.want
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
