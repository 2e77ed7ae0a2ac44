package operate

import (
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestOneOfTwoNamesIsMeantOnce: an application of the control namespace may have that before its name.
func TestOneOfTwoNamesIsMeantOnce(t *testing.T) {
	cases := map[string]struct {
		made  func(*command.Global) *cobra.Command
		args  string
		lines int
		asked string
	}{
		"delete":  {NewDelete, "shop argocd/shop --yes", 2, "DELETE " + ofShop + "?objects=orphan"},
		"refresh": {NewRefresh, "argocd/shop shop", 1, "POST " + ofShop + "/refresh?how=normal"},
		"sync":    {NewSync, "shop argocd/shop shop", 1, "POST " + ofShop + "/sync {}"},
		"wait":    {NewWait, "shop argocd/shop", 2, ""},
	}
	for name, c := range cases {
		app := clitest.Settled()
		d := clitest.NewDesk(t, map[string]any{
			clitest.AppsRoute: clitest.Applications(app), "POST " + ofShop + "/sync": asks(app, v1alpha1.OperationSucceeded, ""), "POST " + ofShop + "/refresh": nil, "DELETE " + ofShop: nil,
		})
		got := clitest.Run(t, c.made, append(strings.Fields(c.args), "--server", d.URL)...)
		if asked := strings.Join(d.Asked(), "; "); got.Code != command.ExitFine || asked != c.asked || strings.Count(got.Out, "\n") != c.lines {
			t.Errorf("%s: asked %s\n%s%s", name, asked, got.Out, got.Errors)
		}
	}
}

// TestNothingIsDeletedWhereANameIsWrong: what goes is shown, and asked about, for all of them first.
func TestNothingIsDeletedWhereANameIsWrong(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled()), "DELETE /": nil})
	clitest.Run(t, NewDelete, "shop", "shpo", "--yes", "--server", d.URL).Says(t, "misspelt", command.ExitFailed, `there is no application "shpo"`, `did you mean "shop"?`)
	clitest.Run(t, NewDelete, "shop", "--server", d.URL).Says(t, "nobody can say yes", command.ExitUsage, "application shop in ", "add --yes")
	if asked := d.Asked(); len(asked) > 0 {
		t.Errorf("asked %v", asked)
	}
}

// TestDeletionsAreAwaited until the application is gone: one that is made again by then is another one.
func TestDeletionsAreAwaited(t *testing.T) {
	cases := map[string]struct {
		reason string
		reads  []func(app *v1alpha1.Application)
		args   string
		code   int
		want   string
	}{
		"gone":       {"that is the end", []func(*v1alpha1.Application){gone}, "", command.ExitFine, "shop: gone\n"},
		"made again": {"an application set does so at once", []func(*v1alpha1.Application){func(a *v1alpha1.Application) { a.UID = "another" }}, "", command.ExitFine, "shop: gone, and made again since\n"},
		"waits":      {"what for is told", []func(*v1alpha1.Application){func(a *v1alpha1.Application) { a.Finalizers = []string{"example.com/x"} }, gone}, "", command.ExitFine, "shop: waiting for example.com/x\n"},
		"goes on":    {"nobody waits for ever", nil, "--timeout 50ms", command.ExitLate, "not gone within 50ms; the deletion goes on: see causeway get apps"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app, deleted := clitest.Settled(), false
			d := clitest.NewDesk(t, map[string]any{
				clitest.AppsRoute: func(w http.ResponseWriter, r *http.Request) {
					if deleted && len(c.reads) > 0 {
						c.reads[0](app)
						c.reads = c.reads[1:]
					}
					clitest.Applications(app)(w, r)
				},
				"DELETE " + ofShop: func(w http.ResponseWriter, _ *http.Request) {
					deleted = true
					w.WriteHeader(http.StatusNoContent)
				},
			})
			got := clitest.Run(t, NewDelete, append(strings.Fields(c.args), "shop", "--yes", "--wait", "--server", d.URL)...)
			got.Says(t, c.reason, c.code, "shop: is being deleted\n", c.want)
		})
	}
}

func gone(a *v1alpha1.Application) { a.Name = "another" }
