package get

import (
	"net/http"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestEventsOfOneObject are asked for by all that it is known by, and of none that is not live.
func TestEventsOfOneObject(t *testing.T) {
	web := func(group string) *api.Node {
		return &api.Node{Ref: api.Ref{Group: group, Version: "v1", Kind: "Ingress", Namespace: "shop", Name: "web"}}
	}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Settled()), "GET " + ofShop + "/tree": api.Tree{Partial: "Secrets may not be read", Nodes: []*api.Node{
			{Ref: api.Ref{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"}}, web("networking.k8s.io"), web("extensions"), {Ref: api.Ref{Kind: "ConfigMap", Name: "gone"}, Missing: true},
		}},
		"GET " + ofShop + "/events": func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			_, _ = w.Write([]byte(`[{"type":"Normal","reason":"Asked","message":"` + q.Get("group") + "|" + q.Get("version") + "|" + q.Get("kind") + "|" + q.Get("objectNamespace") + "|" + q.Get("objectName") + `","count":1}]`))
		},
	})
	cases := map[string]struct {
		reason, object string
		code           int
		want           []string
	}{
		"none":      {"those of the application itself", "", command.ExitFine, []string{"||||"}},
		"one":       {"what is left out is told, as it may be that", "deployment/web", command.ExitFine, []string{"apps|v1|Deployment|shop|web", "warning: Secrets may not be read"}},
		"several":   {"none is guessed", "Ingress/web", command.ExitUsage, []string{"Ingress/web is not enough: it may be Ingress.networking.k8s.io/shop/web or Ingress.extensions/shop/web"}},
		"with all":  {"its group tells it from others", "Ingress.extensions/shop/web", command.ExitFine, []string{"extensions|v1|Ingress|shop|web"}},
		"not there": {"what is missing has no events", "ConfigMap/gone", command.ExitFailed, []string{"the application has no live object ConfigMap/gone"}},
		"no object": {"a name alone is none", "web", command.ExitUsage, []string{"write KIND/NAME, as in Deployment/web"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			args := []string{"shop", "--server", d.URL}
			if c.object != "" {
				args = append(args, c.object)
			}
			clitest.Run(t, NewEvents, args...).Says(t, c.reason, c.code, c.want...)
		})
	}
}

// TestWhatAServerRefusesOfAnApplication is told in its words, and is no empty list.
func TestWhatAServerRefusesOfAnApplication(t *testing.T) {
	no := clitest.Refusal{Status: http.StatusForbidden, Detail: "dev does not let ann look"}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Settled()), clustersRoute: no, "GET /api/v1/repositories": no, clitest.SetsRoute: no, "GET /argocd/api/v1/projects": no,
		"GET " + ofShop + "/events": no, "GET " + ofShop + "/orphans": no, "GET " + ofShop + "/windows": no, "GET " + ofShop + "/tree": no,
	})
	for _, made := range []func(*command.Global) *cobra.Command{NewEvents, NewOrphans, NewWindows, NewLogs} {
		clitest.Run(t, made, "shop", "--server", d.URL).Says(t, "of an application", command.ExitFailed, "Error: ", no.Detail)
	}
	for _, kind := range kindNames() {
		got := clitest.Run(t, New, kind, "--server", d.URL)
		got.Says(t, "of "+kind, command.ExitFailed, "Error: ", no.Detail)
		if got.Out != "" {
			t.Errorf("%s: it prints %q", kind, got.Out)
		}
	}
	clitest.Run(t, NewEvents, "shop", "Deployment/web", "--server", d.URL).Says(t, "where objects cannot be seen", command.ExitFailed, "cannot look below application shop: ")
}

// TestOrphansOfAServer are listed where the project asks for them, and told to be partly known.
func TestOrphansOfAServer(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Settled()), "GET " + ofShop + "/orphans": api.Orphans{Asked: true, Partial: "Secrets may not be read", Objects: []api.Unowned{{Kind: "ConfigMap", Namespace: "shop", Name: "left"}, {Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "old"}}},
	})
	want := "KIND        GROUP  NAMESPACE  NAME\nConfigMap   -      shop       left\nDeployment  apps   shop       old\n"
	if got := clitest.Run(t, NewOrphans, "shop", "--server", d.URL); got.Code != command.ExitFine || got.Out != want || got.Errors != "warning: Secrets may not be read\n" {
		t.Errorf("exit %d: %s\n%s", got.Code, got.Errors, got.Out)
	}
}

// TestWhatIsToBeLookedAtHasToBeThere: nothing is shown of several where one is misspelt, and the nearest is named.
func TestWhatIsToBeLookedAtHasToBeThere(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled()), "POST " + ofShop + "/refresh": nil})
	got := clitest.Run(t, New, "apps", "shpo", "shop", "--refresh", "--server", d.URL)
	got.Says(t, "the misspelt one is told", command.ExitFailed, `there is no application "shpo" in namespace argocd of the hub; did you mean "shop"?`)
	if asked := d.Asked(); len(asked) > 0 || got.Out != "" {
		t.Errorf("the engine is asked %v, and it prints %q", asked, got.Out)
	}
}
