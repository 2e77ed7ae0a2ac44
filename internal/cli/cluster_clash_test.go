package cli

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestClustersDescribedTwice has Secrets that describe one server, and some
// that have one name.
func TestClustersDescribedTwice(t *testing.T) {
	plane := sharedPlane(t)
	config := embeddedtest.Config(t, plane)
	namespace := embeddedtest.Namespace(t, config)
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]map[string]string{
		"z-first": {"name": "a", "server": "https://127.0.0.1:9/", "config": "{}"},
		"later":   {"name": "b", "server": "https://127.0.0.1:9", "config": "{}"},
		"broken":  {"name": "0", "server": "https://127.0.0.1:9", "config": "[]"},
		"twin-1":  {"name": "twin", "server": "https://127.0.0.1:2", "config": "{}"},
		"twin-2":  {"name": "twin", "server": "https://127.0.0.1:3", "config": "{}"},
	} {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}, Annotations: map[string]string{"region": name},
		}, StringData: data}
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			_, err := clients.CoreV1().Secrets(namespace).Create(ctx, s, metav1.CreateOptions{})
			return err
		})
	}
	g := &command.Global{Kubeconfig: plane.Kubeconfig(), Namespace: namespace}
	h, err := target.Connect(g)
	if err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: namespace}}
	app.Spec.Destination.Server = "https://127.0.0.1:9"
	if err := h.Client.Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	_, err = h.Destination(t.Context(), v1alpha1.ApplicationDestination{Server: "https://127.0.0.1:9"})
	if err == nil || !strings.Contains(err.Error(), "broken, z-first, later") {
		t.Errorf("logs would ask any of those with one server: %v", err)
	}
	if _, err := h.Destination(t.Context(), v1alpha1.ApplicationDestination{Name: "twin"}); err == nil || !strings.Contains(err.Error(), "twin-1, twin-2") {
		t.Errorf("a name that two have: %v", err)
	}
	run := func(args ...string) result {
		return invoke(t, append(args, "--kubeconfig", plane.Kubeconfig(), "-n", namespace)...)
	}
	for command, want := range map[string][]string{
		"get clusters -o json": {"3 cluster Secrets have the server", "broken, z-first, later; destinations by this server are refused until one is left", "twin-1, twin-2"},
		"get apps":             {"shop  0  "},
		"doctor":               {"3 cluster Secrets have the server", "destinations by this server are refused", "2 cluster Secrets have the name \"twin\": twin-1, twin-2"},
		"bridge twin":          {"2 cluster Secrets have the name \"twin\": twin-1, twin-2", "name the Secret instead"},
		"why twin/region":      {"2 cluster Secrets have the name \"twin\": twin-1, twin-2"},
		"why twin-2/region":    {`is "twin-2"`, "this is twin-2"},
		"bridge twin-2":        {"region", "this is twin-2"},
	} {
		got := run(strings.Fields(command)...)
		for _, text := range want {
			if !strings.Contains(strings.ReplaceAll(got.out+got.errors, `\"`, `"`), text) {
				t.Errorf("%s does not say %q:\n%s%s", command, text, got.out, got.errors)
			}
		}
	}
}
