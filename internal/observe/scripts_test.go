package observe

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// scripted is a kind whose health a script tells.
func scripted(t *testing.T, lua string) *Checks {
	t.Helper()
	return customized(t, map[string]string{"resource.customizations.health.x.io_X": lua})
}

// TestWhatScriptsReturn: most scripts were written for Argo CD, which reads results in this way.
func TestWhatScriptsReturn(t *testing.T) {
	const unknown = "The health check returned the status "
	cases := map[string]struct {
		reason, lua string
		want        gitops.Health
		err         string
	}{
		"Nothing":  {reason: "nothing is no health", lua: `return nil`},
		"Empty":    {reason: "nor is an empty table", lua: `return {}`},
		"List":     {reason: "nor a list", lua: `return {"Healthy"}`},
		"Text":     {reason: "a text is a mistake", lua: `return "Healthy"`, err: "the script returned a string where a table belongs"},
		"Number":   {reason: "a number is one, too", lua: `return 1`, err: "a float64 where a table belongs"},
		"Error":    {reason: "what a script raises is told", lua: `error("no idea")`, err: "no idea"},
		"Unknown":  {reason: "a status that there is not", lua: `return {status = "Fine", message = "m"}`, want: gitops.Health{Code: gitops.HealthUnknown, Message: unknown + `"Fine", which there is not`}},
		"NoStatus": {reason: "none is one that there is not", lua: `return {message = "m"}`, want: gitops.Health{Code: gitops.HealthUnknown, Message: unknown + `"", which there is not`}},
		"Case":     {reason: "a status has its capitals", lua: `return {status = "healthy"}`, want: gitops.Health{Code: gitops.HealthUnknown, Message: unknown + `"healthy", which there is not`}},
		"Names":    {reason: "names need none", lua: `return {Status = "Healthy", MESSAGE = "m"}`, want: gitops.Health{Code: gitops.Healthy, Message: "m"}},
		"Exact":    {reason: "the exact name wins", lua: `return {status = "Healthy", Status = "Degraded", STATUS = "Suspended"}`, want: gitops.Health{Code: gitops.Healthy}},
		"Types":    {reason: "a message that is no text makes it no health", lua: `return {status = "Healthy", message = {}}`},
		"Others":   {reason: "other fields are the script's own", lua: `return {status = "Missing", reason = {1}}`, want: gitops.Health{Code: gitops.Missing}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := scripted(t, tc.lua).Health("", object(t, "{apiVersion: x.io/v1, kind: X, metadata: {name: x}}"))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || got.Code != gitops.HealthUnknown || got.Message != err.Error() {
					t.Errorf("%s: got %+v, %v; want %q", tc.reason, got, err, tc.err)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("%s: got %+v, %v; want %+v", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestScriptsSeeNoManagers: what is often the largest part of an object is not given to scripts, and stays with it.
func TestScriptsSeeNoManagers(t *testing.T) {
	o := object(t, "{apiVersion: x.io/v1, kind: X, metadata: {name: x, managedFields: [{manager: causeway}]}, spec: {a: b}}")
	c := scripted(t, `if obj.metadata.managedFields then return {status = "Degraded"} end return {status = "Healthy", message = obj.metadata.name .. obj.spec.a}`)
	if h, err := c.Health("", o); err != nil || h != (gitops.Health{Code: gitops.Healthy, Message: "xb"}) {
		t.Errorf("got %+v, %v", h, err)
	}
	if len(o.GetManagedFields()) != 1 {
		t.Error("the object itself has lost its managers")
	}
}

// TestErrorsOfScriptsAreNotKept: a script that failed at a version of an object is asked again.
func TestErrorsOfScriptsAreNotKept(t *testing.T) {
	c := scripted(t, `if obj.status then return {status = "Healthy"} end error("no status")`)
	o := object(t, "{apiVersion: x.io/v1, kind: X, metadata: {name: x, uid: u, resourceVersion: '1'}}")
	if h, err := c.Health("", o); err == nil {
		t.Fatalf("got %+v", h)
	}
	set(o, map[string]any{}, "status")
	if h, err := c.Health("", o); err != nil || h.Code != gitops.Healthy {
		t.Errorf("got %+v, %v", h, err)
	}
}

// TestWhoTellsTheHealthOfAKind: the installation's word comes before a check of our own, that before one that ships,
// and conditions are the last that is asked.
func TestWhoTellsTheHealthOfAKind(t *testing.T) {
	const script = `return {status = "Suspended", message = "by script"}`
	deployment := "{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 0}}"
	certificate := "{apiVersion: cert-manager.io/v1, kind: Certificate, status: {conditions: [{type: Ready, status: 'True', message: ready}]}}"
	other := "{apiVersion: other.io/v1, kind: Other, status: {conditions: [{type: Ready, status: 'False', reason: Soon}]}}"
	cases := map[string]struct {
		reason, object string
		data           map[string]string
		want           gitops.Health
	}{
		"Own":        {"a check of our own", deployment, nil, gitops.Health{Code: gitops.Healthy}},
		"Said":       {"the installation's word instead", deployment, map[string]string{"resource.customizations.health.apps_Deployment": script}, gitops.Health{Code: gitops.Suspended, Message: "by script"}},
		"All":        {"also where it says it of all", deployment, map[string]string{"resource.customizations.health.all": script}, gitops.Health{Code: gitops.Suspended, Message: "by script"}},
		"Expression": {"an expression is its word, too", deployment, map[string]string{"resource.customizations.readyExpressions.apps_Deployment": "spec.replicas > 0"}, gitops.Health{Code: gitops.Progressing, Message: "None of its ready expressions is true yet"}},
		"Ships":      {"a check that ships comes before conditions", certificate, map[string]string{"causeway.health.conditions": "true"}, gitops.Health{Code: gitops.Healthy, Message: "ready"}},
		"Conditions": {"conditions, with the reason where there is no message", other, map[string]string{"causeway.health.conditions": "true"}, gitops.Health{Code: gitops.Progressing, Message: "Soon"}},
		"Nobody":     {"without them there is no health", other, nil, gitops.Health{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if h, err := customized(t, tc.data).Health("", object(t, tc.object)); err != nil || h != tc.want {
				t.Errorf("%s: got %+v, %v; want %+v", tc.reason, h, err, tc.want)
			}
		})
	}
}

// TestWrongWordsChangeNothing: an installation whose ConfigMap is broken goes on as before.
func TestWrongWordsChangeNothing(t *testing.T) {
	c := scripted(t, `return {status = "Healthy"}`)
	changed, _, err := c.Customize(map[string]string{"resource.customizations.health.x.io_X": `return nil`, "resource.customizations.health.a_b_c": ""})
	if err == nil || changed != nil {
		t.Fatalf("it was taken: %v", err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "x.io/v1", "kind": "X"}}
	if h, err := c.Health("", o); err != nil || h.Code != gitops.Healthy {
		t.Errorf("got %+v, %v", h, err)
	}
	if c.Custom() == nil || c.Custom().Health(o.GroupVersionKind().GroupKind()) == nil {
		t.Error("what was said before is lost")
	}
}

// TestGateOfApplicationsHoldsHealthyOnes: a script that sees no health leaves it at that, and an own check that cannot
// read the object is an error.
func TestGateOfApplicationsHoldsHealthyOnes(t *testing.T) {
	c := customized(t, map[string]string{"resource.customizations.health.argoproj.io_Application": `return {status = obj.spec.said}`})
	app := func(said, status string) *unstructured.Unstructured {
		return object(t, "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a}, spec: {said: "+said+"}, "+status+"}")
	}
	if h, err := c.Health("", app("Suspended", "status: {}")); err != nil || h.Code != gitops.Suspended {
		t.Errorf("what is not healthy needs no gate: %+v, %v", h, err)
	}
	if h, err := c.Health("", app("Healthy", "operation: sync, status: {sync: {status: Synced}, health: {status: Healthy}}")); err == nil || h.Code != gitops.HealthUnknown {
		t.Errorf("an Application that cannot be read opens a gate: %+v, %v", h, err)
	}
}
