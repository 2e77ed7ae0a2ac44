package forecast

import (
	"testing"

	"sigs.k8s.io/yaml"
)

func TestYAMLTakesAnyCharacter(t *testing.T) {
	for _, text := range []string{"plain", "two\nlines", "del\x7f", "c1\u0085\u009f", "mark\ufeff", "no\uffff", "nul\x00", "bell\x07"} {
		out, err := YAML(map[string]string{"a": text})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var back map[string]string
		if err := yaml.Unmarshal(out, &back); err != nil || back["a"] != text {
			t.Errorf("%q comes back as %q, %v", text, back["a"], err)
		}
	}
}
