package generate

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// neutralLetter stands in the place of signs of YAML. It makes no number of digits.
const neutralLetter = 'q'

// neutral is a text without the signs that may begin or end anything in YAML or JSON, wherever
// it stands.
func neutral(text string) string {
	runes := []rune(text)
	for i, r := range runes {
		if !isNeutral(r) && (i == 0 || !isNeutralBefore(r, runes[i+1:])) {
			runes[i] = neutralLetter
		}
	}
	return string(runes)
}

// isNeutralBefore reports whether a sign that is not the first of a text is so there.
func isNeutralBefore(r rune, rest []rune) bool {
	switch r {
	case '-', '.', '@':
		return true
	case ' ':
		return len(rest) > 0
	case ':':
		return len(rest) > 0 && !unicode.IsSpace(rest[0])
	}
	return false
}

// isNeutral reports whether a sign begins and ends nothing, also at the ends of a text.
func isNeutral(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_/+=", r)
}

// isNeutralOf reports whether a text is like another one but for parts that are neutral.
func isNeutralOf(text, of string) bool {
	return strings.ContainsRune(text, neutralLetter) && likeness(text) == likeness(of)
}

// likeness is what is the same of a text and of another that has some parts neutral.
func likeness(text string) string {
	return strings.Map(func(r rune) rune {
		if !isNeutral(r) || unicode.ToLower(r) == neutralLetter {
			return -1
		}
		return r
	}, text)
}

// neutral is such a text in the place of an output. YAML, JSON and lines stay what they are.
func (o output) neutral() string {
	if o.shape == asLines {
		return neutralLines(o.text)
	}
	if o.shape == asCode {
		if out, err := neutralCode(o.text); err == nil {
			return out
		}
	}
	return neutral(o.text)
}

// hasSigns reports whether it is not neutral.
func (o output) hasSigns() bool { return o.neutral() != o.text }

// neutralLines has the lines neutral behind what they are all indented by.
func neutralLines(text string) string {
	lines := strings.Split(text, "\n")
	least := len(text)
	for _, line := range lines {
		if rest := strings.TrimLeft(line, " "); rest != "" {
			least = min(least, len(line)-len(rest))
		}
	}
	for i, line := range lines {
		if len(line) > least {
			lines[i] = line[:least] + neutral(line[least:])
		}
	}
	return strings.Join(lines, "\n")
}

// neutralCode has the texts in YAML or JSON neutral.
func neutralCode(text string) (string, error) {
	if inner := strings.Trim(text, `"`); neutral(inner) == inner && text == `"`+inner+`"` {
		return text, nil // most are this, which reading takes longer than all else
	}
	var value any
	if err := bounded.Unmarshal([]byte(text), &value); err != nil {
		return "", err
	}
	code := strings.TrimLeft(text, " \n")
	before := text[:len(text)-len(code)]
	_, isText := value.(string)
	value = neutralValue(value)
	if isText || strings.HasPrefix(code, "{") || strings.HasPrefix(code, "[") {
		out, err := json.Marshal(value)
		return before + string(out), err
	}
	out, err := toYAML(value)
	indent := before[strings.LastIndexByte(before, '\n')+1:]
	return before + strings.ReplaceAll(out, "\n", "\n"+indent), err
}

func neutralValue(value any) any {
	switch v := value.(type) {
	case string:
		return neutral(v)
	case []any:
		for i := range v {
			v[i] = neutralValue(v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[neutral(key)] = neutralValue(inner)
		}
		return out
	default:
		return value
	}
}
