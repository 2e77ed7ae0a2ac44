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
"generators":[{"clusters":{"selector":{"matchLabels":{"tier":"web","example.com/zone":"a"}},"values":{"region":"{{ .metadata.annotations.region }}","team":"platform"}}},
 {"merge":{"mergeKeys":["metadata.labels.shard"]}},
 {"git":{"revision":"{{ index .metadata.labels \"example.com/env\" }}-environment","values":{"a":"{{ $l.rank }}","b":"{{ with .metadata }}{{ .labels.floor }}{{ end }}","c":"{{ with .metadata.labels }}{{.door}}{{ end }}"}}}],
"template":{"metadata":{"name":"a-{{.name}}"},"spec":{"project":"{{ .metadata.labels.team }}","source":{"repoURL":"https://git.example.com/{{ .metadata.labels.team }}",
 "path":"{{ .metadata.labels.team }}","targetRevision":"{{ .metadata.labels.team }}","chart":"{{metadata.labels.environment}}{{metadata.labels.my.env}}{{metadata.labels.env-old}}env"}}}}`
	var set v1alpha1.ApplicationSet
	if err := json.Unmarshal([]byte(`{"spec":`+spec+`}`), &set); err != nil {
		t.Fatal(err)
	}
	label := func(name string) Key { return Key{Label, name} }
	cases := map[string]struct {
		reason string
		key    Key
		want   []string
	}{
		"Selector":   {"a key of a map asks, too", label("tier"), []string{"spec.generators[0].clusters.selector.matchLabels.tier"}},
		"Slash":      {"whatever is in its name", label("example.com/zone"), []string{`spec.generators[0].clusters.selector.matchLabels["example.com/zone"]`}},
		"Once":       {"a field stands once, and by what it says, not by what it is called", Key{Annotation, "region"}, []string{"spec.generators[0].clusters.values.region"}},
		"Few":        {"the first few say where to look, and none that is called so", label("team"), []string{"spec.template.spec.project", "spec.template.spec.source.path", "spec.template.spec.source.repoURL"}},
		"Nowhere":    {"no field is made up", label("owner"), nil},
		"Other map":  {"an annotation is no label", label("region"), nil},
		"Within":     {"environment, my.env, env-old and the words around a template are not env", label("env"), nil},
		"Longer":     {"which is found where it is meant", label("environment"), []string{"spec.template.spec.source.chart"}},
		"Dotted":     {"also a name with a dot", label("my.env"), []string{"spec.template.spec.source.chart"}},
		"Quoted":     {"a function has its name as a text", label("example.com/env"), []string{"spec.generators[2].git.revision"}},
		"Path":       {"a path that is no template", label("shard"), []string{"spec.generators[1].merge.mergeKeys[0]"}},
		"Variable":   {"of a variable", label("rank"), []string{"spec.generators[2].git.values.a"}},
		"With part":  {"below a part of the path", label("floor"), []string{"spec.generators[2].git.values.b"}},
		"With whole": {"below the map", label("door"), []string{"spec.generators[2].git.values.c"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, fieldsWith(&set, tc.key)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
