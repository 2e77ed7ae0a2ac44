package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// source creates a ClusterSource with the given spec.
func (e *engine) source(name, spec string) {
	e.t.Helper()
	object := &causeway.ClusterSource{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace}}
	if err := yaml.UnmarshalStrict([]byte(spec), &object.Spec); err != nil {
		e.t.Fatal(err)
	}
	if err := e.Create(e.t.Context(), object); err != nil {
		e.t.Fatal(err)
	}
}

// untilSource waits until the condition Ready of a ClusterSource says words.
func (e *engine) untilSource(name string, words ...string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		object := &causeway.ClusterSource{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, object); err != nil {
			return err
		}
		c := meta.FindStatusCondition(object.Status.Conditions, causeway.ConditionReady)
		if c == nil {
			return errors.New("no condition")
		}
		if strings.Contains(c.Message, "hunter2") {
			e.t.Fatalf("the condition tells what the kubeconfig says: %s", c.Message)
		}
		for _, word := range words {
			if !strings.Contains(c.Message, word) {
				return fmt.Errorf("condition says %q, want %q in it", c.Message, word)
			}
		}
		return nil
	})
}

// kubeconfig is a Secret with a kubeconfig for a cluster that is nowhere.
func (e *engine) kubeconfig(name string, kind corev1.SecretType, key, token string, labels map[string]string) *corev1.Secret {
	e.t.Helper()
	text := fmt.Sprintf(`{current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}],
clusters: [{name: c, cluster: {server: "https://%s.test:6443"}}], users: [{name: c, user: {%s}}]}`, name, token)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace, Labels: labels}, Type: kind, StringData: map[string]string{key: text}}
	if err := e.Create(e.t.Context(), s); err != nil {
		e.t.Fatal(err)
	}
	return s
}

// untilCluster waits until a cluster Secret says something.
func (e *engine) untilCluster(name string, ok func(*corev1.Secret) bool) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		s := &corev1.Secret{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, s); err != nil {
			return err
		}
		if !ok(s) {
			return fmt.Errorf("cluster Secret %s is not yet as it should be: labels %v", name, s.Labels)
		}
		return nil
	})
}

func withToken(token string) func(*corev1.Secret) bool {
	return func(s *corev1.Secret) bool { return strings.Contains(string(s.Data["config"]), `"`+token+`"`) }
}

// TestClusterSourceFollowsKubeconfigs goes through the life of a cluster that
// another controller made.
func TestClusterSourceFollowsKubeconfigs(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1}, hasty)
	capi := map[string]string{"cluster.x-k8s.io/cluster-name": "prod", "tier": "gold", "other": "x"}
	made := e.kubeconfig("prod-kubeconfig", "cluster.x-k8s.io/secret", "value", "token: first", capi)
	e.source("capi", `{clusterAPI: {}, labels: {environment: "$(labels.tier)-$(name)"}, copyLabels: [ti*], annotations: {from: $(namespace)}}`)
	e.untilCluster("prod", func(s *corev1.Secret) bool {
		return withToken("first")(s) && s.Labels["environment"] == "gold-prod" && s.Labels["tier"] == "gold" && s.Labels["other"] == "" &&
			s.Annotations["from"] == e.namespace && string(s.Data["server"]) == "https://prod-kubeconfig.test:6443" &&
			s.Labels[v1alpha1.LabelSecretType] == v1alpha1.SecretTypeCluster
	})
	e.untilSource("capi", "1 clusters are kept")

	made.Data["value"] = []byte(strings.Replace(string(made.Data["value"]), "first", "second", 1))
	if err := e.Update(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	e.untilCluster("prod", withToken("second"))

	e.app("app", "app", func(app *v1alpha1.Application) {
		app.Spec.Destination.Name, app.Spec.SyncPolicy, app.Finalizers = "prod", nil, nil
	})
	e.until("app", "seen", func(app *v1alpha1.Application) bool { return len(app.Status.Conditions) > 0 })
	if err := e.Delete(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	e.untilSource("capi", "prod stays although its kubeconfig is gone", e.id("app"))
	e.secret("prod")
	e.strangerTo("prod")
	if err := e.Delete(t.Context(), e.until("app", "there", func(*v1alpha1.Application) bool { return true })); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "prod"}, &corev1.Secret{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the cluster is still there: %w", err)
		}
		return nil
	})
	e.untilSource("capi", "0 clusters are kept")
}

// TestClusterSourceOfAFloodedNamespace has somebody fill one of many namespaces
// with Secrets: its clusters stay as they are, and those of the others go on.
func TestClusterSourceOfAFloodedNamespace(t *testing.T) {
	e := start(t, nil, hasty)
	red := embeddedtest.Namespace(t, hubConfig)
	namespaces := []string{e.namespace, red}
	for len(namespaces) < 64 { // each has its part of what is kept
		namespaces = append(namespaces, fmt.Sprintf("%s-%d", red, len(namespaces)))
	}
	labels := map[string]string{"kubeconfig": "yes"}
	fill := func(name string) *corev1.Secret {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: red, Labels: labels}, Data: map[string][]byte{"config": bytes.Repeat([]byte("x"), 1_000_000)}}
		if err := e.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	theirs := e.kubeconfig("theirs", "", "config", "token: theirs", labels)
	theirs.Namespace, theirs.ResourceVersion, theirs.UID = red, "", ""
	if err := errors.Join(e.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Namespace: e.namespace}}), e.Create(t.Context(), theirs)); err != nil {
		t.Fatal(err)
	}
	e.source("vms", fmt.Sprintf(`{secrets: {namespaces: [%s], selector: {matchLabels: {kubeconfig: "yes"}}}, clusterName: "c-$(name)"}`, strings.Join(namespaces, ", ")))
	e.untilCluster("c-theirs", withToken("theirs"))

	flood := []*corev1.Secret{fill("a"), fill("b"), fill("c")}
	e.untilSource("vms", "too many kubeconfigs in namespace "+red)
	e.kubeconfig("ours", "", "config", "token: ours", labels)
	e.untilCluster("c-ours", withToken("ours"))
	e.secret("c-theirs")

	for _, s := range flood {
		if err := e.Delete(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	e.untilSource("vms", "2 clusters are kept")
}

// TestClusterSourceTellsNamespacesApart has a source with a name that two
// namespaces may both come to: what it has made stays and is followed, and
// nothing else is made until the name has a dot.
func TestClusterSourceTellsNamespacesApart(t *testing.T) {
	e := start(t, nil, hasty)
	labels := map[string]string{"kubeconfig": "yes"}
	prod := e.kubeconfig("prod", "", "config", "token: first", labels)
	e.source("vms", `{secrets: {selector: {matchLabels: {kubeconfig: "yes"}}}, clusterName: $(namespace)-$(name)}`)
	e.untilCluster(e.namespace+"-prod", withToken("first"))

	red := embeddedtest.Namespace(t, hubConfig)
	theirs := e.kubeconfig("theirs", "", "config", "token: theirs", nil)
	theirs.Namespace, theirs.ResourceVersion, theirs.UID, theirs.Labels = red, "", "", labels
	if err := e.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	source := &causeway.ClusterSource{}
	change := func(to func(*causeway.ClusterSourceSpec)) {
		t.Helper()
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "vms"}, source); err != nil {
				return err
			}
			to(&source.Spec)
			return e.Update(ctx, source)
		})
	}
	change(func(s *causeway.ClusterSourceSpec) { s.Secrets.Namespaces = []string{e.namespace, red} })
	e.untilSource("vms", "write a dot", "$(namespace).$(name)", fmt.Sprintf("no cluster %q is made of Secret %s/theirs", red+"-theirs", red))
	prod.Data["config"] = bytes.Replace(prod.Data["config"], []byte("first"), []byte("second"), 1)
	if err := e.Update(t.Context(), prod); err != nil {
		t.Fatal(err)
	}
	e.untilCluster(e.namespace+"-prod", withToken("second"))
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: red + "-theirs"}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("a new cluster has a name that another namespace may come to: %v", err)
	}

	change(func(s *causeway.ClusterSourceSpec) { s.ClusterName = "$(namespace).$(name)" })
	e.untilCluster(red+".theirs", withToken("theirs"))
	e.untilCluster(e.namespace+".prod", withToken("second"))
	e.untilSource("vms", "2 clusters are kept")
}

// TestClusterSourceDeploysWithWhatItFound has a kubeconfig that another controller
// made for a cluster, and an application for that cluster in the Git of its
// owners, who never see the credential.
func TestClusterSourceDeploysWithWhatItFound(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1}, hasty)
	login := rest.CopyConfig(hubConfig)
	if err := rest.LoadTLSFiles(login); err != nil {
		t.Fatal(err)
	}
	text, err := clientcmd.Write(api.Config{
		CurrentContext: "c", Contexts: map[string]*api.Context{"c": {Cluster: "c", AuthInfo: "c"}},
		Clusters:  map[string]*api.Cluster{"c": {Server: login.Host, CertificateAuthorityData: login.CAData, TLSServerName: login.ServerName}},
		AuthInfos: map[string]*api.AuthInfo{"c": {Token: login.BearerToken, ClientCertificateData: login.CertData, ClientKeyData: login.KeyData}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.source("vcluster", `{secrets: {selector: {matchLabels: {app: vcluster}}}, clusterName: "v-$(name)"}`)
	e.app("app", "app", func(app *v1alpha1.Application) {
		app.Spec.Destination.Name, app.Spec.Destination.Server = "v-dev", ""
	})
	made := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: e.namespace, Labels: map[string]string{"app": "vcluster"}},
		Data:       map[string][]byte{"config": text},
	}
	if err := e.Create(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	e.until("app", "good on the cluster that was found", good)
	e.untilVersion("settings", "1")
}

// TestClusterSourceRefuses has kubeconfigs that must not become clusters.
func TestClusterSourceRefuses(t *testing.T) {
	e := start(t, nil)
	mine := map[string]string{"mine": "yes"}
	for name, user := range map[string]string{
		"file": "tokenFile: /hunter2", "program": "exec: {command: hunter2}", "nobody": "", "good": "token: hunter2", "taken": "token: hunter2",
	} {
		e.kubeconfig(name, corev1.SecretTypeOpaque, "config", user, mine)
	}
	e.kubeconfig("vc-good", corev1.SecretTypeOpaque, "config", "token: hunter2", nil)
	e.source("mine", `{secrets: {selector: {matchLabels: {mine: "yes"}}}, clusterName: "c-$(name)"}`)
	taken := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "c-taken", Namespace: e.namespace}}
	if err := e.Create(t.Context(), taken); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	e.untilSource("mine", e.namespace+"/file", "tokenFile", e.namespace+"/program", "causeway.clusters.exec.allow", e.namespace+"/nobody", "no credentials")
	e.untilCluster("c-good", withToken("hunter2"))

	e.source("virtual", `{vcluster: {}, clusterName: "v-$(name)"}`)
	e.untilCluster("v-good", withToken("hunter2"))

	e.kubeconfig("vc-one", corev1.SecretTypeOpaque, "config", "token: hunter2", nil)
	e.kubeconfig("vc-two", corev1.SecretTypeOpaque, "config", "token: hunter2", nil)
	e.source("same", `{vcluster: {}, clusterName: same}`)
	e.untilSource("same", e.namespace+"/vc-one", e.namespace+"/vc-two", "same")
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "same"}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("one of those with the same name was taken: %v", err)
	}
	e.source("clash", `{secrets: {selector: {matchLabels: {mine: "yes"}}}, clusterName: v-good}`)
	e.untilSource("clash", "v-good")
}

// TestClusterSourceMakesNoSecretOfTheEngine has somebody who may write
// kubeconfigs give one the name of a Secret that the engine makes later, and
// somebody else write to one that a source made.
func TestClusterSourceMakesNoSecretOfTheEngine(t *testing.T) {
	e := start(t, nil, hasty)
	planted := []string{"causeway-sessions", "causeway-keys", "causeway-server", "argocd-secret"}
	for _, name := range planted {
		e.kubeconfig("vc-"+name, corev1.SecretTypeOpaque, "config", "token: hunter2", nil)
	}
	dev := e.kubeconfig("vc-dev", corev1.SecretTypeOpaque, "config", "token: hunter2", nil)
	e.source("virtual", `{vcluster: {}}`)
	e.untilCluster("dev", withToken("hunter2"))
	e.untilSource("virtual", `cluster name "causeway-sessions" of Secret `+e.namespace+"/vc-causeway-sessions cannot be used", `"causeway-keys"`, `"causeway-server"`, `"argocd-secret"`)
	for _, name := range planted {
		if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("%s is made of a kubeconfig: %v", name, err)
		}
	}

	s := e.secret("dev")
	s.Data["password"] = []byte("of somebody else")
	if err := e.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	e.untilSource("virtual", "Secret dev stays although its kubeconfig is gone", "has written to its data")
	if got := string(e.secret("dev").Data["password"]); got != "of somebody else" {
		t.Errorf("what somebody keeps in it is %q", got)
	}
}

// TestClusterSourceOfLongNames has clusters called as annotations say, which are
// longer than a condition may be.
func TestClusterSourceOfLongNames(t *testing.T) {
	e := start(t, nil, hasty)
	for _, name := range []string{"one", "two"} {
		s := e.kubeconfig(name, corev1.SecretTypeOpaque, "config", "token: hunter2", map[string]string{"mine": "yes"})
		s.Annotations = map[string]string{"name": strings.Repeat("x", 200<<10)}
		if err := e.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	e.source("mine", `{secrets: {selector: {matchLabels: {mine: "yes"}}}, clusterName: $(annotations.name)}`)
	e.untilSource("mine", "Secret "+e.namespace+"/one: cluster name", "Secret "+e.namespace+"/two: cluster name")
}
