package serve_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// A cluster that takes connections and says nothing is told of, and what Git
// has is shown without it; when it answers again, so does the page.
func TestClusterThatHangs(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	w := newWire(t, s.Hub)
	far := s.ID("far")
	s.Make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "far", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": far, "server": w.url, "config": connection(t, s.Hub)},
	})
	s.App("app", "app", func(app *v1alpha1.Application) { app.Spec.Destination.Name = far })
	s.Until("app", "synced", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && len(app.Status.Resources) == 2
	})
	v := s.visitor("")
	v.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	object := at + "/object?" + url.Values{"version": {"v1"}, "kind": {"ConfigMap"}, "objectNamespace": {s.Namespace}, "objectName": {"settings"}}.Encode()
	answers := func(o *api.Object) error {
		if o.Unanswered || !strings.Contains(o.Live, "red") || !strings.Contains(o.Desired, "red") {
			return fmt.Errorf("the object is %+v", o)
		}
		return nil
	}
	sees(t, v, object, answers)

	w.hold()
	sees(t, v, object, func(o *api.Object) error {
		if !o.Unanswered || o.Live != "" || o.Health != "Unknown" || !strings.Contains(o.Message, "answer") || !strings.Contains(o.Desired, "red") {
			return fmt.Errorf("the object is %+v", o)
		}
		return nil
	})
	v.wants(t, http.StatusBadGateway, http.MethodGet, at+"/diff", nil, nil)
	if !strings.Contains(v.refusal, "answer") || !strings.Contains(v.refusal, far) {
		t.Errorf("the refusal does not say which cluster does not answer: %s", v.refusal)
	}
	secret := strings.NewReplacer("ConfigMap", "Secret", "settings", "token").Replace(object)
	sees(t, v, secret, func(o *api.Object) error {
		if !o.Unanswered || strings.Contains(o.Desired, "hunter2") || o.Desired == "" {
			return fmt.Errorf("the Secret is %+v", o)
		}
		return nil
	})
	of := url.Values{"version": {"v1"}, "kind": {"ConfigMap"}, "objectNamespace": {s.Namespace}, "objectName": {"settings"}}.Encode()
	for _, path := range []string{"/events?" + of, "/objects/actions?" + of, "/orphans"} {
		v.wants(t, http.StatusBadGateway, http.MethodGet, at+path, nil, nil)
		if !strings.Contains(v.refusal, "answer") || !strings.Contains(v.refusal, far) {
			t.Errorf("%s: the refusal does not say which cluster does not answer: %s", path, v.refusal)
		}
	}
	known := func(p *api.Parameters) error {
		if len(p.Sources) != 1 || p.Masked != "" {
			return fmt.Errorf("its parameters are %+v", p)
		}
		return nil
	}
	sees(t, v, at+"/parameters", known) // by what the cluster told before
	stranger := strings.ReplaceAll(object, "settings", "kube-root-ca.crt")
	v.wants(t, http.StatusBadGateway, http.MethodGet, stranger, nil, nil)

	w.release()
	sees(t, v, object, answers)
}

// wire leads to a cluster, and may fall silent.
type wire struct {
	url string

	mu   sync.Mutex
	flow chan struct{} // closed while it flows
}

func newWire(t *testing.T, to *rest.Config) *wire {
	t.Helper()
	target, err := url.Parse(to.Host)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	w := &wire{url: "https://" + l.Addr().String(), flow: make(chan struct{})}
	close(w.flow)
	t.Cleanup(w.release)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", target.Host)
			if err != nil {
				_ = near.Close()
				continue
			}
			go w.relay(near, far)
			go w.relay(far, near)
		}
	}()
	return w
}

func (w *wire) relay(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		w.mu.Lock()
		flow := w.flow
		w.mu.Unlock()
		<-flow
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

// hold lets nothing through, until release.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flow = make(chan struct{})
}

func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.flow:
	default:
		close(w.flow)
	}
}

// connection is the config of a cluster Secret.
func connection(t *testing.T, cfg *rest.Config) string {
	t.Helper()
	encode := base64.StdEncoding.EncodeToString
	text, err := json.Marshal(map[string]any{
		"bearerToken":     cfg.BearerToken,
		"tlsClientConfig": map[string]any{"caData": encode(cfg.CAData), "certData": encode(cfg.CertData), "keyData": encode(cfg.KeyData)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
