package object

import (
	"fmt"
	"maps"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// maxCRDRisks bounds what is told of one definition, and maxNote each of it, in bytes.
const (
	maxCRDRisks = 20
	maxNote     = 2 << 10
)

// crdRisks tells how a definition becomes narrower: objects that exist may no
// longer be valid, or lose fields.
func crdRisks(before, after map[string]any) []forecast.Risk {
	n := narrowing{}
	if old, head := at(before, "spec", "scope"), at(after, "spec", "scope"); old != head {
		n.notef("the scope changes from %v to %v", old, head)
	}
	old, head := versionsOf(before), versionsOf(after)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		now, stays := head[name]
		switch {
		case !stays:
			n.notef("version %s is removed", name)
			continue
		case served(old[name]) && !served(now):
			n.notef("version %s is no longer served", name)
		}
		a, _ := at(old[name], "schema", "openAPIV3Schema").(map[string]any)
		b, _ := at(now, "schema", "openAPIV3Schema").(map[string]any)
		n.version = name
		n.schema("", a, b, 0)
	}
	return n.risks()
}

func served(version map[string]any) bool { return version["served"] != false }

// narrowing collects what becomes narrower.
type narrowing struct {
	version string
	notes   []string
	more    int
}

func (n *narrowing) notef(format string, args ...any) {
	if len(n.notes) == maxCRDRisks {
		n.more++
		return
	}
	n.notes = append(n.notes, gitops.First(fmt.Sprintf(format, args...), maxNote))
}

func (n *narrowing) atf(path, format string, args ...any) {
	if path == "" {
		path = "the object"
	}
	n.notef("%s: %s %s", n.version, path, fmt.Sprintf(format, args...))
}

func (n *narrowing) risks() []forecast.Risk {
	var out []forecast.Risk
	for _, note := range n.notes {
		out = append(out, forecast.Risk{Kind: forecast.RiskCRDChanged, Message: note})
	}
	if n.more > 0 {
		out = append(out, forecast.Risk{Kind: forecast.RiskCRDChanged, Message: gitops.More(n.more) + " such changes"})
	}
	return out
}

const preserve = "x-kubernetes-preserve-unknown-fields"

// schema compares two schemas of the field at path.
func (n *narrowing) schema(path string, a, b map[string]any, depth int) {
	if a == nil || b == nil || depth > maxDepth {
		return
	}
	n.validation(path, a, b)
	if a[preserve] == true && b[preserve] != true {
		n.atf(path, "no longer keeps unknown fields")
	}
	old, _ := a["properties"].(map[string]any)
	head, _ := b["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		below := treediff.Join(path, segment(path, name))
		next, stays := head[name]
		if !stays {
			if b[preserve] != true && b["additionalProperties"] == nil {
				n.atf(below, "is removed: objects lose it")
			}
			continue
		}
		n.schema(below, mapping(old[name]), mapping(next), depth+1)
	}
	n.schema(treediff.Join(path, "[]"), mapping(a["items"]), mapping(b["items"]), depth+1)
	n.schema(treediff.Join(path, `["*"]`), mapping(a["additionalProperties"]), mapping(b["additionalProperties"]), depth+1)
}

func mapping(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// validation compares what a value must be.
func (n *narrowing) validation(path string, a, b map[string]any) {
	if a["type"] != b["type"] && b["type"] != nil {
		n.atf(path, "becomes %v, was %v", b["type"], orNothing(a["type"]))
	}
	if gone := missing(a["enum"], b["enum"]); b["enum"] != nil && (a["enum"] == nil || len(gone) > 0) {
		n.atf(path, "allows fewer values%s", listed(gone))
	}
	if more := missing(b["required"], a["required"]); len(more) > 0 {
		n.atf(path, "now requires%s", listed(more))
	}
	for _, key := range []string{"pattern", "format"} {
		if b[key] != nil && canon(shape{}, a[key]) != canon(shape{}, b[key]) {
			n.atf(path, "must match another %s: %v", key, b[key])
		}
	}
	if len(missing(b["x-kubernetes-validations"], a["x-kubernetes-validations"])) > 0 {
		n.atf(path, "has a new validation rule")
	}
	if a["nullable"] == true && b["nullable"] != true {
		n.atf(path, "may no longer be null")
	}
	n.limits(path, a, b)
}

func (n *narrowing) limits(path string, a, b map[string]any) {
	for _, key := range []string{"maximum", "maxLength", "maxItems", "maxProperties"} {
		if head, ok := number(b[key]); ok {
			if old, was := number(a[key]); !was || head < old {
				n.atf(path, "has a lower %s: %v", key, b[key])
			}
		}
	}
	for _, key := range []string{"minimum", "minLength", "minItems", "minProperties"} {
		if head, ok := number(b[key]); ok {
			if old, was := number(a[key]); (!was && (head > 0 || key == "minimum")) || (was && head > old) {
				n.atf(path, "has a higher %s: %v", key, b[key])
			}
		}
	}
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// missing returns the texts of the items of a that b does not have.
func missing(a, b any) []string {
	old, _ := a.([]any)
	head, _ := b.([]any)
	has := map[string]bool{}
	for _, v := range head {
		has[canon(shape{}, v)] = true
	}
	var out []string
	for _, v := range old {
		if !has[canon(shape{}, v)] {
			out = append(out, clipped(fmt.Sprint(v)))
		}
	}
	return out
}

func listed(names []string) string {
	const most = 5
	if len(names) == 0 {
		return ""
	}
	return " " + gitops.Listed(names, most)
}

func orNothing(v any) any {
	if v == nil {
		return "of any type"
	}
	return v
}
