package object

import (
	"strconv"
	"strings"
)

// path is the path of a field with stand-ins, and the keys of its mappings.
// There are none where a path was cut, which is then told as it is.
func (n *standIns) path(s subject, path string) (string, []string) {
	var out strings.Builder
	var keys []string
	item := "" // its name
	for rest := path; rest != ""; {
		next, ok := nextStep(rest)
		if !ok || next.item && len(keys) == 0 {
			return literal(path), nil
		}
		if next.item {
			out.WriteString("[" + n.item(s, keys, next.name) + "]")
			_, item, _ = strings.Cut(next.name, "name=")
		} else {
			keys = append(keys, meant(next.name, item))
			out.WriteString(literal(rest[:next.length]))
			item = ""
		}
		rest = rest[next.length:]
	}
	return out.String(), keys
}

// step is a key of a mapping or an item of a list in a path.
type step struct {
	name   string
	item   bool
	length int // as it is written
}

// nextStep reads the first step of a path; false for what no path has.
func nextStep(path string) (step, bool) {
	if strings.HasPrefix(path, `["`) {
		return quotedStep(path)
	}
	if path[0] == '[' {
		end := strings.IndexByte(path, ']')
		return step{name: path[1:max(end, 1)], item: true, length: end + 1}, end > 0
	}
	name := strings.TrimPrefix(path, ".")
	dot := len(path) - len(name)
	if end := strings.IndexAny(name, ".["); end >= 0 {
		name = name[:end]
	}
	return step{name: name, length: dot + len(name)}, name != "" && !strings.Contains(name, "…")
}

func quotedStep(path string) (step, bool) {
	quoted, err := strconv.QuotedPrefix(path[1:])
	if err != nil || !strings.HasPrefix(path[1+len(quoted):], "]") {
		return step{}, false
	}
	name, err := strconv.Unquote(quoted)
	return step{name: name, length: len(quoted) + 2}, err == nil
}

// item is what tells an item of a list apart, as name=web.
func (n *standIns) item(s subject, keys []string, text string) string {
	key, value, ok := strings.Cut(text, "=")
	if !ok || s.rbac() {
		return literal(text)
	}
	return literal(key) + "=" + n.text(s, append(keys[:len(keys):len(keys)], key), value)
}
