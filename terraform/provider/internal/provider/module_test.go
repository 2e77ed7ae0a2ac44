package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/test/deviation"
)

const (
	corpus = "../../../../../shared/corpus"
	// leastPublic is how many inputs of public fleets there are.
	leastPublic = 35
)

// module is the folder of the module, for a source line.
func module(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../modules/gitops-bridge")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// input is the argument cluster of the module, as a user writes it.
type input = map[string]any

// written is what terraform-helm-gitops-bridge makes of an input: defaults,
// over which the caller's keys win.
func written(in input) *corev1.Secret {
	or := func(key, otherwise string) string {
		if v, ok := in[key].(string); ok {
			return v
		}
		return otherwise
	}
	name, stage := or("cluster_name", "in-cluster"), or("environment", "dev")
	s := &corev1.Secret{Type: corev1.SecretTypeOpaque}
	s.Name = or("secret_name", name)
	s.Labels = map[string]string{"cluster_name": name, "environment": stage, "enable_argocd": "true", "argocd.argoproj.io/secret-type": "cluster"}
	s.Annotations = map[string]string{"cluster_name": name, "environment": stage}
	for from, to := range map[string]map[string]string{"addons": s.Labels, "metadata": s.Annotations} {
		given, _ := in[from].(map[string]any)
		for key, v := range given {
			if to[key] = fmt.Sprint(v); v == nil {
				delete(to, key)
			}
		}
	}
	s.Data = map[string][]byte{
		"name": []byte(name), "server": []byte(or("server", "https://kubernetes.default.svc")),
		"config": []byte(or("config", "{\n  \"tlsClientConfig\": {\n    \"insecure\": false\n  }\n}\n")),
	}
	return s
}

// inputs are those of the contract, and what is rare in it.
func inputs() map[string]input {
	many := map[string]any{}
	for i := range 150 {
		many[fmt.Sprintf("enable_addon_%d", i)] = i%3 == 0
	}
	metadata := map[string]any{}
	for i := range 200 {
		metadata[fmt.Sprintf("aws_key_%d", i)] = strings.Repeat("x", 300)
	}
	return map[string]input{
		"nothing":  {},
		"named":    {"cluster_name": "hub", "environment": "prod"},
		"switches": {"cluster_name": "switches", "addons": map[string]any{"enable_argocd": false, "enable_metrics_server": true, "kubernetes_version": "1.29", "replicas": 3}},
		"wins": {"cluster_name": "wins", "addons": map[string]any{"environment": "control-plane", "cluster_name": "label"}, "metadata": map[string]any{
			"environment": "annotation", "addons_repo_url": "https://github.com/example/addons", "addons_repo_basepath": "", "addons_repo_path": "bootstrap/control-plane/addons", "addons_repo_revision": "HEAD",
		}},
		"null":   {"cluster_name": "nulls", "addons": map[string]any{"enable_argocd": nil, "enable_x": nil}, "metadata": map[string]any{"environment": nil}},
		"secret": {"cluster_name": "spoke", "secret_name": "spoke-secret", "server": "https://10.0.0.1", "config": `{"bearerToken":"` + password + `"}`},
		"eks": {"cluster_name": "eks", "server": "https://ABC.gr7.eu-west-1.eks.amazonaws.com", "config": `{"awsAuthConfig":{"clusterName":"eks","roleARN":"arn:aws:iam::1:role/x"},"tlsClientConfig":{"insecure":false,"caData":"Q0E="}}`,
			"metadata": map[string]any{"aws_account_id": "111122223333", "aws_vpc_id": "vpc-0", "aws_load_balancer_controller_iam_role_arn": "arn:aws:iam::1:role/lb"}},
		"large": {"cluster_name": "large", "addons": many, "metadata": metadata},
	}
}

// derived turns a Secret back into the input that makes it.
func derived(s *corev1.Secret) input {
	in := input{"cluster_name": s.Labels["cluster_name"], "environment": s.Labels["environment"], "secret_name": s.Name, "server": s.StringData["server"], "config": s.StringData["config"]}
	own := []string{"cluster_name", "environment", "argocd.argoproj.io/secret-type"}
	for from, to := range map[string]map[string]string{"addons": s.Labels, "metadata": s.Annotations} {
		given := map[string]any{}
		for key, v := range to {
			if !slices.Contains(own, key) {
				given[key] = v
			}
		}
		in[from] = given
	}
	return in
}

// fromCorpus are the inputs of public fleets, and the Secrets they come to: none
// where they are not here.
func fromCorpus(t *testing.T) map[string]input {
	t.Helper()
	out := map[string]input{}
	err := filepath.WalkDir(corpus, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		key := strings.ToLower(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(strings.TrimPrefix(name, corpus), "-"))
		switch {
		case strings.Contains(name, "_derived-cluster-secrets") && strings.HasSuffix(name, ".yaml"):
			s := &corev1.Secret{}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if err := yaml.Unmarshal(text, s); err != nil {
				return err
			}
			in := derived(s)
			in["secret_name"] = s.Name + strconv.Itoa(len(out))
			out[key] = in
			want := s.DeepCopy()
			want.Name, want.Namespace = in["secret_name"].(string), ""
			compare(t, "the rule, by "+name, want, written(in))
		case strings.HasSuffix(name, ".tfvars"):
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			in := ofVariables(string(text), strings.TrimSuffix(filepath.Base(name), ".tfvars"))
			in["secret_name"] = fmt.Sprintf("spoke-%d", len(out))
			out[key] = in
			likeDerived(t, name, in)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

var (
	textLine   = regexp.MustCompile(`(?m)^(\w+)[ \t]*=[ \t]*"([^"\n]*)"`)
	switchLine = regexp.MustCompile(`(?m)^[ \t]+((?:enable_|team-)[\w-]+)[ \t]*=[ \t]*"?(true|false)"?`)
)

// ofVariables is the input that a fleet makes of its variables for a spoke:
// switches are labels, repositories and what charts need to know annotations.
func ofVariables(text, stage string) input {
	addons, metadata, values := map[string]any{}, map[string]any{}, map[string]string{}
	for _, m := range switchLine.FindAllStringSubmatch(text, -1) {
		addons[m[1]] = m[2] == "true"
	}
	for _, m := range textLine.FindAllStringSubmatch(text, -1) {
		values[m[1]] = m[2]
	}
	take := func(into map[string]any, as, from, before string) {
		if v, ok := values[from]; ok {
			into[as] = before + v
		}
	}
	take(addons, "kubernetes_version", "kubernetes_version", "")
	take(addons, "version", "kubernetes_version", "")
	take(metadata, "aws_region", "region", "")
	take(metadata, "aws_vpc_cidr", "vpc_cidr", "")
	for _, of := range []string{"addons", "addons_extras", "workloads", "clusters"} {
		take(metadata, of+"_repo_url", "gitops_"+of+"_repo", values["gitops_org"]+"/")
		for _, part := range []string{"basepath", "path", "revision"} {
			take(metadata, of+"_repo_"+part, "gitops_"+of+"_"+part, "")
		}
	}
	if v, ok := values["environment"]; ok {
		stage = v
	}
	return input{"cluster_name": "spoke-" + stage, "environment": stage, "addons": addons, "metadata": metadata}
}

var layouts = regexp.MustCompile(`^(.*)/terraform/([\w-]+)/(?:spokes/)?workspaces/([\w-]+)\.tfvars$`)

// likeDerived holds what the variables come to against the Secret that was
// derived from them together with the rest of the fleet's configuration: what
// both have is the same.
func likeDerived(t *testing.T, name string, in input) {
	t.Helper()
	m := layouts.FindStringSubmatch(filepath.ToSlash(name))
	if m == nil {
		return
	}
	text, err := os.ReadFile(filepath.Join(m[1], "_derived-cluster-secrets", m[2], "spoke-"+m[3]+".yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	want := &corev1.Secret{}
	if err == nil {
		err = yaml.Unmarshal(text, want)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, both := written(in), 0
	for place, of := range map[string]struct{ want, got map[string]string }{"label": {want.Labels, got.Labels}, "annotation": {want.Annotations, got.Annotations}} {
		for key, v := range of.got {
			other, ok := of.want[key]
			if !ok {
				continue
			}
			if both++; other != v {
				t.Errorf("%s: the %s %s is %q, and %q in the derived Secret", name, place, key, v, other)
			}
		}
	}
	if least := 60; both < least {
		t.Errorf("%s: %d keys are in the derived Secret, too; want %d at least", name, both, least)
	}
}

// compare holds one Secret against another, field by field.
func compare(t *testing.T, what string, want, got *corev1.Secret) {
	t.Helper()
	type shape struct {
		Name                string
		Type                corev1.SecretType
		Labels, Annotations map[string]string
		Data                map[string]string
	}
	of := func(s *corev1.Secret) shape {
		data := maps.Clone(s.StringData)
		if data == nil {
			data = map[string]string{}
		}
		for key, v := range s.Data {
			data[key] = string(v)
		}
		return shape{s.Name, s.Type, s.Labels, s.Annotations, data}
	}
	if diff := cmp.Diff(of(want), of(got)); diff != "" {
		t.Errorf("%s: the Secret is another one (-want +got):\n%s", what, diff)
	}
}

func TestModuleWritesTheBridgeSecretConformance(t *testing.T) {
	cases := inputs()
	public := fromCorpus(t)
	t.Run("PublicFleets", func(t *testing.T) {
		if len(public) == 0 {
			deviation.Missing(t, "shared/corpus")
		}
		if len(public) < leastPublic {
			t.Errorf("%d inputs of public fleets are found; it was %d", len(public), leastPublic)
		}
	})
	maps.Copy(cases, public)
	w := newWorkspace(t, fmt.Sprintf(`
locals { cases = jsondecode(file("${path.module}/cases.json")) }
module "bridge" {
  source   = %q
  for_each = local.cases
  install  = false
  cluster  = each.value
}
output "clusters" { value = { for k, m in module.bridge : k => m.cluster.metadata[0].name } }
`, module(t)))
	for _, in := range cases {
		in["secret_namespace"] = w.namespace
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	w.file("cases.json", string(text))
	w.must("init")
	w.must("apply")
	noSecret(t, "the state", w.state(), password)
	agree := 0
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			want := written(cases[name])
			v := *w
			v.t = t
			compare(t, name, want, v.secret(want.Name))
			if !t.Failed() {
				agree++
			}
		})
	}
	fmt.Printf("%s: %d of %d cases agree\n", t.Name(), agree, len(cases))
	w.quiet("all is as configured")
}

const firstApp = `
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: bootstrap-addons, namespace: %s}
spec:
  generators: [{clusters: {}}]
  template:
    metadata: {name: bootstrap-addons}
    spec:
      project: default
      source: {repoURL: '{{metadata.annotations.addons_repo_url}}', path: x}
      destination: {name: '{{name}}'}
`

func TestModuleInstallsAndBootstraps(t *testing.T) {
	w := newWorkspace(t, fmt.Sprintf(`
variable "namespace" { default = "x" }
module "bridge" {
  source = %q
  argocd = {
    namespace     = var.namespace
    chart_version = "6.6.0"
    timeout       = 300
    values = [yamlencode({
      configs  = { cm = { "timeout.reconciliation" = "60s", "admin.enabled" = true }, params = { a = "b" } }
      server   = { replicas = 2 }
      replicas = 2
    })]
    set = [{ name = "engine.workers", value = 4 }, { name = "controller.replicas", value = "1" }]
  }
  cluster = { cluster_name = "hub", secret_namespace = var.namespace, addons = { enable_x = true } }
  apps    = { addons = file("${path.module}/app.yaml") }
}
output "argocd" { value = module.bridge.argocd }
output "apps" { value = module.bridge.apps }
`, module(t)))
	w.env = []string{"TF_VAR_namespace=" + w.namespace}
	w.file("app.yaml", fmt.Sprintf(firstApp, w.namespace))
	w.must("init")
	flat := strings.Join(strings.Fields(strings.ReplaceAll(w.must("apply"), "│", " ")), " ")
	if want := "Without effect here, as they are for Argo CD's chart: chart_version, values: server.replicas, values: configs.params, set: controller.replicas."; !strings.Contains(flat, want) {
		t.Errorf("the output has no %q:\n%s", want, flat)
	}
	cm, err := client(t).CoreV1().ConfigMaps(w.namespace).Get(t.Context(), "argocd-cm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"timeout.reconciliation": "60s", "admin.enabled": "true"}, cm.Data); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	d, err := client(t).AppsV1().Deployments(w.namespace).Get(t.Context(), "causeway", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Status.AvailableReplicas != 2 || !strings.Contains(strings.Join(d.Spec.Template.Spec.Containers[0].Args, " "), "--workers=4") {
		t.Errorf("the values did not arrive: %d replicas, %v", d.Status.AvailableReplicas, d.Spec.Template.Spec.Containers[0].Args)
	}
	if _, err := w.objects("applicationsets").Get(t.Context(), "bootstrap-addons", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	w.quiet("all is as configured")
	var out struct {
		Argocd struct {
			Value struct{ ID, Name, Namespace, Chart, Version, Status string }
		}
		Apps struct {
			Value map[string]struct{ ID, Name, Namespace, Manifest, Status string }
		}
	}
	w.outputs(&out)
	if a := out.Argocd.Value; a.Name != "causeway" || a.Namespace != w.namespace || a.Version == "" || a.Status != "deployed" {
		t.Errorf("the output argocd is %+v", a)
	}
	if a := out.Apps.Value["addons"]; a.Name != "addons" || a.Namespace != w.namespace || !strings.Contains(a.Manifest, "bootstrap-addons") || a.Status != "deployed" {
		t.Errorf("the output apps is %+v", out.Apps.Value)
	}
	w.must("destroy")
	if _, err := client(t).CoreV1().ConfigMaps(w.namespace).Get(t.Context(), "argocd-cm", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("settings that nobody else wrote to stay: %v", err)
	}
}

// TestModuleSwitchedOff describes a cluster, and then makes nothing at all:
// both with the outputs that others read.
func TestModuleSwitchedOff(t *testing.T) {
	w := newWorkspace(t, fmt.Sprintf(`
variable "create" { default = true }
module "bridge" {
  source  = %q
  create  = var.create
  install = false
  argocd  = { namespace = "NAMESPACE" }
  cluster = { cluster_name = "spoke", secret_namespace = "NAMESPACE", metadata = { region = "eu-west-1" }, addons = { enable_x = true } }
  apps    = { settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}" }
}
output "cluster" { value = module.bridge.cluster }
output "argocd" { value = module.bridge.argocd }
output "apps" { value = module.bridge.apps }
`, module(t)))
	w.file("case.tf", strings.ReplaceAll(w.read("case.tf"), "NAMESPACE", w.namespace))
	w.must("init")
	w.must("apply")
	type outputs struct {
		Cluster struct {
			Value *struct {
				ID       string
				Metadata []struct {
					Name, Namespace     string
					Labels, Annotations map[string]string
				}
				Data map[string]string
			}
		}
		Argocd struct{ Value any }
		Apps   struct{ Value map[string]any }
	}
	var out outputs
	w.outputs(&out)
	c := out.Cluster.Value
	if c == nil || len(c.Metadata) != 1 || c.Metadata[0].Name != "spoke" || c.Metadata[0].Namespace != w.namespace ||
		c.Metadata[0].Labels["enable_x"] != "true" || c.Metadata[0].Annotations["region"] != "eu-west-1" || c.Data["name"] != "spoke" {
		t.Errorf("the output cluster is %+v", c)
	}
	if out.Argocd.Value != nil || len(out.Apps.Value) != 1 {
		t.Errorf("without an engine, argocd is %v and apps are %v", out.Argocd.Value, out.Apps.Value)
	}
	w.must("apply", "-var=create=false")
	out = outputs{}
	w.outputs(&out)
	if out.Cluster.Value != nil || out.Argocd.Value != nil || len(out.Apps.Value) != 0 {
		t.Errorf("of what is not made there are outputs: %+v", out)
	}
	if _, err := client(t).CoreV1().Secrets(w.namespace).Get(t.Context(), "spoke", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Secret is there: %v", err)
	}
}

// before is a configuration of the other module, as far as its resources go.
const before = `
terraform {
  required_providers {
    helm       = { source = "hashicorp/helm" }
    kubernetes = { source = "hashicorp/kubernetes" }
  }
}
variable "cluster" { type = any }
variable "argocd" { type = any }
variable "apps" { type = any }
resource "helm_release" "argocd" {
  count = 1
  name  = "argo-cd"
}
resource "kubernetes_secret_v1" "cluster" {
  count = 1
  metadata {
    name      = var.cluster.cluster_name
    namespace = var.cluster.secret_namespace
  }
  data = { name = var.cluster.cluster_name }
}
resource "helm_release" "bootstrap" {
  for_each = var.apps
  name     = each.key
}
`

// TestModuleTakesOverFromTheOther changes the source of a module whose Argo CD
// runs, and goes back.
func TestModuleTakesOverFromTheOther(t *testing.T) {
	use := `
variable "install" { default = true }
variable "within" { default = "10m" }
module "bridge" {
  source  = "%s"
  %s
  argocd  = { namespace = "%[3]s", takeover = { timeout = var.within, mirrors = { "%[4]s" = "%[5]s" } }, values = [yamlencode({ replicas = 2, configs = { cm = { url = "https://cd.example.com" } } })] }
  cluster = { cluster_name = "hub", secret_namespace = "%[3]s", addons = { enable_x = true } }
  apps    = { addons = file("${path.module}/app.yaml") }
}
`
	w := newWorkspace(t, "")
	f := newArgoFleet(t, w.namespace)
	w.file("app.yaml", fmt.Sprintf(firstApp, w.namespace))
	if err := os.Mkdir(filepath.Join(w.dir, "before"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.file("before/main.tf", before)
	w.file("case.tf", fmt.Sprintf(use, "./before", "", w.namespace, argoRepo, f.folder))
	deleted := filepath.Join(w.dir, "deleted")
	w.env = []string{"FORMER_DELETED=" + deleted}
	w.must("init")
	w.must("apply")
	// What the other module's providers would have made.
	old := written(input{"cluster_name": "hub", "addons": map[string]any{"enable_x": true}})
	old.Labels["by"] = "hand"
	made, err := client(t).CoreV1().Secrets(w.namespace).Create(t.Context(), old, metav1.CreateOptions{FieldManager: "Terraform"})
	if err != nil {
		t.Fatal(err)
	}

	w.file("case.tf", fmt.Sprintf(use, module(t), "install = var.install", w.namespace, argoRepo, f.folder))
	w.must("init")
	w.file("main.tf", strings.Replace(w.read("main.tf"), "config_path", "causeway_path = \"/nowhere/causeway\"\n  config_path", 1))
	if out := w.fails("nothing can compare", "apply"); !strings.Contains(out, "cannot find the program /nowhere/causeway") {
		t.Errorf("the message does not say what is missing: %s", out)
	}
	w.file("main.tf", strings.Replace(w.read("main.tf"), "/nowhere/causeway", program(t), 1))
	f.write("web/cm.yaml", strings.Replace(argoApp, "blue", "red", 1))
	for _, command := range []string{"plan", "apply"} {
		out := w.fails("the engine would change an object at once", command)
		for _, part := range []string{"application web would be changed at once: it syncs by itself", "web: update ConfigMap " + f.workloads + "/web: data.color", "allow_changes"} {
			if !strings.Contains(out, part) {
				t.Errorf("the %s does not say %q: %s", command, part, out)
			}
		}
	}
	f.at(1, "refused")
	f.noEngine("refused")

	f.write("web/cm.yaml", argoApp)
	if out := w.fails("no engine starts", "apply", "-var=within=3s"); !strings.Contains(out, "no engine has renewed Lease") {
		t.Errorf("the message does not say what was waited for: %s", out)
	}
	f.at(1, "not taken over in time")
	f.noEngine("not taken over in time")

	f.host()
	w.must("apply")
	f.at(0, "taken over")
	f.engineAt(2)
	if now := w.secret("hub"); now.UID != made.UID || now.Labels["by"] != "hand" {
		t.Errorf("the Secret was made anew")
	}
	w.quiet("the takeover is complete")

	w.env = append(w.env, "TF_VAR_install=false")
	if plan := oneLine(w.changes("the way back")); !strings.Contains(plan, "gets back what the engine took over") {
		t.Errorf("the plan does not say that Argo CD goes on: %s", plan)
	}
	w.must("apply")
	f.at(1, "handed back")
	f.noEngine("handed back")
	if cm, err := client(t).CoreV1().ConfigMaps(w.namespace).Get(t.Context(), "argocd-cm", metav1.GetOptions{}); err != nil || cm.Data["url"] != "https://cd.example.com" {
		t.Errorf("Argo CD comes back without its settings: %v", err)
	}
	if now := w.secret("hub"); now.UID != made.UID {
		t.Errorf("the Secret was made anew on the way back")
	}
	if text, err := os.ReadFile(deleted); err == nil {
		t.Errorf("asked to delete %q of the other module's resources, want nothing", text)
	}
	w.quiet("the way back is complete")

	f.cutOff()
	w.env = append(w.env, "TF_VAR_install=true")
	if plan := oneLine(w.changes("somebody interrupted it")); !strings.Contains(plan, "A takeover from Argo CD that was cut off goes on") {
		t.Errorf("the plan does not say what goes on: %s", plan)
	}
	w.must("apply")
	f.at(0, "gone on with")
	f.engineAt(2)
	w.must("destroy")
	f.at(1, "destroyed")
	f.noEngine("destroyed")
}
