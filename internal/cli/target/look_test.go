package target

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

const treeRoute = "GET /api/v1/applications/argocd/shop/tree"

func podRef(name string) api.Ref {
	return api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: name}
}

// TestLiveObjectsOfAServer are what is there, with what it owns: what Git alone has is not live.
func TestLiveObjectsOfAServer(t *testing.T) {
	owner := &api.Node{Ref: api.Ref{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, Children: []*api.Node{{Ref: podRef("web-1")}}}
	missing := &api.Node{Ref: podRef("not-yet"), Missing: true, Children: []*api.Node{{Ref: podRef("nor-this")}}}
	cases := map[string]struct {
		reason  string
		answer  any
		want    []string
		warning string
		err     string
	}{
		"whole":   {reason: "owners come before what they own", answer: api.Tree{Nodes: []*api.Node{owner, missing}}, want: []string{"apps/Deployment:shop/web", "/Pod:shop/web-1"}},
		"partial": {reason: "what is there counts, and what is left out is told", answer: api.Tree{Nodes: []*api.Node{owner}, Partial: "Secrets cannot be read\x1b[2K"}, want: []string{"apps/Deployment:shop/web", "/Pod:shop/web-1"}, warning: "warning: Secrets cannot be read"},
		"nothing": {reason: "a cluster that cannot be read is no empty one", answer: api.Tree{Partial: "the cluster does not answer"}, err: "cannot look below application shop: the cluster does not answer"},
		"empty":   {reason: "an application may have no objects", answer: api.Tree{}},
		"refused": {reason: "the server's words are told", answer: clitest.Refusal{Status: http.StatusForbidden, Detail: "ann may not"}, err: "ann may not"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var errs bytes.Buffer
			d := clitest.NewDesk(t, map[string]any{treeRoute: c.answer})
			g := &command.Global{Streams: command.Streams{Err: &errs}}
			h := reached(t, d)
			look, err := Look(t.Context(), g, h, nil)
			if err != nil {
				t.Fatal(err)
			}
			objects, err := Objects(t.Context(), g, look, clitest.Shop())
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("%s: %v", c.reason, err)
			}
			var got []string
			for _, o := range objects {
				got = append(got, o.Key.String())
				if o.Version != "v1" || o.Gvk().Kind != o.Key.Kind {
					t.Errorf("%s has the version %q", o.Key, o.Version)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s:\n%s", c.reason, diff)
			}
			if !strings.HasPrefix(errs.String(), c.warning) || strings.Contains(errs.String(), "\x1b") || c.warning == "" && errs.Len() > 0 {
				t.Errorf("%s: warns %q", c.reason, errs.String())
			}
		})
	}
}

// TestDifferencesOfAServer have what its texts say, and name the object whose text is none.
func TestDifferencesOfAServer(t *testing.T) {
	ref := api.Ref{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}
	d := clitest.NewDesk(t, map[string]any{"GET /api/v1/applications/argocd/shop/diff": []api.Difference{
		{Ref: ref, Verb: "create", Desired: "kind: ConfigMap\n", Origin: "web/a.yaml:3"}, {Ref: ref, Verb: "update", Live: "{"},
	}})
	look := ServedLook{reached(t, d).Server}
	if _, err := look.Diff(t.Context(), clitest.Shop()); err == nil || !strings.Contains(err.Error(), "cannot understand what the server tells of /ConfigMap:shop/settings") {
		t.Error(err)
	}
	out, err := ObjectDiff(&api.Difference{Ref: ref, Verb: "create", Desired: "kind: ConfigMap\n", Origin: "web/a.yaml:3", Kept: "Prune=false"})
	if err != nil {
		t.Fatal(err)
	}
	live, desired, err := out.Diff.Sides()
	if err != nil || live != "" || !strings.Contains(desired, "kind: ConfigMap") {
		t.Errorf("live %q, desired %q: %v", live, desired, err)
	}
	if out.Verb != gitops.Create || out.Origin != (gitops.Origin{File: "web/a.yaml", Line: 3}) || out.Kept != "Prune=false" {
		t.Errorf("it is %+v", out)
	}
}

// TestRefreshesAreAskedForAsTheyAreMeant: what is misspelt asks for nothing.
func TestRefreshesAreAskedForAsTheyAreMeant(t *testing.T) {
	for how, fine := range map[string]bool{"": true, "normal": true, "hard": true, "soft": false, "Hard": false, "true": false} {
		err := CheckRefresh(how)
		if (err == nil) != fine || err != nil && command.ExitCode(err) != command.ExitUsage {
			t.Errorf("--refresh=%s: %v", how, err)
		}
	}
	d := clitest.NewDesk(t, map[string]any{"POST /api/v1/applications/argocd/shop/refresh": nil})
	if err := Refresh(t.Context(), reached(t, d), clitest.Shop(), api.Hard); err != nil {
		t.Error(err)
	}
	if got := strings.Join(d.Asked(), "; "); got != "POST /api/v1/applications/argocd/shop/refresh?how=hard" {
		t.Errorf("a server is asked %q", got)
	}
}

// TestEngineHasLookedAgain once it took the request away, which makes another version.
func TestEngineHasLookedAgain(t *testing.T) {
	cases := map[string]struct {
		reason, version string
		asked, want     bool
	}{
		"asked":   {"the request is still there", "2", true, false},
		"before":  {"it is read as it was before the request was written", "1", false, false},
		"looked":  {"the request is gone", "2", false, true},
		"pending": {"another asks for another look", "3", true, false},
	}
	for name, c := range cases {
		app := clitest.Shop()
		app.ResourceVersion = c.version
		if c.asked {
			app.Annotations = map[string]string{v1alpha1.AnnotationRefresh: ""}
		}
		if got := LookedAgain(app, "1"); got != c.want {
			t.Errorf("%s: %s: %v", name, c.reason, got)
		}
	}
}

// TestVersionOfAClusterThatDoesNotTell: the address stands beside the error, and not in it.
func TestVersionOfAClusterThatDoesNotTell(t *testing.T) {
	refused := errors.New("connection refused")
	if got := plain(&wrapped{"Get https://dev:6443/version", refused}); !errors.Is(got, refused) || got.Error() != "connection refused" {
		t.Error(got)
	}
	h := hubAt(t, map[string]any{"GET /version": clitest.Refusal{Status: http.StatusForbidden, Detail: "no"}})
	if _, _, err := ServerVersion(t.Context(), h.Config); err == nil || !IsStatus(err) {
		t.Errorf("an answer of the API server is no failed connection: %v", err)
	}
	h = hubAt(t, map[string]any{"GET /version": map[string]string{"gitVersion": "v1.36.3"}})
	if v, took, err := ServerVersion(t.Context(), h.Config); v != "v1.36.3" || took <= 0 || err != nil {
		t.Errorf("%q after %v: %v", v, took, err)
	}
	if h.Config.Timeout != 0 {
		t.Error("the patience of the question is that of the whole connection")
	}
}

type wrapped struct {
	at  string
	err error
}

func (w *wrapped) Error() string { return w.at + ": " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }
