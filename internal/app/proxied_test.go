package app

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// tunnel is a proxy that alone knows where a name leads.
type tunnel struct {
	name, leadsTo string
	used          atomic.Int32
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodConnect || req.Host != p.name {
		http.Error(w, "not from here", http.StatusForbidden)
		return
	}
	far, err := (&net.Dialer{}).DialContext(req.Context(), "tcp", p.leadsTo)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = far.Close()
		return
	}
	p.used.Add(1)
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	go carry(far, near)
	go carry(near, far)
}

// carry ends both ways when one ends.
func carry(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = to.Close(), from.Close()
}

// TestClusterBehindAProxy has a cluster whose name nobody knows but a proxy,
// whose certificate is for another name, and whose authority is its own.
func TestClusterBehindAProxy(t *testing.T) {
	address, err := url.Parse(hubConfig.Host)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &tunnel{name: "spoke.nowhere.test:6443", leadsTo: address.Host}
	server := httptest.NewServer(proxy)
	t.Cleanup(func() { embeddedtest.Shut(server) })

	e := start(t, map[string]string{"app/cm.yaml": configMapV1}, hasty)
	config := map[string]any{
		"proxyUrl": server.URL, "bearerToken": hubConfig.BearerToken,
		"tlsClientConfig": map[string]any{"serverName": "not.its.name.test", "caData": hubConfig.CAData, "certData": hubConfig.CertData, "keyData": hubConfig.KeyData},
	}
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "spoke", Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		Data:       map[string][]byte{"name": []byte("spoke"), "server": []byte("https://" + proxy.name), "config": asJSON(t, config)},
	}
	if err := e.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "spoke" })
	e.until("app", "told that the certificate is for another name", func(app *v1alpha1.Application) bool {
		for _, c := range app.Status.Conditions {
			if strings.Contains(c.Message, "not.its.name.test") {
				return true
			}
		}
		return false
	})
	if _, err := e.configMap("settings"); err == nil {
		t.Error("something was deployed to a server that has another name")
	}

	config["tlsClientConfig"].(map[string]any)["serverName"] = address.Hostname()
	s = e.secret("spoke")
	s.Data["config"] = asJSON(t, config)
	if err := e.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	e.until("app", "good through the proxy", good)
	if _, err := e.configMap("settings"); err != nil {
		t.Error(err)
	}
	if proxy.used.Load() == 0 {
		t.Error("the proxy was not used")
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
