package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/planted"
)

// withExternalSecrets is a client of a control plane that has External Secrets' kinds.
func withExternalSecrets(t *testing.T) (kubeconfig, namespace string, c client.Client) {
	t.Helper()
	plane := sharedPlane(t)
	config := embeddedtest.Config(t, plane)
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, esv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	all, err := deploy.SecretCRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		embeddedtest.Eventually(t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(c.Create(ctx, crd.DeepCopy())) })
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		for _, list := range []client.ObjectList{&esv1.ExternalSecretList{}, &esv1.SecretStoreList{}, &esv1.ClusterSecretStoreList{}} {
			if err := c.List(ctx, list); err != nil {
				return err
			}
		}
		return nil
	})
	return plane.Kubeconfig(), embeddedtest.Namespace(t, config), c
}

// external is an ExternalSecret of the store, as it is after a look that ended with an error or with none.
func external(t *testing.T, c client.Client, namespace, name, failure string, keys ...string) *esv1.ExternalSecret {
	t.Helper()
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: map[string]string{
		"argocd.argoproj.io/tracking-id": fmt.Sprintf("shop:external-secrets.io/ExternalSecret:%s/%s", namespace, name),
	}}, Spec: esv1.ExternalSecretSpec{SecretStoreRef: esv1.SecretStoreRef{Name: "vault"}}}
	for _, key := range keys {
		one.Spec.Data = append(one.Spec.Data, esv1.ExternalSecretData{SecretKey: key, RemoteRef: esv1.RemoteRef{Key: "shop/" + name, Property: key}})
	}
	creates(t, c, one)
	ready := esv1.Condition{Type: "Ready", Status: "True", Reason: "SecretSynced", LastTransitionTime: metav1.Now()}
	if failure != "" {
		ready.Status, ready.Reason, ready.Message = "False", "SecretSyncedError", failure
	}
	one.Status.Conditions = []esv1.Condition{ready}
	one.Status.RefreshTime = metav1.NewTime(time.Now().Add(-30 * time.Minute))
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		now := one.DeepCopy()
		if err := c.Get(ctx, client.ObjectKeyFromObject(one), now); err != nil {
			return err
		}
		now.Status = one.Status
		return c.Status().Update(ctx, now)
	})
	return one
}

func creates(t *testing.T, c client.Client, all ...client.Object) {
	t.Helper()
	for _, o := range all {
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// shopWithSecrets is a namespace with what a command may meet, each value of which is planted.
func shopWithSecrets(t *testing.T, c client.Client, namespace string, bed *planted.Bed) {
	t.Helper()
	creates(t, c, &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "vault", Annotations: map[string]string{"secrets.causeway.io/restart": "true"}}, Spec: esv1.SecretStoreSpec{
		Provider: map[string]apiextensionsv1.JSON{"vault": {Raw: fmt.Appendf(nil, `{"server": "https://me:%s@vault.example.com/?token=%s", "path": "kv"}`, bed.Text("address of a store"), bed.Text("query of a store"))}},
	}})
	made := external(t, c, namespace, "database", "", "password", "user")
	_ = external(t, c, namespace, "broken", "cannot read shop/broken: permission denied", "token")
	yes := true
	creates(t, c,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "database", Labels: map[string]string{"reconcile.external-secrets.io/managed": "true"},
			Annotations: map[string]string{
				"secrets.causeway.io/changed":                      time.Now().Add(-3 * time.Hour).UTC().Format(time.RFC3339),
				"secrets.causeway.io/versions":                     `{"shop/database": "7"}`,
				"kubectl.kubernetes.io/last-applied-configuration": bed.Text("applied"),
			},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "external-secrets.io/v1", Kind: "ExternalSecret", Name: made.Name, UID: made.UID, Controller: &yes}},
		}, StringData: map[string]string{"password": bed.Text("value"), "user": bed.Text("other value")}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "by-hand"}, StringData: map[string]string{"a": bed.Text("value of another")}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "puller"}, ImagePullSecrets: []corev1.LocalObjectReference{{Name: "by-hand"}}},
		user(namespace, "web", nil, corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", EnvFrom: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "database"}}}}}}}),
		user(namespace, "steady", map[string]string{"secrets.causeway.io/restart": "false"}, corev1.PodSpec{ServiceAccountName: "puller", Containers: []corev1.Container{{
			Name: "c", Image: "i", Env: []corev1.EnvVar{{Name: "PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "database"}, Key: "password"}}}},
		}}}),
	)
}

func user(namespace, name string, annotations map[string]string, pod corev1.PodSpec) *appsv1.Deployment {
	tags := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: annotations}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: tags}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: tags}, Spec: pod},
	}}
}

// TestSecretsOfClusters asks a real API server, beside a cluster that is away, and finds no value in any answer.
func TestSecretsOfClusters(t *testing.T) {
	kubeconfig, namespace, c := withExternalSecrets(t)
	bed := &planted.Bed{}
	shopWithSecrets(t, c, namespace, bed)
	creates(t, c, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "away", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": "away", "server": "https://127.0.0.1:9", "config": "{}"}})
	run := func(args string) result {
		got := invoke(t, append(strings.Fields(args), "--kubeconfig", kubeconfig, "-n", namespace)...)
		for _, found := range bed.Find([]byte(got.out + got.errors)) {
			t.Errorf("causeway %s prints %v", args, found)
		}
		return got
	}
	for args, c := range map[string]struct {
		code int
		want []string
	}{
		"secrets":                {command.ExitFine, []string{"warning: cluster away is left out", "Stale", "30m", "vault (", "  7 ", "3h", "in 2", "2: Deployment"}},
		"secrets -o wide":        {command.ExitFine, []string{"SecretStore/vault (vault at https://vault.example.com)", "password: entry shop/database, property password, version 7", "SecretSyncedError: cannot read shop/broken: permission denied", "Deployment/steady, Deployment/web"}},
		"secrets -o yaml":        {command.ExitFine, []string{"address: https://vault.example.com", "application: shop"}},
		"secrets database":       {command.ExitFine, []string{"Ready"}},
		"secrets databse":        {command.ExitFailed, []string{`no ExternalSecret makes a Secret "databse"; did you mean "database"?`}},
		"secrets --cluster awy":  {command.ExitFailed, []string{`there is no cluster "awy"; did you mean "away"?`}},
		"secrets --cluster away": {command.ExitFailed, []string{"no cluster answers"}},
		"why secret/database": {command.ExitFine, []string{
			"of cluster in-cluster: Ready", "creationPolicy Owner, of application shop", "store SecretStore/vault (vault at https://vault.example.com)", "password: entry shop/database, property password, version 7",
			"values changed 3h", "next in 2", "used by Deployment/steady (env), not restarted when values change, as Deployment/steady says",
			"used by Deployment/web (envFrom), restarted when values change, as SecretStore/vault says",
		}},
		"why secret/" + namespace + "/broken":     {command.ExitFine, []string{"SecretSyncedError: cannot read shop/broken: permission denied", "stale: values were fetched 30m ago"}},
		"why secret/by-hand --cluster in-cluster": {command.ExitFine, []string{"is made by no ExternalSecret", "no application and no object owns it", "used by Deployment/steady (imagePullSecrets of its service account)"}},
		"why secret/by-hnd":                       {command.ExitFailed, []string{`there is no Secret "by-hnd"`, `did you mean "by-hand"?`}},
	} {
		t.Run(args, func(t *testing.T) {
			if !strings.Contains(args, namespace) {
				args += " --secret-namespace " + namespace
			}
			got := run(args)
			if got.code != c.code {
				t.Errorf("exit %d, want %d", got.code, c.code)
			}
			for _, text := range c.want {
				if !strings.Contains(got.out+got.errors, text) {
					t.Errorf("%q is not in\n%s%s", text, got.out, got.errors)
				}
			}
		})
	}
	first := rowsOf(t, run("secrets -o json --secret-namespace "+namespace).out)
	if want := []string{"broken", "database"}; !slices.Equal(first, want) {
		t.Errorf("the rows are %v, want those first that need attention: %v", first, want)
	}
	if err := bed.Err(); err != nil {
		t.Error(err)
	}
}

func rowsOf(t *testing.T, text string) (names []string) {
	t.Helper()
	var all []struct{ Name string }
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names
}
