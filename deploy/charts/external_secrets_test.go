package charts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// explainedOfSecrets are rights that no request of the test shows, with the reason.
var explainedOfSecrets = map[string]string{
	"list external-secrets.io/externalsecrets":     streamed,
	"list external-secrets.io/secretstores":        streamed,
	"list external-secrets.io/pushsecrets":         streamed,
	"get external-secrets.io/externalsecrets":      "one that somebody else makes at the same time is looked at",
	"list external-secrets.io/clustersecretstores": streamed,
	"list /namespaces":                             streamed,
	"get apps/deployments":                         "an operator that is there is looked at",
}

// secretsOfAllSorts uses what ExternalSecrets may ask of a cluster.
var secretsOfAllSorts = []string{`
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader}
`, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get, list]}]
`, `
apiVersion: v1
kind: Secret
metadata: {name: source}
stringData: {password: hunter22}
`, `
apiVersion: v1
kind: ConfigMap
metadata: {name: template}
data: {url: "postgres://{{ .user }}:{{ .password }}@db/{{ .colour }}/{{ .shade }}"}
`, `
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: here}
spec:
  provider:
    kubernetes:
      remoteNamespace: NAMESPACE
      auth: {serviceAccount: {name: reader}}
`, `
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: aws}
spec:
  provider:
    aws: {service: SecretsManager, region: eu-central-1, auth: {jwt: {serviceAccountRef: {name: reader}}}}
`, `
apiVersion: generators.external-secrets.io/v1alpha1
kind: Password
metadata: {name: made}
spec: {length: 12}
`, `
apiVersion: generators.external-secrets.io/v1alpha1
kind: UUID
metadata: {name: made}
`, `
apiVersion: generators.external-secrets.io/v1alpha1
kind: Fake
metadata: {name: made}
spec: {data: {colour: blue}}
`, `
apiVersion: generators.external-secrets.io/v1alpha1
kind: ClusterGenerator
metadata: {name: NAMESPACE}
spec: {kind: Fake, generator: {fakeSpec: {data: {shade: dark}}}}
`, `
apiVersion: generators.external-secrets.io/v1alpha1
kind: VaultDynamicSecret
metadata: {name: lent}
spec: {provider: {server: "https://vault.example.com"}}
`, `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: lent}
spec: {dataFrom: [{sourceRef: {generatorRef: {kind: VaultDynamicSecret, name: lent}}}]}
`, `
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: NAMESPACE}
spec:
  conditions: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}}]
  provider:
    fake:
      data: [{key: user, value: shop}]
`, `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec:
  secretStoreRef: {name: here}
  refreshInterval: 1s
  data:
  - {secretKey: password, remoteRef: {key: source, property: password}}
  - {secretKey: user, remoteRef: {key: user}, sourceRef: {storeRef: {kind: ClusterSecretStore, name: NAMESPACE}}}
  dataFrom:
  - {sourceRef: {generatorRef: {kind: Password, name: made}}, rewrite: [{regexp: {source: password, target: random}}]}
  - {sourceRef: {generatorRef: {kind: UUID, name: made}}}
  - {sourceRef: {generatorRef: {kind: Fake, name: made}}}
  - {sourceRef: {generatorRef: {kind: ClusterGenerator, name: NAMESPACE}}}
  target:
    name: made
    template: {templateFrom: [{configMap: {name: template, items: [{key: url}]}}], mergePolicy: Merge}
`, `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: goes}
spec:
  secretStoreRef: {name: here}
  refreshInterval: 1s
  data: [{secretKey: password, remoteRef: {key: source, property: password}}]
  target: {deletionPolicy: Delete}
`, `
apiVersion: external-secrets.io/v1
kind: ClusterExternalSecret
metadata: {name: NAMESPACE}
spec:
  namespaceSelectors: [{matchLabels: {kubernetes.io/metadata.name: NAMESPACE, fanned: out}}]
  externalSecretName: fanned
  externalSecretSpec: {dataFrom: [{sourceRef: {generatorRef: {kind: Fake, name: made}}}]}
`, `
apiVersion: external-secrets.io/v1alpha1
kind: PushSecret
metadata: {name: pushed}
spec:
  secretStoreRefs: [{kind: ClusterSecretStore, name: NAMESPACE}]
  deletionPolicy: Delete
  selector: {secret: {name: source}}
  data: [{match: {remoteRef: {remoteKey: pushed}}}]
`, workloadOf("Deployment", ""), workloadOf("StatefulSet", "serviceName: none"), workloadOf("DaemonSet", "")}

// workloadOf uses a Secret, and is restarted for it.
func workloadOf(kind, more string) string {
	name := strings.ToLower(kind)
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: %[1]s
metadata: {name: %[2]s, annotations: {secrets.causeway.io/restart: "true"}}
spec:
  selector: {matchLabels: {app: %[2]s}}
  template:
    metadata: {labels: {app: %[2]s}}
    spec: {containers: [{name: main, image: registry.example.com/main, envFrom: [{secretRef: {name: goes}}]}]}
  %[3]s
`, kind, name, more)
}

// restarted waits until the workloads that use a Secret are restarted for another value of it.
func (c *cluster) restarted() {
	c.t.Helper()
	c.ofWorkloads("runs", func(o *unstructured.Unstructured) bool {
		ready, _, _ := unstructured.NestedInt64(o.Object, "status", "readyReplicas")
		available, _, _ := unstructured.NestedInt64(o.Object, "status", "numberAvailable")
		return ready+available > 0
	})
	source := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "source"}}
	if err := c.Patch(c.t.Context(), source, client.RawPatch(types.MergePatchType, []byte(`{"stringData": {"password": "hunter33"}}`))); err != nil {
		c.t.Fatal(err)
	}
	c.ofWorkloads("is restarted", func(o *unstructured.Unstructured) bool {
		at, _, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "annotations", "secrets.causeway.io/restarted-for")
		return at != ""
	})
}

// fansOut has a namespace be selected, and not any more, after another ExternalSecret was wanted of it.
func (c *cluster) fansOut() {
	c.t.Helper()
	label := func(value string) {
		c.t.Helper()
		of := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}}
		if err := c.Patch(c.t.Context(), of, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"fanned": `+value+`}}}`))); err != nil {
			c.t.Fatal(err)
		}
	}
	one := c.object("apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: fanned}")
	label(`"out"`)
	embeddedtest.Eventually(c.t, func(ctx context.Context) error { return c.Get(ctx, client.ObjectKeyFromObject(one), one) })
	all := c.object("apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: " + c.namespace + "}")
	all.SetNamespace("")
	if err := c.Patch(c.t.Context(), all, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"externalSecretMetadata": {"labels": {"a": "b"}}}}`))); err != nil {
		c.t.Fatal(err)
	}
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || one.GetLabels()["a"] != "b" {
			return fmt.Errorf("it has the labels %v: %w", one.GetLabels(), err)
		}
		return nil
	})
	label("null")
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("ExternalSecret %s is still there", one.GetName())
	})
}

func (c *cluster) ofWorkloads(what string, is func(*unstructured.Unstructured) bool) {
	c.t.Helper()
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
		o := c.object(workloadOf(kind, ""))
		embeddedtest.Eventually(c.t, func(ctx context.Context) error {
			err := c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: strings.ToLower(kind)}, o)
			if err == nil && !is(o) {
				err = fmt.Errorf("it is not so that the %s %s", kind, what)
			}
			return err
		})
	}
}

// TestExternalSecretsNeedWhatTheChartGrants makes a Secret, with the rights of the chart alone.
func TestExternalSecretsNeedWhatTheChartGrants(t *testing.T) {
	c, record := newCluster(t), newRequests()
	rules := c.install(values{"externalSecrets": values{"enabled": true}})
	whole := clusterSecret(c.namespace)
	delete(whole.StringData, "namespaces") // in a cluster limited to some, ExternalSecrets are left alone
	c.create(whole)
	cfg := c.account(record)
	c.engineWith(cfg, t.TempDir(), func(c *app.Config) { c.Secrets = true })
	c.create(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "reader", Namespace: c.namespace}},
	})
	for _, text := range secretsOfAllSorts {
		o := c.object(strings.ReplaceAll(text, "NAMESPACE", c.namespace))
		embeddedtest.Eventually(t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(c.Create(ctx, o)) })
	}
	made := &corev1.Secret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: "made"}, made); err != nil {
			return err
		}
		if got := string(made.Data["url"]); got != "postgres://shop:hunter22@db/blue/dark" {
			return fmt.Errorf("url is %q", got)
		}
		return nil
	})
	lacking := map[string]string{ // something, so that nobody is asked
		"apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: aws}":     "names no role",
		"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: lent}": "spec.path is empty",
	}
	for _, kind := range []string{"ACRAccessToken", "ECRAuthorizationToken", "GCRAccessToken", "GithubAccessToken", "STSSessionToken", "Webhook"} {
		one := "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: of-" + strings.ToLower(kind) + "}"
		o := c.object(one + "\nspec: {dataFrom: [{sourceRef: {generatorRef: {kind: " + kind + ", name: none}}}]}")
		embeddedtest.Eventually(t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(c.Create(ctx, o)) })
		lacking[one] = "there is no such generator: " + kind
	}
	for object, want := range lacking {
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			o := c.object(object)
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
				return err
			}
			if said := fmt.Sprint(o.Object["status"]); !strings.Contains(said, want) {
				return fmt.Errorf("%s says %s", o.GetKind(), said)
			}
			return nil
		})
	}
	goes := &corev1.Secret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		return c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: "goes"}, goes)
	})
	pushed := c.object("apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {name: pushed}")
	c.untilReady(pushed)
	c.fansOut()
	c.restarted()
	if err := c.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "source"}}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(goes), goes); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("Secret %s is still there", goes.Name)
	})
	for _, right := range record.spare(t, rules, explainedOfSecrets) {
		t.Errorf("the chart grants what the engine does not use: %s", right)
	}
	others := func(q request) bool { return q.resource == "applications" }
	for _, q := range record.refusals(others) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}
