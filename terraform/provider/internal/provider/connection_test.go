package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const local = `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
}
`

func TestPlanNeedsNoCluster(t *testing.T) {
	w := newWorkspace(t, local)
	w.file("main.tf", block+`
resource "terraform_data" "hub" { input = "https://127.0.0.1:1" }
provider "causeway" { host = terraform_data.hub.output }
resource "causeway_cluster" "later" {
  cluster_name = "later"
  metadata     = { vpc = terraform_data.hub.id, region = "eu-west-1" }
}
`)
	out := w.changes("the hub is made by the same apply")
	for _, want := range []string{`+ "region" = "eu-west-1"`, `+ "vpc"    = (known after apply)`} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan has no %q:\n%s", want, out)
		}
	}
	if out := w.fails("nobody listens there", "apply"); !strings.Contains(out, "127.0.0.1:1") {
		t.Errorf("the message does not name the hub: %s", out)
	}
}

// TestPlanWhileTheHubIsDown plans with a hub that is known and does not answer.
func TestPlanWhileTheHubIsDown(t *testing.T) {
	w := newWorkspace(t, local)
	w.must("apply")
	w.file("main.tf", block+`provider "causeway" { host = "https://127.0.0.1:1" }`)
	w.file("case.tf", local+`
resource "causeway_cluster" "new" {
  cluster_name = "new"
  metadata     = { region = "eu-west-1" }
  config_wo    = jsonencode({ bearerToken = "`+password+`" })
}
`)
	if out := w.fails("what is there is looked at", "plan"); !strings.Contains(out, "127.0.0.1:1") {
		t.Errorf("the message does not name the hub: %s", out)
	}
	out, code := w.terraform("plan", "-refresh=false")
	if code != 2 || !strings.Contains(out, `+ "region" = "eu-west-1"`) {
		t.Errorf("what is new needs no hub to be planned, got exit code %d:\n%s", code, out)
	}
	noSecret(t, "the plan", out, password)
	out, code = w.terraform("plan", "-refresh=false", "-destroy")
	if code != 2 || !strings.Contains(oneLine(out), "It cannot be told what goes with") {
		t.Errorf("what goes with a cluster is not known, and that is said; got exit code %d:\n%s", code, out)
	}
}

// TestHubThatNobodyNamed: who has named a cluster to other providers alone learns
// in the plan that it is not this one's.
func TestHubThatNobodyNamed(t *testing.T) {
	w := newWorkspace(t, `resource "causeway_install" "engine" {}`)
	const told = "kubectl's current context"
	if out := oneLine(w.changes("the block names it")); strings.Contains(out, told) {
		t.Errorf("a warning about a hub that was named: %s", out)
	}
	w.file("main.tf", block+"provider \"causeway\" {\n  namespace = \""+w.namespace+"\"\n}\n")
	w.env = []string{"KUBE_CONFIG_PATH=", "KUBECONFIG=" + kubeconfig}
	if out := oneLine(w.changes("kubectl knows one")); !strings.Contains(out, told) || !strings.Contains(out, "providers = { causeway = causeway.hub }") {
		t.Errorf("the plan does not tell which cluster it is for: %s", out)
	}
}

func TestUnknownMetadataArrives(t *testing.T) {
	w := newWorkspace(t, `
resource "terraform_data" "vpc" { input = "vpc-1" }
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
  metadata     = { vpc = terraform_data.vpc.output }
}
`)
	w.must("apply")
	if got := w.secret("spoke").Annotations["vpc"]; got != "vpc-1" {
		t.Errorf("got annotation %q", got)
	}
	w.quiet("all is known by now")
}

// apart is one resource of each kind, and none asks another.
const apart = local + `
resource "causeway_install" "engine" {
  wait = false
}
resource "causeway_project" "team" {
  name         = "team"
  source_repos = ["*"]
}
resource "causeway_application" "shop" {
  name        = "shop"
  project     = "default"
  source      = { repo_url = "https://git.example.com/shop", path = "deploy" }
  destination = { name = "spoke" }
}
resource "causeway_applicationset" "addons" {
  name       = "addons"
  generators = jsonencode([{ clusters = {} }])
  template = {
    name        = "x-{{name}}"
    project     = "default"
    source      = { repo_url = "https://git.example.com/addons", path = "x" }
    destination = { name = "{{name}}" }
  }
}
resource "causeway_repository" "git" {
  name = "git"
  url  = "https://git.example.com/shop"
}
resource "causeway_manifest" "settings" {
  manifest = yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "settings" } })
}
`

// looks are all data sources, and none asks another.
const looks = `
data "causeway_cluster" "spoke" {
  secret_name = "spoke"
}
data "causeway_application" "shop" {
  name = "shop"
}
data "causeway_applications" "all" {
  names = ["shop"]
}
data "causeway_fleet_preview" "this" {
  repository = "."
  changes    = []
}
`

var addressLine = regexp.MustCompile(`(?m)^(data|resource) "(\w+)" "(\w+)"`)

// addressesOf are what the blocks of a configuration are called.
func addressesOf(config string) []string {
	var out []string
	for _, m := range addressLine.FindAllStringSubmatch(config, -1) {
		out = append(out, strings.TrimPrefix(strings.Join(m[1:], "."), "resource."))
	}
	return out
}

// TestWrongToken: whatever it is that a token which nobody has was used for
// tells that it is the token, and nothing of it.
func TestWrongToken(t *testing.T) {
	w := newWorkspace(t, apart)
	bad := block + `
provider "causeway" {
  host      = "` + hub.Host + `"
  insecure  = true
  token     = "` + password + `"
  namespace = "` + w.namespace + `"
}
`
	good := w.read("main.tf")
	w.file("main.tf", bad)
	refused := func(reason string, all []string, command string, args ...string) {
		t.Helper()
		out := w.fails(reason, command, args...)
		told := strings.Split(out, "Error: ")[1:]
		for _, text := range told {
			if !strings.Contains(text, "does not take the credentials") {
				t.Errorf("%s: an error does not say what to do: %s", reason, text)
			}
		}
		if len(told) < max(len(all), 1) {
			t.Errorf("%s: got %d errors, want one for each of %v: %s", reason, len(told), all, out)
		}
		for _, address := range all {
			if command != "destroy" && !strings.Contains(out, " with "+address+",") { // a destroy names no address
				t.Errorf("%s: nothing is said of %s: %s", reason, address, out)
			}
		}
		noSecret(t, "the message", out, password)
	}
	resources := addressesOf(apart)
	refused("nobody has this token", resources, "apply")
	refused("nothing is imported with it", nil, "import", "causeway_cluster.spoke", "spoke")
	w.file("main.tf", good)
	w.must("apply")
	w.file("main.tf", bad)
	w.file("looks.tf", looks)
	refused("what is there is looked at with it", append(addressesOf(looks), resources...), "plan")
	refused("and nothing is destroyed", resources, "destroy", "-refresh=false")
	w.secret("spoke")
}

func TestConnections(t *testing.T) {
	w := newWorkspace(t, local)
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	w.file("hub.yaml", string(text))
	w.file("cert.pem", string(hub.CertData))
	w.file("key.pem", string(hub.KeyData))
	w.file("ca.pem", string(hub.CAData))
	w.file("credential.json", credential(t))
	for name, settings := range map[string]string{
		"Text":        `kubeconfig = file("${path.module}/hub.yaml")`,
		"Environment": ``,
		"Certificate": `
  host = "` + hub.Host + `"
  cluster_ca_certificate = file("${path.module}/ca.pem")
  client_certificate     = file("${path.module}/cert.pem")
  client_key             = file("${path.module}/key.pem")`,
		"Program": `
  host = "` + hub.Host + `"
  cluster_ca_certificate = file("${path.module}/ca.pem")
  exec = {
    api_version = "client.authentication.k8s.io/v1"
    command     = "cat"
    args        = ["${path.module}/credential.json"]
  }`,
	} {
		t.Run(name, func(t *testing.T) {
			v := *w
			v.t = t
			v.env = []string{"KUBE_CONFIG_PATH=" + filepath.Join(w.dir, "hub.yaml")}
			v.file("main.tf", block+"provider \"causeway\" {\n  namespace = \""+w.namespace+"\"\n  "+settings+"\n}\n")
			v.must("apply")
			v.quiet("the same cluster")
		})
	}
	w.file("main.tf", block+"provider \"causeway\" {\n  config_path = \"/nowhere/config\"\n}\n")
	if out := w.fails("there is no such file", "plan"); !strings.Contains(out, "/nowhere/config") {
		t.Errorf("the message does not name the file: %s", out)
	}
}
