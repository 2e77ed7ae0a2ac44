package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// rendered is what a template gives within limits.
func rendered(t *testing.T, template string, limits engine.Limits) (string, error) {
	t.Helper()
	ch, err := chartOf(map[string]string{"Chart.yaml": chartYAML, "templates/x.yaml": template})
	if err != nil {
		t.Fatal(err)
	}
	top, err := prepared(ch, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := engine.New(engine.Options{Limits: limits}).Render(t.Context(), ch, top)
	if err != nil || len(outputs) == 0 {
		return "", err
	}
	return outputs[0].Text, nil
}

// TestTextsUpToTheBound: what is allowed is allowed up to its last byte, however it is
// made. Charts have certificates and dashboards of many megabytes.
func TestTextsUpToTheBound(t *testing.T) {
	const most = 1000
	for name, tc := range map[string]struct {
		reason, template string
		besides          int // bytes of the result that are not counted in the template
	}{
		"Repeat":  {"repeated", `{{ repeat %d "x" }}`, 0},
		"Indent":  {"moved to the right", `{{ indent %d "x" }}`, 1},
		"Upper":   {"in another case", `{{ upper (repeat %d "x") }}`, 0},
		"Literal": {"by an expression", `{{ regexReplaceAllLiteral "^" (repeat %d "x") "yy" }}`, 2},
		"Include": {"by another template", `{{ define "a" }}<{{ . }}>{{ end }}{{ include "a" (repeat %d "x") | upper }}`, 2},
		"Tpl":     {"by a text", `{{ tpl "<{{ . }}>" (repeat %d "x") | upper }}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			limits := engine.Limits{Text: most}
			text, err := rendered(t, fmt.Sprintf(tc.template, most-tc.besides), limits)
			if err != nil || len(text) != most {
				t.Errorf("%s: %d bytes, %v", tc.reason, len(text), err)
			}
			if text, err := rendered(t, fmt.Sprintf(tc.template, most+2), limits); err == nil || !strings.Contains(err.Error(), "larger than") {
				t.Errorf("%s: beyond the bound %d bytes, %v", tc.reason, len(text), err)
			}
		})
	}
}

// TestListsUpToTheBound: numbers and items are counted before they are made.
func TestListsUpToTheBound(t *testing.T) {
	for name, tc := range map[string]struct{ reason, within, beyond string }{
		"Until":  {"numbers", `{{ until 1000000 | len }}`, `{{ until 1000001 | len }}`},
		"Down":   {"downwards", `{{ until -1000000 | len }}`, `{{ until -1000001 | len }}`},
		"Step":   {"in steps", `{{ untilStep 0 3000000 3 | len }}`, `{{ untilStep 0 3000003 3 | len }}`},
		"Edge":   {"at the end of all numbers", `{{ untilStep 9223372036854775000 9223372036854775807 500 | len }}`, `{{ untilStep -9223372036854775807 9223372036854775807 1 | len }}`},
		"Concat": {"of several lists", `{{ $l := until 500000 }}{{ concat $l $l | len }}`, `{{ $l := until 500001 }}{{ concat $l $l | len }}`},
		"Append": {"and one more", `{{ append (until 999999) 1 | len }}`, `{{ append (until 1000000) 1 | len }}`},
	} {
		t.Run(name, func(t *testing.T) {
			if text, err := rendered(t, tc.within, engine.Limits{}); err != nil || text != "1000000" && name != "Edge" || name == "Edge" && text != "2" {
				t.Errorf("%s: got %s, %v", tc.reason, text, err)
			}
			if text, err := rendered(t, tc.beyond, engine.Limits{}); err == nil || !strings.Contains(err.Error(), "million items") && !strings.Contains(err.Error(), "more than 1000000 items") {
				t.Errorf("%s: got %s, %v", tc.reason, text, err)
			}
		})
	}
}

// TestLimitsOfARender are told with the number that was reached, so that who may can
// raise it.
func TestLimitsOfARender(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, within, beyond string
		limits                 engine.Limits
		says                   string
	}{
		"Output": {"what is written", `{{ range until 10 }}0123456789{{ end }}`, `{{ range until 11 }}0123456789{{ end }}`, engine.Limits{Output: 100}, "the templates write more than"},
		"Keys":   {"keys, which take long", `{{ range until 2 }}{{ $x := genPrivateKey "ed25519" }}{{ end }}`, `{{ range until 3 }}{{ $x := genPrivateKey "ed25519" }}{{ end }}`, engine.Limits{Keys: 2}, "2 keys"},
		"NoKeys": {"none at all", `a`, `{{ $x := genPrivateKey "ed25519" }}`, engine.Limits{Keys: -1}, "keys"},
		"Steps":  {"turns of a loop", `{{ range until 100 }}{{ end }}`, `{{ range until 1000 }}{{ end }}`, engine.Limits{Steps: 500}, "more than 500 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := rendered(t, tc.within, tc.limits); err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if _, err := rendered(t, tc.beyond, tc.limits); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
		})
	}
}
