package get

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

const (
	clustersRoute = "GET /api/v1/fleet/clusters"
	ofShop        = "/api/v1/applications/argocd/shop"
)

// fleet is a server with applications of two namespaces and projects, on two clusters.
func fleet(t *testing.T) *clitest.Desk {
	t.Helper()
	app := func(namespace, name, project, server string) *v1alpha1.Application {
		a := clitest.Settled()
		a.Namespace, a.Name, a.Spec.Project, a.Spec.Destination.Server = namespace, name, project, server
		a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/" + name, Path: "deploy"}
		return a
	}
	since := time.Now()
	return clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(app("argocd", "shop", "web", "https://dev:6443"), app("argocd", "blog", "web", "https://prod:6443"), app("team", "shop", "data", "https://prod:6443"), app("team", "db", "data", "https://gone:6443")),
		clustersRoute: []clusters.Health{
			{Name: "prod", Server: "https://prod:6443", Secret: "s-prod", Project: "data", Labels: map[string]string{"environment": "prod", "enable_x": "true", "enable_y": "no"}, Since: &since},
			{Name: "dev", Server: "https://dev:6443/", Reachable: true, Version: "v1.36.3"}, {Name: "broken", Server: "https://broken"}, {Name: "second", Server: "https://prod:6443"},
		},
		clitest.SetsRoute:                   v1alpha1.ApplicationSetList{},
		"GET /argocd/api/v1/projects":       v1alpha1.AppProjectList{Items: []v1alpha1.AppProject{{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1alpha1.AppProjectSpec{SourceRepos: []string{"*"}, Description: "pages\nand more"}}}},
		"GET /api/v1/repositories":          []api.Repository{{RepositoryFields: api.RepositoryFields{URL: "https://git.example.com/shop", Username: "me"}}, {RepositoryFields: api.RepositoryFields{URL: "https://charts.example.com", Type: "helm", Project: "data"}}},
		"GET " + ofShop + "/windows":        api.Schedule{Application: "shop", Project: "web", Automated: "now", Manual: "never"},
		"GET " + ofShop + "/orphans":        api.Orphans{},
		"GET " + ofShop + "/events":         []api.Event{{Type: "Normal", Reason: "Synced", Message: "it is\nsynced", Count: 2}},
		"POST " + ofShop + "/refresh":       nil,
		"GET /api/v1/applications/x/y/tree": nil,
	})
}

// TestListsAreWhatIsAskedFor: of which kind, namespace and project, and in which order.
func TestListsAreWhatIsAskedFor(t *testing.T) {
	cases := map[string]struct {
		reason, args string
		code         int
		want         string
	}{
		"apps":             {"those of the control namespace, by name", "apps -o name", command.ExitFine, "application.argoproj.io/blog\napplication.argoproj.io/shop\n"},
		"everywhere":       {"those of others have it before their names", "apps -A -o name", command.ExitFine, "application.argoproj.io/blog\napplication.argoproj.io/shop\napplication.argoproj.io/team/db\napplication.argoproj.io/team/shop\n"},
		"namespace":        {"those of another alone", "apps --app-namespace team -o name", command.ExitFine, "application.argoproj.io/team/db\napplication.argoproj.io/team/shop\n"},
		"project":          {"those of some projects", "apps -A --project data,other -o name", command.ExitFine, "application.argoproj.io/team/db\napplication.argoproj.io/team/shop\n"},
		"named":            {"in the order that they are named", "apps shop blog -o name", command.ExitFine, "application.argoproj.io/shop\napplication.argoproj.io/blog\n"},
		"named elsewhere":  {"a name says its namespace", "app team/shop -o name", command.ExitFine, "application.argoproj.io/team/shop\n"},
		"named in full":    {"the control namespace can be said, too, as for any other command", "app argocd/shop -o name", command.ExitFine, "application.argoproj.io/shop\n"},
		"on a cluster":     {"as it is shown: the first of two that have a server", "apps -A --cluster prod -o name", command.ExitFine, "application.argoproj.io/blog\napplication.argoproj.io/team/shop\n"},
		"unknown cluster":  {"an address stands for what has no name", "apps -A --cluster https://gone:6443 -o name", command.ExitFine, "application.argoproj.io/team/db\n"},
		"capitals":         {"a kind can be written so", "APPS shop -o name", command.ExitFine, "application.argoproj.io/shop\n"},
		"none":             {"nothing is said to be there", "appsets", command.ExitFine, "no appsets found\n"},
		"none, for others": {"and programs get an empty list", "appsets -o json", command.ExitFine, "\"items\": []"},
		"one is missing":   {"what is there is shown all the same", "apps shop shpo -o name", command.ExitFailed, "application.argoproj.io/shop\nError: there is no application \"shpo\"; did you mean \"shop\"?"},
		"one object":       {"what is named alone is no list", "project web -o json", command.ExitFine, "{\n  \"kind\": \"AppProject\",\n  \"apiVersion\": \"argoproj.io/v1alpha1\""},
		"several objects":  {"what is named with others is one", "apps shop blog -o json", command.ExitFine, "\"kind\": \"List\""},
		"projects":         {"a description is one line", "projects", command.ExitFine, "web   1             0             -    pages and more"},
		"clusters":         {"with what runs on each, and the switches that are on", "clusters", command.ExitFine, "prod    prod         unreachable  1     1       1        1       https://prod:6443"},
		"cluster, invalid": {"one that was never asked cannot be", "cluster broken", command.ExitFine, "broken  -            invalid"},
		"cluster, project": {"those of a project", "clusters --project data -o name", command.ExitFine, "cluster/prod\n"},
		"cluster, labels":  {"those whose labels match", "clusters -l environment=prod -o name", command.ExitFine, "cluster/prod\n"},
		"repositories":     {"those that are described and those that are used, by address", "repos -o name", command.ExitFine, "repository/https://charts.example.com\nrepository/https://git.example.com/blog\nrepository/https://git.example.com/shop\n"},
		"repos, used":      {"with how many use each", "repo https://git.example.com/shop", command.ExitFine, "https://git.example.com/shop  git   1     yes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := fleet(t)
			got := clitest.Run(t, New, append(strings.Fields(c.args), "--server", d.URL)...)
			got.Says(t, c.reason, c.code, c.want)
			if all := got.Out + got.Errors; strings.HasSuffix(c.args, "-o name") && c.code == command.ExitFine && all != c.want {
				t.Errorf("%s: got\n%s", c.reason, all)
			}
		})
	}
}

// TestListsThatCannotBeMeant are refused before anything is asked.
func TestListsThatCannotBeMeant(t *testing.T) {
	families := map[string]struct {
		made    func(*command.Global) *cobra.Command
		refused map[string]string
	}{
		"get": {New, map[string]string{
			"": "name what to list: apps, appsets, clusters, repos, projects", "aps": `there is no kind "aps"; did you mean "app"?`, "apps -o tree": "tree", "apps -l ==": "cannot understand --selector",
			"apps --refresh": "write causeway get app NAME --refresh", "cluster dev --refresh": "--refresh is for applications that are named", "app shop --refresh=soft": "write --refresh, or --refresh=hard",
			"app shop --refresh=": "--refresh has no value", "clusters --health=Degraded": "--health is for applications: write causeway get apps", "apps --health=Sick": "Degraded", "apps --sync=Sync": "OutOfSync",
			"repos -l a=b": "which labels the Secrets of repositories have (--selector) is not asked of a server",
		}},
		"tree":       {NewTree, map[string]string{"": "name an application", "a b": `cannot take the argument "b": causeway tree takes APP, as in: causeway tree addon-dev-reloader`, "shop -o xml": "xml"}},
		"windows":    {NewWindows, map[string]string{"": "name an application", "shop -o name": "name"}},
		"orphans":    {NewOrphans, map[string]string{"": "name an application", "shop -o tree": "tree"}},
		"events":     {NewEvents, map[string]string{"": "name an application, and an object if its events are asked for", "a b c": "name an application, and an object", "shop -o name": "name"}},
		"kubeconfig": {NewKubeconfig, map[string]string{"dev": `cannot take the argument "dev"`}},
		"logs": {NewLogs, map[string]string{
			"": "name an application, or ask for --engine", "shop --engine": `cannot take the argument "shop"`, "--engine --previous": "--previous is of the pods of an application", "shop --since 5m": "what was logged --since a time is not asked of a server",
		}},
	}
	for family, f := range families {
		t.Run(family, func(t *testing.T) { clitest.Refuses(t, f.made, f.refused) })
	}
}

// TestWhatConcernsAnApplication by way of a server: windows, orphans and events.
func TestWhatConcernsAnApplication(t *testing.T) {
	d := fleet(t)
	clitest.Run(t, NewWindows, "shop", "--server", d.URL).Says(t, "no window", command.ExitFine, "automated sync: now\nmanual sync:    never\nno sync window of project web concerns shop\n")
	clitest.Run(t, NewOrphans, "shop", "--server", d.URL).Says(t, "nobody looks", command.ExitFailed, "project web does not look for orphaned resources: set spec.orphanedResources in it")
	clitest.Run(t, NewEvents, "shop", "--server", d.URL).Says(t, "one line each", command.ExitFine, "Synced  2      it is synced")
	clitest.Run(t, NewKubeconfig).Says(t, "no fleet", command.ExitFailed, "start one with `causeway up`")
}

// looks answers for an application which the engine has looked at once it was asked to.
func looks(app *v1alpha1.Application, asked *[]string) map[string]any {
	return map[string]any{
		clitest.AppsRoute: clitest.Applications(app), clustersRoute: []clusters.Health{},
		"POST " + ofShop + "/refresh": func(w http.ResponseWriter, r *http.Request) {
			*asked = append(*asked, r.URL.RawQuery)
			app.ResourceVersion, app.Status.Sync.Revision = "2", clitest.NewCommit
			w.WriteHeader(http.StatusNoContent)
		},
	}
}

// TestApplicationsAreShownAsTheyAreFoundAgain, each looked at once.
func TestApplicationsAreShownAsTheyAreFoundAgain(t *testing.T) {
	var asked []string
	app := clitest.Settled()
	app.ResourceVersion = "1"
	d := clitest.NewDesk(t, looks(app, &asked))
	clitest.Run(t, New, "app", "shop", "shop", "--refresh=hard", "--server", d.URL).Says(t, "what is found then is shown", command.ExitFine, "7777777")
	if got := strings.Join(asked, " "); got != "how=hard" {
		t.Errorf("the engine is asked %q", got)
	}
	d = clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "POST " + ofShop + "/refresh": clitest.Refusal{Status: http.StatusForbidden, Detail: "not you"}})
	clitest.Run(t, New, "app", "shop", "--refresh", "--server", d.URL).Says(t, "nothing old is shown for new", command.ExitFailed, "cannot have the engine look at application shop: ", "not you")
}
