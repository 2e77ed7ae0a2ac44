package charts_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestDeclaredClustersNeedWhatTheChartGrants adopts a cluster with the rights
// of the chart alone, and deletes it, which the policy refuses at first. What a
// team has on it goes with it.
func TestDeclaredClustersNeedWhatTheChartGrants(t *testing.T) {
	c, folder, record := newCluster(t), t.TempDir(), newRequests()
	if err := causeway.AddToScheme(c.Scheme()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "web", "cm.yaml"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n")
	team := c.team()
	rules := c.install(values{"declaredClusters": values{"enabled": true}, "applications": values{"namespaces": []any{team}}})
	c.engineWith(c.account(record), folder, func(cfg *app.Config) { cfg.ApplicationNamespaces = []string{team} })
	c.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "kubeconfig"}, Data: map[string][]byte{"config": kubeconfigOf(t, hub)}})
	declared := &causeway.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "adopted"},
		Spec: causeway.ClusterSpec{
			Adopt:     &causeway.AdoptedCluster{SecretRef: causeway.KeyReference{Name: "kubeconfig", Key: "config"}},
			Protected: true,
		},
	}
	c.create(declared)
	key := client.ObjectKeyFromObject(declared)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, key, declared); err != nil || declared.Status.Phase == causeway.ClusterReady {
			return err
		}
		return fmt.Errorf("the cluster is not ready: %+v", declared.Status)
	})
	embeddedtest.Eventually(t, func(ctx context.Context) error { // policies are read after a while
		err := c.Delete(ctx, declared, client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "protected") {
			return fmt.Errorf("the deletion of a protected cluster is not refused: %w", err)
		}
		return nil
	})
	web := c.elsewhere(team, v1alpha1.ApplicationDestination{Name: declared.Name, Namespace: embeddedtest.Namespace(t, hub)})
	before := declared.DeepCopy()
	declared.Spec.Protected = false
	if err := errors.Join(c.Patch(t.Context(), declared, client.MergeFrom(before)), c.Delete(t.Context(), declared)); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{declared, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: declared.Name, Namespace: declared.Namespace}}, web} {
		c.untilGone(o)
	}
	for _, right := range record.spare(t, rules, map[string]string{"list causeway.io/clusters": streamed}) {
		t.Errorf("the chart grants what the engine does not use: %s", right)
	}
	others := func(q request) bool {
		return q.group != causeway.Group && q.resource != "secrets" && q.namespace != team
	}
	for _, q := range record.refusals(others) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}

// kubeconfigOf has all that a configuration says in itself.
func kubeconfigOf(t *testing.T, cfg *rest.Config) []byte {
	t.Helper()
	cfg = rest.CopyConfig(cfg)
	if err := rest.LoadTLSFiles(cfg); err != nil {
		t.Fatal(err)
	}
	text, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: "hub",
		Contexts:       map[string]*clientcmdapi.Context{"hub": {Cluster: "hub", AuthInfo: "hub"}},
		Clusters:       map[string]*clientcmdapi.Cluster{"hub": {Server: cfg.Host, CertificateAuthorityData: cfg.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"hub": {ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData, Token: cfg.BearerToken}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
