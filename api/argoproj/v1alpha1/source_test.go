package v1alpha1

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplicitType(t *testing.T) {
	cases := map[string]struct {
		reason string
		source ApplicationSource
		want   ApplicationSourceType
		err    string
	}{
		"None":      {reason: "without settings the content decides", source: ApplicationSource{Chart: "c"}},
		"Helm":      {reason: "an empty block is a choice too", source: ApplicationSource{Helm: &ApplicationSourceHelm{}}, want: ApplicationSourceTypeHelm},
		"Kustomize": {reason: "its own block", source: ApplicationSource{Kustomize: &ApplicationSourceKustomize{}}, want: ApplicationSourceTypeKustomize},
		"Directory": {reason: "its own block", source: ApplicationSource{Directory: &ApplicationSourceDirectory{}}, want: ApplicationSourceTypeDirectory},
		"Plugin":    {reason: "its own block", source: ApplicationSource{Plugin: &ApplicationSourcePlugin{}}, want: ApplicationSourceTypePlugin},
		"Two": {reason: "two blocks contradict each other, and both are named",
			source: ApplicationSource{RepoURL: "https://r", Helm: &ApplicationSourceHelm{}, Directory: &ApplicationSourceDirectory{}}, err: "source https://r: it has settings for Helm and Directory"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := tc.source.ExplicitType()
			if got != tc.want {
				t.Errorf("%s: ExplicitType() = %q, want %q", tc.reason, got, tc.want)
			}
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: error %v, want %q", tc.reason, err, tc.err)
			}
		})
	}
}

func TestSourceQuestions(t *testing.T) {
	type answers struct{ Chart, Ref, OCI, Renders bool }
	cases := map[string]struct {
		reason string
		source ApplicationSource
		want   answers
	}{
		"Path":    {reason: "a folder renders", source: ApplicationSource{Path: "a"}, want: answers{Renders: true}},
		"Root":    {reason: "the root of a repository renders", source: ApplicationSource{}, want: answers{Renders: true}},
		"Chart":   {reason: "a chart renders", source: ApplicationSource{Chart: "c"}, want: answers{Chart: true, Renders: true}},
		"Ref":     {reason: "a mere reference renders nothing", source: ApplicationSource{Ref: "values"}, want: answers{Ref: true}},
		"RefPath": {reason: "a reference with a path renders too", source: ApplicationSource{Ref: "values", Path: "a"}, want: answers{Ref: true, Renders: true}},
		"OCI":     {reason: "the scheme tells", source: ApplicationSource{RepoURL: "oci://r/a"}, want: answers{OCI: true, Renders: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := answers{tc.source.IsHelmChart(), tc.source.IsRef(), tc.source.IsOCI(), tc.source.Renders()}
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPluginParameterKeepsEmptyValues(t *testing.T) {
	for _, want := range []string{
		`{"name":"a"}`,
		`{"name":"a","string":""}`,
		`{"name":"a","map":{}}`,
		`{"name":"a","array":[]}`,
	} {
		var parameter ApplicationSourcePluginParameter
		if err := json.Unmarshal([]byte(want), &parameter); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(parameter)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("a plugin tells an empty value from an absent one (-want +got):\n%s", diff)
		}
	}
}
