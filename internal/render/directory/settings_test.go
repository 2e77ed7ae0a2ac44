package directory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// Who asks what an application is made with is told what decides it, as the program gets it,
// and by which field it is said; what is not said is not told.
func TestSettingsOfAFolder(t *testing.T) {
	vars := func(name, value string) []v1alpha1.JsonnetVar {
		return []v1alpha1.JsonnetVar{{Name: name, Value: value}}
	}
	for name, tc := range map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSourceDirectory
		want   []string
	}{
		"Nothing": {"nothing is said", v1alpha1.ApplicationSourceDirectory{}, nil},
		"Files":   {"which files", v1alpha1.ApplicationSourceDirectory{Recurse: true, Include: "*.yaml", Exclude: "x/*"}, []string{"[recurse] directory.recurse true", "[include] directory.include *.yaml", "[exclude] directory.exclude x/*"}},
		"Programs": {"what programs are given, with the build environment filled in", v1alpha1.ApplicationSourceDirectory{Jsonnet: v1alpha1.ApplicationSourceJsonnet{
			ExtVars: vars("a", "$ARGOCD_APP_NAME"), TLAs: vars("a", "x"), Libs: []string{"vendor", "lib"},
		}}, []string{"[extVars a] directory.jsonnet.extVars web", "[tlas a] directory.jsonnet.tlas x", "[libs vendor] directory.jsonnet.libs vendor", "[libs lib] directory.jsonnet.libs lib"}},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := Renderer{}.Settings(t.Context(), sourceOf(t, treetest.Files{}, tc.spec))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range values {
				got = append(got, fmt.Sprint(v.Path, " ", v.Layers[0].Name, " ", v.Layers[0].Value))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
	s := sourceOf(t, treetest.Files{}, v1alpha1.ApplicationSourceDirectory{})
	s.Spec.Directory = nil
	if got, err := (Renderer{}).Settings(t.Context(), s); err != nil || got != nil {
		t.Errorf("of a folder of which nothing is said there are %v, %v", got, err)
	}
}
