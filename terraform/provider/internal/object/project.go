package object

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Project returns of a live object what the wanted one has too, so that the
// two can be compared: what others added and what the cluster defaults is left
// out.
func Project(live, wanted map[string]any) map[string]any {
	version, _ := live["apiVersion"].(string)
	return projection{builtIn: builtIn(version)}.fields(live, wanted)
}

// builtIn tells kinds that the API server keeps in a form of its own from
// those that it keeps as they were written.
func builtIn(apiVersion string) bool {
	group, _, named := strings.Cut(apiVersion, "/")
	return !named || !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}

type projection struct{ builtIn bool }

func (p projection) fields(live, wanted map[string]any) map[string]any {
	out := map[string]any{}
	for key, want := range wanted {
		have, ok := live[key]
		switch {
		case ok:
			out[key] = p.field(key, have, want)
		case p.builtIn && empty(want):
			out[key] = want // the API server drops what says nothing
		}
	}
	return out
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	}
	return false
}

func (p projection) field(key string, have, want any) any {
	switch want := want.(type) {
	case map[string]any:
		if have, ok := have.(map[string]any); ok {
			if slices.Contains(quantities, key) {
				return p.amounts(have, want)
			}
			return p.fields(have, want)
		}
	case []any:
		if have, ok := have.([]any); ok {
			return p.list(key, have, want)
		}
	}
	return have
}

// quantities are fields whose values the cluster writes in a form of its own.
var quantities = []string{"requests", "limits", "hard"}

// amounts returns wanted where the amounts are the same, however they are
// written: 0.5 and 500m.
func (p projection) amounts(have, want map[string]any) map[string]any {
	out := p.fields(have, want)
	for key := range out {
		a, err := resource.ParseQuantity(fmt.Sprint(have[key]))
		b, err2 := resource.ParseQuantity(fmt.Sprint(want[key]))
		if err == nil && err2 == nil && a.Cmp(b) == 0 {
			out[key] = want[key]
		}
	}
	return out
}

// list compares element by element. Finalizers are a set that others add to.
func (p projection) list(key string, have, want []any) any {
	if key == "finalizers" {
		return slices.DeleteFunc(slices.Clone(have), func(h any) bool {
			return !slices.ContainsFunc(want, func(w any) bool { return reflect.DeepEqual(h, w) })
		})
	}
	if len(have) != len(want) {
		return have
	}
	out := make([]any, len(have))
	for i := range have {
		out[i] = p.field("", have[i], want[i])
	}
	return out
}
