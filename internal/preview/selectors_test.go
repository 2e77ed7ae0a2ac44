package preview

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// A selector that leaves all clusters out may be a switch that is on nowhere, or a
// mistake; only the mistake is told.
func TestSelectorsThatMatchNothing(t *testing.T) {
	cases := map[string]struct {
		reason, selector string
		want             []string
	}{
		"Met":         {"some cluster has it", `{"matchLabels":{"env":"prod"}}`, nil},
		"Value":       {"no cluster has the value", `{"matchLabels":{"env":"stage"}}`, []string{"no cluster has the label env=stage: there are dev, prod; asked for by ApplicationSet web"}},
		"OneOfSome":   {"one of several is enough", `{"matchExpressions":[{"key":"env","operator":"In","values":["stage","dev"]}]}`, nil},
		"NoneOfSome":  {"none of several", `{"matchExpressions":[{"key":"env","operator":"In","values":["x","stage"]}]}`, []string{"no cluster has the label env=stage, x: there are dev, prod; asked for by ApplicationSet web"}},
		"Exists":      {"no cluster has the label", `{"matchExpressions":[{"key":"team","operator":"Exists"}]}`, []string{"no cluster has the label team; asked for by ApplicationSet web"}},
		"Absent":      {"what asks for none is met by all", `{"matchExpressions":[{"key":"team","operator":"DoesNotExist"},{"key":"env","operator":"NotIn","values":["stage"]}]}`, nil},
		"SwitchedOff": {"a switch that is off everywhere", `{"matchLabels":{"enable_cert_manager":"true"}}`, nil},
		"Nowhere":     {"a switch that is nowhere", `{"matchLabels":{"enable_velero":"True"}}`, nil},
		"Misspelled":  {"a switch that is spelled otherwise", `{"matchLabels":{"enable-certmanager":"true"}}`, []string{"no cluster has the label enable-certmanager, but there is enable_cert_manager; asked for by ApplicationSet web"}},
		"Template":    {"what is filled in later is not known", `{"matchLabels":{"{{key}}":"x","env":"{{values.env}}"}}`, nil},
		"SecretType":  {"the label of each Secret of a cluster", `{"matchLabels":{"argocd.argoproj.io/secret-type":"cluster"}}`, nil},
		"Several":     {"each label has a finding", `{"matchLabels":{"b":"1","a":"1"}}`, []string{"no cluster has the label a; asked for by ApplicationSet web", "no cluster has the label b; asked for by ApplicationSet web"}},
	}
	for name, tc := range cases {
		for form, format := range map[string]string{
			"plain": `[{"clusters":{"selector":%s}}]`, "matrix": `[{"matrix":{"generators":[{"list":{}},{"merge":{"mergeKeys":["a"],"generators":[{"clusters":{"selector":%s}}]}}]}}]`,
		} {
			t.Run(name+" "+form, func(t *testing.T) {
				s := fleetWith([3]string{"a", "dev"}, [3]string{"b", "prod"})
				s.Side.Roster.Clusters[0].Labels["enable_cert_manager"] = "false"
				set := &v1alpha1.ApplicationSet{}
				set.Name = "web"
				if err := json.Unmarshal(fmt.Appendf(nil, format, tc.selector), &set.Spec.Generators); err != nil {
					t.Fatal(err)
				}
				s.Sets[setID("web")] = &Set{ApplicationSet: set, ID: setID("web")}
				var got []string
				for _, f := range s.idle() {
					got = append(got, f.message)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
				}
			})
		}
	}
	if got := (&State{Sets: map[ID]*Set{setID("web"): {ApplicationSet: &v1alpha1.ApplicationSet{}}}}).idle(); got != nil {
		t.Errorf("where no cluster is known no selector is a mistake: %+v", got)
	}
}
