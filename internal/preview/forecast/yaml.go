package forecast

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// YAML writes a value whatever characters it holds: those that a YAML file
// must not have are escaped.
func YAML(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot write a value as YAML: %w", err)
	}
	out, err := yaml.JSONToYAML([]byte(escaped(string(text))))
	if err != nil {
		return nil, fmt.Errorf("cannot write a value as YAML: %w", err)
	}
	return out, nil
}

// escaped JSON has none of the characters that YAML readers refuse. JSON has
// them in strings alone.
func escaped(text string) string {
	if strings.IndexFunc(text, refused) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if refused(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func refused(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff
}
