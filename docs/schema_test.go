package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPreviewSchemaIsCurrent(t *testing.T) {
	source, err := os.ReadFile(PreviewSource)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Schema(PreviewSchemaID, "Forecast", source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("reference/preview-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run `make generate`: reference/preview-schema.json is stale (-want +got):\n%s", diff)
	}
}

// The golden files of the preview are documents of every shape.
func TestPreviewsFollowTheSchema(t *testing.T) {
	schema := decode(t, "reference/preview-schema.json")
	for _, name := range []string{"example", "empty", "hostile"} {
		document := decode(t, "../internal/preview/show/testdata/"+name+".json")
		if wrong := follows(schema, schema, document, "$"); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

func decode(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// follows checks what Schema writes, and that nothing is there besides.
func follows(root, schema map[string]any, v any, at string) string {
	if ref, ok := schema["$ref"].(string); ok {
		return follows(root, root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), v, at)
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		return fmt.Sprintf("%s is %v", at, v)
	}
	switch v := v.(type) {
	case map[string]any:
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			return ""
		}
		for _, name := range schema["required"].([]any) {
			if _, there := v[name.(string)]; !there {
				return fmt.Sprintf("%s lacks %v", at, name)
			}
		}
		for key, child := range v {
			s, known := properties[key].(map[string]any)
			if !known {
				return at + "." + key + " is not described"
			}
			if wrong := follows(root, s, child, at+"."+key); wrong != "" {
				return wrong
			}
		}
	case []any:
		items, ok := schema["items"].(map[string]any)
		if !ok {
			return ""
		}
		for i, child := range v {
			if wrong := follows(root, items, child, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
	case string, bool, float64:
		want := map[string]string{"string": "string", "bool": "boolean", "float64": "integer"}[fmt.Sprintf("%T", v)]
		if schema["type"] != nil && schema["type"] != want {
			return fmt.Sprintf("%s is a %s, not %v", at, want, schema["type"])
		}
	}
	return ""
}
