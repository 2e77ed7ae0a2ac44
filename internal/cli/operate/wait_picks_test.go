package operate

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

// TestWaitsPickWhatIsThere, by labels, projects and namespaces, in the order of their names.
func TestWaitsPickWhatIsThere(t *testing.T) {
	of := func(namespace, name, project, team string) v1alpha1.Application {
		a := clitest.Settled()
		a.Namespace, a.Name, a.Spec.Project, a.Labels = namespace, name, project, map[string]string{"team": team}
		return *a
	}
	all := []v1alpha1.Application{of("argocd", "web", "shop", "web"), of("argocd", "dns", "", "net"), of("team", "own", "shop", "web")}
	const route = "/apis/argoproj.io/v1alpha1"
	list := func(w http.ResponseWriter, r *http.Request) {
		out := v1alpha1.ApplicationList{Items: []v1alpha1.Application{}}
		_, team, _ := strings.Cut(r.URL.Query().Get("labelSelector"), "=")
		for _, a := range all {
			if space := r.PathValue("namespace"); (space == "" || space == a.Namespace) && (team == "" || team == a.Labels["team"]) {
				out.Items = append(out.Items, a)
			}
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}
	one := map[string]any{"GET " + route + "/namespaces/{namespace}/applications": list, "GET " + route + "/applications": list, "GET ONE": func(w http.ResponseWriter, r *http.Request) {
		for i := range all {
			if all[i].Namespace == r.PathValue("namespace") && all[i].Name == r.PathValue("name") {
				answer(w, &all[i])
				return
			}
		}
		answer(w, nil)
	}}
	kubeconfig, _ := hub(t, one)
	cases := map[string]struct {
		reason string
		args   string
		code   int
		want   []string
		says   string
	}{
		"label":     {"those of the control namespace", "-l team=web", command.ExitFine, []string{"argocd/web"}, ""},
		"all":       {"those of all namespaces", "-A", command.ExitFine, []string{"argocd/dns", "team/own", "argocd/web"}, ""},
		"both":      {"a label narrows the namespaces", "-A -l team=web", command.ExitFine, []string{"team/own", "argocd/web"}, ""},
		"project":   {"an application without a project is of default", "--project default", command.ExitFine, []string{"argocd/dns"}, ""},
		"projects":  {"any of several", "--project default,shop", command.ExitFine, []string{"argocd/dns", "argocd/web"}, ""},
		"namespace": {"another namespace than the control namespace", "--app-namespace team", command.ExitFine, []string{"team/own"}, ""},
		"nothing":   {"a wait for nothing is likely a mistake", "--project shpo", command.ExitFailed, nil, "there is no such application to wait for: see causeway get apps"},
		"all gone":  {"but for what is to be gone", "--project shpo --for deleted", command.ExitFine, []string{}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t, NewWait, append(strings.Fields(c.args), "-o", "json", "--kubeconfig", kubeconfig)...)
			got.Says(t, c.reason, c.code, c.says)
			var results []waited
			if c.want == nil {
				return
			}
			if err := json.Unmarshal([]byte(got.Out), &results); err != nil {
				t.Fatal(err)
			}
			names := []string{}
			for _, r := range results {
				names = append(names, r.Namespace+"/"+r.Name)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

// TestRevisionsAreLookedForAgain while the engine has found another one, and not at each of its changes.
func TestRevisionsAreLookedForAgain(t *testing.T) {
	now, app := clitest.Noon, named("shop", func(a *v1alpha1.Application) { a.ResourceVersion = "2" })
	kubeconfig, d := hub(t, nil, app)
	g := clitest.Global(t, &bytes.Buffer{})
	g.Kubeconfig = kubeconfig
	h, err := target.Reach(g)
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{flags: &waitFlags{Global: g, goal: goal{synced: true, revision: clitest.NewCommit}, refresh: "normal"}, hub: h, now: func() time.Time { return now }}
	one := &awaited{name: "shop", app: app, askedAt: now}
	for _, step := range []struct {
		reason   string
		after    time.Duration
		revision string
		asked    int
		state    string
	}{
		{"it has just been asked", askAgain - time.Second, clitest.OldCommit, 0, stateWaits},
		{"it may have been pushed since", time.Second, clitest.OldCommit, 1, stateWaits},
		{"that was just now", time.Second, clitest.OldCommit, 1, stateWaits},
		{"it is there", time.Hour, clitest.NewCommit, 1, stateReached},
	} {
		now = now.Add(step.after)
		one.app = app.DeepCopy()
		one.app.Status.Sync.Revision, one.asked = step.revision, ""
		if w.judge(t.Context(), one); one.state != step.state || len(patches(d)) != step.asked {
			t.Errorf("%s: it is %s, and was asked %q", step.reason, one.state, patches(d))
		}
	}
}
