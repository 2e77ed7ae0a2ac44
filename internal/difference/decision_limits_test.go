package difference

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// settingsOf is a ConfigMap with so many keys of one value, which somebody wrote.
func settingsOf(keys int, value, team string) *unstructured.Unstructured {
	data := map[string]any{}
	for i := range keys {
		data[fmt.Sprintf("k%06d", i)] = value
	}
	entry := map[string]any{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{
		"f:data": map[string]any{".": map[string]any{}}, "f:metadata": map[string]any{"f:labels": map[string]any{"f:team": map[string]any{}}},
	}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": data,
		"metadata": map[string]any{"name": "x", "namespace": "n", "labels": map[string]any{"team": team}, "managedFields": []any{entry}},
	}}
}

var frozenData = gitops.Drift{Fields: []gitops.FieldDrift{{Pointer: "/data", Policy: gitops.DriftFreeze}}}

func TestAllDeviationsAreDecided(t *testing.T) {
	found, err := Deviations(settingsOf(150, "changed", "theirs"), settingsOf(150, "git", "ours"), "causeway", frozenData)
	if err != nil || len(found) != 151 {
		t.Fatal(len(found), err)
	}
	told, more := Told(found)
	frozen, label := 0, false
	for _, d := range told {
		if d.Policy == gitops.DriftFreeze {
			frozen++
		}
		label = label || d.Field == "metadata.labels.team"
	}
	if len(told) != maxDeviations || more != 51 || frozen != maxDeviations-1 || !label {
		t.Errorf("%d are told, %d of them frozen, the label %v, and %d more", len(told), frozen, label, more)
	}
}

func TestTooManyDeviations(t *testing.T) {
	const paths = 20_000
	live, git := settingsOf(paths, "changed", "theirs"), settingsOf(paths, "git", "ours")
	rules := gitops.Drift{}
	for range 500 {
		rules.Fields = append(rules.Fields, frozenData.Fields...)
	}
	if found, err := Deviations(live, git, "causeway", rules); err == nil || !strings.Contains(err.Error(), "20001 fields differ") {
		t.Error("some of the fields decide: ", len(found), err)
	}
	if found, err := Deviations(live, git, "causeway", frozenData); err != nil || len(found) != paths+1 {
		t.Error(len(found), err)
	}
	// Nothing is kept where no policy says so: it differs, and a few tell enough.
	metadata, _ := live.Object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	metadata["managedFields"] = slices.Repeat(entries, 600)
	if found, err := Deviations(live, git, "causeway", gitops.Drift{}); err != nil || len(found) != maxDeviations {
		t.Error(len(found), err)
	}
}

// A long key of an item is in the text of each field below it.
func TestLongKeysAreDecidedInBounds(t *testing.T) {
	env := func(n int) *unstructured.Unstructured {
		return of(map[string]any{"name": strings.Repeat("k", 1<<20), "env": items(n)})
	}
	freeze := gitops.Drift{Policy: gitops.DriftFreeze}
	if found, err := Deviations(env(1), env(100), "causeway", freeze); err == nil {
		t.Error(len(found))
	}
	if found, err := Deviations(env(1), env(3), "causeway", freeze); err != nil || len(found) != 2 {
		t.Error(len(found), err)
	}
}
