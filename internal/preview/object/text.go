package object

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// Bounds of what a field or a manifest holds, in bytes.
const (
	maxText     = 16 << 10
	maxManifest = 64 << 10
)

// bound cuts what is too long to be read; the places where two texts differ stay.
func bound(a, b any) (old, head any) {
	x, isText := a.(string)
	y, isTextToo := b.(string)
	if isText && isTextToo {
		return shorten(x, y)
	}
	return boundOne(a), boundOne(b)
}

func boundOne(v any) any {
	if text, ok := v.(string); ok {
		return cut(text, maxText)
	}
	if v == nil || (size(v) <= maxText && !deep(v, maxDepth)) {
		return v
	}
	return cut(written(v), maxText)
}

// written is a value as YAML, or as JSON when it is so deep that most of the
// YAML would be blanks.
func written(v any) string {
	write := forecast.YAML
	if deep(v, maxDepth) {
		write = json.Marshal
	}
	text, err := write(v)
	if err != nil {
		return "# cannot be shown: " + err.Error() + "\n"
	}
	return string(text)
}

// deep reports whether a value is nested more than so many times.
func deep(v any, levels int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			if levels == 0 || deep(child, levels-1) {
				return true
			}
		}
	case []any:
		for _, child := range v {
			if levels == 0 || deep(child, levels-1) {
				return true
			}
		}
	}
	return false
}

// size of a value as text, roughly.
func size(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			n += len(k) + 2 + size(child)
		}
	case []any:
		for _, child := range v {
			n += 2 + size(child)
		}
	case string:
		n = len(v)
	default:
		n = 8
	}
	return n
}

// shorten leaves away what two long texts have in common at both ends, but
// for a few lines of context.
func shorten(a, b string) (old, head string) {
	if len(a) <= maxText && len(b) <= maxText {
		return a, b
	}
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	start -= context(a[:start], strings.LastIndexByte)
	end -= context(reversed(a[len(a)-end:]), strings.LastIndexByte)
	return excerpt(a, start, end), excerpt(b, start, end)
}

// context is the length of the last few lines of a text, or of its end when
// lines are long.
func context(text string, last func(string, byte) int) int {
	const lines, bytes = 3, 400
	at := len(text)
	for range lines {
		i := last(text[:at], '\n')
		if i < 0 {
			at = 0
			break
		}
		at = i
	}
	return min(len(text)-at, bytes)
}

func reversed(text string) string {
	out := []byte(text[:min(len(text), 1<<10)])
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return string(out)
}

func excerpt(text string, start, end int) string {
	out := cut(strings.ToValidUTF8(text[start:len(text)-end], ""), maxText)
	if start > 0 {
		out = "…\n" + strings.TrimPrefix(out, "\n")
	}
	if end > 0 {
		out = strings.TrimSuffix(out, "\n") + "\n…"
	}
	return out
}

// cut ends a text at a line, and says how much is left out.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	kept := text[:limit]
	if i := strings.LastIndexByte(kept, '\n'); i > limit/2 {
		kept = kept[:i]
	}
	rest := text[len(kept):]
	lines := strings.Count(strings.Trim(rest, "\n"), "\n") + 1
	return strings.ToValidUTF8(kept, "") + fmt.Sprintf(cutAt+"%d more lines, %d bytes", lines, len(rest))
}

// cutAt begins the last line of a text that was cut.
const cutAt = "\n# … "

// leftOut is what a text that was cut says of the rest; empty of others.
func leftOut(text string) string {
	i := strings.LastIndex(text, cutAt)
	if i < 0 || strings.Contains(text[i+1:], "\n") {
		return ""
	}
	return text[i:]
}

// text is a whole object as YAML, masked.
func (c *comparing) text(p *prepared) string {
	masked, _ := c.mask.For(p.object).At(redact.Place{}, p.object)
	return cut(written(masked), maxManifest)
}
