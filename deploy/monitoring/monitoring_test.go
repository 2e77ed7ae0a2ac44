package monitoring

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// documented are the metrics of the reference, which a test of the engine
// holds to what it shows, with their types.
func documented(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([a-z]+) \\|").FindAllStringSubmatch(string(page), -1) {
		all[m[1]] = m[2]
	}
	if len(all) < 10 {
		t.Fatalf("the reference has %d metrics", len(all))
	}
	return all
}

var (
	metric  = regexp.MustCompile(`\b(?:causeway|argocd|workqueue|rest_client|process|go)_[a-z_]+\b`)
	matcher = regexp.MustCompile(`\{[^}]*\}`)
	quoted  = regexp.MustCompile(`"[^"]*"`)
)

// check looks at one query: its metrics are there, a counter is under a rate,
// and brackets are closed.
func check(t *testing.T, where, query string, known map[string]string) {
	t.Helper()
	bare := quoted.ReplaceAllString(query, `""`)
	for _, pair := range []string{"()", "{}", "[]"} {
		if strings.Count(bare, pair[:1]) != strings.Count(bare, pair[1:]) {
			t.Errorf("%s: %s are not closed in %s", where, pair, query)
		}
	}
	names := metric.FindAllString(matcher.ReplaceAllString(bare, ""), -1)
	if len(names) == 0 {
		t.Errorf("%s asks for no metric: %s", where, query)
	}
	for _, name := range names {
		kind := known[strings.TrimSuffix(name, "_bucket")]
		switch {
		case kind == "":
			t.Errorf("%s asks for %s, which the engine does not have", where, name)
		case strings.HasSuffix(name, "_bucket") != (kind == "histogram"):
			t.Errorf("%s asks for %s, which is a %s", where, name, kind)
		}
	}
}

func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Title  string
		Panels []struct {
			ID      int
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	known, ids := documented(t), map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.Type == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q is not complete, or its id is taken", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			check(t, "panel "+p.Title, target.Expr, known)
		}
	}
	if d.Title == "" || len(d.Panels) < 10 {
		t.Errorf("the dashboard %q has %d panels", d.Title, len(d.Panels))
	}
}

func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.UnmarshalStrict(text, &rules); err != nil {
		t.Fatal(err)
	}
	known, names := documented(t), map[string]bool{}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if names[r.Alert] || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("alert %q is not complete, or its name is taken", r.Alert)
			}
			names[r.Alert] = true
			check(t, "alert "+r.Alert, r.Expr, known)
		}
	}
	if len(names) < 5 {
		t.Errorf("there are %d alerts", len(names))
	}
}

// TestChartHasTheSame: a chart can read files of its own folder alone.
func TestChartHasTheSame(t *testing.T) {
	for _, name := range []string{"alerts.yaml", "dashboard.json"} {
		here, err1 := os.ReadFile(name)
		there, err2 := os.ReadFile(filepath.Join("../charts/causeway/files", name))
		if err1 != nil || err2 != nil || !bytes.Equal(here, there) {
			t.Errorf("deploy/charts/causeway/files/%s is not deploy/monitoring/%s: copy it (%v %v)", name, name, err1, err2)
		}
	}
}
