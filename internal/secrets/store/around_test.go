package store

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// around is of a store in a namespace, or for all, and who asks.
func around(own, asking string) Around {
	return Around{
		Cluster: Cluster{Objects: objectsOf(
			secretOf("ns", "creds", nil, "token", " hunter22\n", "empty", ""), secretOf("other", "creds", nil, "token", "theirs"),
			secretOf("ns", "hook", map[string]string{"type": "webhook"}, "user", "ada", "token", "hunter22"),
			&corev1.ConfigMap{ObjectMeta: meta("ns", "ca", nil), Data: map[string]string{"ca.crt": "PEM"}},
			secretOf("ns", "ca", nil, "ca.crt", "PEM of a Secret"),
		), Tokens: func(_ context.Context, account types.NamespacedName, audiences []string) (string, error) {
			if account.Name == "nobody" {
				return "", errAway
			}
			return account.String() + " " + strings.Join(audiences, ","), nil
		}},
		own: own, asking: asking, asked: new(bool),
	}
}

func TestSecretsOfStores(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, own, asking string
		ref                 esv1.SecretKeySelector
		want, err           string
		asked               bool
	}{
		"own":            {"a SecretStore uses what is in its namespace", "ns", "ns", selector("", "creds", "token"), "hunter22", "", false},
		"own, named":     {"also when it says so", "ns", "ns", selector("ns", "creds", "token"), "hunter22", "", false},
		"another":        {"and nothing of another one", "ns", "ns", selector("other", "creds", "token"), "", "Secrets of its own namespace alone", false},
		"cluster":        {"a ClusterSecretStore says of which", "", "ns", selector("other", "creds", "token"), "theirs", "", false},
		"asking":         {"or takes that of who asks", "", "ns", selector("", "creds", "token"), "hunter22", "", true},
		"nobody asks":    {"and nothing when nobody does", "", "", selector("", "creds", "token"), "", ErrAsking.Error(), false},
		"empty":          {"an empty value is one", "ns", "", selector("", "creds", "empty"), "", "", false},
		"no key":         {"a key that there is not, with those that there are", "ns", "", selector("", "creds", "nope"), "", `no key "nope"; it has [empty token]`, false},
		"absent":         {"a Secret that there is not", "ns", "", selector("", "nope", "token"), "", "Secret ns/nope does not exist", false},
		"nameless":       {"a reference without a name", "ns", "", selector("", "", "token"), "", "the name is empty", false},
		"no API server":  {"an API server that does not answer", "ns", "", selector("", "away", "token"), "", "cannot read Secret ns/away", false},
		"another's name": {"who asks does not change a SecretStore's namespace", "ns", "other", selector("", "creds", "token"), "hunter22", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			a := around(tc.own, tc.asking)
			got, err := a.Secret(t.Context(), tc.ref)
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "hunter")) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.err)
			}
			if got != tc.want || *a.asked != tc.asked {
				t.Errorf("%s: got %q, asked %v", tc.reason, got, *a.asked)
			}
		})
	}
}

func TestLabelled(t *testing.T) {
	a := around("ns", "ns")
	for name, tc := range map[string]struct {
		reason string
		ref    esv1.SecretKeySelector
		want   map[string]any
		err    string
	}{
		"all":       {"all values of a Secret", selector("", "hook", ""), map[string]any{"user": "ada", "token": "hunter22"}, ""},
		"one":       {"or one of them", selector("", "hook", "user"), map[string]any{"user": "ada"}, ""},
		"none":      {"or none", selector("", "hook", "nope"), map[string]any{}, ""},
		"no label":  {"no Secret without the label: an address may take it anywhere", selector("", "creds", ""), nil, "Secret ns/creds lacks the label type: webhook"},
		"absent":    {"one that is not there", selector("", "nope", ""), nil, "does not exist"},
		"elsewhere": {"one of another namespace", selector("other", "creds", ""), nil, "own namespace alone"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := a.Labelled(t.Context(), tc.ref, "type", "webhook")
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	a := around("ns", "ns")
	for name, tc := range map[string]struct {
		reason, bundle string
		ref            *esv1.CAProvider
		want, err      string
	}{
		"bundle":     {"a bundle counts before a reference", "B", &esv1.CAProvider{Type: "Nothing"}, "B", ""},
		"none":       {"there need not be one", "", nil, "", ""},
		"config":     {"of a ConfigMap", "", &esv1.CAProvider{Type: "ConfigMap", Name: "ca", Key: "ca.crt"}, "PEM", ""},
		"secret":     {"of a Secret", "", &esv1.CAProvider{Type: "Secret", Name: "ca", Key: "ca.crt"}, "PEM of a Secret", ""},
		"kind":       {"of nothing else", "", &esv1.CAProvider{Type: "Node", Name: "ca", Key: "ca.crt"}, "", `caProvider.type "Node"`},
		"no key":     {"a key that there is not", "", &esv1.CAProvider{Type: "ConfigMap", Name: "ca", Key: "x"}, "", `no key "x"`},
		"no secret":  {"a Secret that there is not", "", &esv1.CAProvider{Type: "Secret", Name: "x", Key: "x"}, "", "Secret ns/x does not exist"},
		"no config":  {"a ConfigMap that there is not", "", &esv1.CAProvider{Type: "ConfigMap", Name: "x", Key: "x"}, "", "ConfigMap ns/x does not exist"},
		"elsewhere":  {"one of another namespace", "", &esv1.CAProvider{Type: "Secret", Name: "ca", Namespace: "other"}, "", "own namespace alone"},
		"no API":     {"an API server that does not answer", "", &esv1.CAProvider{Type: "Secret", Name: "away"}, "", "cannot read Secret ns/away"},
		"no API, cm": {"neither for ConfigMaps", "", &esv1.CAProvider{Type: "ConfigMap", Name: "away"}, "", "cannot read ConfigMap ns/away"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := a.Certificates(t.Context(), []byte(tc.bundle), tc.ref)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.err)
			}
			if string(got) != tc.want {
				t.Errorf("%s: got %q", tc.reason, got)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	a := around("", "ns")
	got, err := a.Token(t.Context(), esv1.ServiceAccountSelector{Name: "app", Audiences: []string{"x"}}, "vault")
	if err != nil || got != "ns/app vault,x" || !*a.asked {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := a.Token(t.Context(), esv1.ServiceAccountSelector{Name: "nobody"}); !errors.Is(err, errAway) || !strings.Contains(err.Error(), "ServiceAccount ns/nobody") {
		t.Errorf("an account that there is not: %v", err)
	}
	if _, err := around("ns", "").Token(t.Context(), esv1.ServiceAccountSelector{Name: "app", Namespace: "kube-system"}); !errors.Is(err, errNamespace) {
		t.Errorf("an account of another namespace: %v", err)
	}
	a.Tokens = nil
	if _, err := a.Token(t.Context(), esv1.ServiceAccountSelector{Name: "app"}); err == nil {
		t.Error("a token where none are made")
	}
}

func TestTransport(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	trusted := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	dialled := 0
	a := Around{Cluster: Cluster{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled++
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}}
	for name, tc := range map[string]struct {
		certificates []byte
		wrong        bool
	}{"trusted": {trusted, false}, "unknown": {nil, true}} {
		transport, err := a.Transport(tc.certificates)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Client{Transport: transport}).Get(server.URL)
		if (err != nil) != tc.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = response.Body.Close()
		}
		transport.CloseIdleConnections()
	}
	if dialled != 2 {
		t.Errorf("the engine's dialer was asked %d times", dialled)
	}
	if _, err := a.Transport([]byte("hunter22")); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("certificates that are none: %v", err)
	}
}

// TestAsEngine: what the engine is to a cloud is for stores of the whole of its own cluster.
func TestAsEngine(t *testing.T) {
	for name, tc := range map[string]struct {
		own    string
		engine bool
		want   bool
	}{
		"ClusterSecretStore of its cluster": {"", true, true},
		"SecretStore of its cluster":        {"ns", true, false},
		"ClusterSecretStore of another":     {"", false, false},
		"SecretStore of another":            {"ns", false, false},
	} {
		a := around(tc.own, "ns")
		a.Engine = tc.engine
		if err := a.AsEngine(); (err == nil) != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&Shelf{cluster: Cluster{Engine: true}}).Around("ns").AsEngine(); err == nil {
		t.Error("a generator is read as the engine")
	}
}

// TestAnnotations: service accounts are those of the namespace, as their tokens are.
func TestAnnotations(t *testing.T) {
	a := around("ns", "ns")
	a.Objects = objectsOf(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "reader", Annotations: map[string]string{"role": "r"}}})
	for name, tc := range map[string]struct {
		ref       esv1.ServiceAccountSelector
		want, err string
	}{
		"own":     {esv1.ServiceAccountSelector{Name: "reader"}, "r", ""},
		"another": {esv1.ServiceAccountSelector{Name: "reader", Namespace: "other"}, "", "of its own namespace alone"},
		"absent":  {esv1.ServiceAccountSelector{Name: "nobody"}, "", "ServiceAccount ns/nobody does not exist"},
	} {
		got, err := a.Annotations(t.Context(), tc.ref)
		if got["role"] != tc.want || (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: got %v and the error %v, want %q", name, got, err, tc.err)
		}
	}
}
