package charts_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// explainedOfSources are rights that no request of the test shows, with the reason.
var explainedOfSources = map[string]string{"list causeway.io/clustersources": streamed}

// sourceBlock is the ClusterSource that a page shows.
var sourceBlock = regexp.MustCompile("(?ms)^```yaml\n(apiVersion: causeway.io/v1alpha1\nkind: ClusterSource\n.*?)^```")

// ofPage reads a block of a page.
func ofPage(t *testing.T, page string, block *regexp.Regexp) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/how-to/" + page)
	if err != nil {
		t.Fatal(err)
	}
	m := block.FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s does not show what is tested here", page)
	}
	return string(m[1])
}

// clusterAPI installs a definition of Cluster API's kind.
func (c *cluster) clusterAPI() {
	c.t.Helper()
	open := true
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "clusters.cluster.x-k8s.io"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cluster.x-k8s.io", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "clusters", Singular: "cluster", Kind: "Cluster", ListKind: "ClusterList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1beta1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &open},
			}}},
		},
	}
	if err := c.Create(c.t.Context(), definition); err != nil && !apierrors.IsAlreadyExists(err) {
		c.t.Fatal(err)
	}
}

// TestClusterSourcesNeedWhatTheChartGrants follows kubeconfigs in another
// namespace with the values and the ClusterSource that the page shows.
func TestClusterSourcesNeedWhatTheChartGrants(t *testing.T) {
	c, record := newCluster(t), newRequests()
	var given values
	if err := yaml.Unmarshal([]byte(ofPage(t, "clusters.md", valuesBlock)), &given); err != nil {
		t.Fatal(err)
	}
	const there = "clusters"
	if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: there}}); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	c.install(nil)
	c.engine(c.account(record), t.TempDir())
	rules := c.install(given) // the engine learns of its rights while it runs
	c.clusterAPI()
	made := c.object(`{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: prod, labels: {env: production, team: blue}}}`)
	made.SetNamespace(there)
	kubeconfig := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: there, Name: "prod-kubeconfig", Labels: map[string]string{"cluster.x-k8s.io/cluster-name": "prod"}},
		Type:       "cluster.x-k8s.io/secret", Data: map[string][]byte{"value": kubeconfigOf(t, hub)},
	}
	for _, o := range []client.Object{made, kubeconfig} {
		embeddedtest.Eventually(t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(c.Create(ctx, o)) })
	}
	source := c.object(ofPage(t, "clusters.md", sourceBlock))
	c.create(source)
	embeddedtest.Eventually(t, func(ctx context.Context) error { // rights have no event: they are asked for each minute
		if err := c.Get(ctx, client.ObjectKeyFromObject(source), source); err != nil || source.Object["status"] != nil {
			return err
		}
		return errors.New("the kind is not taken up")
	})
	c.untilReady(source)
	secret := &corev1.Secret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		err := c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: "prod"}, secret)
		if err == nil && (secret.Labels["environment"] != "production" || secret.Labels["team"] != "blue") {
			return fmt.Errorf("the labels are %v", secret.Labels)
		}
		return err
	})
	if err := c.Delete(t.Context(), kubeconfig); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("cluster Secret %s is still there", secret.Name)
	})
	for _, right := range record.unused(rules) {
		about := slices.ContainsFunc([]string{"clustersources", "cluster.x-k8s.io", "patch /secrets", "delete /secrets"}, func(word string) bool { return strings.Contains(right, word) })
		if (about || right == "get /secrets") && explainedOfSources[right] == "" {
			t.Errorf("the chart grants what the engine does not use: %s", right)
		}
	}
	want := []string{"get cluster.x-k8s.io/clusters prod", "list /secrets", "watch /secrets"}
	if diff := cmp.Diff(want, record.in(there)); diff != "" {
		t.Errorf("what is asked for in the namespace of kubeconfigs (-want +got):\n%s", diff)
	}
	others := func(q request) bool {
		return q.group != causeway.Group && q.group != made.GroupVersionKind().Group && q.resource != "secrets"
	}
	for _, q := range record.refusals(others) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}
