package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		want         []string
	}{
		"plain":       {"each value once, in the order of the text", `{{ .a }}{{ .b | upper }}{{ printf "%s" .a }}`, []string{"a", "b"}},
		"defaults":    {"a value is looked up before its default", `{{ .a | default "x" }}`, []string{"a"}},
		"root":        {"the dollar is the values", `{{ $.a }}{{ $x := .b }}{{ $x }}`, []string{"a", "b"}},
		"parentheses": {"calls in calls, and a field of one", `{{ upper (lower .a) }}{{ (fromJson .b).c }}`, []string{"a", "b"}},
		"conditions":  {"what depends on a condition is not certain", `{{ if .a }}{{ .b }}{{ else }}{{ .c }}{{ end }}`, []string{"a"}},
		"short":       {"and, or look at the rest only if they have to", `{{ or .a .b }}{{ and (eq .c "x") .d }}`, []string{"a", "c"}},
		"bodies":      {"with and range have another dot", `{{ with .a }}{{ .b }}{{ end }}{{ range fromJson .c }}{{ .d }}{{ end }}`, []string{"a", "c"}},
		"index":       {"index finds nothing, which is no error", `{{ index . "a" }}{{ . | toJson }}{{ get . "b" }}`, nil},
		"defined":     {"what another template looks up is not followed", `{{ define "x" }}{{ .a }}{{ end }}{{ template "x" . }}`, nil},
		"nothing":     {"a text", `text`, nil},
		"empty":       {"no text", ``, nil},
		"only define": {"nothing is rendered", `{{ define "x" }}{{ .a }}{{ end }}`, nil},
	} {
		got, err := Needs("key", tc.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
		// what is certain is an error without the value, and nothing else is missed
		if _, err := render("key", tc.text, map[string]string{}); len(tc.want) > 0 && (err == nil || !strings.Contains(err.Error(), `"`+tc.want[0]+`"`)) {
			t.Errorf("%s: %s: without %s the error is %v", name, tc.reason, tc.want[0], err)
		}
	}
	if _, err := Needs("key", "{{ .a"); err == nil {
		t.Error("what does not parse needs nothing")
	}
}
