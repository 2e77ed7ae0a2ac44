package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/test/await"
)

const podObjects = `apiVersion: v1
kind: Pod
metadata: {name: %s}
spec: {containers: [{name: main, image: "main:1"}]}
`

// seat is somebody at a terminal.
type seat struct {
	t    *testing.T
	conn *websocket.Conn
	// shell is the one that was opened.
	shell string
}

// opens asks for a terminal, and returns why there is none.
func (v *visitor) opens(path, origin string) (*websocket.Conn, int, string, error) {
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	if v.token != "" {
		header.Set("Authorization", "Bearer "+v.token)
	}
	dialer := websocket.Dialer{Jar: v.client.Jar, HandshakeTimeout: await.Limit}
	conn, answer, err := dialer.DialContext(v.site.T.Context(), "ws"+strings.TrimPrefix(v.site.url, "http")+api.Prefix+path, header)
	if answer == nil {
		return nil, 0, "", err
	}
	defer func() { _ = answer.Body.Close() }() // an upgraded connection is not in it
	if conn != nil {
		v.site.T.Cleanup(func() { _ = conn.Close() })
		return conn, answer.StatusCode, "", nil
	}
	text, _ := io.ReadAll(answer.Body) // of an answer that was cut off there is enough
	return nil, answer.StatusCode, string(text), nil
}

// sits opens a terminal from a page of the site.
func (v *visitor) sits(t *testing.T, path string) *seat {
	t.Helper()
	conn, code, text, err := v.opens(path, v.site.url)
	if conn == nil {
		t.Fatalf("no terminal: %d %s %v", code, text, err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(await.Limit))
	return &seat{t: t, conn: conn}
}

// isRefused asks for a terminal until it is refused for a reason.
func (v *visitor) isRefused(t *testing.T, path, origin string, code int, says string) {
	t.Helper()
	embeddedtest.Eventually(t, func(context.Context) error {
		_, got, text, err := v.opens(path, origin)
		if err == nil && (got != code || !strings.Contains(text, says)) {
			err = fmt.Errorf("%d %s, want %d and %q", got, text, code, says)
		}
		return err
	})
}

func (s *seat) sends(kind int, text string) {
	s.t.Helper()
	if err := s.conn.WriteMessage(kind, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// reads reads until the terminal shows something.
func (s *seat) reads(want string) {
	s.t.Helper()
	for seen := ""; !strings.Contains(seen, want); {
		kind, data, err := s.conn.ReadMessage()
		if err != nil {
			s.t.Fatalf("after %q: %v", seen, err)
		}
		if kind == websocket.BinaryMessage {
			seen += string(data)
			continue
		}
		var told struct{ Opened struct{ Shell string } }
		if err := json.Unmarshal(data, &told); err != nil || told.Opened.Shell == "" {
			s.t.Fatalf("after %q it says %s", seen, data)
		}
		s.shell = told.Opened.Shell
	}
}

// ends reads what is said at the end.
func (s *seat) ends() (text string) {
	s.t.Helper()
	for {
		kind, data, err := s.conn.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) && closed.Code == websocket.CloseNormalClosure {
			return text
		}
		if err != nil {
			s.t.Fatalf("the terminal was cut off: %v", err)
		}
		if kind == websocket.TextMessage {
			text = string(data)
		}
	}
}

// may gives a service account a right in the namespace.
func (s *site) may(name, group, resource, verb string) {
	s.T.Helper()
	meta := metav1.ObjectMeta{Name: strings.ToLower(strings.ReplaceAll(name+"-"+verb+"-"+resource, "/", "-"))}
	s.Make(&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}}}})
	s.Make(&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: meta.Name}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: s.Namespace}}})
}

// A terminal goes from the browser's end to a container's, by the protocols that
// API servers and kubelets speak; who may not, from elsewhere, of other pods, or
// when it is off, there is none. The audit has its begin and its end.
func TestAPIOpensTerminals(t *testing.T) {
	n := newNode(t)
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(podObjects, "web"), "other/a.yaml": fmt.Sprintf(podObjects, "db")}, func(c *app.Config) {
		c.Hub, c.Serving.Exec, c.Pauses.Rights = n.config(), true, 200*time.Millisecond
	})
	s.App("app", "app")
	s.App("other", "other")
	v := s.visitor("")
	v.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app") + "/terminal"
	pod := func(name string) string { return "?podNamespace=" + s.Namespace + "&pod=" + name }
	open := at + "/open" + pod("web")
	sees(t, v, at+pod("web"), func(got *api.Terminal) error {
		if !got.On || !got.Permitted || len(got.Running) != 1 || got.Running[0] != "main" {
			return fmt.Errorf("the terminal is %+v", got)
		}
		return nil
	})

	one := v.sits(t, open+"&cols=100&rows=30")
	one.reads("[100x30]")
	if one.shell != "sh" {
		t.Errorf("the shell is %q, and the container has sh alone", one.shell)
	}
	one.sends(websocket.BinaryMessage, "hunter2")
	one.reads("hunter2")
	one.sends(websocket.TextMessage, `{"resize":{"cols":120,"rows":40}}`)
	one.reads("[120x40]")
	one.sends(websocket.BinaryMessage, "exit 3")
	if text := one.ends(); !strings.Contains(text, `"reason":"exit"`) || !strings.Contains(text, `"code":3`) {
		t.Errorf("it ended with %s", text)
	}
	audited(t, v, "verb=create&outcome=allowed", "the begin of a terminal", func(e *audit.Entry) bool {
		return e.Resource == "exec" && e.Who.Name == "admin" && e.Name == s.ID("app") && strings.Contains(e.Message, s.Namespace+"/web")
	})
	audited(t, v, "verb=end&outcome=allowed", "the end of a terminal", func(e *audit.Entry) bool {
		return e.Resource == "exec" && e.Of != 0 && strings.Contains(e.Message, "with sh ended after") && !strings.Contains(e.Message, "hunter2")
	})

	v.isRefused(t, open, "https://evil.example.com", http.StatusForbidden, "another site")
	v.isRefused(t, open, "", http.StatusForbidden, "Origin")
	v.isRefused(t, at+"/open"+pod("db"), s.url, http.StatusNotFound, "has no Pod db")
	v.isRefused(t, open+"&container=none", s.url, http.StatusNotFound, "has no container none")

	t.Run("to a cluster without WebSockets", func(t *testing.T) { isToldOfSockets(t, v, n, open) })
	t.Run("by the rights of Kubernetes", func(t *testing.T) { opensByKubernetes(t, s, n, open) })

	held := v.sits(t, open)
	held.reads("$ ")
	s.Make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{v1alpha1.SettingExec: "false"}})
	v.isRefused(t, open, s.url, http.StatusForbidden, "exec.enabled")
	if text := held.ends(); !strings.Contains(text, `"reason":"rights"`) {
		t.Errorf("a terminal that was open when they were switched off ended with %s", text)
	}
}

// isToldOfSockets sees that who opens a terminal learns what the cluster lacks.
func isToldOfSockets(t *testing.T, v *visitor, n *node, open string) {
	t.Helper()
	n.sockets.Store(false)
	defer n.sockets.Store(true)
	if text := v.sits(t, open).ends(); !strings.Contains(text, "needs a WebSocket") || !strings.Contains(text, "what is this?") || !strings.Contains(text, "Kubernetes 1.30") {
		t.Errorf("it ended with %s", text)
	}
}

// opensByKubernetes sees that both policies count, and who the cluster is told of.
func opensByKubernetes(t *testing.T, s *site, n *node, open string) {
	t.Helper()
	who := s.account("guest", "get", "list")
	who.isRefused(t, open, "", http.StatusForbidden, "may not create exec")
	s.may("guest", v1alpha1.Group, "applications/exec", "create")
	who.isRefused(t, open, "", http.StatusForbidden, "pods/exec")
	s.may("guest", "", "pods/exec", "create")
	var conn *websocket.Conn
	embeddedtest.Eventually(t, func(context.Context) error { // what was refused is known for a while
		made, code, text, err := who.opens(open, "")
		if conn = made; conn == nil {
			return errors.Join(err, fmt.Errorf("%d %s", code, text))
		}
		return nil
	})
	_ = conn.SetReadDeadline(time.Now().Add(await.Limit))
	one := &seat{t: t, conn: conn}
	one.reads("$ ")
	one.sends(websocket.BinaryMessage, "exit 0")
	if text := one.ends(); !strings.Contains(text, `"code":0`) {
		t.Errorf("it ended with %s", text)
	}
	if name := "system:serviceaccount:" + s.Namespace + ":guest"; !n.saw(name) {
		t.Errorf("the cluster was not asked in the name of %s", name)
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
