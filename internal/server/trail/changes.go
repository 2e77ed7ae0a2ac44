package trail

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// boring fields change with each write.
var boring = map[string]bool{"/metadata/resourceVersion": true, "/metadata/managedFields": true, "/metadata/generation": true}

// notShown stands where a secret may be below a field: that it is written is told, and not
// with what.
const notShown = `"(not shown)"`

// Changes are what a JSON merge patch writes to an object, field by field.
// Fields that may have a secret below them are named without their values.
func Changes(before any, patch []byte) []audit.Change {
	var old, now map[string]any
	text, err := json.Marshal(before)
	if err != nil || json.Unmarshal(text, &old) != nil || json.Unmarshal(patch, &now) != nil {
		return nil
	}
	var out []audit.Change
	differ("", old, now, &out)
	return out
}

// mostChanges bounds what is kept of one request.
const mostChanges = 1000

func differ(at string, old, now map[string]any, out *[]audit.Change) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		path := treediff.Join(at, "/"+gitops.PointerPart(treediff.Step(name)))
		if boring[path] {
			continue
		}
		if len(*out) == mostChanges {
			*out = append(*out, audit.Change{Path: "/…", New: notShown}) // there are more
		}
		if len(*out) > mostChanges {
			return
		}
		below, isMap := now[name].(map[string]any)
		before, wasMap := old[name].(map[string]any)
		if isMap && len(below) > 0 && !redact.Wide(name) && (wasMap || old[name] == nil) {
			differ(path, before, below, out)
			continue
		}
		c := audit.Change{Path: path, Old: said(old[name]), New: said(now[name])}
		if redact.Wide(name) || redact.HasWide(old[name]) || redact.HasWide(now[name]) {
			c.Old, c.New = hidden(c.Old), hidden(c.New)
		}
		*out = append(*out, c)
	}
}

// said is a value as JSON; empty for none.
func said(value any) string {
	if value == nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

func hidden(text string) string {
	if text == "" {
		return ""
	}
	return notShown
}
