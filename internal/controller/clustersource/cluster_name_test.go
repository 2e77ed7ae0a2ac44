package clustersource

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// TestTellsApart has names that two teams could both come to, and others.
func TestTellsApart(t *testing.T) {
	for name, want := range map[string]bool{
		"$(namespace).$(name)":               true,
		"$(name).$(namespace)":               true, // names have dots, and the last one counts
		"c-$(namespace).$(name)-x":           true,
		"a.b.$(namespace)-c.$(labels.tier)":  true,
		"$(name).c-$(namespace).x":           true,
		"$(namespace).$(namespace)-$(name)":  true,
		"only-$(namespace)":                  true, // each namespace has one
		"$(namespace)-$(name)":               false,
		"$(name)-$(namespace)":               false,
		"$(namespace)$(name)":                false,
		"$(name).$(namespace).$(name)":       false, // a name with two dots
		"$(labels.team)$(namespace).$(name)": false,
		"$(namespace)-$(labels.x).$(name)":   false,
	} {
		if got := tellsApart(name); got != want {
			t.Errorf("%s: tells apart %t, want %t", name, got, want)
		}
	}
}

// TestUnclear has which sources make no more clusters.
func TestUnclear(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		namespaces []string
		name       string
		want       bool
	}{
		"Two":     {"either namespace may come to a name of the other", []string{"team", "team-a"}, "$(namespace)-$(name)", true},
		"All":     {"the empty one stands for all", []string{""}, "$(namespace)-$(name)", true},
		"One":     {"there is nobody else", []string{"team"}, "$(namespace)-$(name)", false},
		"Dot":     {"no namespace has a dot", []string{"team", "team-a"}, "$(namespace).$(name)", false},
		"Name":    {"it does not say that it tells namespaces apart", []string{"team", "team-a"}, "$(name)", false},
		"Default": {"nor does what is empty", []string{"team", "team-a"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := scope{namespaces: tc.namespaces}.unclear(&causeway.ClusterSource{Spec: causeway.ClusterSourceSpec{ClusterName: tc.name}})
			if (got != "") != tc.want || tc.want && !strings.Contains(got, "as in $(namespace).$(name)") {
				t.Errorf("%s: told %q", tc.reason, got)
			}
		})
	}
}

func TestMade(t *testing.T) {
	out := &outcome{}
	all := []wanted{{secret: "team-a-prod", from: "team/a-prod"}, {secret: "team-dev", from: "team/dev"}}
	got := made(all, map[string]string{"team-dev": "team/dev"}, out)
	if len(got) != 1 || got[0].secret != "team-dev" {
		t.Errorf("%v go on", got)
	}
	if diff := cmp.Diff([]string{`no cluster "team-a-prod" is made of Secret team/a-prod: change spec.clusterName`}, out.problems); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
