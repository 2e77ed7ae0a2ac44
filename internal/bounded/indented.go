package bounded

import "strings"

// The bounds of what is written as YAML: beyond them most of it would be blanks.
const (
	mostLevels = 60
	mostBlanks = 4 << 20
)

// Indented reports whether a value of maps, lists and texts is so deep that its
// YAML would be blanks for the most part: it indents each line by its depth.
func Indented(v any) bool {
	blanks := 0
	return tooIndented(v, 0, &blanks)
}

func tooIndented(v any, level int, blanks *int) bool {
	lines := 1
	switch v := v.(type) {
	case map[string]any:
		if level > mostLevels {
			return true
		}
		for _, child := range v {
			if tooIndented(child, level+1, blanks) {
				return true
			}
		}
	case []any:
		if level > mostLevels {
			return true
		}
		for _, child := range v {
			if tooIndented(child, level+1, blanks) {
				return true
			}
		}
	case string:
		lines += strings.Count(v, "\n")
	}
	*blanks += 2 * level * lines
	return *blanks > mostBlanks
}
