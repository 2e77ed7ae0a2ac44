package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const password = "correct-horse-battery"

const spoke = `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke-dev"
  environment  = "dev"
  server       = "https://10.0.0.1:6443"
  addons       = { enable_cert_manager = true, enable_velero = false }
  metadata     = { region = "eu-west-1" }
  config_wo    = jsonencode({ bearerToken = "` + password + `" })
}
`

func TestClusterIsTheBridgeSecret(t *testing.T) {
	w := newWorkspace(t, spoke)
	out := w.must("apply")
	s := w.secret("spoke-dev")
	wantLabels := map[string]string{
		"argocd.argoproj.io/secret-type": "cluster", "cluster_name": "spoke-dev", "environment": "dev",
		"enable_argocd": "true", "enable_cert_manager": "true", "enable_velero": "false",
	}
	if diff := cmp.Diff(wantLabels, s.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"cluster_name": "spoke-dev", "environment": "dev", "region": "eu-west-1"}, s.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	wantData := map[string][]byte{"name": []byte("spoke-dev"), "server": []byte("https://10.0.0.1:6443"), "config": []byte(`{"bearerToken":"` + password + `"}`)}
	if diff := cmp.Diff(wantData, s.Data); diff != "" || s.Type != corev1.SecretTypeOpaque {
		t.Errorf("type %s, data (-want +got):\n%s", s.Type, diff)
	}
	noSecret(t, "the output of apply", out, password)
	noSecret(t, "the state", w.state(), password)
	w.quiet("nothing changed since")
}

func TestClusterFollowsItsConfiguration(t *testing.T) {
	w := newWorkspace(t, spoke)
	w.must("apply")
	w.file("case.tf", strings.Replace(spoke, "enable_velero = false", "enable_argocd = null", 1))
	w.must("apply")
	labels := w.secret("spoke-dev").Labels
	if _, there := labels["enable_velero"]; there {
		t.Error("a label that is taken away stays")
	}
	if _, there := labels["enable_argocd"]; there {
		t.Error("null does not leave out a label that is there by default")
	}
	w.quiet("null is stable")
	w.file("case.tf", strings.Replace(spoke, `"spoke-dev"`, `"spoke-two"`, 1))
	if out := w.changes("the name changed"); !strings.Contains(out, "must be replaced") {
		t.Errorf("another name is another Secret:\n%s", out)
	}
	w.must("apply")
	w.secret("spoke-two")
	if _, err := client(t).CoreV1().Secrets(w.namespace).Get(t.Context(), "spoke-dev", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Secret of the old name is there: %v", err)
	}
}

func TestClusterDrift(t *testing.T) {
	w := newWorkspace(t, spoke)
	w.must("apply")
	w.edit("spoke-dev", func(s *corev1.Secret) {
		s.Labels["enable_karpenter"], s.Annotations["owner"] = "true", "platform"
		s.Data["extra"] = []byte("x")
	})
	w.quiet("keys that others added are theirs")

	w.edit("spoke-dev", func(s *corev1.Secret) { s.Labels["enable_velero"] = "true" })
	if out := w.changes("a label was changed by hand"); !strings.Contains(out, "enable_velero") {
		t.Errorf("the plan does not name the label:\n%s", out)
	}
	w.must("apply")
	s := w.secret("spoke-dev")
	if s.Labels["enable_velero"] != "false" || s.Labels["enable_karpenter"] != "true" || s.Annotations["owner"] != "platform" || string(s.Data["extra"]) != "x" {
		t.Errorf("got %v, want the own label restored and the others' kept", s.Labels)
	}

	w.edit("spoke-dev", func(s *corev1.Secret) { s.Data["config"] = []byte(`{"bearerToken":"stolen"}`) })
	out := w.changes("the credentials were changed by hand")
	noSecret(t, "the plan", out, password)
	noSecret(t, "the plan", out, "stolen")
	w.must("apply")
	if got := string(w.secret("spoke-dev").Data["config"]); !strings.Contains(got, password) {
		t.Errorf("the credentials are not restored")
	}
	w.quiet("all is restored")

	if err := client(t).CoreV1().Secrets(w.namespace).Delete(t.Context(), "spoke-dev", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if out := w.changes("the Secret was deleted by hand"); !strings.Contains(out, "will be created") {
		t.Errorf("the plan does not make it again:\n%s", out)
	}
}

// TestClusterOfManyKeys has 200 keys with 60 KB, of which one changes.
func TestClusterOfManyKeys(t *testing.T) {
	w := newWorkspace(t, `
variable "last" { default = "before" }
resource "causeway_cluster" "large" {
  cluster_name = "large"
  metadata     = merge({ for i in range(200) : format("key-%03d", i) => join("", [for j in range(300) : "x"]) }, { last = var.last })
}
`)
	w.must("apply")
	w.quiet("all keys arrived")
	if got := w.secret("large").Annotations; len(got["key-199"]) != 300 || got["last"] != "before" {
		t.Errorf("got %d keys, the last is %q", len(got), got["last"])
	}
	w.env = []string{"TF_VAR_last=after"}
	if out := w.changes("one key changed"); !strings.Contains(out, "before") || !strings.Contains(out, "after") || strings.Contains(out, "xxx") {
		t.Errorf("the plan does not show the one key alone:\n%s", out)
	}
	w.must("apply")
	if got := w.secret("large").Annotations["last"]; got != "after" {
		t.Errorf("got %q", got)
	}
}

func TestClusterCredentials(t *testing.T) {
	w := newWorkspace(t, spoke)
	w.must("apply")
	w.file("case.tf", strings.Replace(spoke, password, "second", 1))
	out := w.changes("other credentials without a version are seen in the cluster")
	noSecret(t, "the plan", out, "second")
	w.must("apply")
	if got := string(w.secret("spoke-dev").Data["config"]); !strings.Contains(got, "second") {
		t.Error("the credentials are not renewed")
	}
	versioned := strings.Replace(spoke, "config_wo    =", "config_wo_version = \"1\"\n  config_wo    =", 1)
	w.file("case.tf", versioned)
	w.must("apply")
	w.file("case.tf", strings.Replace(versioned, password, "third", 1))
	w.quiet("with a version, only the version tells")
	w.file("case.tf", strings.NewReplacer(password, "third", `"1"`, `"2"`).Replace(versioned))
	w.changes("the version changed")
	w.must("apply")
	if got := string(w.secret("spoke-dev").Data["config"]); !strings.Contains(got, "third") {
		t.Error("the credentials are not renewed")
	}
	w.file("case.tf", strings.Replace(spoke, "config_wo    =", "# config_wo =", 1))
	w.must("apply")
	if got := string(w.secret("spoke-dev").Data["config"]); strings.Contains(got, "third") || !strings.Contains(got, "tlsClientConfig") {
		t.Error("credentials that are taken away stay")
	}
	w.quiet("without credentials")
}

func TestClusterEphemeralCredentials(t *testing.T) {
	w := newWorkspace(t, `
variable "token" {
  type      = string
  ephemeral = true
}
resource "causeway_cluster" "spoke" {
  cluster_name      = "spoke"
  config_wo         = jsonencode({ bearerToken = var.token })
  config_wo_version = "1"
}
`)
	w.env = []string{"TF_VAR_token=" + password}
	w.must("apply")
	if got := string(w.secret("spoke").Data["config"]); !strings.Contains(got, password) {
		t.Error("the ephemeral value did not arrive")
	}
	noSecret(t, "the state", w.state(), password)
	w.env = []string{"TF_VAR_token=another"}
	w.quiet("a short-lived token is another one each time")
}

func TestClusterImport(t *testing.T) {
	w := newWorkspace(t, spoke)
	w.must("apply")
	w.must("state", "rm", "causeway_cluster.spoke")
	w.must("import", "causeway_cluster.spoke", w.namespace+"/spoke-dev")
	noSecret(t, "the state", w.state(), password)
	w.quiet("what was imported is what is configured")
	w.must("state", "rm", "causeway_cluster.spoke")
	w.must("import", "causeway_cluster.spoke", "spoke-dev")
	w.must("state", "rm", "causeway_cluster.spoke")
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "causeway-server"}, StringData: map[string]string{"key": "x"}}
	if _, err := client(t).CoreV1().Secrets(w.namespace).Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"other": "non-existent", "a/b/c": "write NAMESPACE/NAME", "causeway-server": w.namespace + "/causeway-server is no cluster's"} {
		if out := w.fails("nothing can be imported", "import", "causeway_cluster.spoke", id); !strings.Contains(out, want) {
			t.Errorf("%s: got %s", id, out)
		}
	}
}

// An import takes what Terraform wrote. What others added is in no plan, as the
// apply leaves it.
func TestClusterImportLeavesOthersKeys(t *testing.T) {
	w := newWorkspace(t, spoke)
	w.must("apply")
	w.must("state", "rm", "causeway_cluster.spoke")
	w.edit("spoke-dev", func(s *corev1.Secret) { s.Labels["foreign"], s.Annotations["foreign"] = "1", "1" })
	w.must("import", "causeway_cluster.spoke", "spoke-dev")
	w.quiet("what others added is theirs")

	w.must("state", "rm", "causeway_cluster.spoke")
	secrets := client(t).CoreV1().Secrets(w.namespace)
	if err := secrets.Delete(t.Context(), "spoke-dev", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	byHand := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "spoke-dev", Annotations: map[string]string{"foreign": "1"},
			Labels: map[string]string{"argocd.argoproj.io/secret-type": "cluster", "foreign": "1", "enable_velero": "true"},
		},
		StringData: map[string]string{"name": "spoke-dev", "server": "https://10.0.0.1:6443"},
	}
	if _, err := secrets.Create(t.Context(), byHand, metav1.CreateOptions{FieldManager: "kubectl-create"}); err != nil {
		t.Fatal(err)
	}
	w.must("import", "causeway_cluster.spoke", "spoke-dev")
	out := w.changes("what was made by hand becomes what is configured")
	if strings.Contains(out, "foreign") || !strings.Contains(out, "0 to destroy") || !strings.Contains(out, "enable_velero") {
		t.Errorf("the plan is not what the apply does:\n%s", out)
	}
	w.must("apply")
	s := w.secret("spoke-dev")
	if s.Labels["foreign"] != "1" || s.Annotations["foreign"] != "1" || s.Labels["enable_velero"] != "false" {
		t.Errorf("got labels %v and annotations %v, want the foreign kept and the own written", s.Labels, s.Annotations)
	}
	w.quiet("after the import")
}

// deployed makes Applications, as ApplicationSets and people do.
func (w *workspace) deployed(cluster string, made int, byHand ...string) {
	w.t.Helper()
	ctx := w.t.Context()
	object := func(kind, name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": w.namespace}, "spec": spec,
		}}
	}
	spec := map[string]any{
		"project": "default", "destination": map[string]any{"name": cluster},
		"source": map[string]any{"repoURL": "https://git.example.com/x", "path": "x"},
	}
	template := map[string]any{"metadata": map[string]any{"name": "x"}, "spec": spec}
	set, err := w.objects("applicationsets").Create(ctx, object("ApplicationSet", "addons", map[string]any{"generators": []any{}, "template": template}), metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range made {
		app := object("Application", fmt.Sprintf("addon-%02d", i), spec)
		app.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(set, set.GroupVersionKind())})
		if _, err := w.objects("applications").Create(ctx, app, metav1.CreateOptions{}); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, name := range byHand {
		if _, err := w.objects("applications").Create(ctx, object("Application", name, spec), metav1.CreateOptions{}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// A plan that takes a cluster away, or makes another one of it, tells of its
// Applications.
func TestClusterLeaves(t *testing.T) {
	w := newWorkspace(t, spoke)
	w.must("apply")
	w.deployed("spoke-dev", 22, "hand-made")
	w.quiet("nothing leaves")
	for reason, config := range map[string]string{"it is taken away": "", "another name makes another one": strings.Replace(spoke, `"spoke-dev"`, `"spoke-two"`, 1)} {
		w.file("case.tf", config)
		out := oneLine(w.changes(reason))
		for _, want := range []string{
			"Warning: Applications lose cluster spoke-dev: 22 to go, 1 to stay", "addon-00, addon-01", "addon-19 and 2 more", "owned by nobody", "Not made by ApplicationSets: hand-made.",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the plan does not say %q:\n%s", reason, want, out)
			}
		}
	}
	w.file("case.tf", "")
	w.must("apply")
}

func TestClusterIsTakenOver(t *testing.T) {
	w := newWorkspace(t, spoke)
	byHand := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "spoke-dev"}, StringData: map[string]string{"name": "x"}}
	secrets := client(t).CoreV1().Secrets(w.namespace)
	made, err := secrets.Create(t.Context(), byHand, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if out := w.fails("it is no cluster's", "apply"); !strings.Contains(out, "no cluster's") {
		t.Errorf("got %s", out)
	}
	made.Labels = map[string]string{"argocd.argoproj.io/secret-type": "cluster", "added": "by-hand"}
	if _, err := secrets.Update(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"plan", "apply"} {
		if out := w.fails("somebody else made it", command); !strings.Contains(out, "terraform import ADDRESS "+w.namespace+"/spoke-dev") {
			t.Errorf("got %s", out)
		}
	}
	if got := string(w.secret("spoke-dev").Data["name"]); got != "x" {
		t.Errorf("it was written over: %s", got)
	}
	w.file("case.tf", strings.Replace(spoke, "environment  =", "adopt = true\n  environment  =", 1))
	w.must("apply")
	s := w.secret("spoke-dev")
	if s.UID != made.UID || s.Labels["added"] != "by-hand" || string(s.Data["name"]) != "spoke-dev" {
		t.Errorf("the Secret was not taken over as it is: %v", s.Labels)
	}
}

func TestClusterDestroy(t *testing.T) {
	protected := strings.Replace(spoke, "environment  =", "deletion_protection = true\n  environment  =", 1)
	w := newWorkspace(t, protected)
	w.must("apply")
	if out := w.fails("it is protected", "destroy"); !strings.Contains(out, "deletion_protection = false") {
		t.Errorf("got %s", out)
	}
	w.secret("spoke-dev")
	w.file("case.tf", spoke)
	w.must("apply")
	w.must("destroy")
	if _, err := client(t).CoreV1().Secrets(w.namespace).Get(t.Context(), "spoke-dev", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Secret is still there: %v", err)
	}
}

// TestProtectionHoldsReplacements: another name is the end of the object as well,
// and so is a replacement that somebody asks for.
func TestProtectionHoldsReplacements(t *testing.T) {
	protected := strings.Replace(spoke, "environment  =", "deletion_protection = true\n  environment  =", 1)
	w := newWorkspace(t, protected)
	w.must("apply")
	made := w.secret("spoke-dev").UID
	elsewhere := strings.TrimSuffix(strings.TrimSpace(protected), "}") + "  namespace = \"default\"\n}\n"
	for reason, config := range map[string]string{
		"another cluster":       strings.Replace(protected, `"spoke-dev"`, `"spoke-two"`, 1),
		"another Secret":        strings.Replace(protected, "environment  =", "secret_name = \"spoke-two\"\n  environment  =", 1),
		"another namespace":     elsewhere,
		"unprotected by itself": strings.Replace(spoke, `"spoke-dev"`, `"spoke-two"`, 1),
	} {
		w.file("case.tf", config)
		if out := w.fails(reason, "plan"); !strings.Contains(out, "deletion_protection = false") {
			t.Errorf("%s: got %s", reason, out)
		}
	}
	w.file("case.tf", protected)
	if out := w.fails("a replacement is asked for", "apply", "-replace=causeway_cluster.spoke"); !strings.Contains(out, "deletion_protection = false") {
		t.Errorf("got %s", out)
	}
	unknown := `
variable "name" { default = "spoke-dev" }
resource "terraform_data" "name" { input = var.name }
` + strings.Replace(protected, `"spoke-dev"`, "terraform_data.name.output", 1)
	w.file("case.tf", unknown)
	w.must("init")
	w.must("apply")
	if out := w.fails("the plan did not know the name", "apply", "-var=name=spoke-two"); !strings.Contains(out, "deletion_protection = false") {
		t.Errorf("got %s", out)
	}
	if now := w.secret("spoke-dev").UID; now != made {
		t.Error("what is protected was made anew")
	}
	if _, err := client(t).CoreV1().Secrets(w.namespace).Get(t.Context(), "spoke-two", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("there is a second one beside it: %v", err)
	}
}

// TestNoCredentialOfOthersIsTold: what somebody puts into a Secret is in no plan
// and no state, and neither is what kubectl keeps of it.
func TestNoCredentialOfOthersIsTold(t *testing.T) {
	const theirs = "of-somebody-else"
	w := newWorkspace(t, `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
  server       = "https://10.0.0.1:6443"
}
resource "causeway_repository" "git" {
  name  = "git"
  url   = "https://git.example.com/shop"
  proxy = "http://proxy.example.com:3128"
}
`)
	w.must("apply")
	for name, data := range map[string]map[string]string{
		"spoke": {"config": `{"bearerToken":"` + theirs + `"}`, "server": "https://robot:" + theirs + "@10.0.0.1:6443"},
		"git":   {"url": "https://robot:" + theirs + "@git.example.com/shop", "proxy": "http://robot:" + theirs + "@proxy.example.com:3128"},
	} {
		w.edit(name, func(s *corev1.Secret) {
			s.StringData = data
			metav1.SetMetaDataAnnotation(&s.ObjectMeta, "kubectl.kubernetes.io/last-applied-configuration", `{"stringData":{"config":"`+theirs+`"}}`)
		})
	}
	w.file("data.tf", `
data "causeway_cluster" "spoke" { secret_name = "spoke" }
output "spoke" { value = data.causeway_cluster.spoke }
`)
	out := w.changes("others changed both")
	if strings.Count(out, "(changed elsewhere, and not shown)") < 4 {
		t.Errorf("the plan does not show what is drift:\n%s", out)
	}
	noSecret(t, "the plan", out, theirs)
	out = w.must("apply", "-refresh-only")
	noSecret(t, "the output", out, theirs)
	noSecret(t, "the state", w.state(), theirs)
	w.must("apply")
	noSecret(t, "the state", w.state(), theirs)
	if got := string(w.secret("spoke").Data["config"]); !strings.Contains(got, "tlsClientConfig") {
		t.Error("what was changed is not restored")
	}
	w.quiet("all is restored")
}

// TestClustersOfOthersAreLeft: what a ClusterSource or a Cluster keeps is not
// Terraform's, and no login is lost.
func TestClustersOfOthersAreLeft(t *testing.T) {
	w := newWorkspace(t, `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
  adopt        = true
}
`)
	theirs := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "spoke", Labels: map[string]string{"argocd.argoproj.io/secret-type": "cluster", "causeway.io/cluster-source": "fleet"}},
		StringData: map[string]string{"name": "spoke", "server": "https://10.0.0.1:6443", "config": `{"bearerToken":"` + password + `"}`},
	}
	if _, err := client(t).CoreV1().Secrets(w.namespace).Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	refused := func(reason, want string) {
		t.Helper()
		for _, command := range []string{"plan", "apply"} {
			out := w.fails(reason, command)
			if !strings.Contains(out, want) {
				t.Errorf("%s: got %s", reason, out)
			}
			noSecret(t, "the message", out, password)
		}
	}
	refused("a ClusterSource keeps it", "kept by the ClusterSource fleet")
	w.edit("spoke", func(s *corev1.Secret) {
		delete(s.Labels, "causeway.io/cluster-source")
		s.Annotations = map[string]string{"causeway.io/declared-by": "spoke"}
	})
	refused("a Cluster keeps it", "kept by the Cluster spoke")
	w.edit("spoke", func(s *corev1.Secret) { delete(s.Annotations, "causeway.io/declared-by") })
	refused("its login would be lost", "config_wo is not given")
	w.must("import", "causeway_cluster.spoke", "spoke")
	noSecret(t, "the state", w.state(), password)
	refused("also after an import", "config_wo is not given")
	if got := string(w.secret("spoke").Data["config"]); !strings.Contains(got, password) {
		t.Error("the login is lost")
	}
}

func TestClusterWrongInput(t *testing.T) {
	w := newWorkspace(t, spoke)
	for name, tc := range map[string]struct{ reason, from, to, want string }{
		"Label":      {"the API server would refuse it", `enable_velero = false`, `enable_velero = "not now!"`, "value of label enable_velero"},
		"LabelKey":   {"the API server would refuse it", `enable_velero = false`, `"a b" = false`, "cannot be the key of a label"},
		"Name":       {"the API server would refuse it", `"spoke-dev"`, `"Spoke Dev"`, "cannot name an object"},
		"Config":     {"the engine could not read it", `jsonencode({ bearerToken = "` + password + `" })`, `"` + password + `"`, "config_wo is no JSON object"},
		"SecretType": {"the engine would not see it", `enable_velero = false`, `"argocd.argoproj.io/secret-type" = "repository"`, "must stay"},
		"Annotation": {"the API server would refuse it", `region = "eu-west-1"`, `region = format("%0270000d", 0)`, "at most 262144"},
		"NoName":     {"it would be another cluster without a word", `"spoke-dev"`, `""`, "cluster_name is empty"},
		"NoServer":   {"the engine could not reach it", `"https://10.0.0.1:6443"`, `""`, "server is empty"},
		"Unknown":    {"a typing error", `environment  =`, `stage  =`, "Unsupported argument"},
	} {
		t.Run(name, func(t *testing.T) {
			v := *w
			v.t = t
			v.file("case.tf", strings.Replace(spoke, tc.from, tc.to, 1))
			out := v.fails(tc.reason, "validate")
			if !strings.Contains(out, tc.want) {
				t.Errorf("%s: got %s", tc.reason, out)
			}
			noSecret(t, "the message", out, password)
		})
	}
}
