package hub

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	rendersource "github.com/causeway-gitops/causeway/internal/render/source"
)

func TestParseSettings(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   map[string]string
		want   rendersource.Settings
	}{
		"Nothing": {"an installation that says nothing", nil, rendersource.Settings{}},
		"Flags":   {"flags of Kustomize", map[string]string{"kustomize.buildOptions": "--enable-helm"}, rendersource.Settings{BuildOptions: "--enable-helm"}},
		"Schemes": {"schemes of value files", map[string]string{"helm.valuesFileSchemes": "https, S3"}, rendersource.Settings{ValueSchemes: []string{"https", "s3"}}},
		"None":    {"an empty list allows none", map[string]string{"helm.valuesFileSchemes": ""}, rendersource.Settings{ValueSchemes: []string{}}},
		"Off": {"types that are turned off", map[string]string{"kustomize.enable": "false", "helm.enable": "true", "jsonnet.enable": "no"},
			rendersource.Settings{Disabled: []gitops.SourceType{gitops.SourceKustomize, gitops.SourceDirectory}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ParseSettings(tc.data)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
