package v1alpha1

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	kjson "sigs.k8s.io/json"
)

// TestOddValues: what an API server takes for a time or a count is read, whatever it is:
// a list with an object that cannot be read is no list.
func TestOddValues(t *testing.T) {
	const list = `{"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationList", "items": [{"metadata": {"name": "a"},
		"spec": {"source": {"kustomize": {"replicas": [{"name": "web", "count": COUNT}]}}},
		"status": {"reconciledAt": TIME, "history": [{"deployedAt": TIME}], "conditions": [{"lastTransitionTime": TIME}], "operationState": {"startedAt": TIME, "finishedAt": TIME}}}]}`
	for _, moment := range []string{`"2026-01-01t00:00:00z"`, `"2026-01-01T00:00:00x5Z"`, `"2026-01-01T00:00:00+99:99"`, `"9999-12-31T23:59:59-12:00"`, `""`, `null`, `"2026-01-01T00:00:00.5+02:00"`} {
		for _, count := range []string{`3000000000`, `-99999999999`, `"$N"`, `2`, `null`} {
			text := strings.NewReplacer("TIME", moment, "COUNT", count).Replace(list)
			var out ApplicationList
			if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &out); err != nil {
				t.Errorf("%s, %s: %v", moment, count, err)
				continue
			}
			if _, err := json.Marshal(out); err != nil {
				t.Errorf("%s, %s: written: %v", moment, count, err)
			}
			if got := out.Items[0].Spec.Source.Kustomize.Replicas[0]; got.Name != "web" || count == `3000000000` && got.Count.StrVal != "3000000000" || count == "2" && got.Count.IntVal != 2 {
				t.Errorf("%s is %v", count, got)
			}
		}
	}
	var step ApplicationSetRolloutStep
	if err := json.Unmarshal([]byte(`{"matchExpressions": [{"key": "a"}], "maxUpdate": 99999999999}`), &step); err != nil || step.MaxUpdate.StrVal != "99999999999" || len(step.MatchExpressions) != 1 {
		t.Errorf("%v, %v", step, err)
	}
}

// TestTime is read and written as that of Kubernetes.
func TestTime(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-01-01T00:00:00+02:00"`: `"2025-12-31T22:00:00Z"`, `null`: `null`, `"never"`: `"1970-01-01T00:00:00Z"`, `"9999-12-31T23:59:59-12:00"`: `"1970-01-01T00:00:00Z"`,
	} {
		var at Time
		if err := json.Unmarshal([]byte(text), &at); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(at); string(got) != want || err != nil {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	if err := json.Unmarshal([]byte("7"), &Time{}); err == nil {
		t.Error("a number is a time")
	}
	one, other := NewTime(time.Unix(1, 0)), NewTime(time.Unix(2, 0))
	if !one.Before(&other) || one.Equal(&other) || !one.Equal(one.DeepCopy()) || !(*Time)(nil).IsZero() || (*Time)(nil).DeepCopy() != nil || !(*Time)(nil).Equal(nil) {
		t.Error("times are compared otherwise")
	}
}
