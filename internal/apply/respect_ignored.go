package apply

import (
	"context"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// respect returns an action whose desired object has the live values where
// differences are ignored: RespectIgnoreDifferences=true. Leaving the fields
// out would not do, as the API server removes what its only owner leaves out.
func (a *Applier) respect(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*gitops.Action, error) {
	live, err := a.get(ctx, c, p.object)
	if isGone(err) {
		return action, nil
	}
	if err != nil {
		return nil, err
	}
	object := action.Desired.Object.DeepCopy()
	for _, pointer := range action.Ignore.JSONPointers {
		copyPath(object.Object, live.Object, pointerPath(live.Object, pointer))
	}
	for _, expression := range action.Ignore.JQ {
		query, err := difference.ParseJQ(ctx, expression)
		if err != nil {
			return nil, err
		}
		found, err := query.Paths(ctx, live.Object)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			copyPath(object.Object, live.Object, path)
		}
	}
	// Fields of other managers stay when they are left out.
	if object.Object, err = forget(ctx, object.Object, live, gitops.Ignore{Managers: action.Ignore.Managers}); err != nil {
		return nil, err
	}
	next := *action
	next.Desired = action.Desired.With(object)
	// The digest is that of other content; a treatment still fits.
	return &next, nil
}

func pointerPath(v any, pointer string) []any {
	var path []any
	for _, part := range difference.PointerParts(pointer) {
		var element any = part
		if _, isList := v.([]any); isList {
			if i, err := strconv.Atoi(part); err == nil {
				element = i
			}
		}
		path = append(path, element)
		v, _ = elementOf(v, element)
	}
	return path
}

func elementOf(v, element any) (any, bool) {
	switch e := element.(type) {
	case string:
		m, _ := v.(map[string]any)
		child, ok := m[e]
		return child, ok
	case int:
		if list, ok := v.([]any); ok && e >= 0 && e < len(list) {
			return list[e], true
		}
	}
	return nil, false
}

// copyPath gives to the value that from has at a path, or takes it away. A
// path that leads through what to does not have is left alone.
func copyPath(to, from any, path []any) {
	if len(path) == 0 {
		return
	}
	value, ok := elementOf(from, path[0])
	if len(path) > 1 {
		next, exists := elementOf(to, path[0])
		if ok && exists {
			copyPath(next, value, path[1:])
		}
		return
	}
	switch e := path[0].(type) {
	case string:
		if m, isMap := to.(map[string]any); isMap && ok {
			m[e] = value
		} else if isMap {
			delete(m, e)
		}
	case int:
		if list, isList := to.([]any); isList && ok && e < len(list) {
			list[e] = value
		}
	}
}
