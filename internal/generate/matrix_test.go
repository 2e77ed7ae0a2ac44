package generate

import (
	"testing"
	"testing/fstest"
)

// TestTextsThatChangeMaps has a file whose text becomes a template in the second generator of a matrix, and changes
// there what clusters say: the Applications of other files are made of what the clusters say.
func TestTextsThatChangeMaps(t *testing.T) {
	const (
		files     = "git: {repoURL: '" + endless + "', revision: main, files: [{path: 'teams/*.yaml'}]}"
		clusters  = "clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}"
		overwrite = `{{ $_ :=\tmergeOverwrite .metadata (dict \"labels\" .metadata.annotations) }}x`
	)
	for reason, second := range map[string]string{
		"in its values": clusters + ", values: {note: '{{ .note }}'}}",
		"in what is rendered twice": "matrix: {generators: [{" + clusters + "}}, " +
			"{list: {elements: [{note: '{{ .note }}'}]}}]}",
	} {
		set := specSet(t, goMode("generators: [{matrix: {generators: [{"+files+"}, {"+second+"}]}}]"))
		set.Spec.Template.Name = "{{ .team }}-{{ .name | lower | replace \"_\" \"-\" }}"
		set.Spec.Template.Labels = map[string]string{"env": "{{ .metadata.labels.env }}"}
		g := New(fakeClusters(nil), fakeRepos{endless: dirTree{fstest.MapFS{
			"teams/a.yaml": {Data: []byte("team: a\nnote: \"" + overwrite + "\"\n")},
			"teams/b.yaml": {Data: []byte("team: b\nnote: plain\n")},
		}}}, anyProject{})
		fleet := testFleet()[1:]
		fleet[0].Annotations = map[string]string{"env": "other"}
		g.clusters = fleet
		got, err := g.Applications(t.Context(), set)
		if err != nil || len(got.Rejected) > 0 {
			t.Fatalf("%s: %v, %v", reason, err, got)
		}
		want := map[string]string{"a-prod": "other", "b-prod": "prod"}
		for _, app := range got.Applications {
			if app.Labels["env"] != want[app.Name] {
				t.Errorf("%s: %s has the label env of %q, want %q", reason, app.Name, app.Labels["env"], want[app.Name])
			}
			delete(want, app.Name)
		}
		if len(want) > 0 {
			t.Errorf("%s: there is none of %v", reason, want)
		}
	}
}
