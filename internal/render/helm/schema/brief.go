package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// What this process judges itself. Reading a schema takes the square of its
// size, and expressions are compiled whether they are used or not.
const (
	briefBytes    = 256 << 10
	briefNodes    = 8192
	briefDepth    = 64
	briefPatterns = 32 << 10
)

// brief reports whether judging ends soon, and takes little memory.
func brief(parts []Part) bool {
	size := 0
	steps := rehearsal{left: maxSteps}
	for _, p := range parts {
		if size += len(p.Schema); size > briefBytes {
			return false
		}
		doc, err := parse(p.Schema)
		if err != nil {
			continue // and nothing more comes of it
		}
		if s := (survey{}); !s.see(doc.root, 0) {
			return false
		}
		steps.root = doc.root
		steps.schema(doc.root, p.Values, 0)
	}
	return steps.left >= 0
}

// survey counts what a schema is made of.
type survey struct{ nodes, patterns int }

// see reports whether a part of a schema is small, and means what it means
// without what surrounds it.
func (s *survey) see(v any, depth int) bool {
	if s.nodes++; s.nodes > briefNodes || depth > briefDepth {
		return false
	}
	switch v := v.(type) {
	case json.Number:
		return isShort(v)
	case []any:
		for _, item := range v {
			if !s.see(item, depth+1) {
				return false
			}
		}
	case map[string]any:
		for key, child := range v {
			if !s.keyword(key, child, depth) || !s.see(child, depth+1) {
				return false
			}
		}
	}
	return s.patterns <= briefPatterns
}

// keyword reports whether a keyword is one that a rehearsal understands.
func (s *survey) keyword(key string, value any, depth int) bool {
	if key == "patternProperties" {
		patterns, _ := value.(map[string]any)
		for pattern := range patterns {
			s.patterns += instructions(pattern)
		}
		return true
	}
	text, isText := value.(string)
	if !isText {
		return key != "$recursiveAnchor" || value != true
	}
	switch key {
	case "$ref":
		return text == anything || strings.HasPrefix(text, "#/") || text == "#"
	case "$id", "id", "$schema":
		return depth == 0
	case "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef":
		return false
	case "format":
		return text != "regex"
	case "pattern":
		s.patterns += instructions(text)
	}
	return true
}

// isShort reports whether a number takes no more memory than its text does.
func isShort(n json.Number) bool {
	const digits, exponent = 32, 400
	i := strings.IndexAny(string(n), "eE")
	if i < 0 || len(n) > digits {
		return len(n) <= digits
	}
	e, err := strconv.Atoi(string(n)[i+1:])
	return err == nil && e >= -exponent && e <= exponent
}

// instructions is no less than the size of a compiled expression: counts
// repeat what they are about, a thousand times at most.
func instructions(pattern string) int {
	const most = 1000
	times := 1
	for part := range strings.SplitSeq(pattern, "{") {
		count, _, ok := strings.Cut(part, "}")
		if !ok {
			continue
		}
		for n := range strings.SplitSeq(count, ",") {
			if n, err := strconv.Atoi(n); err == nil && n > 1 && times < most {
				times *= min(n, most)
			}
		}
	}
	return (len(pattern) + 2) * min(times, most)
}
