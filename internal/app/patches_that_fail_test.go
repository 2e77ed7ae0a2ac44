package app

import (
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestPatchesThatDoNotApply tells which patch it is, and leaves what is deployed alone until it is mended.
func TestPatchesThatDoNotApply(t *testing.T) {
	const plain = "resources: [a.yaml]\n"
	cases := map[string]struct {
		reason, kustomization string
		own                   v1alpha1.KustomizePatches
		want                  string
	}{
		"Path": {
			reason: "a JSON patch of a field that is not there", kustomization: plain,
			own:  v1alpha1.KustomizePatches{{Target: &v1alpha1.KustomizeSelector{}, Patch: "[{op: replace, path: /data/none, value: x}]"}},
			want: "/data/none",
		},
		"Object": {
			reason:        "a merge patch of an object that is not there",
			kustomization: plain + "patches:\n- patch: |-\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: nobody}, data: {version: \"3\"}}\n",
			want:          "nobody",
		},
		"Text": {
			reason: "a patch that is no patch", kustomization: plain,
			own:  v1alpha1.KustomizePatches{{Target: &v1alpha1.KustomizeSelector{}, Patch: "just words"}},
			want: "just words",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"app/kustomization.yaml": plain, "app/a.yaml": configMapV1})
			e.app("app", "app")
			e.until("app", "Synced and Healthy", good)
			before, err := e.configMap("settings")
			if err != nil {
				t.Fatal(err)
			}
			e.write("app/kustomization.yaml", tc.kustomization)
			e.change("app", func(app *v1alpha1.Application) {
				app.Spec.Source.Kustomize = &v1alpha1.ApplicationSourceKustomize{Patches: tc.own}
			})
			app := e.says("app", v1alpha1.ApplicationConditionComparisonError, tc.want)
			if app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced {
				t.Errorf("%s: what cannot be rendered is shown as Synced", tc.reason)
			}
			if now, err := e.configMap("settings"); err != nil || now.ResourceVersion != before.ResourceVersion {
				t.Errorf("%s: the object was touched: %v", tc.reason, err)
			}
			e.write("app/kustomization.yaml", plain)
			e.write("app/a.yaml", strings.Replace(configMapV1, `"1"`, `"2"`, 1))
			e.change("app", func(app *v1alpha1.Application) { app.Spec.Source.Kustomize = nil })
			e.untilVersion("settings", "2")
			app = e.until("app", "Synced and Healthy again", good)
			if text := condition(app, v1alpha1.ApplicationConditionComparisonError); text != "" {
				t.Errorf("%s: the condition has stayed: %s", tc.reason, text)
			}
		})
	}
}

// TestTemplatePatchThatDoesNotApply leaves the Applications of a set as they were.
func TestTemplatePatchThatDoesNotApply(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "true", "eu-1")
	set := e.addons()
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	made := e.untilRegion("dev", "eu-1")
	patch := func(text string) {
		t.Helper()
		before := set.DeepCopy()
		set.Spec.TemplatePatch = &text
		if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	patch("spec: {revisionHistoryLimit: '{{metadata.annotations.region}}'}")
	e.untilSetFails("addons", "revisionHistoryLimit")
	if now := e.untilRegion("dev", "eu-1"); now.UID != made.UID || !reflect.DeepEqual(now.Spec, made.Spec) {
		t.Error("the application was changed by a patch that does not apply")
	}
	patch("spec: {source: {helm: {values: 'region: of the patch'}}}")
	e.untilRegion("dev", "of the patch")
}

// TestRuleThatDoesNotFitAnObject ignores nothing of that object: drift is shown as ever.
func TestRuleThatDoesNotFitAnObject(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", noSelfHeal, func(app *v1alpha1.Application) {
		app.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{".data.version.deeper[]", `.data | error("no")`}}}
	})
	e.until("app", "Synced and Healthy", good)
	e.edit("settings", "ann", map[string]string{"version": "by hand"})
	e.until("app", "OutOfSync", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	e.ask("app", v1alpha1.SyncOperation{})
	e.untilVersion("settings", "1")
	e.until("app", "Synced and Healthy again", good)
}
