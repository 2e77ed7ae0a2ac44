package bounded

import (
	"encoding/json"
	"strings"

	"sigs.k8s.io/yaml"
)

// What blanks may be of objects as YAML: so much, and so often what they have besides.
const (
	mostBlanks  = 16 << 10
	blanksTimes = 8
)

// lineWidth is where the library breaks lines at blanks, in columns: of a text that is
// indented further each word has a line.
const lineWidth = 80

// Indented reports whether values that JSON gives would be little but indentation as
// YAML, which has that of each line once more: of deep ones a few bytes become
// hundreds. They are written as JSON.
func Indented(values ...any) bool {
	var v volume
	for _, value := range values {
		v.add(value, 0)
	}
	return v.blanks > mostBlanks+blanksTimes*v.content
}

// volume is about what values take as YAML, in bytes.
type volume struct{ content, blanks int }

func (v *volume) add(value any, depth int) {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			v.line(depth)
			v.text(key, depth)
			v.add(below, depth+1)
		}
	case []any:
		for _, below := range value {
			v.line(depth)
			v.add(below, depth+1)
		}
	case string:
		v.text(value, depth)
	default:
		v.content += 4
	}
}

func (v *volume) line(depth int) {
	v.content += 2
	v.blanks += 2 * depth //nolint:mnd // two a level
}

func (v *volume) text(text string, depth int) {
	v.content += len(text)
	v.blanks += 2 * depth * breaks(text, depth) //nolint:mnd // as above
}

// breaks is how often a text is broken into lines in YAML, at most: where it is, and
// at blanks where a line would be too long.
func breaks(text string, depth int) int {
	folds := min(strings.Count(text, " "), len(text)/max(1, lineWidth-2*depth)) //nolint:mnd // two blanks a level
	return lineEnds(text) + folds
}

// lineEnds counts the line breaks of YAML.
func lineEnds(text string) int {
	n := strings.Count(text, "\n")
	for _, other := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
		n += strings.Count(text, other)
	}
	return n
}

// WriteYAML writes a value that JSON gives as YAML, or as JSON, which YAML has in it,
// where that would be little but indentation.
func WriteYAML(value any) ([]byte, error) {
	if !Indented(value) {
		return yaml.Marshal(value)
	}
	text, err := json.Marshal(value)
	return append(text, '\n'), err
}
