package charts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/serve"
)

// TestServerNeedsWhatTheChartGrants signs in as an account and as a service
// account, looks and syncs, with the rights of the chart alone.
func TestServerNeedsWhatTheChartGrants(t *testing.T) {
	c, target, folder, record := newCluster(t), embeddedtest.Namespace(t, hub), t.TempDir(), newRequests()
	write(t, filepath.Join(folder, "web", "cm.yaml"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {mode: standard}}\n")
	rules := c.install(values{
		"server":      values{"enabled": true, "kubernetesUsers": true, "passwords": true},
		"destination": values{"rules": someRules(), "namespaces": []any{target}},
	})
	c.create(clusterSecret(target))
	l := c.door()
	c.engineWith(c.account(record), folder, func(cfg *app.Config) { cfg.Serving = serve.At{Listener: l} })
	c.create(applicationSet(t, target, "web"))
	c.until("web", good)

	base := "http://" + l.Addr().String() + "/api/v1"
	at := base + "/applications/" + c.namespace + "/web"
	session := c.signIn(base)
	for _, path := range []string{"", "/tree", "/diff", "/events", "/history"} {
		c.ask(http.MethodGet, at+path, session.Token, nil, nil)
	}
	c.ask(http.MethodPost, at+"/sync", session.Token, map[string]string{}, nil)
	c.until("web", func(a *v1alpha1.Application) error {
		if st := a.Status.OperationState; st == nil || st.Operation.InitiatedBy.Username != "admin" || !st.Phase.Completed() {
			return fmt.Errorf("the sync has not ended: %+v", st)
		}
		return nil
	})
	c.ask(http.MethodPost, base+"/keys", session.Token, map[string]any{"name": "ci", "scope": map[string]any{"readOnly": true}}, nil)
	c.ask(http.MethodPost, at+"/sync", c.person("ann", "get", "list", "patch"), map[string]string{}, nil)
	c.ask(http.MethodPut, base+"/accounts/admin/password", session.Token, map[string]any{"current": "right", "password": "the next one"}, &session)
	c.ask(http.MethodDelete, base+"/session?everywhere=true", session.Token, nil, nil)

	for _, right := range record.unused(rules) {
		if strings.Contains(right, "reviews") || strings.Contains(right, "impersonate") || right == "list /events" || strings.Contains(right, "causeway-server") ||
			strings.Contains(right, "causeway-sessions") || right == "patch /secrets argocd-secret" || strings.Contains(right, "argocd-rbac-cm") {
			if !strings.HasPrefix(right, "impersonate") { // a header, which no request has in its path
				t.Errorf("the chart grants what the engine does not use: %s", right)
			}
		}
	}
	for _, q := range record.refusals(func(q request) bool { return q.namespace == target }) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}

// door is where the engine listens for people, of whom it knows admin by a password.
func (c *cluster) door() net.Listener {
	c.t.Helper()
	hash, err := password.New("right")
	if err != nil {
		c.t.Fatal(err)
	}
	c.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "argocd-secret"}, StringData: map[string]string{"admin.password": hash.Text()}})
	var lc net.ListenConfig
	l, err := lc.Listen(c.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	return l
}

// session is what signing in answers.
type session struct{ Token string }

// signIn signs admin in at the API.
func (c *cluster) signIn(base string) session {
	c.t.Helper()
	var out session
	c.ask(http.MethodPost, base+"/session", "", map[string]string{"username": "admin", "password": "right"}, &out)
	return out
}

// person is the token of a service account that may what is named with Applications.
func (c *cluster) person(name string, verbs ...string) string {
	c.t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.create(account)
	c.create(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{v1alpha1.Group}, Resources: []string{"applications"}, Verbs: verbs}}})
	c.create(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: c.namespace}},
	})
	token := &authenticationv1.TokenRequest{}
	if err := c.SubResource("token").Create(c.t.Context(), account, token); err != nil {
		c.t.Fatal(err)
	}
	return token.Status.Token
}

// ask sends a request until it is taken: rights and caches come after a while.
func (c *cluster) ask(method, url, token string, body, into any) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode >= http.StatusBadRequest {
			return fmt.Errorf("%s %s: %s", method, url, resp.Status)
		}
		if into == nil {
			return nil
		}
		return json.NewDecoder(resp.Body).Decode(into)
	})
}
