package why

import (
	"fmt"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestQuestionsThatCannotBeMeant are refused before anything is asked, with what to write. An underscore is an empty value.
func TestQuestionsThatCannotBeMeant(t *testing.T) {
	families := map[string]struct {
		made    func(*command.Global) *cobra.Command
		refused map[string]string
	}{
		"why": {New, map[string]string{
			"": "name an application, an object, as in shop/Deployment/web, or a key of a cluster, as in prod/region", "a b": `cannot take the argument "b"`, "shop//web": "write APP/KIND/NAME", "a/b/c/d/e": "write APP/KIND/NAME",
			"prod/": `"prod/" names no key: write one after the slash, as in prod/region; causeway bridge prod lists them`, "shop --value _": "--value is empty: name a Helm value", "shop --value image.tag --values": "leave one of them out",
			"shop/Deployment/web --value image.tag": `--value asks about an application, and "shop/Deployment/web" is none`, "shop --value Deployment/web:": "names no field: write one after the colon", "shop --value Deployment/web:.": "names no field",
			"shop -N team --value image.tag": "leave --value and --repo out", "shop -N team/x": "is no namespace", "shop --no-fetch": "--no-fetch is for a checkout: add --repo", "shop --values -o tree": "tree", "shop --value a -o name": "name",
		}},
		"bridge": {NewBridge, map[string]string{"dev --credentials none": "--credentials is for a checkout: add --repo", "a b": `cannot take the argument "b"`, "dev -o tree": "tree"}},
	}
	for family, f := range families {
		t.Run(family, func(t *testing.T) { clitest.Refuses(t, f.made, f.refused) })
	}
}

// TestKeysAreToldFromObjects: both are written with slashes.
func TestKeysAreToldFromObjects(t *testing.T) {
	for text, want := range map[string]bool{
		"shop": false, "prod/region": true, "shop/Deployment/web": false, "prod/example.com/region": true, "shop/Deployment/ns/web": false, "https://dev:6443/region": true, "prod/labels.app.kubernetes.io/name": true,
	} {
		if got := isKey(text); got != want {
			t.Errorf("%s: a key is %v", text, got)
		}
	}
}

// TestClusterOfAKey is the one whose name, Secret or server is the longest that fits.
func TestClusterOfAKey(t *testing.T) {
	b := &bridged{}
	for _, names := range [][3]string{{"prod", "s-prod", "https://prod:6443/"}, {"prod/eu", "s-eu", "https://eu:6443"}, {"", "s-nameless", "https://nameless"}} {
		c := bridge.Cluster{}
		c.Name, c.Secret, c.Server = names[0], names[1], names[2]
		b.Clusters = append(b.Clusters, c)
	}
	cases := map[string]struct {
		reason, text string
		cluster, key string
	}{
		"name":   {"by name", "prod/region", "prod", "region"},
		"longer": {"the name that has more of it", "prod/eu/region", "prod/eu", "region"},
		"secret": {"by Secret, which tells namesakes apart", "s-eu/example.com/region", "s-eu", "example.com/region"},
		"server": {"by server, whatever slash it ends with", "https://prod:6443/region", "prod", "region"},
		"begins": {"a name that only begins so is another", "production/region", "", ""},
		"none":   {"nothing is guessed", "region", "", ""},
	}
	for name, c := range cases {
		cluster, key, err := splitKey(b.Clusters, c.text)
		if cluster != c.cluster || key != c.key || (err == nil) != (c.key != "") {
			t.Errorf("%s: %s: %q of %q, %v", name, c.reason, key, cluster, err)
		}
	}
}

// TestKeysThatAreSecretAreNotShown, wherever what follows from them is.
func TestKeysThatAreSecretAreNotShown(t *testing.T) {
	fields := func() []bridge.FieldChange {
		return []bridge.FieldChange{{Path: "spec.password", Before: "hunter2", After: "hunter3"}, {Path: "spec.replicas", Before: 1, After: 2}}
	}
	trace := &bridge.KeyTrace{Readers: []bridge.SetTrace{{Follow: []bridge.AppTrace{{Parameters: fields(), Objects: []bridge.ObjectTrace{{Fields: fields()}}}}}}}
	maskFields(trace)
	app := trace.Readers[0].Follow[0]
	for _, got := range [][]bridge.FieldChange{app.Parameters, app.Objects[0].Fields} {
		if got[0].Before == "hunter2" || got[0].After == "hunter3" || fmt.Sprint(got[1].After) != "2" {
			t.Errorf("%+v", got)
		}
	}
}

// TestWhyByAServer tells of an application what its status and its windows say.
func TestWhyByAServer(t *testing.T) {
	app := clitest.Shop()
	app.Status.Resources = []v1alpha1.ResourceStatus{{Kind: "ConfigMap", Namespace: "shop", Name: "a", Status: v1alpha1.SyncStatusCodeOutOfSync}}
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "GET /api/v1/applications/argocd/shop/windows": api.Schedule{Project: "team", Automated: "now", Manual: "now"}})
	got := clitest.Run(t, New, "shop", "--server", d.URL)
	got.Says(t, "what differs, and what to do", command.ExitFine, "application shop OutOfSync, Degraded", "ComparisonError: cannot render chart: it is broken", "it was never synced", "ConfigMap shop/a: OutOfSync", "it is synced on demand only: causeway sync shop")
	clitest.Run(t, New, "shpo", "--server", d.URL).Says(t, "misspelt", command.ExitFailed, `did you mean "shop"?`)
}
