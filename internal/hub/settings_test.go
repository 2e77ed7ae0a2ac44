package hub

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	rendersource "github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/source"
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

// What the installation says is taken as a whole, and only what is new is told as a change.
func TestSettingsThatChange(t *testing.T) {
	s := &Settings{}
	for i, tc := range []struct {
		reason  string
		data    map[string]string
		changed bool
		want    gitops.Tracking
	}{
		{"it says nothing, as before", nil, false, gitops.Tracking{}},
		{"nor does an empty map", map[string]string{}, false, gitops.Tracking{}},
		{"it marks by label", map[string]string{"application.resourceTrackingMethod": "label", "application.instanceLabelKey": "team"}, true, gitops.Tracking{Method: "label", Label: "team"}},
		{"the same once more", map[string]string{"application.resourceTrackingMethod": "label", "application.instanceLabelKey": "team"}, false, gitops.Tracking{Method: "label", Label: "team"}},
		{"it has a name, and no label any more", map[string]string{"installationID": "blue"}, true, gitops.Tracking{Installation: "blue"}},
		{"comparisons that cannot be read take nothing else away", map[string]string{"installationID": "red", "resource.customizations": "{"}, true, gitops.Tracking{Installation: "red"}},
	} {
		if changed := s.Put(tc.data); changed != tc.changed {
			t.Errorf("%d: %s: changed is %t", i, tc.reason, changed)
		}
		if diff := cmp.Diff(tc.want, s.Tracking()); diff != "" {
			t.Errorf("%d: %s: -want +got:\n%s", i, tc.reason, diff)
		}
	}
}

// An installation without a ConfigMap says nothing; one whose ConfigMap cannot be read
// keeps what it said, and the error names it.
func TestReadSettings(t *testing.T) {
	s := &Settings{}
	hub := written{maps: map[string]map[string]string{v1alpha1.SettingsName: {"kustomize.buildOptions": "--enable-helm"}}}
	if err := s.Read(t.Context(), hub, "argocd"); err != nil || s.Settings().BuildOptions != "--enable-helm" {
		t.Errorf("it says %+v, %v", s.Settings(), err)
	}
	err := s.Read(t.Context(), written{broken: map[string]error{v1alpha1.SettingsName: errors.New("away")}}, "argocd")
	if err == nil || !strings.Contains(err.Error(), "cannot read ConfigMap argocd-cm in namespace argocd: away") || s.Settings().BuildOptions != "--enable-helm" {
		t.Errorf("while it cannot be read it says %+v, %v", s.Settings(), err)
	}
	if err := s.Read(t.Context(), written{}, "argocd"); err != nil || s.Settings().BuildOptions != "" {
		t.Errorf("without one it says %+v, %v", s.Settings(), err)
	}
}

// Hosts are believed by two ConfigMaps, either of which may be missing. Where one cannot
// be read, nobody knows whom to believe.
func TestTrust(t *testing.T) {
	hosts, certs := map[string]string{KnownHostsKey: "git.example.com ssh-ed25519 AAAA"}, map[string]string{"git.example.com": "PEM"}
	for name, tc := range map[string]struct {
		reason string
		hub    written
		want   source.Trust
		fails  bool
	}{
		"Both":   {"both say something", written{maps: map[string]map[string]string{KnownHostsMap: hosts, TLSCertsMap: certs}}, source.Trust{KnownHosts: hosts[KnownHostsKey], CAs: certs}, false},
		"One":    {"one is not there", written{maps: map[string]map[string]string{TLSCertsMap: certs}}, source.Trust{CAs: certs}, false},
		"None":   {"nor is the other", written{}, source.Trust{}, false},
		"Closed": {"one may not be read", written{maps: map[string]map[string]string{KnownHostsMap: hosts}, broken: map[string]error{TLSCertsMap: errors.New("forbidden")}}, source.Trust{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Trust(t.Context(), tc.hub, "argocd")
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
