package action

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
)

func deployment() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{
			"name": "web", "namespace": "shop", "resourceVersion": "7", "annotations": map[string]any{"paused-at": "3"},
			"managedFields": []any{map[string]any{"manager": "x"}},
		},
		"spec": map[string]any{
			"replicas": int64(2), "big": int64(9007199254740993), "selector": map[string]any{}, "nothing": nil,
			"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "a", "resources": map[string]any{}}}}},
		},
		"status": map[string]any{"replicas": int64(2), "conditions": []any{map[string]any{"type": "Available"}}},
	}}
}

// own is an installation with actions of its own for Deployments.
func own(t *testing.T, merge string) *custom.Set {
	t.Helper()
	set, err := custom.Parse(map[string]string{"resource.customizations.actions.apps_Deployment": `
mergeBuiltinActions: ` + merge + `
discovery.lua: |
  return {restart = {disabled = true}, poke = {displayName = "Poke", params = {{name = "how", default = "softly"}, {name = "often", default = 3}}}, list = {}, stamp = {}, bad = {}, clear = {}}
definitions:
- name: poke
  action.lua: |
    obj.spec.poked = actionParams.how .. actionParams.often
    return obj
- name: stamp
  action.lua: |
    obj.status.stamped = true
    obj.spec.replicas = obj.spec.replicas
    return obj
- name: clear
  action.lua: |
    obj.metadata.annotations["paused-at"] = nil
    return obj
- name: list
  action.lua: |
    obj.spec.replicas = 0
    return {
      {operation = "patch", resource = obj},
      {operation = "create", resource = {apiVersion = "v1", kind = "ConfigMap", metadata = {name = "note", namespace = obj.metadata.namespace}, data = {n = "1"}}},
    }
- name: bad
  action.lua: |
    obj.metadata.name = "other"
    return obj
`})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDiscoverOwnActions(t *testing.T) {
	cases := map[string]struct {
		reason, merge string
		want          []string
	}{
		"Alone":  {"what ships is left out", "false", []string{"bad", "clear", "list", "poke", "restart-", "stamp"}},
		"Merged": {"what ships is added, and the installation's word comes first", "true", []string{"bad", "clear", "list", "pause", "poke", "restart-", "resume-", "scale", "stamp"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := Discover(own(t, tc.merge), "", deployment())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range found {
				if a.Disabled {
					a.Name += "-"
				}
				got = append(got, a.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRun(t *testing.T) {
	cases := map[string]struct {
		reason, action string
		parameters     map[string]string
		patch, status  map[string]any
		creates        string
		err            string
	}{
		"Scale":     {reason: "a number stays whole", action: "scale", parameters: map[string]string{"replicas": "5"}, patch: spec("replicas", int64(5))},
		"Pause":     {reason: "a flag of the spec", action: "pause", patch: spec("paused", true)},
		"Defaults":  {reason: "parameters have defaults, also numbers", action: "poke", patch: spec("poked", "softly3")},
		"Given":     {reason: "what is given comes first", action: "poke", parameters: map[string]string{"often": "9"}, patch: spec("poked", "softly9")},
		"Status":    {reason: "the status has a patch of its own", action: "stamp", status: map[string]any{"stamped": true}},
		"Removed":   {reason: "what the script took away goes", action: "clear", patch: map[string]any{"metadata": map[string]any{"annotations": map[string]any{"paused-at": nil}}}},
		"List":      {reason: "a list of operations", action: "list", patch: spec("replicas", int64(0)), creates: "ConfigMap:shop/note"},
		"Other":     {reason: "a patch is of the object itself", action: "bad", err: "instead of the object"},
		"Disabled":  {reason: "what the state rules out is refused", action: "restart", err: "disabled"},
		"Unknown":   {reason: "an action that is not there has a near one", action: "scle", err: "scale"},
		"Missing":   {reason: "a parameter without a default is needed", action: "scale", err: "replicas"},
		"NoSuch":    {reason: "a parameter that is not known is refused", action: "scale", parameters: map[string]string{"replicas": "1", "replica": "2"}, err: "replicas"},
		"NotNumber": {reason: "the script's own error is told", action: "scale", parameters: map[string]string{"replicas": "many"}, err: "invalid number: many"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			changes, err := Run(own(t, "true"), "", deployment(), tc.action, tc.parameters)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.patch, changes[0].Patch); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.status, changes[0].StatusPatch); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if tc.creates != "" && (len(changes) != 2 || changes[1].Verb != gitops.Create || gitops.KeyOf(changes[1].Object).String() != "/"+tc.creates && gitops.KeyOf(changes[1].Object).String() != tc.creates) {
				t.Errorf("%s: got %+v", tc.reason, changes)
			}
		})
	}
}

func spec(key string, value any) map[string]any {
	return map[string]any{"spec": map[string]any{key: value}}
}

func TestOddResults(t *testing.T) {
	for name, lua := range map[string]string{
		"Nothing": `return nil`, "Text": `return "done"`, "Number": `return 1`,
		"Operation": `return {{operation = "delete", resource = obj}}`, "NoResource": `return {{operation = "patch"}}`,
		"Nameless": `return {{operation = "create", resource = {kind = "X"}}}`, "Cycle": `obj.self = obj return obj`,
		"Function": `obj.f = function() end return obj`, "Loop": `while true do end`,
		"Many": `local t = {} for i = 1, 200 do t[i] = {operation = "patch", resource = obj} end return t`,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := custom.Parse(map[string]string{"resource.customizations": `
apps/Deployment:
  actions: |
    discovery.lua: "return {x = {}}"
    definitions:
    - {name: x, action.lua: '` + lua + `'}
`})
			if err != nil {
				t.Fatal(err)
			}
			if changes, err := Run(set, "", deployment(), "x", nil); err == nil {
				t.Errorf("got %+v and no error", changes)
			}
		})
	}
}
