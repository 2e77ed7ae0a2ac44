package preview

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestLooksThatCannotBeMeant are refused before a checkout is opened. An underscore is an empty value, as that of a variable
// which a job does not have: what it stands for would be left out without a word.
func TestLooksThatCannotBeMeant(t *testing.T) {
	families := map[string]struct {
		made    func(*command.Global) *cobra.Command
		refused map[string]string
	}{
		"preview": {New, map[string]string{
			"shop": `cannot take the argument "shop"`, "--base _": "--base has no value", "--head _": "--head has no value", "--fail-on _": "--fail-on has no value", "--fail-on deletion": `--fail-on does not know "deletion"; did you mean "deletions"?`,
			"--fail-on deletions,all": "it knows deletions, crd-changes, immutable, unresolved, warnings, failures", "--max-bytes 1999": "--max-bytes 1999 is too little to say anything: give at least 2000", "-o name": `cannot print as "name"`,
		}},
		"lint":     {NewLint, map[string]string{"shop": `cannot take the argument "shop"`, "--revision _": "--revision has no value", "-o name": `cannot print as "name": use one of table, wide, json, yaml`, "--kube-version new": `cannot use --kube-version "new"`}},
		"generate": {NewGenerate, map[string]string{"--revision _": "--revision has no value", "-o tree": `cannot print as "tree"`}},
		"mirror": {NewMirror, map[string]string{
			"a": `cannot take the argument "a"`, "--to _": "--to has no value", "--revision _": "--revision has no value", "--frozen --verify": "more than one of --frozen, --verify and --prune", "--verify --prune": "more than one of", "--frozen --prune": "more than one of",
		}},
		"render": {NewRender, map[string]string{
			"": "name an application, or give its file with --file", "a b": `cannot take the argument "b"`, "a --file app.yaml": `cannot take the argument "a"`, "a --file _": "--file has no value", "a --kube-version _": "--kube-version has no value",
			"a --kube-version new": `cannot use --kube-version "new": write a version`, "--file app.yaml --kube-version 1.34.x": `cannot use --kube-version "1.34.x"`, "a -o tree": `cannot print as "tree"`, "--file app.yaml -o tree": `cannot print as "tree"`,
			"a --api-versions v1": "--api-versions is for an application in a file: add --file", "a --credentials none": "--credentials is for an application in a file", "a --mirror x": "URL=PATH",
		}},
	}
	for family, f := range families {
		t.Run(family, func(t *testing.T) { clitest.Refuses(t, f.made, f.refused) })
	}
}
