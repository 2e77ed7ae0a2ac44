package environment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// row is an Application on a cluster at a version.
func row(name, cluster, version string, labels map[string]string) *view.Row {
	return &view.Row{
		Namespace: "argocd", Name: name, Project: "shop", Cluster: cluster, Labels: labels, Sync: "Synced", Health: "Healthy",
		Sources: []view.Source{{RepoURL: "https://git.example.com/r", Target: "main", Revision: version}},
	}
}

func all(*view.Row) bool { return true }

func TestOf(t *testing.T) {
	cases := map[string]struct {
		reason       string
		own, cluster map[string]string
		want         string
	}{
		"nobody says":        {"", nil, nil, ""},
		"the cluster's":      {"most label clusters alone", nil, map[string]string{"environment": "Prod"}, "prod"},
		"the Application's":  {"several environments may share a cluster", map[string]string{"env": "dev"}, map[string]string{"environment": "prod"}, "dev"},
		"our own label":      {"environment may mean something else", map[string]string{"environment": "eu", "causeway.io/environment": "test"}, nil, "test"},
		"a label that is no": {"an empty label says nothing", map[string]string{"env": ""}, map[string]string{"stage": "qa"}, "qa"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Of(row("web", "c", "1", tc.own), tc.cluster); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	names := []string{"", "zeta", "production", "alpha", "staging", "test", "dev"}
	cases := map[string]struct{ reason, setting, want string }{
		"of its own": {"steps that are known, in the order of promotion; then the others by name", "", "[dev test staging production alpha zeta ]"},
		"told":       {"the setting goes before; what it does not name comes after", "zeta, Staging , dev", "[zeta staging dev test production alpha ]"},
		"alias":      {"prod in the setting is where production stands", "prod,dev", "[production dev test staging alpha zeta ]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := slices.Clone(names)
			slices.SortFunc(got, ParseOrder(tc.setting).compare)
			if text := fmt.Sprint(got); text != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, text, tc.want)
			}
		})
	}
}

func TestProductOf(t *testing.T) {
	cases := map[string]struct{ name, cluster, environment, want string }{
		"environment behind":  {"web-dev", "c1", "dev", "web"},
		"environment before":  {"prod-web", "c1", "prod", "web"},
		"environment within":  {"shop-dev-web", "c1", "dev", "shop-web"},
		"spelt otherwise":     {"web-prod", "c1", "production", "web"},
		"cluster behind":      {"web-prod-eu-1", "prod-eu-1", "prod", "web"},
		"cluster and env":     {"web-staging-eu-1", "eu-1", "staging", "web"},
		"part of a word":      {"webdev", "c1", "dev", "webdev"},
		"nothing is left":     {"dev", "c1", "dev", "dev"},
		"called as its place": {"in-cluster", "in-cluster", "", "in-cluster"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := productOf(row(tc.name, tc.cluster, "1", nil), tc.environment).name; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	a, b := row("web-dev", "c", "1", nil), row("web-prod", "c", "1", nil)
	a.Project, b.Project = "shop-dev", "shop-prod"
	if x, y := productOf(a, "dev"), productOf(b, "prod"); x != y {
		t.Errorf("projects of environments part a product: %v, %v", x, y)
	}
	a.Labels, b.Labels = map[string]string{productLabel: "checkout"}, map[string]string{productLabel: "checkout"}
	a.Name = "something-else"
	if x, y := productOf(a, "dev"), productOf(b, "prod"); x != y || x.id() != "checkout" {
		t.Errorf("the label does not count: %v, %v", x, y)
	}
}

func TestMatrix(t *testing.T) {
	dev, prod := map[string]string{"env": "dev"}, map[string]string{"env": "prod"}
	lame := row("web-prod-2", "prod-2", "1", prod)
	lame.Health, lame.Name = "Degraded", "web-prod-2"
	synced := row("web-prod-1", "prod-1", "2", prod)
	synced.Deployed, synced.By, synced.Synced = []string{"1"}, "mina", time.Unix(9, 0)
	f := &Fleet{Rows: []*view.Row{row("web-dev", "dev-1", "2", dev), synced, lame, row("dns", "dev-1", "7", nil), row("secret-dev", "dev-1", "7", dev)}, Visible: func(r *view.Row) bool { return r.Name != "secret-dev" }}
	m := f.Matrix(Query{Limit: 10})
	if diff := cmp.Diff([]Column{{"dev", 1}, {"prod", 2}, {None, 1}}, m.Environments); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if m.Total != 2 || m.Items[0].Name != "dns" || m.Items[1].Name != "web" {
		t.Fatalf("products: %+v", m.Items)
	}
	web := m.Items[1]
	cell := web.Cells["prod"]
	if !web.Differs || cell.Behind != "dev" || cell.Version != "1" || cell.Versions != 1 || cell.Count != 2 {
		t.Errorf("prod runs what was synced there, and not what Git has now: %+v", cell)
	}
	if cell.Health != "Degraded" || cell.Applications[0].Name != "web-prod-2" || cell.By != "mina" {
		t.Errorf("the worst is shown first, and who synced last: %+v", cell)
	}
	if dev := web.Cells["dev"]; dev.Behind != "" {
		t.Errorf("the first is behind nothing: %+v", dev)
	}
	if rows := f.Applications(web.ID, "prod"); len(rows) != 2 || rows[0].Name != "web-prod-2" {
		t.Errorf("its Applications: %v", rows)
	}
}

// A label of a cluster that the project of an Application does not permit says
// nothing of it.
func TestMatrixOfWhatLeadsNowhere(t *testing.T) {
	web := row("web", "vault", "1", nil)
	web.Nowhere = true
	f := &Fleet{Rows: []*view.Row{web}, Visible: all, Labels: map[string]map[string]string{"vault": {"environment": "prod"}}}
	if m := f.Matrix(Query{Limit: 10}); len(m.Environments) != 1 || m.Environments[0].Name != None {
		t.Errorf("it is in %+v", m.Environments)
	}
}

func TestMatrixInPages(t *testing.T) {
	f := &Fleet{Visible: all}
	for i := range 30 {
		for e, env := range []string{"dev", "prod"} {
			version := "1"
			if i < 4 && e == 0 {
				version = "2"
			}
			f.Rows = append(f.Rows, row(fmt.Sprintf("app%02d-%s", i, env), env, version, map[string]string{"env": env}))
		}
	}
	seen := map[string]bool{}
	for offset := 0; offset < 30; offset += 7 {
		m := f.Matrix(Query{Offset: offset, Limit: 7})
		if m.Total != 30 {
			t.Errorf("total %d", m.Total)
		}
		for _, p := range m.Items {
			seen[p.ID] = true
		}
	}
	if len(seen) != 30 {
		t.Errorf("pages have %d products: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	if m := f.Matrix(Query{Differs: true, Limit: 10}); m.Total != 4 {
		t.Errorf("%d differ", m.Total)
	}
	if m := f.Matrix(Query{Text: "APP1 shop", Limit: 100}); m.Total != 10 {
		t.Errorf("%d match", m.Total)
	}
	if m := f.Matrix(Query{Project: "other", Limit: 100}); m.Total != 0 {
		t.Errorf("%d are in no such project", m.Total)
	}
}

// What is remembered of rows is forgotten with them, and with what their
// clusters are labelled.
func TestPlacesAreRemembered(t *testing.T) {
	index, places := view.NewIndex(time.Unix(1, 0)), &Places{}
	labels := map[string]map[string]string{"one": {"env": "dev"}, "two": {"env": "prod"}}
	check := func(step string) {
		t.Helper()
		f := &Fleet{Rows: index.Now().Rows, Visible: all, Labels: labels, Places: places}
		fresh := *f
		fresh.Places = nil
		if d := cmp.Diff(fresh.Matrix(Query{Limit: 500}), f.Matrix(Query{Limit: 500})); d != "" {
			t.Errorf("%s (-anew +remembered):\n%s", step, d)
		}
	}
	check("nothing is there")
	for i := range 40 {
		index.Put(row(fmt.Sprintf("app%02d-one", i), "one", "1", nil))
		index.Put(row(fmt.Sprintf("app%02d-two", i), "two", "1", nil))
		check("rows come")
	}
	for i := range 30 {
		index.Put(row(fmt.Sprintf("app%02d-two", i), "two", "2", map[string]string{"env": []string{"test", ""}[i%2]}))
		index.Drop(view.Key{Namespace: "argocd", Name: fmt.Sprintf("app%02d-one", 39-i)})
		check("rows change and go")
	}
	labels = map[string]map[string]string{"one": {"env": "dev"}, "two": {"env": "staging"}}
	check("a cluster has another label")
	for i := range 400 {
		name := fmt.Sprintf("passing-%d", i)
		index.Put(row(name, "one", "1", nil))
		check("a row comes")
		index.Drop(view.Key{Namespace: "argocd", Name: name})
	}
	check("many have gone")
	for i := range 400 {
		r := row("app00-two", "two", "1", map[string]string{"env": fmt.Sprintf("passing-%d", i)})
		r.Labels[productLabel] = "shop"
		index.Put(r)
		check("another environment")
	}
	if kept := max(len(places.last.products), len(places.last.columns)); kept > 3*len(index.Now().Rows)+128 {
		t.Errorf("%d products or columns are remembered of %d rows", kept, len(index.Now().Rows))
	}
}

// A page of the matrix of 10,000 Applications on 500 clusters.
func BenchmarkMatrix(b *testing.B) {
	f := &Fleet{Visible: all, Labels: map[string]map[string]string{}}
	envs := []string{"dev", "test", "staging", "prod"}
	for i := range 10_000 {
		cluster := fmt.Sprintf("%s-eu-%d", envs[i%4], i%500)
		f.Labels[cluster] = map[string]string{"environment": envs[i%4]}
		f.Rows = append(f.Rows, row(fmt.Sprintf("app%d-%s", i/500%2000, cluster), cluster, strconv.Itoa(i%3), nil))
	}
	for b.Loop() {
		f.Matrix(Query{Limit: 100})
	}
}

// commitOf is one that an Application has.
func commitOf(name, revision string) history.CommitOf {
	return history.CommitOf{CommitKey: history.CommitKey{Repo: history.RepoID("https://git.example.com/r"), Revision: revision}, Namespace: "argocd", Name: name}
}

// What a chart's values say is in Git: their commit has an author, and the chart has none.
func TestValuesOfAChartAreACommit(t *testing.T) {
	chart := row("dns-dev", "dev-1", "main", map[string]string{"env": "dev"})
	chart.Sources = []view.Source{{RepoURL: "https://charts.example.com", Chart: "dns", Revision: "1.2.0"}, {RepoURL: "https://git.example.com/r", Target: "main", Revision: "newer"}}
	chart.Deployed = []string{"1.1.0", "abc"}
	bare := row("tls-dev", "dev-1", "main", map[string]string{"env": "dev"})
	bare.Sources = chart.Sources[:1]
	m := (&Fleet{Rows: []*view.Row{chart, bare}, Visible: all}).Matrix(Query{Limit: 10})
	commit := commitOf("dns-dev", "abc")
	if diff := cmp.Diff([]history.CommitOf{commit}, m.Commits()); diff != "" {
		t.Errorf("the commits that run (-want +got):\n%s", diff)
	}
	m = m.Told(map[history.CommitOf]history.Commit{commit: {Author: "Mina", Subject: "Two replicas"}})
	if cell := m.Items[0].Cells["dev"]; cell.Version != "1.1.0" || cell.Values != "abc" || cell.Author != "Mina" || cell.Subject != "Two replicas" {
		t.Errorf("a chart with values: %+v", cell)
	}
	if cell := m.Items[1].Cells["dev"]; cell.Values != "" || cell.Author != "" {
		t.Errorf("a chart alone: %+v", cell)
	}
}

// Who may write an Application names what repository and commit they like: of one
// that its project does not permit nothing is told, also where somebody else's
// runs the same.
func TestCommitsThatAProjectDoesNotPermit(t *testing.T) {
	made := history.Commit{Author: "Mina", Subject: "Two replicas"}
	known := map[history.CommitOf]history.Commit{commitOf("own", "abc"): made, commitOf("spy", "abc"): made}
	spy := row("spy", "dev-1", "abc", nil)
	spy.Barred = true
	m := (&Fleet{Rows: []*view.Row{spy}, Visible: all}).Matrix(Query{Limit: 10})
	if asked := m.Commits(); len(asked) > 0 {
		t.Errorf("the history is asked for %v", asked)
	}
	m = (&Fleet{Rows: []*view.Row{row("own", "dev-1", "abc", nil), spy}, Visible: all}).Matrix(Query{Limit: 10})
	m = m.Told(known)
	for i := range m.Items {
		want := "Mina"
		if m.Items[i].Name == "spy" {
			want = ""
		}
		if got := m.Items[i].Cells[None].Author; got != want {
			t.Errorf("the author of %s is %q, want %q", m.Items[i].Name, got, want)
		}
	}
}

// That somebody else's Application has taken up a commit tells nothing to an
// Application which names it: there may be no credential of its project for that.
func TestCommitsOfOtherApplications(t *testing.T) {
	m := (&Fleet{Rows: []*view.Row{row("own", "dev-1", "abc", nil), row("spy", "dev-1", "abc", nil)}, Visible: all}).Matrix(Query{Limit: 10})
	if asked := m.Commits(); len(asked) != 2 {
		t.Errorf("the history is asked for %v", asked)
	}
	m = m.Told(map[history.CommitOf]history.Commit{commitOf("own", "abc"): {Author: "Mina"}})
	for i := range m.Items {
		if told := m.Items[i].Cells[None].Author != ""; told != (m.Items[i].Name == "own") {
			t.Errorf("of %s the author is told: %t", m.Items[i].Name, told)
		}
	}
}
