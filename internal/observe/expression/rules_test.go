package expression

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const phases = `
- status: Degraded
  expression: status.phase == 'Failed'
  messageExpression: "'failed: ' + status.reason"
  message: failed
- status: Suspended
  expression: has(spec.paused) && spec.paused
  message: paused
- status: Healthy
  expression: status.phase == 'Running' && status.ready >= spec.replicas
`

func TestHealth(t *testing.T) {
	ready := `status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')`
	conditions := func(status string) map[string]any {
		return map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status}}}
	}
	cases := map[string]struct {
		reason, text string
		spec, status map[string]any
		want         gitops.HealthCode
		message      string
	}{
		"True":       {"one expression that is true", ready, nil, conditions("True"), gitops.Healthy, ""},
		"False":      {"one that is false", ready, nil, conditions("False"), gitops.Progressing, "None"},
		"NoStatus":   {"a field that is not there makes it false", ready, nil, nil, gitops.Progressing, "None"},
		"Stale":      {"a status of an older spec", "true", nil, map[string]any{"observedGeneration": int64(1)}, gitops.Progressing, "newest spec"},
		"First":      {"the first rule that holds", phases, map[string]any{"paused": true}, map[string]any{"phase": "Failed", "reason": "disk"}, gitops.Degraded, "failed: disk"},
		"Message":    {"a message of a field that is not there", phases, nil, map[string]any{"phase": "Failed"}, gitops.Degraded, "failed"},
		"Second":     {"the next one", phases, map[string]any{"paused": true}, nil, gitops.Suspended, "paused"},
		"Numbers":    {"whole numbers and others compare", phases, map[string]any{"replicas": int64(2)}, map[string]any{"phase": "Running", "ready": 2.0}, gitops.Healthy, ""},
		"Object":     {"the object by its name", `object.kind == 'Widget'`, nil, nil, gitops.Healthy, ""},
		"OutOfRange": {"an item that is not there", `status.list[3] == 1`, nil, map[string]any{"list": []any{}}, gitops.Progressing, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules, err := Parse(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			o := map[string]any{"kind": "Widget", "metadata": map[string]any{"generation": int64(2)}}
			if tc.spec != nil {
				o["spec"] = tc.spec
			}
			if tc.status != nil {
				o["status"] = tc.status
			}
			got, err := rules.Health(o)
			if err != nil || got.Code != tc.want || !strings.Contains(got.Message, tc.message) {
				t.Errorf("%s: got %+v, %v; want %s %q", tc.reason, got, err, tc.want, tc.message)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"Empty":     {"  ", "empty"},
		"Type":      {"1 + 1", "bool"},
		"Syntax":    {"status.(", "compile"},
		"Status":    {"- {status: Fine, expression: 'true'}", "Fine"},
		"NoHealthy": {"- {status: Degraded, expression: 'true'}", "never be healthy"},
		"Field":     {"- {status: Healthy, expr: 'true'}", "expr"},
		"Long":      {strings.Repeat(" ", maxText+1), "KiB"},
		"Many":      {strings.Repeat("- {status: Healthy, expression: 'true'}\n", maxRules+1), "rules"},
		"Deep":      {strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), "compile"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v; want %q", err, tc.want)
			}
		})
	}
}

// TestTooExpensive evaluates what would take a very long time.
func TestTooExpensive(t *testing.T) {
	list := make([]any, 1000)
	for i := range list {
		list[i] = int64(i)
	}
	rules, err := Parse(`spec.l.all(a, spec.l.all(b, spec.l.all(c, a + b + c >= 0)))`)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := rules.Health(map[string]any{"spec": map[string]any{"l": list}}); err == nil || !strings.Contains(err.Error(), "cost") {
		t.Errorf("got %+v, %v; want an error about its cost", h, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("status.ok")
	f.Add(phases)
	f.Add("object.spec.l.map(x, x * 2).exists(x, x > 3)")
	o := map[string]any{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"l": []any{int64(1)}}, "status": map[string]any{"ok": true}}
	f.Fuzz(func(_ *testing.T, text string) {
		if rules, err := Parse(text); err == nil {
			_, _ = rules.Health(o)
		}
	})
}
