package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/test/await"
)

// script is a program that speaks to Argo CD, at another address.
type script struct {
	site  *site
	token string
}

// asks sends a request, and returns the answer.
func (s *script) asks(ctx context.Context, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.site.url+argocd.Prefix+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// gets asks until the answer is as it should be.
func gets[T any](t *testing.T, s *script, method, path, body string, right func(*T) error) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		code, text, err := s.asks(ctx, method, path, body)
		if err == nil && code != http.StatusOK {
			err = fmt.Errorf("%s %s: %d: %s", method, path, code, text)
		}
		if err != nil {
			return err
		}
		var got T
		if err := json.Unmarshal(text, &got); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		return right(&got)
	})
}

// refused asks until the answer has a code of gRPC's.
func (s *script) refused(t *testing.T, want int, method, path, body string) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		_, text, err := s.asks(ctx, method, path, body)
		var got struct{ Code int }
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || got.Code != want {
			return fmt.Errorf("%s %s: %s, %w", method, path, text, err)
		}
		return nil
	})
}

func anything[T any](*T) error { return nil }

// pipeline is a site with an account ci, whose key was given out by Argo CD.
func pipeline(t *testing.T, policy string) (*site, *script) {
	t.Helper()
	s := prepareSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	key := bytes.Repeat([]byte("k"), 32)
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: s.Namespace, Name: name} }
	s.Make(&corev1.Secret{ObjectMeta: meta(account.Secret), Data: map[string][]byte{"server.secretkey": key, "accounts.ci.tokens": []byte(`[{"id":"pipeline","iat":1700000000}]`)}})
	s.Make(&corev1.ConfigMap{ObjectMeta: meta(v1alpha1.SettingsName), Data: map[string]string{"accounts.ci": "apiKey", "url": "https://cd.example.com"}})
	s.Make(&corev1.ConfigMap{ObjectMeta: meta(rbac.ConfigMap), Data: map[string]string{"policy.csv": policy}})
	s.start()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": "argocd", "sub": "ci:apiKey", "jti": "pipeline", "iat": 1700000000, "nbf": 1700000000}).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s, &script{s, token}
}

// A pipeline that was written for Argo CD goes on to work with the key that it has.
func TestArgoPipeline(t *testing.T) {
	s, ci := pipeline(t, "p, ci, applications, *, default/*, allow\np, ci, clusters, get, *, allow\np, ci, projects, get, *, allow\n")
	s.App("app", "app", manual)
	at := "/v1/applications/" + s.ID("app")
	gets(t, &script{site: s}, http.MethodPost, "/v1/session", `{"username":"admin","password":"`+adminPassword+`"}`, func(got *struct{ Token string }) error {
		if got.Token == "" {
			return errors.New("no token")
		}
		return nil
	})
	gets(t, ci, http.MethodGet, "/v1/session/userinfo", "", func(got *struct{ Username string }) error {
		if got.Username != "ci" {
			return fmt.Errorf("the key is %q's", got.Username)
		}
		return nil
	})
	gets(t, ci, http.MethodGet, at+"?refresh=normal", "", func(app *v1alpha1.Application) error {
		if app.Status.Sync.Status != v1alpha1.SyncStatusCodeOutOfSync {
			return fmt.Errorf("sync is %q", app.Status.Sync.Status)
		}
		return nil
	})
	first := ci.syncs(t, at, "red")
	ci.reads(t, s, at)
	s.Write("app/a.yaml", fmt.Sprintf(pageObjects, "blue"))
	gets(t, ci, http.MethodGet, at+"?refresh=hard", "", anything[v1alpha1.Application])
	ci.compares(t, at)
	ci.syncs(t, at, "blue")
	gets(t, ci, http.MethodPost, at+"/rollback", fmt.Sprintf(`{"id":%d,"prune":true}`, first), anything[v1alpha1.Application])
	ci.finds(t, at, "red")
	ci.refused(t, 9, http.MethodDelete, at+"/operation", "")
	gets(t, ci, http.MethodDelete, at+"?cascade=false", "", anything[struct{}])
	ci.refused(t, 7, http.MethodGet, at, "")
	ci.refused(t, 5, http.MethodGet, at+"?project=default", "")
}

// syncs as pipelines do, and returns the deployment's id.
func (s *script) syncs(t *testing.T, at, colour string) (id int64) {
	t.Helper()
	gets(t, s, http.MethodPost, at+"/sync", `{"prune":true,"strategy":{"hook":{}}}`, func(app *v1alpha1.Application) error {
		if app.Operation == nil && app.Status.OperationState == nil {
			return errors.New("the answer does not have the operation")
		}
		return nil
	})
	gets(t, s, http.MethodGet, at, "", func(app *v1alpha1.Application) error {
		if st := app.Status.OperationState; app.Operation != nil || st == nil || st.Phase != v1alpha1.OperationSucceeded || app.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced || st.Operation.InitiatedBy.Username != "ci" {
			return fmt.Errorf("the operation is %+v, sync %s", app.Status.OperationState, app.Status.Sync.Status)
		}
		id = app.Status.History[len(app.Status.History)-1].ID
		return nil
	})
	s.finds(t, at, colour)
	return id
}

// finds waits until the live object is as it should be.
func (s *script) finds(t *testing.T, at, colour string) {
	t.Helper()
	path := at + "/resource?version=v1&kind=ConfigMap&resourceName=settings&namespace=" + s.site.Namespace
	gets(t, s, http.MethodGet, path, "", func(got *struct{ Manifest string }) error {
		var cm corev1.ConfigMap
		if err := json.Unmarshal([]byte(got.Manifest), &cm); err != nil || cm.Data["colour"] != colour {
			return fmt.Errorf("the object is %s, %w", got.Manifest, err)
		}
		return nil
	})
}

// reads what portals show, of an Application that is synced.
func (s *script) reads(t *testing.T, site *site, at string) {
	t.Helper()
	gets(t, s, http.MethodGet, at+"/resource-tree", "", func(got *struct{ Nodes []struct{ Kind, UID string } }) error {
		if len(got.Nodes) != 2 || got.Nodes[0].UID == "" {
			return fmt.Errorf("the tree has %+v", got.Nodes)
		}
		return nil
	})
	gets(t, s, http.MethodGet, "/v1/applications?projects=default&fields=items.metadata.name", "", func(got *struct{ Items []map[string]any }) error {
		if len(got.Items) != 1 || len(got.Items[0]) != 1 {
			return fmt.Errorf("the list has %v", got.Items)
		}
		return nil
	})
	var revision string
	gets(t, s, http.MethodGet, at+"/manifests", "", func(got *argocd.Manifests) error {
		revision = got.Revision
		if text := strings.Join(got.Manifests, ""); len(got.Manifests) != 2 || strings.Contains(text, "hunter2") || got.SourceType != "Directory" {
			return fmt.Errorf("the manifests are %+v", got)
		}
		return nil
	})
	gets(t, s, http.MethodGet, at+"/revisions/"+revision+"/metadata", "", func(got *struct{ Author, Message string }) error {
		if got.Author == "" {
			return fmt.Errorf("nobody made revision %s", revision)
		}
		return nil
	})
	gets(t, s, http.MethodGet, at+"/events", "", anything[corev1.EventList])
	gets(t, s, http.MethodGet, at+"/resource/actions?version=v1&kind=ConfigMap&resourceName=settings&namespace="+site.Namespace, "", func(got *struct{ Actions []argocd.Action }) error {
		if got.Actions == nil {
			return errors.New("there is no list of actions")
		}
		return nil
	})
	gets(t, s, http.MethodGet, "/v1/clusters", "", func(got *struct{ Items []struct{ Name string } }) error {
		if len(got.Items) == 0 {
			return errors.New("there is no cluster")
		}
		return nil
	})
	gets(t, s, http.MethodGet, "/v1/projects/default", "", anything[v1alpha1.AppProject])
	gets(t, s, http.MethodGet, "/v1/settings", "", func(got *argocd.Settings) error {
		if got.URL != "https://cd.example.com" || got.ControllerNamespace != site.Namespace {
			return fmt.Errorf("the settings are %+v", got)
		}
		return nil
	})
}

// compares sees what a sync would change, and no value of a Secret.
func (s *script) compares(t *testing.T, at string) {
	t.Helper()
	gets(t, s, http.MethodGet, at+"/managed-resources", "", func(got *struct{ Items []argocd.Managed }) error {
		text := fmt.Sprint(got.Items)
		if len(got.Items) != 2 || strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
			return fmt.Errorf("the objects are %+v", got.Items)
		}
		for _, m := range got.Items {
			if m.Kind == "ConfigMap" && (!strings.Contains(m.Live, "red") || !strings.Contains(m.Target, "blue") || !strings.Contains(m.Predicted, "blue") || !strings.Contains(m.Normalized, "red")) {
				return fmt.Errorf("the object is %+v", m)
			}
		}
		return nil
	})
}

// What the policy does not give a key, it may not, and is told in Argo CD's words.
func TestArgoByPolicy(t *testing.T) {
	s, ci := pipeline(t, "p, ci, applications, get, default/*, allow\n")
	s.App("app", "app", manual)
	at := "/v1/applications/" + s.ID("app")
	gets(t, ci, http.MethodGet, at, "", anything[v1alpha1.Application])
	ci.refused(t, 7, http.MethodPost, at+"/sync", "")
	ci.refused(t, 7, http.MethodPost, at+"/rollback", `{"id":0}`)
	ci.refused(t, 7, http.MethodDelete, at, "")
	ci.refused(t, 7, http.MethodGet, at+"/logs?podName=p&namespace=n", "")
	ci.refused(t, 16, http.MethodPost, "/v1/session", `{"username":"admin","password":"wrong"}`)
	(&script{site: s}).refused(t, 16, http.MethodGet, at, "")
	(&script{s, ci.token + "x"}).refused(t, 16, http.MethodGet, at, "")
	for action, want := range map[string]string{"get": "yes", "sync": "no"} {
		gets(t, ci, http.MethodGet, "/v1/account/can-i/applications/"+action+"/default/"+s.ID("app"), "", func(got *struct{ Value string }) error {
			if got.Value != want {
				return fmt.Errorf("%s: %s", action, got.Value)
			}
			return nil
		})
	}
}

// Who follows sees what there is, and then what changes.
func TestArgoStream(t *testing.T) {
	s, ci := pipeline(t, "p, ci, applications, get, default/*, allow\n")
	s.App("app", "app")
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	gets(t, ci, http.MethodGet, "/v1/applications/"+s.ID("app"), "", anything[v1alpha1.Application])
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+argocd.Prefix+"/v1/stream/applications?name="+s.ID("app"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(&http.Cookie{Name: "argocd.token", Value: ci.token})
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	var kinds []string
	for {
		text, err := lines.ReadBytes('\n')
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			continue // the stream tells that it is alive
		}
		var got struct {
			Result struct {
				Type        string
				Application v1alpha1.Application
			}
		}
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil {
			t.Fatalf("after %v: %v: %s", kinds, err, text)
		}
		kinds = append(kinds, got.Result.Type)
		if got.Result.Application.Status.Health.Status == v1alpha1.HealthStatusHealthy {
			break
		}
	}
	if kinds[0] != "ADDED" || slices.Contains(kinds[1:], "ADDED") {
		t.Errorf("the stream tells %v", kinds)
	}
}
