package helm

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// TestAddressesOfValueFiles: an address is one file, whatever a pattern would make of it,
// and what is told of it has no login.
func TestAddressesOfValueFiles(t *testing.T) {
	for name, tc := range map[string]struct{ reason, written, says string }{
		"Pattern":  {"marks of patterns are characters of an address", "https://u:hunter2@h.example/a.yaml?v=[1]*", ""},
		"Variable": {"variables are filled in before it is asked", "https://h.example/$ARGOCD_APP_NAME.yaml", ""},
		"Scheme":   {"an address of the machine", "file://u:hunter2@host/etc/passwd", "scheme file is not allowed"},
		"Filled":   {"one that a variable makes broken", "https://h.example/$BAD", "its address is broken"},
		"Host":     {"one without a host", "https:///a.yaml", "cannot read value file https:///a.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fakeFiles{"https://u:hunter2@h.example/a.yaml?v=[1]*": "a: url", "https://h.example/app.yaml": "a: url"}
			s := sourceOf(t, chartFiles(), v1alpha1.ApplicationSourceHelm{ValueFiles: []string{tc.written}}, gitops.Facts{})
			s.Env["BAD"] = environ.Text("%zz")
			s.Settings = source.Settings{ValueSchemes: []string{"https"}}
			got, err := New(Options{Files: files}).values(t.Context(), s, s.Spec.Helm)
			if tc.says == "" && (err != nil || got["a"] != "url") {
				t.Errorf("%s: %v, %v", tc.reason, got, err)
			}
			if tc.says != "" && (!gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
