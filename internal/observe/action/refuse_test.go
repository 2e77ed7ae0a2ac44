package action

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
)

// scripted is an installation whose Deployments have what a discovery says, and one action.
func scripted(t *testing.T, discovery, action string) *custom.Set {
	t.Helper()
	set, err := custom.Parse(map[string]string{"resource.customizations.actions.apps_Deployment": "discovery.lua: |\n  " + discovery + "\ndefinitions:\n- name: act\n  action.lua: |\n    " + action + "\n"})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestWhatDiscoveriesReturn(t *testing.T) {
	cases := map[string]struct {
		reason, lua string
		want        []Action
		err         string
	}{
		"None":       {reason: "no actions at all", lua: `return {}`},
		"Nothing":    {reason: "nothing is a mistake", lua: `return nil`, err: "cannot discover the actions of apps/Deployment:shop/web: the script returned nothing where a table of actions belongs"},
		"List":       {reason: "so is a list of names", lua: `return {"act"}`, err: "returned a list where a table of actions belongs"},
		"Text":       {reason: "and a text", lua: `return "act"`, err: "returned a string where"},
		"Raised":     {reason: "what it raises is told", lua: `error("no idea", 0)`, err: "no idea"},
		"Bare":       {reason: "an action needs nothing but its name", lua: `return {act = true}`, want: []Action{{Name: "act"}}},
		"Sorted":     {reason: "actions are by name", lua: `return {b = {}, a = {disabled = true, displayName = "A"}}`, want: []Action{{Name: "a", DisplayName: "A", Disabled: true}, {Name: "b"}}},
		"OddFields":  {reason: "fields of another type are none", lua: `return {act = {disabled = "yes", displayName = {}, params = "x"}}`, want: []Action{{Name: "act"}}},
		"Parameters": {reason: "parameters are in the order in which they stand", lua: `return {act = {params = {{name = "b", type = "number", default = 2.5}, {name = "a"}, "odd"}}}`, want: []Action{{Name: "act", Parameters: []Parameter{{"b", "number", "2.5"}, {Name: "a"}, {}}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Discover(scripted(t, tc.lua, "return obj"), "", deployment())
			if tc.err != "" {
				if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v, %v; want %q", tc.reason, got, err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestActionsAreRefused says why, by which kind of problem a server answers.
func TestActionsAreRefused(t *testing.T) {
	cases := map[string]struct {
		reason, discovery, script, name string
		parameters                      map[string]string
		kind                            gitops.ProblemKind
		want                            string
	}{
		"Disabled":  {"one that the state rules out may be possible later", `return {act = {disabled = true}}`, "return obj", "act", nil, gitops.NotReady, "action act of apps/Deployment:shop/web is disabled in its present state"},
		"Typo":      {"one that is almost there is named", `return {act = {}}`, "return obj", "acts", nil, gitops.NotFound, `has no action "acts" now; did you mean "act"?`},
		"Other":     {"otherwise all are", `return {act = {}, more = {}}`, "return obj", "reboot-everything", nil, gitops.NotFound, "it has: act, more"},
		"NoneAtAll": {"where there are none, that is all", `return {}`, "return obj", "act", nil, gitops.NotFound, `has no action "act" now`},
		"NoScript":  {"one that is found and not defined", `return {undefined = {}}`, "return obj", "undefined", nil, gitops.Invalid, "cannot run action undefined on apps/Deployment:shop/web: it has no script"},
		"Needed":    {"a parameter without a default", `return {act = {params = {{name = "n"}}}}`, "return obj", "act", nil, gitops.Invalid, "action act needs the parameter n"},
		"Spare":     {"a parameter that it has not", `return {act = {params = {{name = "count", default = "1"}}}}`, "return obj", "act", map[string]string{"cuont": "2"}, gitops.Invalid, `action act has no parameter "cuont"; did you mean "count"?`},
		"Patched":   {"a patch of another object", `return {act = {}}`, `obj.metadata.namespace = "other" return obj`, "act", nil, gitops.Invalid, "the script patches apps/Deployment:other/web instead of the object"},
		"Place":     {"the operation that is wrong is named by its place", `return {act = {}}`, `return {{operation = "patch", resource = obj}, {operation = "remove", resource = obj}}`, "act", nil, gitops.Invalid, `operation 2: there is no operation "remove": it is create or patch`},
		"Incomplete": {
			"an object to create has all that names it", `return {act = {}}`, `return {{operation = "create", resource = {apiVersion = "v1", kind = "Pod", metadata = {namespace = "a"}}}}`, "act", nil, gitops.Invalid,
			"operation 1: the object to create needs apiVersion, kind and a name",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Run(scripted(t, tc.discovery, tc.script), "", deployment(), tc.name, tc.parameters)
			if !gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %+v, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestActionsWithoutADiscovery: one that fails over an object says nothing of the actions, which take what they are given.
func TestActionsWithoutADiscovery(t *testing.T) {
	set := scripted(t, `error("no idea")`, `obj.spec.n = actionParams.n return obj`)
	changes, err := Run(set, "", deployment(), "act", map[string]string{"n": "5"})
	if err != nil || len(changes) != 1 {
		t.Fatalf("got %+v, %v", changes, err)
	}
	if diff := cmp.Diff(spec("n", "5"), changes[0].Patch); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := Run(set, "", deployment(), "other", nil); err == nil || !strings.Contains(err.Error(), "it has no script") {
		t.Errorf("an action without a script: %v", err)
	}
}

// TestActionsThatChangeNothing: an object as it was is an update of nothing, whatever Lua made of its types.
func TestActionsThatChangeNothing(t *testing.T) {
	o := deployment()
	before := o.DeepCopy()
	changes, err := Run(scripted(t, `return {act = {}}`, `return obj`), "", o, "act", nil)
	if err != nil || len(changes) != 1 || changes[0].Patch != nil || changes[0].StatusPatch != nil || changes[0].Verb != gitops.Update {
		t.Errorf("got %+v, %v", changes, err)
	}
	if diff := cmp.Diff(before, o); diff != "" {
		t.Errorf("the live object is changed: %s", diff)
	}
	if changes, err = Run(scripted(t, `return {act = {}}`, `return {}`), "", o, "act", nil); err != nil || len(changes) != 0 {
		t.Errorf("an empty list of operations: %+v, %v", changes, err)
	}
}

// TestActionsThatCreate: what is made may be named by the API server, and is of whole numbers.
func TestActionsThatCreate(t *testing.T) {
	set := scripted(t, `return {act = {}}`, `return {{operation = "create", resource = {apiVersion = "batch/v1", kind = "Job", metadata = {generateName = "web-"}, spec = {parallelism = 2}}}}`)
	changes, err := Run(set, "", deployment(), "act", nil)
	if err != nil || len(changes) != 1 || changes[0].Verb != gitops.Create || changes[0].Patch != nil {
		t.Fatalf("got %+v, %v", changes, err)
	}
	want := map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"generateName": "web-"}, "spec": map[string]any{"parallelism": int64(2)}}
	if diff := cmp.Diff(want, changes[0].Object.Object); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
