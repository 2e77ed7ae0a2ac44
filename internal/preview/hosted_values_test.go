package preview

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestHostedValueFiles: a value file at an address of the repository itself does
// not show what changes, and a warning says so; none is about what lies elsewhere.
func TestHostedValueFiles(t *testing.T) {
	side := func(moves func(string, string) bool) *State {
		s := &State{}
		s.Side.Moves = moves
		return s
	}
	own := func(address, _ string) bool { return strings.Contains(address, "acme/fleet") }
	const hostedThere = "https://me:secret@raw.githubusercontent.com/acme/fleet/main/values.yaml"
	for name, tc := range map[string]struct {
		moves func(string, string) bool
		helm  *v1alpha1.ApplicationSourceHelm
		want  int
	}{
		"Own":       {own, &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"values.yaml", hostedThere, hostedThere + "?token=a"}}, 2},
		"Elsewhere": {own, &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"https://values.example.com/a.yaml"}}, 0},
		"Path":      {own, &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"acme/fleet/values.yaml", "$values/acme/fleet.yaml"}}, 0},
		"NoHelm":    {own, nil, 0},
		"NoSide":    {nil, &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{hostedThere}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := &App{Application: &v1alpha1.Application{}}
			a.Spec.Source = &v1alpha1.ApplicationSource{Helm: tc.helm}
			got := hosted(side(tc.moves), a)
			if len(got) != tc.want {
				t.Fatalf("got %v", got)
			}
			for _, f := range got {
				if f.reason != hostedValueFile || !strings.Contains(f.message, "raw.githubusercontent.com/acme/fleet/main/values.yaml") || strings.Contains(f.message, "secret") {
					t.Errorf("it says %s: %s", f.reason, f.message)
				}
			}
		})
	}
}
