package apply

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mostUnheeded bounds the expressions that are told to fail on one object.
const mostUnheeded = 10

// unheeded tells of the jq path expressions that fail on an object: it differs,
// although somebody meant to ignore that. Of what a Secret holds not even the
// type is told; of another application's object nothing is, since whether an
// expression fails on it would answer what anybody asks of it.
func unheeded(ctx context.Context, live *unstructured.Unstructured, action *gitops.Action) []string {
	if action.Holder != "" {
		return nil
	}
	var out []string
	for _, expression := range action.Ignore.JQ {
		if len(out) == mostUnheeded {
			return append(out, "the jq path expressions of ignoreDifferences behind these were not tried")
		}
		query, err := difference.ParseJQ(ctx, expression)
		if err != nil {
			continue
		}
		err = query.Failure(ctx, live.Object)
		if err == nil {
			continue
		}
		text := fmt.Sprintf("the jq path expression %q of ignoreDifferences fails on it, and ignores nothing", clip(expression))
		if action.Key.Kind != "Secret" {
			text += ": " + clip(err.Error())
		}
		out = append(out, text)
	}
	return out
}

// forget takes out of object what does not count. live tells which fields the
// ignored managers own. The object may be changed.
func forget(ctx context.Context, object map[string]any, live *unstructured.Unstructured, ignore gitops.Ignore) (map[string]any, error) {
	for _, pointer := range ignore.JSONPointers {
		difference.ForgetPointer(object, pointer)
	}
	if err := forgetManaged(object, live, ignore.Managers); err != nil {
		return nil, err
	}
	object, err := difference.ForgetJQ(ctx, object, ignore.JQ)
	if err != nil {
		return nil, err
	}
	difference.RewriteTyped(object, ignore.Types)
	return object, nil
}

// forgetManaged takes out of object the fields of live that some managers own.
func forgetManaged(object map[string]any, live *unstructured.Unstructured, managers []string) error {
	if len(managers) == 0 {
		return nil
	}
	ignored := make(map[string]bool, len(managers))
	for _, manager := range managers {
		ignored[manager] = true
	}
	for _, entry := range live.GetManagedFields() {
		if !ignored[entry.Manager] || entry.FieldsV1 == nil {
			continue
		}
		var set fieldpath.Set
		if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return fmt.Errorf("cannot read the fields of manager %q: %w", entry.Manager, err)
		}
		difference.ForgetSet(object, &set)
	}
	return nil
}
