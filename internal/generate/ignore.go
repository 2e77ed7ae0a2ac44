package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
)

// withoutIgnored takes the fields away that rules for this Application name.
func withoutIgnored(ctx context.Context, app *v1alpha1.Application, name string, rules v1alpha1.ApplicationSetIgnoreDifferences) (*v1alpha1.Application, error) {
	if len(rules) == 0 {
		return app, nil
	}
	var object any
	if err := convert(app, &object); err != nil {
		return nil, err
	}
	for _, rule := range rules {
		if rule.Name != "" && rule.Name != name {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, pointer := range rule.JSONPointers {
			object = removePointer(object, strings.Split(strings.TrimPrefix(pointer, "/"), "/"))
		}
		for _, expression := range rule.JQPathExpressions {
			var err error
			if object, err = removeJQ(ctx, object, expression); err != nil {
				return nil, err
			}
		}
	}
	out := &v1alpha1.Application{}
	if err := convert(object, out); err != nil {
		return nil, err
	}
	normalizeSpec(&out.Spec)
	return out, nil
}

func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("cannot apply ignoreApplicationDifferences: %w", err)
	}
	return nil
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// removePointer takes away what a JSON pointer names, if it is there.
func removePointer(value any, path []string) any {
	if len(path) == 0 {
		return value
	}
	key := unescapePointer.Replace(path[0])
	switch v := value.(type) {
	case map[string]any:
		inner, ok := v[key]
		if !ok {
			return v
		}
		if len(path) == 1 {
			delete(v, key)
			return v
		}
		v[key] = removePointer(inner, path[1:])
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(v) {
			return v
		}
		if len(path) == 1 {
			return append(v[:i:i], v[i+1:]...)
		}
		v[i] = removePointer(v[i], path[1:])
	}
	return value
}

// removeJQ takes away what a jq path expression selects. One that does not fit
// the object selects nothing; one that is no jq, or reaches a bound, is an error.
func removeJQ(ctx context.Context, object any, expression string) (any, error) {
	query, err := jq.Parse(jq.Project(ctx), "ignoreApplicationDifferences", expression)
	if err != nil {
		return nil, err
	}
	fields, isMap := object.(map[string]any)
	if !isMap {
		return object, nil
	}
	return query.Delete(ctx, fields)
}
