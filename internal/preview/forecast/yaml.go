package forecast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// YAML writes a value whatever characters it holds: those that a YAML file
// must not have are escaped, and texts that YAML has a meaning for are quoted.
func YAML(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot write a value as YAML: %w", err)
	}
	marked, mark := marked(escaped(string(text)))
	out, err := yaml.JSONToYAML([]byte(marked))
	if err != nil {
		return nil, fmt.Errorf("cannot write a value as YAML: %w", err)
	}
	return bytes.ReplaceAll(out, []byte(mark+`"`), []byte(`"`)), nil
}

// marked JSON has a character that has to be quoted at the end of each text that the
// writer of YAML does not quote although readers take it for something else: "<<" merges,
// and "=" is a default. It returns what YAML has for that mark, and nothing else has.
func marked(text string) (out, mark string) {
	const inJSON, inYAML = `\u0001`, `\x01`
	at, mark := inJSON, inYAML
	for strings.Contains(text, at) || strings.Contains(text, mark) {
		at, mark = at+inJSON, mark+inYAML
	}
	return meant.ReplaceAllString(text, `$1"$2`+at+`"`), mark
}

// meant finds these texts in JSON. A quote in a text follows a backslash.
var meant = regexp.MustCompile(`(^|[{\[,:])"(\\u003c\\u003c|=)"`)

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
