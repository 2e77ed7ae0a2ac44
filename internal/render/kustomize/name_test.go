package kustomize

import (
	"strings"
	"testing"
)

func TestNamesAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		`{{ printf "%s-x" "a" | upper | lower }}`: "a-x",
		"web": "web",
		`{{ range $i := until 3 }}{{ $i }}{{ end }}`: "012",
		`{{ now }}`:                                   "",
		`{{ randAlpha 3 }}`:                           "",
		`{{ range until 1000000000 }}{{ end }}`:       "",
		`{{ repeat 1000000000 "a" | trunc 3 }}`:       "",
		`{{ regexFind (repeat 99 ".{0,1000}") "a" }}`: "",
		strings.Repeat("a", maxNameTemplate+1):        "",
	} {
		got, err := templatedName(t.Context(), text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%.60s: got %q, %v; want %q", text, got, err, want)
		}
	}
}
