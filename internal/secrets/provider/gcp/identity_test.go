package gcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/providertest"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func TestWhoAsks(t *testing.T) {
	s := newServer(t)
	exchange := func(audience, token string) url.Values {
		return url.Values{
			"at": {"token"}, "audience": {audience}, "subject_token": {token}, "subject_token_type": {"urn:ietf:params:oauth:token-type:jwt"}, "scope": {scope},
			"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		}
	}
	const cluster = "identitynamespace:clusters.svc.id.goog:https://container.googleapis.com/v1/projects/clusters/locations/europe-west3-a/clusters/c1"
	acted := func(by int) url.Values {
		return url.Values{"at": {"projects/-/serviceAccounts/reader@shop.iam.gserviceaccount.com generateAccessToken"}, "by": {fmt.Sprint("Bearer made-access-token-", by)}}
	}
	for name, tc := range map[string]struct {
		reason, config string
		want           []url.Values
	}{
		"key": {"the key of a service account", ofKey, []url.Values{{
			"at": {"/token"}, "grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"reader@shop.iam.gserviceaccount.com " + scope},
		}}},
		"cluster": {"a service account of GKE", fmt.Sprintf(ofGKE, "bare"), []url.Values{exchange(cluster, "jwt of ns/bare for clusters.svc.id.goog,more")}},
		"acts":    {"that acts for one of Google", fmt.Sprintf(ofGKE, "bound"), []url.Values{exchange(cluster, "jwt of ns/bound for clusters.svc.id.goog,more"), acted(1)}},
		"pool":    {"a service account of any cluster", fmt.Sprintf(ofPool, "bare"), []url.Values{exchange(pool, "jwt of ns/bare for "+pool)}},
		"named": {
			"that acts for whom the store names", strings.Replace(fmt.Sprintf(ofPool, "bare"), `"audience"`, `"gcpServiceAccountEmail":"reader@shop.iam.gserviceaccount.com","audience"`, 1),
			[]url.Values{exchange(pool, "jwt of ns/bare for "+pool), acted(1)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.mu.Lock()
			s.made = 0
			s.mu.Unlock()
			p := s.opened(t, tc.config)
			for range 2 {
				if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
			}
			if diff := cmp.Diff(tc.want, s.told()); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// TestEarly: a token is replaced before its end.
func TestEarly(t *testing.T) {
	s := newServer(t)
	s.life = 30
	p := s.opened(t, ofKey)
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Fatal(err)
	}
	if got := len(s.told()); got != 2 {
		t.Errorf("signed in %d times", got)
	}
}

// TestEnginesIdentity: what the engine is to Google is for stores of the whole of its own cluster.
func TestEnginesIdentity(t *testing.T) {
	s := newServer(t)
	s.tokens["engine"] = true
	f := s.factory()
	f.Engine = func(context.Context) (*oauth2.Token, error) { return &oauth2.Token{AccessToken: "engine"}, nil }
	for name, tc := range map[string]struct {
		namespace string
		engine    bool
		err       string
	}{
		"own cluster":   {"", true, ""},
		"namespace":     {"ns", true, "of the cluster that it runs in"},
		"other cluster": {"", false, "of the cluster that it runs in"},
	} {
		shelf := store.NewShelf(providertest.Cluster(s.objects(), tc.engine), map[string]store.Factory{Name: f.Open})
		opened, err := shelf.Open(t.Context(), store.Store{
			UID: types.UID(name), NamespacedName: types.NamespacedName{Namespace: tc.namespace}, Provider: Name, Config: json.RawMessage(`{"projectID":"shop"}`),
		}, "ns")
		if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: got the error %v, want %q", name, err, tc.err)
		}
		if err != nil {
			continue
		}
		if _, err := opened.Read(t.Context(), provider.Ref{Key: "db"}, time.Now()); err != nil {
			t.Error(err)
		}
	}
}

// TestWhoTheEngineIs: a pod with workload identity, and no node.
func TestWhoTheEngineIs(t *testing.T) {
	name := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Metadata-Flavor", "Google")
		w.Header().Set("Server", name)
		if strings.HasSuffix(r.URL.Path, "/cluster-name") {
			_, _ = w.Write([]byte("here"))
		}
		if strings.HasSuffix(r.URL.Path, "/token") {
			say(w, object{"access_token": "planted-token", "expires_in": 3600, "token_type": "Bearer"})
		}
	}))
	defer server.Close()
	for key, value := range map[string]string{"HOME": t.TempDir(), "GOOGLE_APPLICATION_CREDENTIALS": "", "GCE_METADATA_HOST": strings.TrimPrefix(server.URL, "http://")} {
		t.Setenv(key, value)
	}
	for called, want := range map[string]string{"GKE Metadata Server": "planted-token", "Metadata Server for VM": ""} {
		name = called
		got, err := ofEngine(t.Context())
		if (err == nil) != (want != "") || err == nil && got.AccessToken != want || err != nil && !strings.Contains(err.Error(), "the identity of its node alone") {
			t.Errorf("%s: %v", called, err)
		}
	}
	if got, err := OfEngine().Metadata(t.Context(), "instance/attributes/cluster-name"); err != nil || got != "here" {
		t.Errorf("the cluster is %q (%v)", got, err)
	}
	server.Close()
	if _, err := OfEngine().Metadata(t.Context(), "instance/attributes/cluster-name"); err == nil {
		t.Error("who is not there answers")
	}
}

// TestWhereTheEngineIs: a store of the engine's own cluster of GKE need not say which that is.
func TestWhereTheEngineIs(t *testing.T) {
	s := newServer(t)
	f := s.factory()
	asked := 0
	f.Metadata = func(_ context.Context, path string) (string, error) {
		asked++
		return map[string]string{"instance/attributes/cluster-name": "here", "instance/attributes/cluster-location": "europe-west3", "project/project-id": "home"}[path], nil
	}
	config := json.RawMessage(`{"projectID":"shop","auth":{"workloadIdentity":{"serviceAccountRef":{"name":"bare"}}}}`)
	if _, err := f.Open(t.Context(), config, store.NewShelf(providertest.Cluster(s.objects(), true), nil).Around("ns")); err != nil {
		t.Fatal(err)
	}
	const want = "identitynamespace:home.svc.id.goog:https://container.googleapis.com/v1/projects/home/locations/europe-west3/clusters/here"
	if told := s.told(); len(told) != 1 || told[0].Get("audience") != want || told[0].Get("subject_token") != "jwt of ns/bare for home.svc.id.goog" {
		t.Errorf("told %v", told)
	}
	asked = 0
	if _, err := f.Open(t.Context(), config, store.NewShelf(providertest.Cluster(s.objects(), false), nil).Around("ns")); err == nil || !strings.Contains(err.Error(), "set clusterName and clusterLocation") || asked > 0 {
		t.Errorf("a store of another cluster: %v, after %d questions", err, asked)
	}
}

// TestDial: Google is asked where stores may ask, and nowhere else.
func TestDial(t *testing.T) {
	s := newServer(t)
	closed := providertest.Cluster(s.objects(), true)
	closed.Dial = egress.DialRemote
	for _, config := range []string{ofKey, fmt.Sprintf(ofGKE, "bound"), fmt.Sprintf(ofPool, "bare")} {
		_, err := s.factory().Open(t.Context(), json.RawMessage(config), store.NewShelf(closed, nil).Around("ns"))
		if err == nil || !strings.Contains(err.Error(), "is a local address") {
			t.Errorf("%s: %v", config, err)
		}
	}
	if asked := s.operations(); len(asked) > 0 {
		t.Errorf("it was asked for %v", asked)
	}
}

// TestSharedEntry: ten keys of one entry, asked for at a time, are one request.
func TestSharedEntry(t *testing.T) {
	s := newServer(t)
	shelf := store.NewShelf(providertest.Cluster(s.objects(), false), map[string]store.Factory{Name: s.factory().Open})
	opened, err := shelf.Open(t.Context(), store.Store{UID: "one", NamespacedName: types.NamespacedName{Namespace: "ns"}, Provider: Name, Config: json.RawMessage(ofKey)}, "ns")
	if err != nil {
		t.Fatal(err)
	}
	s.operations()
	since := time.Now()
	var group sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = opened.Read(t.Context(), provider.Ref{Key: "db", Property: fmt.Sprint("p", i)}, since)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"GET projects/shop/secrets/db/versions/latest access"}, s.operations()); diff != "" {
		t.Error(diff)
	}
}

func TestConfigurations(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct{ config, err string }{
		"project":      {`{` + byKey + `}`, "projectID is empty"},
		"odd project":  {`{"projectID":"a/b",` + byKey + `}`, "is none"},
		"odd version":  {`{"projectID":"shop","secretVersionSelectionPolicy":"Newest",` + byKey + `}`, "neither LatestOrFail nor LatestOrFetch"},
		"odd location": {`{"projectID":"shop","location":"x.example.com/",` + byKey + `}`, "is none"},
		"no key":       {`{"projectID":"shop","auth":{"secretRef":{"secretAccessKeySecretRef":{"name":"creds","key":"nope"}}}}`, `has no key "nope"`},
		"other key":    {`{"projectID":"shop","auth":{"secretRef":{"secretAccessKeySecretRef":{"name":"creds","key":"wrong"}}}}`, "no key of a service account of Google"},
		"text":         {`{"projectID":"shop","auth":{"secretRef":{"secretAccessKeySecretRef":{"name":"creds","key":"text"}}}}`, "no key of a service account of Google"},
		"cluster":      {`{"projectID":"shop","auth":{"workloadIdentity":{"serviceAccountRef":{"name":"bare"}}}}`, "set clusterName and clusterLocation"},
		"odd cluster":  {`{"projectID":"shop","auth":{"workloadIdentity":{"serviceAccountRef":{"name":"bare"},"clusterName":"a/b","clusterLocation":"x"}}}`, "is none"},
		"odd account":  {fmt.Sprintf(ofGKE, "odd"), "no address of a service account"},
		"absent":       {fmt.Sprintf(ofGKE, "nobody"), "ServiceAccount ns/nobody does not exist"},
		"refused":      {fmt.Sprintf(ofGKE, "refused"), "cannot sign in with a token of the ServiceAccount refused: invalid_grant: not a token: [masked]"},
		"no audience":  {`{"projectID":"shop","auth":{"workloadIdentityFederation":{"serviceAccountRef":{"name":"bare"}}}}`, "set audience"},
		"no account":   {`{"projectID":"shop","auth":{"workloadIdentityFederation":{"audience":"x"}}}`, "set serviceAccountRef"},
		"file":         {`{"projectID":"shop","auth":{"workloadIdentityFederation":{"credConfig":{"name":"x"},"audience":"x"}}}`, "are not supported"},
		"engine":       {`{"projectID":"shop"}`, "the engine's own identity is for ClusterSecretStores"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.open(t, tc.config)
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("got the error %v, want %q", err, tc.err)
			}
			if strings.Contains(err.Error(), "jwt of ns") || strings.Contains(err.Error(), "planted") {
				t.Error(err)
			}
		})
	}
}

// TestNoToken: what is no token, and what servers say in its place, is told without what was said to them.
func TestNoToken(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct {
		reason string
		answer func(w http.ResponseWriter)
		want   string
		again  bool
	}{
		"empty":    {"an answer without a token", func(w http.ResponseWriter) { say(w, object{}) }, "cannot sign in", false},
		"page":     {"a page", func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>hunter22")) }, "not a whole one", false},
		"denied":   {"who may not act for another", func(w http.ResponseWriter) { fail(w, http.StatusForbidden, "PERMISSION_DENIED", "no hunter") }, "PERMISSION_DENIED: no hunter", true},
		"redirect": {"another server", func(w http.ResponseWriter) { w.Header().Set("Location", s.URL); w.WriteHeader(http.StatusFound) }, "302 Found", false},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
				tc.answer(w)
				return true
			})
			for _, config := range []string{ofKey, fmt.Sprintf(ofGKE, "bound")} {
				_, err := s.open(t, config)
				if no := (*provider.Refused)(nil); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter22") || errors.As(err, &no) != tc.again {
					t.Errorf("%s: %v", tc.reason, err)
				}
			}
		})
	}
}
