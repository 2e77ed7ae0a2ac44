package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

const declared = `
resource "causeway_project" "team" {
  name         = "team"
  source_repos = ["https://git.example.com/*"]
  destinations = [{ name = "*", namespace = "shop-*" }]
  cluster_resource_whitelist = [{ group = "*", kind = "Namespace" }]
}

resource "causeway_application" "shop" {
  name    = "shop"
  project = causeway_project.team.name
  source = {
    repo_url        = "https://git.example.com/shop"
    path            = "deploy"
    target_revision = "main"
    helm = {
      value_files   = ["values.yaml"]
      values_object = jsonencode({ replicas = 2, image = { tag = "v1" } })
      parameters    = [{ name = "a", value = "b" }]
    }
  }
  destination = { name = "spoke", namespace = "shop-dev" }
  sync_policy = {
    automated    = { prune = true }
    sync_options = ["CreateNamespace=true"]
    retry        = { limit = 3, backoff = { duration = "5s", factor = 2 } }
  }
}

resource "causeway_applicationset" "addons" {
  name       = "addons"
  generators = jsonencode([{ clusters = { selector = { matchLabels = { enable_x = "true" } } } }])
  template = {
    name        = "x-{{name}}"
    project     = "default"
    source      = { repo_url = "https://git.example.com/addons", path = "x" }
    destination = { name = "{{name}}", namespace = "x" }
  }
}

resource "causeway_repository" "git" {
  name        = "git"
  url         = "https://git.example.com/shop"
  username    = "robot"
  password_wo = "` + password + `"
  proxy_wo    = "http://robot:` + password + `@proxy.example.com:3128"
}

resource "causeway_manifest" "settings" {
  manifest = yamlencode({
    apiVersion = "v1", kind = "ConfigMap", metadata = { name = "argocd-cm" }, data = { "a" = "1" }
  })
}
`

var addresses = map[string]string{
	"causeway_project.team": "team", "causeway_application.shop": "shop", "causeway_applicationset.addons": "addons",
	"causeway_repository.git": "git", "causeway_manifest.settings": "v1/ConfigMap/NAMESPACE/argocd-cm",
}

func TestDeclared(t *testing.T) {
	w := newWorkspace(t, declared)
	out := w.must("apply")
	w.quiet("all is as configured")
	noSecret(t, "the output", out, password)
	noSecret(t, "the state", w.state(), password)

	app, err := w.objects("applications").Get(t.Context(), "shop", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"project":     "team",
		"destination": map[string]any{"name": "spoke", "namespace": "shop-dev"},
		"source": map[string]any{
			"repoURL": "https://git.example.com/shop", "path": "deploy", "targetRevision": "main",
			"helm": map[string]any{
				"valueFiles":   []any{"values.yaml"},
				"valuesObject": map[string]any{"replicas": int64(2), "image": map[string]any{"tag": "v1"}},
				"parameters":   []any{map[string]any{"name": "a", "value": "b"}},
			},
		},
		"syncPolicy": map[string]any{
			"automated": map[string]any{"prune": true}, "syncOptions": []any{"CreateNamespace=true"},
			"retry": map[string]any{"limit": int64(3), "backoff": map[string]any{"duration": "5s", "factor": int64(2)}},
		},
	}
	if diff := cmp.Diff(want, app.Object["spec"]); diff != "" {
		t.Errorf("spec of the Application (-want +got):\n%s", diff)
	}
	s := w.secret("git")
	if s.Labels["argocd.argoproj.io/secret-type"] != "repository" || string(s.Data["password"]) != password || string(s.Data["type"]) != "git" {
		t.Errorf("the repository's Secret is %v", s.Labels)
	}
	w.drift()
	w.must("state", append([]string{"rm"}, slices.Collect(maps.Keys(addresses))...)...)
	for address, id := range addresses {
		w.must("import", address, strings.Replace(id, "NAMESPACE", w.namespace, 1))
	}
	// An import cannot know which words a manifest was written in.
	if out, code := w.terraform("plan", "-target=causeway_application.shop", "-target=causeway_project.team", "-target=causeway_applicationset.addons", "-target=causeway_repository.git"); code != 0 {
		t.Errorf("what was imported is not what is configured:\n%s", out)
	}
	w.must("apply")
	w.quiet("after the import")
	w.must("destroy")
	for _, kind := range []string{"applications", "applicationsets", "appprojects"} {
		if list, err := w.objects(kind).List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) > 0 {
			t.Errorf("%s are left: %v %v", kind, list, err)
		}
	}
}

// drift changes what the resources applied, and what they did not.
func (w *workspace) drift() {
	w.t.Helper()
	apps := w.objects("applications")
	w.patch("applications", "shop", `{"metadata":{"labels":{"other":"x"}},"spec":{"info":[{"name":"a","value":"b"}]},"status":{"sync":{"status":"Synced"}}}`)
	w.quiet("what others added is theirs")
	w.patch("applications", "shop", `{"spec":{"source":{"targetRevision":"other"}}}`)
	if out := w.changes("a field was changed by hand"); !strings.Contains(out, "other") {
		w.t.Errorf("the plan does not show it:\n%s", out)
	}
	w.driftOfTheOthers()
	w.must("apply")
	w.quiet("all is restored")
	app, err := apps.Get(w.t.Context(), "shop", metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	if rev, _, _ := unstructured.NestedString(app.Object, "spec", "source", "targetRevision"); rev != "main" || app.GetLabels()["other"] != "x" {
		w.t.Errorf("got revision %s and labels %v", rev, app.GetLabels())
	}
	w.patch("applications", "shop", `{"metadata":{"labels":null}}`)
}

// driftOfTheOthers changes an object of each other kind by hand. One plan shows all of it.
func (w *workspace) driftOfTheOthers() {
	w.t.Helper()
	w.patch("appprojects", "team", `{"spec":{"sourceRepos":["https://drifted.example.com/*"]}}`)
	w.patch("applicationsets", "addons", `{"spec":{"template":{"spec":{"source":{"path":"drifted-path"}}}}}`)
	w.edit("git", func(s *corev1.Secret) {
		s.Data["username"], s.Data["password"] = []byte("drifted-user"), []byte("drifted-password")
	})
	maps := client(w.t).CoreV1().ConfigMaps(w.namespace)
	if _, err := maps.Patch(w.t.Context(), "argocd-cm", types.MergePatchType, []byte(`{"data":{"a":"drifted-setting"}}`), metav1.PatchOptions{FieldManager: "kubectl-edit"}); err != nil {
		w.t.Fatal(err)
	}
	out := w.changes("each kind was changed by hand")
	for address, want := range map[string]string{
		"causeway_project.team": "https://drifted.example.com/*", "causeway_applicationset.addons": "drifted-path",
		"causeway_repository.git": "drifted-user", "causeway_manifest.settings": "drifted-setting",
	} {
		if !strings.Contains(out, "# "+address+" will be updated in-place") || !strings.Contains(out, want) {
			w.t.Errorf("the plan does not show what became of %s:\n%s", address, out)
		}
	}
	noSecret(w.t, "the plan", out, "drifted-password")
}

func (w *workspace) patch(kind, name, text string) {
	w.t.Helper()
	if _, err := w.objects(kind).Patch(w.t.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{FieldManager: "kubectl-edit"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) exists(resource, name string) bool {
	w.t.Helper()
	_, err := w.objects(resource).Get(w.t.Context(), name, metav1.GetOptions{})
	return err == nil
}

func TestManifestEscape(t *testing.T) {
	w := newWorkspace(t, `
resource "causeway_application" "shop" {
  labels   = { team = "b" }
  manifest = <<-YAML
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: shop, labels: {team: a, tier: front}}
    spec:
      project: default
      source: {repoURL: "https://git.example.com/shop", path: a}
      destination: {name: spoke}
  YAML
  source = { repo_url = "https://git.example.com/shop", target_revision = "v2" }
}
resource "causeway_manifest" "global" {
  manifest = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: UNIQUE}, value: 7}"
}
`)
	w.file("case.tf", strings.Replace(w.read("case.tf"), "UNIQUE", w.namespace, 1))
	w.must("apply")
	app, err := w.objects("applications").Get(t.Context(), "shop", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"repoURL": "https://git.example.com/shop", "path": "a", "targetRevision": "v2"}
	got, _, _ := unstructured.NestedMap(app.Object, "spec", "source")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes win over the manifest, field by field (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"team": "b", "tier": "front"}, app.GetLabels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	w.quiet("also for a kind without namespaces")
	w.must("destroy")
}

func TestDeclaredWrongInput(t *testing.T) {
	w := newWorkspace(t, declared)
	for name, tc := range map[string]struct{ from, to, want string }{
		"NoDestination": {`destination = { name = "spoke", namespace = "shop-dev" }`, ``, "has no destination"},
		"Both":          {`name = "spoke", namespace`, `name = "spoke", server = "https://x", namespace`, "exclude each other"},
		"NoGenerators":  {`generators = jsonencode([{ clusters = { selector = { matchLabels = { enable_x = "true" } } } }])`, ``, "no generators"},
		"Generators":    {`jsonencode([{ clusters = { selector = { matchLabels = { enable_x = "true" } } } }])`, `"{clusters: {}}"`, "generators is no list"},
		"Document":      {`jsonencode({ replicas = 2, image = { tag = "v1" } })`, `"a: b: c"`, "neither YAML nor JSON"},
		"BothURLs":      {`username    =`, `url_prefix = "https://git"` + "\n  username    =", "exactly one of url and url_prefix"},
		"NoKind":        {`kind = "ConfigMap",`, ``, "no kind"},
		"WrongKind":     {`name    = "shop"`, `manifest = "{kind: ConfigMap, metadata: {name: shop}}"`, "is of kind ConfigMap"},
		"TwoDocuments":  {`name    = "shop"`, `manifest = "a: 1\n---\nb: 2\n"`, "holds several objects"},
		"Scalar":        {`name    = "shop"`, `manifest = "hello"`, "no object"},
	} {
		t.Run(name, func(t *testing.T) {
			v := *w
			v.t = t
			v.file("case.tf", strings.Replace(declared, tc.from, tc.to, 1))
			if out := v.fails("it cannot work", "plan"); !strings.Contains(out, tc.want) {
				t.Errorf("the message has no %q: %s", tc.want, out)
			}
		})
	}
}

func TestData(t *testing.T) {
	t.Parallel() // it mostly waits for what does not come
	w := newWorkspace(t, spoke+`
data "causeway_cluster" "spoke" {
  secret_name = causeway_cluster.spoke.id == "" ? "" : "spoke-dev"
}
output "region" { value = data.causeway_cluster.spoke.annotations["region"] }
resource "causeway_application" "shop" {
  name        = "shop"
  project     = "default"
  source      = { repo_url = "https://git.example.com/shop", path = "a" }
  destination = { name = data.causeway_cluster.spoke.cluster_name }
}
`)
	w.must("apply")
	if out := w.must("output"); !strings.Contains(out, `region = "eu-west-1"`) {
		t.Errorf("got %s", out)
	}
	// What is read depends on a change, so that it is read in the apply. To connect to a busy hub counts, too: what is told
	// in the end has to be known by then.
	const told = "15s"
	reading := func(change, timeout string) {
		w.file("wait.tf", fmt.Sprintf(`
resource "terraform_data" "change" { input = %q }
data "causeway_application" "shop" {
  name       = "shop"
  timeout    = %q
  depends_on = [causeway_application.shop, terraform_data.change]
}
output "revision" { value = data.causeway_application.shop.synced_revision }
`, change, timeout))
	}
	reading("a", told)
	w.must("init")
	if out := w.fails("no engine runs here", "apply"); !strings.Contains(out, "no engine has looked at it yet") {
		t.Errorf("got %s", out)
	}
	w.patch("applications", "shop", `{"status":{"sync":{"status":"OutOfSync","revision":"abc"},"health":{"status":"Degraded"},"conditions":[{"type":"ComparisonError","message":"no such path"}]}}`)
	reading("b", told)
	if out := w.fails("it is broken", "apply"); !strings.Contains(out, "no such path") || !strings.Contains(out, "Degraded") {
		t.Errorf("got %s", out)
	}
	w.patch("applications", "shop", `{"status":{"sync":{"status":"Synced"},"health":{"status":"Healthy"},"conditions":null}}`)
	reading("c", "1m")
	w.must("apply")
	if out := w.must("output"); !strings.Contains(out, `revision = "abc"`) {
		t.Errorf("got %s", out)
	}
	w.quiet("nothing changes")
	reading("c", "soon")
	if out := w.fails("no duration", "plan"); !strings.Contains(out, "write a duration") {
		t.Errorf("got %s", out)
	}
}

func TestApplications(t *testing.T) {
	t.Parallel() // it mostly waits for what does not come
	w := newWorkspace(t, "")
	w.must("apply")
	for _, name := range []string{"shop-dev", "shop-prod"} {
		w.create("applications", "Application", name, map[string]any{
			"project": "default", "destination": map[string]any{"name": "spoke"},
			"source": map[string]any{"repoURL": "https://git.example.com/shop", "path": "a"},
		})
	}
	reading := `
data "causeway_applications" "shop" {
  names   = ["shop-prod", "shop-dev", "shop-dev"]
  timeout = "15s"
}
output "health" { value = data.causeway_applications.shop.health_status }
`
	w.file("case.tf", reading)
	healthy := `{"status":{"sync":{"status":"Synced"},"health":{"status":"Healthy"}}}`
	w.patch("applications", "shop-dev", healthy)
	w.patch("applications", "shop-prod", `{"status":{"sync":{"status":"OutOfSync"},"health":{"status":"Missing"},"conditions":[{"type":"SyncError","message":"denied by the project"}]}}`)
	if out := w.fails("one is not synced", "apply"); !strings.Contains(out, "1 of 2 are not") || !strings.Contains(out, "shop-prod: sync is OutOfSync; health is Missing; SyncError: denied by the project") {
		t.Errorf("got %s", out)
	}
	w.file("case.tf", strings.Replace(reading, `["shop-prod"`, `["shop-test"`, 1))
	if out := w.fails("one is missing", "apply"); !strings.Contains(out, "shop-test: it is not there") {
		t.Errorf("got %s", out)
	}
	w.patch("applications", "shop-prod", healthy)
	reading = strings.Replace(reading, `"15s"`, `"1m"`, 1) // it ends as soon as they are well
	w.file("case.tf", reading)
	w.must("apply")
	if out := w.must("output"); !strings.Contains(out, `"shop-dev" = "Healthy"`) || !strings.Contains(out, `"shop-prod" = "Healthy"`) {
		t.Errorf("got %s", out)
	}
	w.quiet("nothing changes")
	w.file("case.tf", strings.Replace(reading, `"1m"`, `"soon"`, 1))
	if out := w.fails("no duration", "plan"); !strings.Contains(out, "write a duration") {
		t.Errorf("got %s", out)
	}
}

// create makes an object as the engine would.
func (w *workspace) create(resource, kind, name string, spec map[string]any, owners ...metav1.OwnerReference) {
	w.t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "spec": spec}}
	o.SetName(name)
	o.SetOwnerReferences(owners)
	if len(owners) > 0 {
		o.SetFinalizers([]string{"example.com/held"})
	}
	if _, err := w.objects(resource).Create(w.t.Context(), o, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// A set goes after what it made: its clusters may be the next that Terraform takes away.
func TestWaitsForApplicationsOfASet(t *testing.T) {
	at := strings.Index(declared, "resource \"causeway_applicationset\"")
	w := newWorkspace(t, declared[at:at+strings.Index(declared[at:], "\n}\n")+3])
	w.must("apply")
	set, err := w.objects("applicationsets").Get(t.Context(), "addons", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	w.create("applications", "Application", "x-spoke", map[string]any{
		"project": "default", "destination": map[string]any{"name": "spoke"},
		"source": map[string]any{"repoURL": "https://git.example.com/addons", "path": "x"},
	}, metav1.OwnerReference{APIVersion: "argoproj.io/v1alpha1", Kind: "ApplicationSet", Name: "addons", UID: set.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes})
	done := make(chan string, 1)
	go func() {
		out, _ := w.terraform("destroy")
		done <- out
	}()
	w.eventually(func() bool {
		o, err := w.objects("applications").Get(t.Context(), "x-spoke", metav1.GetOptions{})
		return err == nil && o.GetDeletionTimestamp() != nil
	})
	if _, err := w.objects("applicationsets").Get(t.Context(), "addons", metav1.GetOptions{}); err != nil {
		t.Errorf("the set went before its Application: %v", err)
	}
	w.patch("applications", "x-spoke", `{"metadata":{"finalizers":null}}`)
	if out := <-done; !strings.Contains(out, "Destroy complete") {
		t.Errorf("got %s", out)
	}
}

// A set that asks for an order has a finalizer of the engine for it: in the
// foreground Kubernetes would delete all of its Applications at once.
func TestDeletesASetInItsOrder(t *testing.T) {
	at := strings.Index(declared, "resource \"causeway_applicationset\"")
	set := declared[at : at+strings.Index(declared[at:], "\n}\n")+3]
	w := newWorkspace(t, strings.Replace(set, "  template = {", "  strategy = jsonencode({ deletionOrder = \"Reverse\" })\n  template = {", 1))
	w.must("apply")
	w.patch("applicationsets", "addons", `{"metadata":{"finalizers":["example.com/held"]}}`)
	done := make(chan string, 1)
	go func() {
		out, _ := w.terraform("destroy")
		done <- out
	}()
	var finalizers []string
	w.eventually(func() bool {
		o, err := w.objects("applicationsets").Get(t.Context(), "addons", metav1.GetOptions{})
		if err != nil || o.GetDeletionTimestamp() == nil {
			return false
		}
		finalizers = o.GetFinalizers()
		return true
	})
	if diff := cmp.Diff([]string{"example.com/held"}, finalizers); diff != "" {
		t.Errorf("finalizers of the deletion (-want +got):\n%s", diff)
	}
	w.patch("applicationsets", "addons", `{"metadata":{"finalizers":null}}`)
	if out := <-done; !strings.Contains(out, "Destroy complete") {
		t.Errorf("got %s", out)
	}
}

// TestNothingOfOthersIsTaken: what is there already is somebody's, and a destroy
// would delete it.
func TestNothingOfOthersIsTaken(t *testing.T) {
	shop := `
resource "causeway_manifest" "shop" {
  MORE
  manifest = yamlencode({
    apiVersion = "argoproj.io/v1alpha1", kind = "Application", metadata = { name = "shop" }
    spec = { project = "default", source = { repoURL = "https://git.example.com/shop", path = "b" }, destination = { name = "spoke" } }
  })
}
`
	w := newWorkspace(t, strings.Replace(shop, "MORE", "", 1))
	w.create("applications", "Application", "shop", map[string]any{
		"project": "default", "destination": map[string]any{"name": "spoke"}, "source": map[string]any{"repoURL": "https://git.example.com/shop", "path": "a"},
	})
	for _, command := range []string{"plan", "apply"} {
		out := w.fails("somebody else made it", command)
		if !strings.Contains(out, "terraform import ADDRESS argoproj.io/v1alpha1/Application/"+w.namespace+"/shop") || !strings.Contains(out, "adopt = true") {
			t.Errorf("got %s", out)
		}
	}
	app, err := w.objects("applications").Get(t.Context(), "shop", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if path, _, _ := unstructured.NestedString(app.Object, "spec", "source", "path"); path != "a" {
		t.Errorf("it was written over: %s", path)
	}
	w.file("case.tf", strings.Replace(shop, "MORE", "adopt = true", 1))
	w.must("apply")
	w.quiet("it is Terraform's now")
	w.must("state", "rm", "causeway_manifest.shop")
	w.file("case.tf", strings.Replace(shop, "MORE", "", 1))
	w.must("apply") // what Terraform wrote is taken up again
	w.must("destroy")
	if w.exists("applications", "shop") {
		t.Error("it is there yet")
	}

	all := map[string]any{"sourceRepos": []any{"*"}, "destinations": []any{map[string]any{"server": "*", "namespace": "*"}}, "clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}}}
	w.create("appprojects", "AppProject", "default", all)
	w.file("case.tf", `
resource "causeway_project" "narrow" {
  name         = "default"
  source_repos = ["https://git.example.com/*"]
}
`)
	w.must("apply") // it is there before anybody described it
	w.must("destroy")
}

// TestProjectThatSaysNothing: a name alone is planned, and so it is applied.
func TestProjectThatSaysNothing(t *testing.T) {
	w := newWorkspace(t, `
resource "causeway_project" "bare" {
  name = "bare"
}
`)
	w.must("apply")
	w.quiet("what it does not say is no change")
	w.must("destroy")
}

func TestWaitsForTheDeletion(t *testing.T) {
	w := newWorkspace(t, strings.Split(declared, "resource \"causeway_application\"")[0])
	w.must("apply")
	w.patch("appprojects", "team", `{"metadata":{"finalizers":["example.com/held"]}}`)
	done := make(chan string, 1)
	go func() {
		out, _ := w.terraform("destroy")
		done <- out
	}()
	w.eventually(func() bool {
		o, err := w.objects("appprojects").Get(t.Context(), "team", metav1.GetOptions{})
		return err == nil && o.GetDeletionTimestamp() != nil
	})
	select {
	case out := <-done:
		t.Fatalf("it did not wait for the finalizer:\n%s", out)
	default:
	}
	w.patch("appprojects", "team", `{"metadata":{"finalizers":null}}`)
	if out := <-done; !strings.Contains(out, "Destroy complete") {
		t.Errorf("got %s", out)
	}
}
