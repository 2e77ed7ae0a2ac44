package provider_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStateOfOtherVersions reads states that other versions of the provider
// wrote: attributes that came since are missing, attributes that went since
// are there. Nothing is to be done for either.
func TestStateOfOtherVersions(t *testing.T) {
	w := newWorkspace(t, spoke+declared+`
resource "causeway_install" "engine" {
  wait = false
}
`)
	w.must("apply")
	w.rewriteState(func(kind string, instance map[string]any) {
		attributes := instance["attributes"].(map[string]any)
		dropped := 0
		for name, v := range attributes {
			if v == nil {
				delete(attributes, name)
				dropped++
			}
		}
		if dropped == 0 && kind != "causeway_manifest" {
			t.Errorf("%s has no attribute that it could lack", kind)
		}
		attributes["of_a_former_version"] = map[string]any{"a": "b"}
	})
	w.quiet("attributes came and went")
	w.must("apply", "-refresh-only")
	if strings.Contains(w.state(), "of_a_former_version") {
		t.Error("what no version knows stays in the state")
	}

	w.rewriteState(func(_ string, instance map[string]any) { instance["schema_version"] = 1000 })
	if out := w.fails("a later version wrote it", "plan"); !strings.Contains(out, "newer provider version") {
		t.Errorf("the message does not say whose state it is: %s", out)
	}
}

// rewriteState changes each instance of the state's resources.
func (w *workspace) rewriteState(change func(kind string, instance map[string]any)) {
	w.t.Helper()
	var state map[string]any
	if err := json.Unmarshal([]byte(w.state()), &state); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range state["resources"].([]any) {
		resource := r.(map[string]any)
		for _, i := range resource["instances"].([]any) {
			change(resource["type"].(string), i.(map[string]any))
		}
	}
	state["serial"] = state["serial"].(float64) + 1
	text, err := json.Marshal(state)
	if err != nil {
		w.t.Fatal(err)
	}
	w.file("terraform.tfstate", string(text))
}
