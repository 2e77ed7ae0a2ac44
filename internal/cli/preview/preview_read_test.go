package preview

import (
	"strings"
	"testing"
)

func TestParseApplications(t *testing.T) {
	got, err := parseApplications([]byte("kind: ConfigMap\napiVersion: v1\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {destination: {name: x}, project: p}\n---\n"))
	if err != nil || len(got) != 1 || got[0].Name != "a" || got[0].Spec.Destination.Name != "x" {
		t.Errorf("got %+v, %v", got, err)
	}
	many := "a: [" + strings.Repeat("{},", 150_000) + "]\n"
	for name, wrong := range map[string]string{
		"Empty": "", "Broken": "a: [", "Another": "kind: Pod\n", "Values": many + many, "Together": strings.Repeat("---\n"+many, 4),
	} {
		if _, err := parseApplications([]byte(wrong)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
