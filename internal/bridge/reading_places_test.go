package bridge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Of a set that is known from a hub alone people are told the fields in which it asks.
func TestFieldsOfASetThatAskForAKey(t *testing.T) {
	const spec = `{"goTemplate":true,
"generators":[{"clusters":{"selector":{"matchLabels":{"tier":"web"}},"values":{"region":"{{ .metadata.annotations.region }}"}}}],
"template":{"metadata":{"name":"a-{{.name}}"},"spec":{"project":"{{ .metadata.labels.team }}","source":{"repoURL":"https://git.example.com/{{ .metadata.labels.team }}",
 "path":"{{ .metadata.labels.team }}","targetRevision":"{{ .metadata.labels.team }}"}}}}`
	var set v1alpha1.ApplicationSet
	if err := json.Unmarshal([]byte(`{"spec":`+spec+`}`), &set); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason, parameter string
		want              []string
	}{
		"Selector": {"a key of a map asks, too", "metadata.labels.tier", []string{"spec.generators[0].clusters.selector.matchLabels.tier"}},
		"Once":     {"a field whose name and value have it stands once", "metadata.annotations.region", []string{"spec.generators[0].clusters.values.region"}},
		"Few":      {"the first few say where to look", "metadata.labels.team", []string{"spec.template.spec.project", "spec.template.spec.source.path", "spec.template.spec.source.repoURL"}},
		"Plain":    {"of what is no metadata the last part tells", "values.region", []string{"spec.generators[0].clusters.values.region"}},
		"Nowhere":  {"no field is made up", "metadata.labels.owner", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, fieldsWith(&set, tc.parameter)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
