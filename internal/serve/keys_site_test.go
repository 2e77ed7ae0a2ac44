package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/serve/secrets"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// A key does what its scope and its owner may, at both APIs, until one of them
// may no longer or it is revoked.
func TestAPIKeys(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	hash, err := password.New("ann's password")
	if err != nil {
		t.Fatal(err)
	}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: s.Namespace, Name: name} }
	policy := &corev1.ConfigMap{ObjectMeta: meta(rbac.ConfigMap), Data: map[string]string{"policy.csv": "p, ann, applications, *, default/*, allow\n"}}
	for _, o := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: meta(v1alpha1.SettingsName), Data: map[string]string{"accounts.ann": "login"}},
		&corev1.Secret{ObjectMeta: meta(account.Secret), StringData: map[string]string{"accounts.ann.password": hash.Text()}}, policy,
	} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	ann, admin := s.visitor(""), s.visitor("")
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "ann", Password: "ann's password"}, nil)
	admin.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	ann.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)

	read, syncs, elsewhere := s.key(t, ann, "read", key.Scope{ReadOnly: true}),
		s.key(t, ann, "sync", key.Scope{Rules: []key.Rule{{Resource: "applications", Action: "sync", Project: "def*"}}}),
		s.key(t, ann, "else", key.Scope{Rules: []key.Rule{{Resource: "*", Action: "*", Project: "other"}}})
	for _, step := range []struct {
		by           *visitor
		method, path string
		body         any
		want         int
	}{
		{read, http.MethodGet, at, nil, 200},
		{read, http.MethodPost, at + "/sync", api.Sync{}, 403},
		{read, http.MethodGet, "/audit", nil, 403}, // which ann may not, either
		{read, http.MethodGet, "/keys", nil, 403},
		{syncs, http.MethodPost, at + "/sync", api.Sync{}, 202},
		{syncs, http.MethodDelete, at, nil, 403},
		{elsewhere, http.MethodGet, at, nil, 404},
		{s.visitor(read.token + "x"), http.MethodGet, at, nil, 401},
		{s.visitor("causeway_"), http.MethodGet, at, nil, 401},
	} {
		step.by.wants(t, step.want, step.method, step.path, step.body, nil)
	}
	if code := s.argo(t, read.token, "/applications/"+s.ID("app")); code != http.StatusOK {
		t.Errorf("Argo CD's API answers the key with %d", code)
	}
	sees(t, admin, "/audit?who=ann&verb=sync", func(p *api.AuditPage) error {
		if len(p.Items) == 0 || p.Items[len(p.Items)-1].Who.Key != "read" || p.Items[0].Who.Key != "sync" || p.Items[0].Outcome != audit.Allowed {
			return fmt.Errorf("the audit has %+v", p.Items)
		}
		return nil
	})
	sees(t, admin, "/keys?all=true", func(all *[]api.APIKey) error {
		if len(*all) != 3 || (*all)[0].Own || (*all)[0].Owner != "ann" {
			return fmt.Errorf("the keys are %+v", *all)
		}
		return nil
	})

	policy.Data["policy.csv"] = "p, ann, applications, get, default/*, allow\n"
	if err := s.Update(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	syncs.wants(t, http.StatusForbidden, http.MethodPost, at+"/sync", api.Sync{}, nil)
	var own []api.APIKey
	ann.wants(t, http.StatusOK, http.MethodGet, "/keys", nil, &own)
	for _, k := range own {
		if k.Name == "read" {
			ann.wants(t, http.StatusNoContent, http.MethodDelete, "/keys/"+k.ID, nil, nil)
		}
	}
	if code, err := read.do(t.Context(), http.MethodGet, at, nil, nil); err != nil || code != http.StatusUnauthorized {
		t.Errorf("the next request with a key that was revoked: %d, %v", code, err)
	}
	audited(t, admin, "verb=revoke", "the end of a key", func(e *audit.Entry) bool { return e.Who.Name == "ann" && e.Name == "read" })
	kept := &corev1.Secret{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: secrets.KeysSecret}, kept); err != nil {
		t.Fatal(err)
	}
	_, secret, _ := key.Split(syncs.token)
	if text := fmt.Sprintf("%s", kept.Data); strings.Contains(text, secret) || !strings.Contains(text, `"sync"`) {
		t.Errorf("the Secret has %s", text)
	}
}

// key makes a key of somebody, and is who sends it.
func (s *site) key(t *testing.T, of *visitor, name string, scope key.Scope) *visitor {
	t.Helper()
	var made api.MadeKey
	of.wants(t, http.StatusCreated, http.MethodPost, "/keys", api.NewKey{Name: name, Scope: scope, Days: 1}, &made)
	return s.visitor(made.Token)
}

// argo asks Argo CD's API.
func (s *site) argo(t *testing.T, token, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/argocd/api/v1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}
