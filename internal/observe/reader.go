package observe

import (
	"fmt"
	"strings"
)

// reader reads fields of a decoded object without copying. A field of the
// wrong type is remembered in err, an absent one is its zero value: a check
// reads what it needs and looks at err once, at its end.
type reader struct {
	o   map[string]any
	err error
}

func (r *reader) at(path ...string) any {
	var here any = r.o
	for i, name := range path {
		if here == nil {
			return nil
		}
		m, ok := here.(map[string]any)
		if !ok {
			r.wrong(path[:i], "a map", here)
			return nil
		}
		here = m[name]
	}
	return here
}

func (r *reader) wrong(path []string, want string, got any) {
	if r.err == nil {
		r.err = fmt.Errorf("field %s is %T where %s belongs", joinPath(path), got, want)
	}
}

func joinPath(path []string) string {
	return "." + strings.Join(path, ".")
}

func (r *reader) text(path ...string) string {
	switch v := r.at(path...).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		r.wrong(path, "a text", v)
		return ""
	}
}

func (r *reader) flag(path ...string) bool {
	switch v := r.at(path...).(type) {
	case nil:
		return false
	case bool:
		return v
	default:
		r.wrong(path, "true or false", v)
		return false
	}
}

// number returns a whole number; ok is false when there is none.
func (r *reader) number(path ...string) (n int64, ok bool) {
	switch v := r.at(path...).(type) {
	case nil:
		return 0, false
	case int64:
		return v, true
	case float64:
		if v == float64(int64(v)) {
			return int64(v), true
		}
		r.wrong(path, "a whole number", v)
	default:
		r.wrong(path, "a whole number", v)
	}
	return 0, false
}

// count is number with 0 for an absent one.
func (r *reader) count(path ...string) int64 {
	n, _ := r.number(path...)
	return n
}

func (r *reader) items(path ...string) []any {
	switch v := r.at(path...).(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		r.wrong(path, "a list", v)
		return nil
	}
}

func (r *reader) fields(path ...string) map[string]any {
	switch v := r.at(path...).(type) {
	case nil:
		return nil
	case map[string]any:
		return v
	default:
		r.wrong(path, "a map", v)
		return nil
	}
}

// condition is one entry of a status.conditions.
type condition struct {
	kind, status, reason, message string
}

// conditions reads status.conditions; entries that are no maps are left out.
func (r *reader) conditions() []condition {
	items := r.items("status", "conditions")
	out := make([]condition, 0, len(items))
	for _, item := range items {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		c := reader{o: m}
		out = append(out, condition{c.text("type"), c.text("status"), c.text("reason"), c.text("message")})
	}
	return out
}

// find returns the first condition of a type.
func find(conditions []condition, kind string) (condition, bool) {
	for _, c := range conditions {
		if c.kind == kind {
			return c, true
		}
	}
	return condition{}, false
}

func hasText(items []any, want string) bool {
	for _, item := range items {
		if item == want {
			return true
		}
	}
	return false
}
