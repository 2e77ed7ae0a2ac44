package target

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// hubAt is a hub whose API server answers as the routes of a Desk say.
func hubAt(t *testing.T, routes map[string]any) *Hub {
	t.Helper()
	d := clitest.NewDesk(t, routes)
	h, err := open(&command.Global{}, &Hub{Config: &rest.Config{Host: d.URL, BearerToken: clitest.Token}, From: "kubeconfig x"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const (
	secretsRoute  = "GET /api/v1/namespaces/argocd/secrets"
	settingsRoute = "GET /api/v1/namespaces/argocd/configmaps/argocd-cm"
)

func clusterSecret(secret, name, server, config string) corev1.Secret {
	data := map[string][]byte{"name": []byte(name), "server": []byte(server)}
	if config != "" {
		data["config"] = []byte(config)
	}
	return corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secret, Namespace: "argocd", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}}, Data: data}
}

// TestClusterOfAnApplication is the one that the engine deploys to, and none where the engine would refuse it.
func TestClusterOfAnApplication(t *testing.T) {
	const in = "https://kubernetes.default.svc"
	h := hubAt(t, map[string]any{secretsRoute: corev1.SecretList{Items: []corev1.Secret{
		clusterSecret("s-prod", "prod", "https://prod:6443", ""), clusterSecret("s-dev", "dev", "https://dev:6443/", ""),
		clusterSecret("s-a", "twin", "https://a:6443", ""), clusterSecret("s-b", "twin", "https://b:6443", ""),
		clusterSecret("s-c", "c", "https://same:6443", ""), clusterSecret("s-d", "d", "https://same:6443", ""),
		clusterSecret("s-broken", "broken", "https://broken:6443", "{"),
		clusterSecret("s-impostor", "in-cluster", "https://elsewhere:6443", ""),
	}}})
	cases := map[string]struct {
		reason       string
		name, server string
		want, err    string
	}{
		"name":            {reason: "by its name", name: "prod", want: "https://prod:6443"},
		"server":          {reason: "by its server", server: "https://prod:6443", want: "https://prod:6443"},
		"slash":           {reason: "a slash at the end makes no other server", server: "https://dev:6443", want: "https://dev:6443/"},
		"added slash":     {reason: "nor does one that is said", server: "https://prod:6443/", want: "https://prod:6443"},
		"hub":             {reason: "the hub needs no Secret", server: in, want: in},
		"hub's name":      {reason: "and its name means it, whatever a Secret says", name: "in-cluster", want: in},
		"misspelt":        {reason: "the nearest is named", name: "prodd", err: `no cluster Secret has the name "prodd"; did you mean "prod"?`},
		"unknown server":  {reason: "the server is named", server: "https://x", err: "no cluster Secret has the server https://x"},
		"two of a name":   {reason: "none of two is guessed", name: "twin", err: "s-a"},
		"two of a server": {reason: "nor here", server: "https://same:6443", err: "s-d"},
		"broken":          {reason: "what is wrong with the Secret is said", name: "broken", err: "s-broken"},
	}
	for label, c := range cases {
		got, err := h.Destination(t.Context(), v1alpha1.ApplicationDestination{Name: c.name, Server: c.server})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %s: got %v, want %q", label, c.reason, err, c.err)
		case c.err == "" && (err != nil || got.Server != c.want || got.Config == nil):
			t.Errorf("%s: %s: got %q, %v", label, c.reason, got.Server, err)
		}
	}
}

// TestHubIsAmongTheClustersOnce: it has no Secret, or one of its own.
func TestHubIsAmongTheClustersOnce(t *testing.T) {
	cases := map[string]struct {
		reason  string
		secrets []corev1.Secret
		want    string
	}{
		"without a Secret": {"it is added", []corev1.Secret{clusterSecret("s", "dev", "https://dev", "")}, "dev in-cluster"},
		"with one":         {"the Secret says how it is called", []corev1.Secret{clusterSecret("s", "home", "https://kubernetes.default.svc", "")}, "home"},
		"nothing":          {"an empty fleet still has it", nil, "in-cluster"},
	}
	for name, c := range cases {
		all, err := hubAt(t, map[string]any{secretsRoute: corev1.SecretList{Items: c.secrets}}).Spokes(t.Context())
		var names []string
		for i := range all {
			names = append(names, all[i].Name)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%s: %s: got %q, %v", name, c.reason, got, err)
		}
	}
}

// TestProgramsOfSecretsNeedTheSettings: where the settings cannot be read, no program of a Secret runs here.
func TestProgramsOfSecretsNeedTheSettings(t *testing.T) {
	const config = `{"execProviderConfig": {"command": "/bin/of-the-secret", "apiVersion": "client.authentication.k8s.io/v1"}}`
	h := hubAt(t, map[string]any{
		secretsRoute:  corev1.SecretList{Items: []corev1.Secret{clusterSecret("s", "dev", "https://dev", config)}},
		settingsRoute: clitest.Refusal{Status: 403, Detail: "no"},
	})
	all, err := h.SpokesOf(t.Context(), nil)
	if err != nil || len(all) != 1 || all[0].Problem == nil || all[0].Config != nil {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestClustersThatCannotBeRead tells that the hub does not let, and makes no empty list of it.
func TestClustersThatCannotBeRead(t *testing.T) {
	h := hubAt(t, map[string]any{secretsRoute: clitest.Refusal{Status: 403, Detail: "no"}})
	if all, err := h.Spokes(t.Context()); err == nil {
		t.Errorf("there are %v", all)
	}
	if _, err := h.Destination(t.Context(), v1alpha1.ApplicationDestination{Name: "in-cluster"}); err == nil {
		t.Error("the hub is guessed")
	}
}
