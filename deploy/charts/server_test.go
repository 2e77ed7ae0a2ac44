package charts_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
)

// ofPeople are rights of the server that are needed where people and API
// servers are others than those of this test.
var ofPeople = map[string]string{
	"impersonate /users": "a person who signs in to this cluster; the one of this test is a service account",
	"impersonate authentication.k8s.io/userextras/authentication.kubernetes.io/node-name": boundTokens,
	"impersonate authentication.k8s.io/userextras/authentication.kubernetes.io/node-uid":  boundTokens,
	"impersonate authentication.k8s.io/userextras/authentication.kubernetes.io/pod-name":  boundTokens,
	"impersonate authentication.k8s.io/userextras/authentication.kubernetes.io/pod-uid":   boundTokens,
	"impersonate authentication.k8s.io/userextras/scopes.authorization.openshift.io":      "tokens of OpenShift",
}

const boundTokens = "a token that a pod has is bound to it, and to its node"

// TestServerNeedsWhatTheChartGrants signs in as an account and as a service
// account, looks, syncs, reads a log and changes what people describe, with the
// rights of the chart alone.
func TestServerNeedsWhatTheChartGrants(t *testing.T) {
	c, target, folder, record := newCluster(t), embeddedtest.Namespace(t, hub), t.TempDir(), newRequests()
	write(t, filepath.Join(folder, "web", "cm.yaml"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {mode: standard}}\n")
	write(t, filepath.Join(folder, "web", "pod.yaml"), "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web, image: web}]}}\n")
	rules := c.install(values{
		"server":      values{"enabled": true, "kubernetesUsers": true, "passwords": true, "describe": true, "logs": true, "tlsGenerate": true},
		"destination": values{"rules": someRules("pods"), "namespaces": []any{target}},
	})
	c.create(clusterSecret(target))
	c.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: listener.TLSSecret}}) // with no certificate: it is renewed
	l := c.door()
	c.engineWith(c.account(record), folder, func(cfg *app.Config) { cfg.Serving = listener.At{Listener: l, GenerateTLS: true} })
	c.create(applicationSet(t, target, "web"))
	c.until("web", good)

	base := "https://" + l.Addr().String() + "/api/v1"
	at := base + "/applications/" + c.namespace + "/web"
	session := c.signIn(base)
	for _, path := range []string{"", "/tree", "/diff", "/events", "/history"} {
		c.ask(http.MethodGet, at+path, session.Token, nil, nil)
	}
	c.ask(http.MethodGet, base+"/bridge", session.Token, nil, nil) // also where ClusterMetadata may not be listed
	c.log(at, session.Token, target, record)
	c.ask(http.MethodPost, at+"/sync", session.Token, map[string]string{}, nil)
	c.until("web", func(a *v1alpha1.Application) error {
		if st := a.Status.OperationState; st == nil || st.Operation.InitiatedBy.Username != "admin" || !st.Phase.Completed() {
			return fmt.Errorf("the sync has not ended: %+v", st)
		}
		return nil
	})
	c.describe(base, session.Token)
	c.ask(http.MethodPost, base+"/keys", session.Token, map[string]any{"name": "ci", "scope": map[string]any{"readOnly": true}}, nil)
	c.ask(http.MethodPost, at+"/sync", c.person("ann", "get", "list", "patch"), map[string]string{}, nil)
	c.ask(http.MethodPut, base+"/accounts/admin/password", session.Token, map[string]any{"current": "right", "password": "the next one"}, &session)
	c.ask(http.MethodDelete, base+"/session?everywhere=true", session.Token, nil, nil)

	for _, right := range record.spare(t, rules, ofPeople) {
		t.Errorf("the chart grants what the engine does not use: %s", right)
	}
	// Of kinds that are left alone where they may not be listed, the bridge asks each time.
	alone := []string{"clustermetadata", "metadataschemas"}
	expected := func(q request) bool {
		return q.namespace == target && q.resource != "pods/log" || q.group == "causeway.io" && slices.Contains(alone, q.resource)
	}
	for _, q := range record.refusals(expected) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}

// describe makes, changes and takes away what people may describe.
func (c *cluster) describe(base, token string) {
	c.t.Helper()
	var made struct{ ID string }
	repository, project := map[string]any{"url": "https://git.example.com/team/more"}, map[string]any{"name": "team", "spec": values{}}
	c.ask(http.MethodPost, base+"/repositories", token, repository, &made)
	c.ask(http.MethodPost, base+"/projects", token, project, nil)
	repository["name"], project["spec"] = "more", values{"description": "a team"}
	for at, wish := range map[string]any{base + "/repositories/" + made.ID: repository, base + "/projects/team": project} {
		c.ask(http.MethodPut, at, token, wish, nil)
		c.ask(http.MethodDelete, at, token, nil, nil)
	}
}

// log asks for the log of the pod until the engine has asked the API server for
// it, behind which there are no containers that write one.
func (c *cluster) log(app, token, target string, record *requests) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		err := send(ctx, http.MethodGet, app+"/logs?pod=web&podNamespace="+target, token, nil, nil)
		if slices.Contains(record.in(target), "get /pods/log web") {
			return nil
		}
		return fmt.Errorf("the API server is not asked for a log: %w", err)
	})
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
	embeddedtest.Eventually(c.t, func(ctx context.Context) error { return send(ctx, method, url, token, body, into) })
}

// browser goes on with a certificate that nobody vouches for.
var browser = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// send sends a request, and reads the answer where there is something to read it into.
func send(ctx context.Context, method, url, token string, body, into any) error {
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
	resp, err := browser.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= http.StatusBadRequest {
		said, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, said)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
