package chart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
)

// shelf holds files: those that are called Chart.yaml by "name version".
func shelf(t *testing.T, files map[string]string) Shelf {
	t.Helper()
	all := map[string][]byte{}
	for at, text := range files {
		if name, version, ok := strings.Cut(text, " "); ok && strings.HasSuffix(at, "Chart.yaml") {
			text = "name: " + name + "\nversion: " + version + "\n"
		}
		all[at] = []byte(text)
	}
	tree, err := archive.NewTree(all)
	if err != nil {
		t.Fatal(err)
	}
	return NewShelf(tree)
}

// A chart is where people put it; of several places with one version the one that
// is edited counts.
func TestWhereChartsLie(t *testing.T) {
	for name, tc := range map[string]struct {
		reason          string
		files           map[string]string
		chart, revision string
		want            Item
	}{
		"Itself":   {"the shelf may be the chart", map[string]string{"Chart.yaml": "web 1.0.0"}, "web", "", Item{"1.0.0", ".", false}},
		"Below":    {"by the last part of a name", map[string]string{"Chart.yaml": "web 1.0.0"}, "team/web", "", Item{"1.0.0", ".", false}},
		"Versions": {"or its versions, in folders of any name", map[string]string{"old/Chart.yaml": "web 1.0.0", "new/Chart.yaml": "web 2.0.0", "x/Chart.yaml": "db 3.0.0"}, "web", "", Item{"2.0.0", "new", false}},
		"Broken":   {"of which one that cannot be read hides no other", map[string]string{"old/Chart.yaml": "web 1.0.0", "new/Chart.yaml": "[broken"}, "web", "", Item{"1.0.0", "old", false}},
		"Folder":   {"a folder counts before the archive that was made of it", map[string]string{"web/Chart.yaml": "web 1.0.0", "web-1.0.0.tgz": ""}, "web", "1.0.0", Item{"1.0.0", "web", false}},
		"Own":      {"a folder of the name before the shelf", map[string]string{"web/Chart.yaml": "web 1.0.0", "Chart.yaml": "web 1.0.0"}, "web", "1.0.0", Item{"1.0.0", "web", false}},
		"Newer":    {"but the newest version is the newest, wherever it is", map[string]string{"web/Chart.yaml": "web 1.0.0", "web-1.1.0.tgz": ""}, "web", "", Item{"1.1.0", "web-1.1.0.tgz", true}},
		"Inside":   {"an archive may lie in the folder of its name", map[string]string{"web/web-1.0.0.tgz": "", "web/notes.md": ""}, "web", "", Item{"1.0.0", "web/web-1.0.0.tgz", true}},
		"Between":  {"a file between folders of versions is none", map[string]string{"web/1/Chart.yaml": "web 1.0.0", "web/README.md": ""}, "web", "", Item{"1.0.0", "web/1", false}},
		"Named":    {"a folder of that name is no archive", map[string]string{"web-2.0.0.tgz/x": "", "web-1.0.0.tgz": ""}, "web", "", Item{"1.0.0", "web-1.0.0.tgz", true}},
		"Longer":   {"nor is the archive of a chart with a longer name", map[string]string{"web-extra-2.0.0.tgz": "", "web-1.0.0.tgz": ""}, "web", "", Item{"1.0.0", "web-1.0.0.tgz", true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := shelf(t, tc.files).Find(tc.chart, tc.revision)
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
		})
	}
}

// An index beside archives says which file has which version.
func TestReleasesThatAShelfHas(t *testing.T) {
	const list = "entries:\n  web:\n  - version: 1.0.0\n    urls: [URL]\n"
	for name, tc := range map[string]struct{ reason, url, want string }{
		"Path":      {"by its path", "charts/web.tgz", "charts/web.tgz"},
		"Elsewhere": {"what lies elsewhere for others is here by its name", "https://h/some/where/other.tgz", "other.tgz"},
		"First":     {"the path comes first", "charts/other.tgz", "charts/other.tgz"},
		"Gone":      {"what is not here is no version", "https://h/gone.tgz", ""},
		"Folder":    {"nor is a folder", "https://h/charts", ""},
		"Climbs":    {"nor what lies outside", "../../other/secret.tgz", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := shelf(t, map[string]string{"index.yaml": strings.Replace(list, "URL", tc.url, 1), "charts/web.tgz": "", "other.tgz": "", "charts/other.tgz": ""})
			got, err := s.Find("web", "")
			if got.Path != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("%s: got %+v, %v", tc.reason, got, err)
			}
		})
	}
	if _, err := shelf(t, map[string]string{"index.yaml": "[", "web/Chart.yaml": "web 1.0.0"}).Find("web", ""); err == nil || !strings.Contains(err.Error(), "cannot read index.yaml") {
		t.Errorf("an index that cannot be read is not passed over: %v", err)
	}
}

// What an error suggests can be set: names of charts, not of their files.
func TestChartsThatAreSuggested(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		want   string
	}{
		"Charts":  {"folders, and what is in archives, each once", map[string]string{"api/Chart.yaml": "api 1.0.0", "db-0.1.0.tgz": "", "db-0.2.0.tgz": "", "web-extra-1.0.0-rc.1.tgz": "", "README.md": "", "index.tgz": "", ".github/x": ""}, `chart "dbs" is not in the repository; set chart to one of: db, api, web-extra`},
		"Nothing": {"where there is none nothing can be set", map[string]string{"README.md": "", ".git/config": ""}, `chart "dbs" is not in the repository; put a chart there, or correct repoURL: it holds none`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := shelf(t, tc.files).Find("dbs", "")
			if err == nil || err.Error() != tc.want || !gitops.IsProblem(err, gitops.NotFound) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// A chart without a version cannot be chosen, and one whose version looks like a
// number has that.
func TestMeta(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, version, says string }{
		"Quoted":    {"as Helm writes it", "name: web\nversion: \"1.0.0\"\n", "1.0.0", ""},
		"Number":    {"digits stay as they are written", "name: web\nversion: 1.10\n", "1.10", ""},
		"Documents": {"what follows is passed over, as by Helm", "name: web\nversion: 1.0.0\n---\nname: other\n", "1.0.0", ""},
		"Version":   {"none", "name: web\n", "", "name or version is missing"},
		"Name":      {"of nothing", "version: 1.0.0\n", "", "name or version is missing"},
		"Nothing":   {"an empty file", "", "", "name or version is missing"},
		"List":      {"another form", "name: web\nversion: [1]\n", "", "cannot read Chart.yaml: yaml"},
	} {
		got, err := ParseMeta([]byte(tc.text))
		if tc.says == "" && (err != nil || got != Meta{"web", tc.version}) {
			t.Errorf("%s: %s: got %+v, %v", name, tc.reason, got, err)
		}
		if tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: %s: got %v", name, tc.reason, err)
		}
	}
}
