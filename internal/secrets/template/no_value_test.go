package template

import (
	"strings"
	"testing"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// TestErrorsOfYAMLHoldNoValue: what begins with a sign of YAML's own is quoted by its parser, and passwords do.
func TestErrorsOfYAMLHoldNoValue(t *testing.T) {
	for _, value := range []string{"*hunter22", "&hunter22 *hunter23", "!!int hunter22", "!hunter22 x", "%hunter22", "@hunter22", "`hunter22", "{hunter22: 1, hunter22: 2}", "|hunter22", "a: b: hunter22", "\"hunter22", "!!float hunter22", "!!timestamp hunter22", "<<: hunter22"} {
		for name, one := range map[string]Request{
			"pairs": {Scope: esv1.ScopeKeysAndValues, Templates: map[string]string{"k": "x: {{ .v }}"}},
			"merge": {Scope: esv1.ScopeKeysAndValues, Templates: map[string]string{"k": "x: {{ .v }}"}, Target: "spec"},
			"place": {Templates: map[string]string{"k": "{{ .v }}"}, Target: "spec.x"},
		} {
			err := Apply(one, map[string][]byte{"v": []byte(value)}, object(t, aThing))
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s of %s: %v", name, value, err)
			}
		}
	}
}
