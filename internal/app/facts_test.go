package app

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

const factsOfTheHub = `
clusters: {names: [hub]}
values:
- {key: region, from: {fact: region}}
- {key: gadgets, as: label, from: {serves: {apiVersion: %[1]s/v1, kind: Gadget}}}
- {key: widgets, as: label, from: {serves: {apiVersion: %[1]s/v1, kind: Widget}}}
- {key: apis, from: {fact: apiVersions}}
`

// TestWhatClustersTellArrives: a node that comes and an API that is served
// reach labels, annotations and what is generated from them, with no pause.
func TestWhatClustersTellArrives(t *testing.T) {
	e := start(t, nil)
	group := e.namespace + ".example.com"
	hubConfig := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "hub", Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": "true"}},
		StringData: map[string]string{"name": "hub", "server": gitops.HubServer, "config": "{}"},
	}
	if err := e.Create(t.Context(), hubConfig); err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	e.metadata("facts", fmt.Sprintf(factsOfTheHub, group))
	until := func(what string, ok func(*corev1.Secret) bool) {
		t.Helper()
		embeddedtest.Eventually(t, func(context.Context) error {
			if s := e.secret("hub"); !ok(s) {
				return fmt.Errorf("%s: labels %v, annotations %v", what, s.Labels, s.Annotations)
			}
			return nil
		})
	}
	until("nothing is served yet", func(s *corev1.Secret) bool {
		return s.Labels["gadgets"] == "false" && strings.Contains(s.Annotations["apis"], ",apps/v1,") && !strings.Contains(s.Annotations["apis"], group)
	})

	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: e.namespace, Labels: map[string]string{corev1.LabelTopologyRegion: e.namespace}}}
	if err := e.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	until("a node has come", func(s *corev1.Secret) bool { return strings.Contains(s.Annotations["region"], e.namespace) })
	embeddedtest.Eventually(t, func(context.Context) error {
		app, err := e.generated("hub")
		if err == nil && !strings.Contains(app.Spec.Source.Helm.Values, e.namespace) {
			err = fmt.Errorf("the application has the values %q", app.Spec.Source.Helm.Values)
		}
		return err
	})
	moved := []byte(`{"metadata":{"labels":{"topology.kubernetes.io/region":"` + e.namespace + `-2"}}}`)
	if err := e.Patch(t.Context(), node, client.RawPatch(types.MergePatchType, moved)); err != nil {
		t.Fatal(err)
	}
	until("the node has moved", func(s *corev1.Secret) bool { return strings.Contains(s.Annotations["region"], e.namespace+"-2") })
	if err := e.Delete(t.Context(), node); err != nil {
		t.Fatal(err)
	}

	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(fmt.Sprintf(gadgetDefinition, group)), &definition.Object); err != nil {
		t.Fatal(err)
	}
	if err := e.Create(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	until("an API has come", func(s *corev1.Secret) bool {
		return s.Labels["gadgets"] == "true" && s.Labels["widgets"] == "false" && strings.Contains(s.Annotations["apis"], group+"/v1")
	})
	if err := e.Delete(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(definition), definition); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("the definition has not gone, and says of itself: %v", definition.Object["status"])
	})
	until("the API has gone", func(s *corev1.Secret) bool { return s.Labels["gadgets"] == "false" })
}

// TestFactsWithoutClusterMetadata: what a cluster tells is known where nothing makes
// keys of it. A login that may not list nodes tells the rest, and a cluster that does
// not answer tells why.
func TestFactsWithoutClusterMetadata(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: e.namespace, Labels: map[string]string{corev1.LabelTopologyRegion: e.namespace}}}
	if err := e.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Delete(context.Background(), node); err != nil {
			t.Error(err)
		}
	})
	token, err := kubernetes.NewForConfigOrDie(hubConfig).CoreV1().ServiceAccounts(e.namespace).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	narrow := rest.AnonymousClientConfig(hubConfig)
	narrow.BearerToken = token.Status.Token
	all := []string{"kubernetesVersion string", "nodeCount integer", "region string", "apiVersions string"}
	cases := map[string]struct {
		reason  string
		cluster *rest.Config
		facts   []string
		untold  string
	}{
		"All":    {"it tells all that it has", hubConfig, all, ""},
		"Narrow": {"who may not list nodes hears of the rest", narrow, []string{all[0], all[3]}, "nodes is forbidden"},
		"Away":   {"what is not known is said to be so", &rest.Config{Host: "https://127.0.0.1:1"}, nil, "connection refused"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			secret := strings.ToLower(name)
			e.describe(secret, tc.cluster)
			i, err := inspect.Open(t.Context(), inspect.Config{Hub: hubConfig, Namespace: e.namespace, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer i.Close()
			facts, err := i.Facts(t.Context(), secret, tc.cluster.Host)
			if (err == nil) != (tc.untold == "") || err != nil && !strings.Contains(err.Error(), tc.untold) {
				t.Errorf("%s: it is told that %v", tc.reason, err)
			}
			var got []string
			for _, f := range facts {
				got = append(got, f.Name+" "+string(f.Type))
				if f.Source != bridge.OfCluster || f.Name == "region" && !strings.Contains(f.Value, e.namespace) || f.Name == "apiVersions" && !strings.Contains(f.Value, ",apps/v1,") {
					t.Errorf("the fact is %+v", f)
				}
			}
			if d := cmp.Diff(tc.facts, slices.DeleteFunc(got, func(f string) bool { return !slices.Contains(all, f) })); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if err := e.Delete(t.Context(), e.secret(secret)); err != nil {
				t.Fatal(err)
			}
		})
	}
}
