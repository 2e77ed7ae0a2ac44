package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestExamplesOfPagesAreValid(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/causeway_*/*.tf")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			w := &workspace{t: t, dir: t.TempDir()}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w.file("main.tf", block+string(text))
			w.must("init")
			w.must("validate")
		})
	}
}

var (
	// foreign are references to what a cloud's provider makes.
	foreign = regexp.MustCompile(`\b(?:data\.)?(?:(?:kind_cluster|azurerm_\w+|google_\w+|aws_\w+)\.|module\.(?:eks|vpc)\b)[\w.]*(?:\[\d+\][\w.]*)*`)
	cloudy  = regexp.MustCompile(`^(?:provider "(?:aws|azurerm|google)"|(?:data|resource) "|module "(?:eks|vpc)"|terraform )`)
)

// TestExamplesOfCloudsFit validates what the examples give to the module and
// the provider; what comes of a cloud has a stand-in.
func TestExamplesOfCloudsFit(t *testing.T) {
	for _, name := range []string{"kind", "eks", "aks", "gke"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("../../../examples", name)
			text, err := os.ReadFile(filepath.Join(dir, "main.tf"))
			if err != nil {
				t.Fatal(err)
			}
			app, err := os.ReadFile(filepath.Join(dir, "addons.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			kept := []string{block, "resource \"terraform_data\" \"cloud\" {}\n"}
			for _, part := range strings.SplitAfter(string(text), "\n}\n") {
				part = strings.TrimSpace(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(part, ""))
				if !cloudy.MatchString(part) {
					kept = append(kept, foreign.ReplaceAllStringFunc(part, standIn))
				}
			}
			w := &workspace{t: t, dir: t.TempDir()}
			all := strings.ReplaceAll(strings.Join(kept, "\n\n")+"\n", "../../modules/gitops-bridge", module(t))
			if !strings.Contains(all, "module \"gitops_bridge\"") || !strings.Contains(all, "provider \"causeway\"") {
				t.Fatalf("the example uses neither the module nor the provider:\n%s", all)
			}
			if !strings.Contains(all, "variable \"image\"") || !strings.Contains(all, "argocd = { values = [yamlencode({ image = var.image })] }") {
				t.Error("no image is released, and the example names none: its engine would never start")
			}
			w.file("main.tf", all)
			w.file("addons.yaml", string(app))
			w.must("init")
			w.must("validate")
		})
	}
}

// TestModulePageIsValid validates the configurations of the module's page; what
// comes of a cloud has a stand-in.
func TestModulePageIsValid(t *testing.T) {
	page, err := os.ReadFile("../../../modules/gitops-bridge/README.md")
	if err != nil {
		t.Fatal(err)
	}
	tried, named := 0, false
	for _, found := range regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		text := found[1]
		if !strings.Contains(text, "module \"gitops_bridge\"") {
			continue
		}
		if !strings.Contains(text, "image = {") {
			t.Errorf("no image is released, and this names none:\n%s", text)
		}
		tried, named = tried+1, named || strings.Contains(text, "providers = { causeway = causeway.hub }")
		w := &workspace{t: t, dir: t.TempDir()}
		if err := os.Mkdir(filepath.Join(w.dir, "bootstrap"), 0o700); err != nil {
			t.Fatal(err)
		}
		w.file("bootstrap/addons.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: addons}}")
		text = strings.ReplaceAll(text, "./causeway/terraform/modules/gitops-bridge", module(t))
		w.file("main.tf", block+"resource \"terraform_data\" \"cloud\" {}\n"+foreign.ReplaceAllStringFunc(text, standIn))
		w.must("init")
		w.must("validate")
	}
	if tried == 0 || !named {
		t.Errorf("the page has %d configurations, and it is %t that one hands this provider to the module", tried, named)
	}
}

// standIn is a reference to the stand-in; depends_on names it whole.
func standIn(reference string) string {
	if reference == "module.eks" {
		return "terraform_data.cloud"
	}
	return "terraform_data.cloud.output"
}

func TestFormatting(t *testing.T) {
	for _, dir := range []string{"../../..", "../../../../examples/bridge"} {
		w := &workspace{t: t, dir: dir}
		w.must("fmt", "-check", "-diff", "-recursive")
	}
}
