package main

import (
	"testing"

	"github.com/causeway-gitops/causeway/test/imports"
)

const (
	root   = "github.com/causeway-gitops/causeway"
	module = root + "/terraform/provider"
)

// kinds are the packages of what the provider offers: one for each thing that
// a configuration can name.
var kinds = []string{"application", "applicationset", "cluster", "install", "manifest", "preview", "project", "repository"}

func rules() []imports.Rule {
	var folders []string
	for _, k := range kinds {
		folders = append(folders, "internal/"+k)
	}
	return []imports.Rule{
		{
			Reason: "the provider writes what the engine reads, and brings nothing of the engine: of its module it takes what a cluster needs before",
			From:   []string{module}, Never: []string{root}, Allow: []string{root + "/deploy"}, Deep: true,
		},
		{
			Reason: "only what installs the engine brings its chart and definitions",
			From:   []string{"internal"}, Except: []string{"internal/install"}, Never: []string{root + "/deploy"},
		},
		{
			Reason: "how the chart is rendered is the matter of the package that has it",
			From:   []string{"internal"}, Never: []string{"helm.sh/helm"},
		},
		{
			Reason: "objects of a cluster know no Terraform",
			From:   []string{"internal/object"}, Never: []string{"internal", "github.com/hashicorp"}, Deep: true,
		},
		{
			Reason: "requests are made by one package, and another one knows the way",
			From:   []string{"internal"}, Except: []string{"internal/object", "internal/connection"}, Never: []string{"k8s.io/client-go"},
		},
		{
			Reason: "the way to the hub is the same for all that is there",
			From:   []string{"internal/connection"}, Never: []string{"internal"}, Allow: []string{"internal/object"},
		},
		{
			Reason: "kinds are described to it: it knows none",
			From:   []string{"internal/declare"}, Never: []string{"internal"}, Allow: []string{"internal/object", "internal/connection"}, Deep: true,
		},
		{
			Reason: "only the program and its reference stand above what is put together",
			From:   []string{"internal"}, Except: []string{"internal/reference"}, Never: []string{"internal/provider", "internal/reference"},
		},
		{
			Reason: "kinds meet in the provider only; those of Argo CD share its group and how an Application is written",
			From:   folders, Never: []string{"internal"},
			Allow: []string{"internal/declare", "internal/object", "internal/connection", "internal/application"},
		},
	}
}

func TestImportRules(t *testing.T) { imports.Load(t, module).Follow(t, rules()) }

func TestPackagesSayWhatTheyAreFor(t *testing.T) { imports.Load(t, module).Described(t) }
