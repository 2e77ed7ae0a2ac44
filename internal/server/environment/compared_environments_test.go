package environment

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

func TestBetween(t *testing.T) {
	chart := func(version, values string) []view.Source {
		return []view.Source{{RepoURL: "https://charts.example.com", Chart: "web", Revision: version}, {RepoURL: "https://git.example.com/r", Revision: values}}
	}
	cases := map[string]struct {
		reason  string
		dev     *view.Row
		prod    *view.Row
		want    []string
		devHas  []string
		prodHas []string
	}{
		"alike":      {"what is the same is left out", &view.Row{Images: []string{"a:1", "b:1"}}, &view.Row{Images: []string{"b:1", "a:1"}}, nil, nil, nil},
		"place":      {"what the other has not is a difference", &view.Row{}, nil, []string{"place"}, nil, nil},
		"the other":  {"in both directions", nil, &view.Row{}, []string{"place"}, nil, nil},
		"version":    {"a commit", &view.Row{Sources: []view.Source{{Revision: "2"}}}, &view.Row{Sources: []view.Source{{Revision: "1"}}}, []string{"version"}, nil, nil},
		"values":     {"a chart of one version with other values", &view.Row{Sources: chart("1", "b")}, &view.Row{Sources: chart("1", "a")}, []string{"values"}, nil, nil},
		"everything": {"all of it is named", &view.Row{Sources: chart("2", "b"), Images: []string{"a:2"}}, &view.Row{Sources: chart("1", "a")}, []string{"version", "values", "images"}, []string{"a:2"}, nil},
		"the sixth image": {
			"of many images those that differ are told", &view.Row{Images: []string{"a", "b", "c", "d", "e", "f:2"}},
			&view.Row{Images: []string{"a", "b", "c", "d", "e", "f:1"}}, []string{"images"},
			[]string{"f:2", "a", "b", "c", "d"}, []string{"f:1", "a", "b", "c", "d"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Fleet{Visible: all}
			for env, r := range map[string]*view.Row{"dev": tc.dev, "prod": tc.prod} {
				if r != nil {
					r.Name, r.Labels = "web-"+env, map[string]string{"env": env}
					f.Rows = append(f.Rows, r)
				}
			}
			m := f.Matrix(Query{Limit: 10, From: "dev", To: "prod"})
			if tc.want == nil {
				if m.Total != 0 {
					t.Errorf("%s: %+v", tc.reason, m.Items)
				}
				return
			}
			if m.Total != 1 {
				t.Fatalf("%s: %d products", tc.reason, m.Total)
			}
			if diff := cmp.Diff(tc.want, m.Items[0].Between); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for env, want := range map[string][]string{"dev": tc.devHas, "prod": tc.prodHas} {
				if got := m.Items[0].Cells[env].Images; want != nil && !cmp.Equal(want, got) {
					t.Errorf("%s: images of %s: %v", tc.reason, env, got)
				}
			}
		})
	}
}

// Several Applications in an environment run what is compared: which of them is first says nothing.
func TestBetweenSeveral(t *testing.T) {
	f := &Fleet{Visible: all}
	for _, at := range []struct{ env, version string }{{"dev", "1"}, {"dev", "2"}, {"prod", "2"}, {"prod", "1"}} {
		n := len(f.Rows)
		f.Rows = append(f.Rows, row(fmt.Sprintf("web-%s-c%d", at.env, n), fmt.Sprintf("c%d", n), at.version, map[string]string{"env": at.env}))
	}
	if m := f.Matrix(Query{Limit: 10, From: "dev", To: "prod"}); m.Total != 0 {
		t.Errorf("both run the same two versions: %+v", m.Items)
	}
	f.Rows = f.Rows[:3]
	if m := f.Matrix(Query{Limit: 10, From: "dev", To: "prod"}); m.Total != 1 {
		t.Error("one of two versions is not all of them")
	}
}
