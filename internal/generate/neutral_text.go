package generate

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// neutralLetter stands in the place of signs of YAML. It makes no number of digits.
const neutralLetter = 'q'

// neutral is a text without the signs that may begin or end anything in YAML or JSON, wherever
// it stands, and is no name of what the annotations of a patch stand in.
func neutral(text string) string {
	if slices.Contains(annotationsPath, text) {
		return string(neutralLetter) + text
	}
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
	switch o.shape {
	case asIs:
		return o.text
	case asLines:
		return neutralLines(o.text)
	case asCode:
		if out, err := neutralCode(o.text); err == nil {
			return out
		}
	case asText:
	}
	return neutral(o.text)
}

// hasSigns reports whether it is not neutral.
func (o output) hasSigns() bool { return o.neutral() != o.text }

// neutralLines has the lines neutral behind what they are all indented by.
func neutralLines(text string) string {
	lines := strings.Split(text, "\n")
	least := indentOf(lines)
	for i, line := range lines {
		if !isBlank(line) {
			lines[i] = line[:least] + neutral(line[least:])
		}
	}
	return strings.Join(lines, "\n")
}

// indentOf is what lines are all indented by.
func indentOf(lines []string) int {
	least := -1
	for _, line := range lines {
		if indent := len(line) - len(strings.TrimLeft(line, " ")); !isBlank(line) && (least < 0 || indent < least) {
			least = indent
		}
	}
	return max(0, least)
}

func isBlank(line string) bool { return strings.Trim(line, " ") == "" }

// jsonText is a text within what is JSON.
var jsonText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// neutralCode has the texts in YAML or JSON neutral. What is so already stays as it is written.
func neutralCode(text string) (string, error) {
	if !json.Valid([]byte(text)) {
		return neutralYAML(text)
	}
	return jsonText.ReplaceAllStringFunc(text, func(quoted string) string {
		var inner string
		if json.Unmarshal([]byte(quoted), &inner) != nil || neutral(inner) == inner {
			return quoted
		}
		return `"` + neutral(inner) + `"`
	}), nil
}

func neutralYAML(text string) (string, error) {
	code := strings.TrimLeft(text, " \n")
	before := text[:len(text)-len(code)]
	least := indentOf(strings.Split(code, "\n")[1:])
	value, err := readCode(code, len(before)-1-strings.LastIndexByte(before, '\n'), least, least-perLevel)
	without := neutralValue(value)
	if err != nil || reflect.DeepEqual(value, without) {
		return text, err
	}
	if inner, is := without.(string); is {
		quote := code[:1]
		if quote != `"` && quote != "'" {
			quote = ""
		}
		return before + quote + inner + quote, nil
	}
	out, err := toYAML(without)
	lines := strings.Split(out, "\n")
	indent := max(0, least-indentOf(lines[1:]))
	return before + strings.Join(lines, "\n"+strings.Repeat(" ", indent)), err
}

// perLevel is what YAML of a value is indented by, within a mapping or list.
const perLevel = 2

// readCode reads what is indented behind its first line, by one of these: a trim takes the indent of
// the first line alone.
func readCode(code string, indents ...int) (value any, err error) {
	for _, indent := range indents {
		lines := strings.ReplaceAll(code, "\n"+strings.Repeat(" ", max(0, indent)), "\n")
		if err = bounded.Unmarshal([]byte(lines), &value); err == nil {
			return value, nil
		}
	}
	return nil, err
}

func neutralValue(value any) any {
	switch v := value.(type) {
	case string:
		return neutral(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = neutralValue(v[i])
		}
		return out
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
