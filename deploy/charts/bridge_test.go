package charts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// object reads YAML of a kind that the tests have no type for.
func (c *cluster) object(text string) *unstructured.Unstructured {
	c.t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		c.t.Fatal(err)
	}
	out.SetNamespace(c.namespace)
	return out
}

func (c *cluster) untilReady(o *unstructured.Unstructured) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		ready := slices.ContainsFunc(conditions, func(v any) bool {
			m, ok := v.(map[string]any)
			return ok && m["type"] == "Ready" && m["status"] == "True"
		})
		if !ready {
			return fmt.Errorf("%s is not ready: %v", o.GetKind(), o.Object["status"])
		}
		return nil
	})
}

// explainedOfBridge are rights that no request of the test shows, with the reason.
var explainedOfBridge = map[string]string{
	"list causeway.io/clustermetadata":                                      streamed,
	"list causeway.io/metadataschemas":                                      streamed,
	"create admissionregistration.k8s.io/validatingadmissionpolicies":       "an apply of what is not there is a patch that needs the right to create",
	"create admissionregistration.k8s.io/validatingadmissionpolicybindings": "as above",
}

func TestBridgeNeedsWhatTheChartGrants(t *testing.T) {
	c, target, record := newCluster(t), embeddedtest.Namespace(t, hub), newRequests()
	rules := c.install(values{"bridge": values{
		"clusterMetadata": values{"enabled": true}, "metadataSchemas": values{"enabled": true},
		"sources": values{"configMaps": []any{"network"}, "secrets": []any{"private"}},
	}})
	c.create(clusterSecret(target))
	for _, o := range []client.Object{&corev1.ConfigMap{Data: map[string]string{"region": "eu"}}, &corev1.Secret{StringData: map[string]string{"token": "x"}}} {
		o.SetNamespace(c.namespace)
		o.SetName(map[bool]string{true: "network", false: "private"}[strings.Contains(fmt.Sprintf("%T", o), "ConfigMap")])
		c.create(o)
	}
	c.engine(c.account(record), t.TempDir())
	metadata := c.object(`{apiVersion: causeway.io/v1alpha1, kind: ClusterMetadata, metadata: {name: net}, spec: {clusters: {matchAll: true}, values: [
		{key: region, from: {configMap: {name: network, key: region}}}, {key: token, from: {secret: {name: private, key: token}}}]}}`)
	schema := c.object(`{apiVersion: causeway.io/v1alpha1, kind: MetadataSchema, metadata: {name: fleet}, spec: {keys: [{key: region, enum: [eu, us]}]}}`)
	for _, o := range []*unstructured.Unstructured{metadata, schema} {
		c.create(o)
		c.untilReady(o)
	}
	if err := c.Delete(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	bridge := func(right string) bool {
		for _, word := range []string{"clustermetadata", "metadataschemas", "validatingadmission", "patch /secrets", "configmaps network", "secrets private"} {
			if strings.Contains(right, word) {
				return true
			}
		}
		return false
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		for _, right := range record.unused(rules) {
			if bridge(right) && explainedOfBridge[right] == "" {
				return fmt.Errorf("the chart grants what the engine does not use: %s", right)
			}
		}
		return nil
	})
	for _, q := range record.refusals(func(request) bool { return false }) {
		if bridge(q) {
			t.Errorf("the chart does not grant what the engine asks for: %s", q)
		}
	}
}
