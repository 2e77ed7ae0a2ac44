package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

const goodToken = "good-token"

// desk is a server with one application, which answers what its routes do.
type desk struct {
	t    *testing.T
	apps []v1alpha1.Application
	// asked are writes.
	asked []string
	// lasting tells that the token is no session.
	lasting bool
	// containers of the one pod.
	containers []string
}

func newDesk(t *testing.T) (*desk, string) {
	t.Helper()
	d := &desk{t: t, apps: []v1alpha1.Application{*clitest.Shop()}, containers: []string{"web"}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/session", func(w http.ResponseWriter, _ *http.Request) {
		d.say(w, map[string]any{"user": map[string]any{"name": "ann", "via": "local"}})
	})
	mux.HandleFunc("DELETE /api/v1/session", func(w http.ResponseWriter, _ *http.Request) {
		if d.lasting {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		d.did(w, "sign out")
	})
	mux.HandleFunc("GET /argocd/api/v1/applications", func(w http.ResponseWriter, r *http.Request) {
		list := v1alpha1.ApplicationList{Items: []v1alpha1.Application{}}
		for _, a := range d.apps {
			if name := r.URL.Query().Get("name"); name == "" || name == a.Name {
				list.Items = append(list.Items, a)
			}
		}
		d.say(w, list)
	})
	mux.HandleFunc("GET /api/v1/fleet/clusters", func(w http.ResponseWriter, _ *http.Request) {
		d.say(w, []clusters.Health{{Name: "dev", Server: "https://dev:6443", Reachable: true, Version: "v1.36.3", Latency: 12, Labels: map[string]string{"environment": "dev"}}})
	})
	mux.HandleFunc("GET /api/v1/applications/argocd/shop/tree", func(w http.ResponseWriter, _ *http.Request) {
		d.say(w, api.Tree{Nodes: []*api.Node{{Ref: api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web-1"}}}})
	})
	mux.HandleFunc("GET /api/v1/applications/argocd/shop/object", func(w http.ResponseWriter, _ *http.Request) { d.say(w, api.Object{Containers: d.containers}) })
	mux.HandleFunc("GET /api/v1/applications/argocd/shop/logs", func(w http.ResponseWriter, r *http.Request) {
		text, previous := "started\n", r.URL.Query().Get("previous") == "true"
		if previous && r.URL.Query().Get("container") != "web" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"detail":"no container was there before"}`))
			return
		}
		if previous {
			text = "crashed\n"
		}
		_, _ = w.Write([]byte(text))
	})
	mux.HandleFunc("GET /api/v1/applications/argocd/shop/diff", func(w http.ResponseWriter, _ *http.Request) {
		d.say(w, []api.Difference{{
			Ref: api.Ref{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}, Verb: "update", Live: "data:\n  colour: red\n", Desired: "data:\n  colour: blue\n",
			Origin: "web/a.yaml:3", Changes: []api.Change{{Path: "data.colour", Old: "red", New: "blue"}},
		}})
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+goodToken {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"detail":"the token is not valid"}`))
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return d, s.URL
}

func (d *desk) say(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		d.t.Error(err)
	}
}

func (d *desk) did(w http.ResponseWriter, what string) {
	d.asked = append(d.asked, what)
	w.WriteHeader(http.StatusNoContent)
}

// asks runs a command against a server, with a token.
func asks(t *testing.T, args ...string) result {
	t.Helper()
	t.Setenv(command.VariableToken, goodToken)
	return invoke(t, args...)
}

// What a server tells is printed as what the hub tells.
func TestAServersApplicationsArePrintedAsTheHubs(t *testing.T) {
	_, url := newDesk(t)
	got := asks(t, "get", "apps", "-o", "wide", "--server", url)
	const want = "NAME CLUSTER SYNC HEALTH REVISION AGE NAMESPACE PROJECT SOURCE MESSAGE shop dev OutOfSync Degraded 5c9026b,1.2.0 AGO shop team " +
		"https://git.example.com/shop + https://charts.example.com/shop ComparisonError: cannot render chart: it is broken"
	if said := regexp.MustCompile(` \d+[smhd] `).ReplaceAllString(strings.Join(strings.Fields(got.out), " "), " AGO "); got.code != command.ExitFine || said != want {
		t.Errorf("%d\n%s%s\nwant\n%s", got.code, got.out, got.errors, want)
	}
	if got := asks(t, "get", "clusters", "--server", url); got.code != command.ExitFine || !strings.Contains(got.out, "dev   dev          reachable  1") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
	if got := asks(t, "tree", "shop", "--server", url); got.code != command.ExitFine || !strings.Contains(got.out, "shop") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
	got = asks(t, "diff", "shop", "--server", url)
	if got.code != command.ExitChanges || !strings.Contains(got.out, "update ConfigMap shop/settings (web/a.yaml:3)") || !strings.Contains(got.out, "-  colour: red\n+  colour: blue") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
	if got := asks(t, "logs", "shop", "--server", url); got.code != command.ExitFine || got.out != "[web-1/web] started\n" {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
}

func TestServersThatCannotBeAsked(t *testing.T) {
	_, url := newDesk(t)
	cases := map[string]struct {
		token string
		args  []string
		code  int
		want  string
	}{
		"nobody":       {"", []string{"get", "apps", "--server", url}, command.ExitFailed, "nobody is signed in at " + url},
		"wrong token":  {"bad", []string{"get", "apps", "--server", url}, command.ExitFailed, "run causeway login " + url},
		"no such app":  {goodToken, []string{"tree", "shopp", "--server", url}, command.ExitFailed, `did you mean "shop"`},
		"hub's alone":  {goodToken, []string{"render", "shop", "--server", url}, command.ExitUsage, "causeway render is not asked of a server: it prints manifests whole"},
		"both":         {goodToken, []string{"get", "apps", "--server", url, "--kubeconfig", "x"}, command.ExitUsage, "cannot ask both"},
		"no address":   {goodToken, []string{"get", "apps", "--server", "ftp://x"}, command.ExitFailed, "is no address of a server"},
		"keys nowhere": {goodToken, []string{"keys", "list"}, command.ExitUsage, "name the server"},
		"key for all":  {goodToken, []string{"keys", "create", "ci", "--server", url}, command.ExitUsage, "--read-only, or --allow"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv(command.VariableToken, tc.token)
			if got := invoke(t, tc.args...); got.code != tc.code || !strings.Contains(got.errors, tc.want) {
				t.Errorf("%d, want %d with %q: %s", got.code, tc.code, tc.want, got.errors)
			}
		})
	}
}

func TestLoginsAreKeptForTheirOwner(t *testing.T) {
	d, url := newDesk(t)
	home := t.TempDir()
	run := func(in string, args ...string) result {
		t.Helper()
		t.Setenv("KUBECONFIG", "")
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
		t.Setenv("CAUSEWAY_STATE_DIR", home)
		t.Setenv(command.VariableToken, "")
		var out, errors bytes.Buffer
		code := Run(t.Context(), "1.2.3", args, command.Streams{In: strings.NewReader(in), Out: &out, Err: &errors})
		return result{code: code, out: out.String(), errors: errors.String()}
	}
	if got := run("bad\n", "login", url, "--token"); got.code != command.ExitFailed || !strings.Contains(got.errors, "the token is not valid") {
		t.Errorf("with a token of nobody: %+v", got)
	}
	if got := run("", "login", url, "--token"); got.code != command.ExitUsage {
		t.Errorf("with nothing: %+v", got)
	}
	if got := run(goodToken+"\n", "login", url, "--token"); got.code != command.ExitFine || got.out != "signed in at "+url+" as ann\n" || strings.Contains(got.out+got.errors, goodToken) {
		t.Errorf("signing in: %+v", got)
	}
	path := filepath.Join(home, ".config", "causeway", "logins.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file is %v, %v", info, err)
	}
	if got := run("", "get", "apps", "--server", url); got.code != command.ExitFine || !strings.Contains(got.out, "shop") {
		t.Errorf("with the login: %+v", got)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run("", "get", "apps", "--server", url); got.code != command.ExitFailed || !strings.Contains(got.errors, "others may read it") {
		t.Errorf("a file that others may read: %+v", got)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run("", "logout", url); got.code != command.ExitFine || fmt.Sprint(d.asked) != "[sign out]" {
		t.Errorf("signing out: %+v, %v", got, d.asked)
	}
	if got := run("", "get", "apps", "--server", url); got.code != command.ExitFailed {
		t.Errorf("after that: %+v", got)
	}
	d.lasting = true
	if got := run(goodToken+"\n", "login", url, "--token"); got.code != command.ExitFine {
		t.Fatalf("with a key: %+v", got)
	}
	if got := run("", "logout", url); got.code != command.ExitFine || !strings.Contains(got.out, "goes on to count") {
		t.Errorf("what is no session: %+v", got)
	}
}
