package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// stocked is a world whose Applications have objects.
func stocked() *world {
	w := newWorld()
	for key, app := range w.apps {
		app.Status.Resources = []v1alpha1.ResourceStatus{
			{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "live", Name: "server-of-" + key.Name, Status: "Synced", Health: &v1alpha1.HealthStatus{Status: "Degraded"}},
		}
		w.index.Put(view.RowOf(app, w.index.Get(key).Cluster))
	}
	return w
}

// searched are the finds of somebody, with their kinds.
func searched(t *testing.T, w *world, user, text string) (finds, late []string) {
	t.Helper()
	answer := send(t, w.handler(), user, "GET", "/search?limit=2&q="+url.QueryEscape(text), "")
	var out Found
	if err := json.Unmarshal(answer.Body.Bytes(), &out); err != nil || answer.Code != 200 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	for _, g := range out.Groups {
		for _, one := range g.Items {
			finds = append(finds, g.Kind+" "+one.Name)
		}
		if g.More {
			finds = append(finds, g.Kind+" …")
		}
	}
	return finds, out.Late
}

// Everything that has a name is found, by those who may read it.
func TestSearch(t *testing.T) {
	cases := map[string]struct {
		reason, user, text string
		want               []string
	}{
		"Application":  {"by its name, with its objects", "reader", "web-dev", []string{"applications web-dev", "objects server-of-web-dev"}},
		"OthersApp":    {"it is not there for who may not read it", "other", "web-dev", nil},
		"Cluster":      {"by a label; applications by their cluster", "reader", "environment=prod", []string{"clusters prod"}},
		"Set":          {"by its name, as the applications are that begin with it", "reader", "webs", []string{"applicationSets webs"}},
		"OthersSet":    {"it is not there", "other", "webs", nil},
		"Project":      {"with what is in it", "reader", "shop", []string{"applications web-prod", "applications web-dev", "projects shop"}},
		"OthersOne":    {"neither is a project", "reader", "platform", nil},
		"Repository":   {"by its address, which those have that use it", "reader", "example.com/r", []string{"applications web-prod", "applications web-dev", "repositories https://git.example.com/r"}},
		"OthersRepo":   {"the address of others' repository is found by nobody else", "reader", "example.com/p", nil},
		"Commit":       {"by its subject", "reader", "raise memory", []string{"commits abc"}},
		"OthersCommit": {"a commit that changes nothing of one's own is not there", "reader", "secret", nil},
		"Object":       {"by kind and name", "reader", "deploy/server-of-web-p", []string{"objects server-of-web-prod"}},
		"OthersObject": {"it is not there", "reader", "deployment/server-of-dns", nil},
		"Key":          {"of the bridge", "reader", "region", []string{"keys region"}},
		"MissingKey":   {"one that is read and not there", "reader", "vpc", []string{"keys vpc"}},
		"OthersKey":    {"but not when only others' sets read it", "reader", "zone", nil},
		"Nothing":      {"no words find nothing", "reader", "  ", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, late := searched(t, stocked(), tc.user, tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" || len(late) > 0 {
				t.Errorf("%s: late %v, -want +got:\n%s", tc.reason, late, diff)
			}
		})
	}
}

// What a find says leads to it.
func TestSearchLeadsThere(t *testing.T) {
	w := stocked()
	answer := send(t, w.handler(), "reader", "GET", "/search?q=server-of-web-prod", "")
	var out Found
	if err := json.Unmarshal(answer.Body.Bytes(), &out); err != nil || len(out.Groups) != 1 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	want := Find{
		Name: "server-of-web-prod", Object: &Ref{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "live", Name: "server-of-web-prod"},
		Of: &view.Key{Namespace: "argocd", Name: "web-prod"}, Project: "shop", Cluster: "prod", Sync: "Synced", Health: "Degraded",
	}
	if diff := cmp.Diff(want, out.Groups[0].Items[0]); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// slow is a bridge that has not been worked out.
type slow struct{ *world }

func (slow) Bridge(ctx context.Context) (*Bridge, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// broken has no sets to read.
type broken struct{ *world }

func (broken) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	return nil, errors.New("the cache has not started")
}

// What is not known in time is named, and the rest is found.
func TestSearchDoesNotWait(t *testing.T) {
	w := stocked()
	s := w.options()
	s.Bridge, s.Applications = slow{w}, broken{w}
	answer := send(t, as(New(s)), "reader", "GET", "/search?q=web-dev", "")
	var out Found
	if err := json.Unmarshal(answer.Body.Bytes(), &out); err != nil || answer.Code != 200 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if !slices.Equal(out.Late, []string{"keys"}) || len(out.Groups) == 0 || out.Groups[0].Kind != "applications" {
		t.Errorf("%s", answer.Body)
	}
}

// TestSearchesAreLimited: who has so many searches under way gets no further one, and
// others search.
func TestSearchesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := stocked().options()
		o.Searches = NewSearches()
		h := as(New(o))
		var end func()
		for range searchesEach {
			end, _ = o.Searches.Begin(auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local}))
		}
		if w := send(t, h, "reader", "GET", "/search?q=web", ""); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
			t.Errorf("one more gives %d %s", w.Code, w.Body)
		}
		if w := send(t, h, "admin", "GET", "/search?q=web", ""); w.Code != http.StatusOK {
			t.Errorf("somebody else gets %d %s", w.Code, w.Body)
		}
		end()
		if w := send(t, h, "reader", "GET", "/search?q=web", ""); w.Code != http.StatusOK {
			t.Errorf("after one has ended: %d %s", w.Code, w.Body)
		}
	})
}
