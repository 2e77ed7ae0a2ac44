package view

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func everybody(*Row) bool { return true }

func row(name, project, cluster, sync, health string) *Row {
	r := &Row{Namespace: "argocd", Name: name, Project: project, Cluster: cluster, Sync: sync, Health: health}
	r.text, r.cluster = r.searched(), r.Cluster
	return r
}

func sample() *Index {
	i := NewIndex(began)
	i.Put(row("web-prod", "shop", "prod", "OutOfSync", "Degraded"))
	i.Put(row("web-dev", "shop", "dev", "Synced", "Healthy"))
	i.Put(row("dns-prod", "platform", "prod", "Synced", "Healthy"))
	i.Put(row("dns-dev", "platform", "dev", "Synced", "Progressing"))
	return i
}

func names(rows []*Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

func TestSelect(t *testing.T) {
	cases := map[string]struct {
		reason string
		query  Query
		want   []string
		total  int
	}{
		"All":          {"rows are in the order of names", Query{}, []string{"dns-dev", "dns-prod", "web-dev", "web-prod"}, 4},
		"Words":        {"each word has to occur somewhere", Query{Text: "PROD shop"}, []string{"web-prod"}, 1},
		"Values":       {"values of a filter are alternatives", Query{Health: []string{"Degraded", "Progressing"}}, []string{"dns-dev", "web-prod"}, 2},
		"Filters":      {"filters all have to hold", Query{Cluster: []string{"dev"}, Project: []string{"shop"}}, []string{"web-dev"}, 1},
		"WorstFirst":   {"health begins with what is worst", Query{Sort: "health"}, []string{"web-prod", "dns-dev", "dns-prod", "web-dev"}, 4},
		"OtherWay":     {"a minus turns the order", Query{Sort: "-name"}, []string{"web-prod", "web-dev", "dns-prod", "dns-dev"}, 4},
		"Page":         {"a page is a part, the total is of all", Query{Offset: 1, Limit: 2}, []string{"dns-prod", "web-dev"}, 4},
		"BehindTheEnd": {"a page behind the end is empty", Query{Offset: 9, Limit: 2}, []string{}, 4},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			page, err := sample().Now().Select(tc.query, everybody)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, names(page.Items)); d != "" || page.Total != tc.total {
				t.Errorf("%s: %d in all (-want +got):\n%s", tc.reason, page.Total, d)
			}
		})
	}
}

func TestSelectTellsWhatItCannotRead(t *testing.T) {
	for _, q := range []Query{{Sort: "colour"}, {Labels: "a in"}, {Text: fmt.Sprintf("%300d", 1)}} {
		if _, err := sample().Now().Select(q, everybody); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}

// What is counted at a filter ignores that filter alone: it says what another
// choice there would show.
func TestFacets(t *testing.T) {
	page, err := sample().Now().Select(Query{Cluster: []string{"prod"}, Sync: []string{"Synced"}}, everybody)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Counts{
		"sync": {"Synced": 1, "OutOfSync": 1}, "cluster": {"prod": 1, "dev": 2}, "health": {"Healthy": 1}, "project": {"platform": 1},
		"namespace": {"argocd": 1}, "operation": {}, "applicationSet": {},
	}
	if d := cmp.Diff(want, page.Facets); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSelectShowsNothingThatMayNotBeSeen(t *testing.T) {
	page, err := sample().Now().Select(Query{}, func(r *Row) bool { return r.Project == "shop" })
	if err != nil || page.Total != 2 || page.Facets["project"]["platform"] != 0 {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestSince(t *testing.T) {
	i := sample()
	before := i.Now().Version
	i.Put(row("web-dev", "shop", "dev", "Synced", "Healthy")) // says nothing new
	if i.Now().Version != before {
		t.Error("a row that says what is known made a new version")
	}
	bell := i.Bell()
	i.Put(row("web-dev", "shop", "dev", "OutOfSync", "Healthy"))
	i.Put(row("web-dev", "shop", "dev", "Synced", "Degraded"))
	i.Drop(Key{"argocd", "dns-dev"})
	<-bell
	d, ok := i.Since(before, everybody)
	if !ok || len(d.Changed) != 1 || d.Changed[0].Health != "Degraded" || len(d.Gone) != 1 || d.Version != i.Now().Version {
		t.Errorf("got %+v, %t", d, ok)
	}
	if d, _ := i.Since(before, func(r *Row) bool { return r.Project != "platform" }); len(d.Gone) != 0 {
		t.Errorf("what may not be seen is told of when it goes: %+v", d)
	}
	later := NewIndex(began.Add(time.Hour))
	for _, version := range []uint64{i.Now().Version + 1, later.base, 0} {
		if _, ok := i.Since(version, everybody); ok {
			t.Errorf("version %d, which is not of this index, is known", version)
		}
	}
	if _, ok := later.Since(i.Now().Version, everybody); ok {
		t.Error("a version of an index before is known")
	}
}

// An Application that moves to a project which somebody may not read is gone
// for them: neither how it is now nor how it was is told.
func TestSinceOfWhatIsHiddenNow(t *testing.T) {
	mine := func(r *Row) bool { return r.Project == "shop" }
	i := sample()
	before := i.Now().Version
	i.Put(row("web-dev", "shop", "dev", "OutOfSync", "Healthy"))
	i.Put(row("web-dev", "platform", "dev", "Synced", "Healthy"))
	i.Put(row("new", "platform", "dev", "Synced", "Healthy"))
	i.Drop(Key{"argocd", "new"})
	d, ok := i.Since(before, mine)
	if !ok || len(d.Changed) != 0 || len(d.Gone) != 1 || d.Gone[0].Name != "web-dev" {
		t.Errorf("got %+v, %t", d, ok)
	}
	i.Put(row("web-dev", "shop", "dev", "Synced", "Healthy"))
	if d, _ := i.Since(before, mine); len(d.Changed) != 1 || len(d.Gone) != 0 {
		t.Errorf("when it is back: %+v", d)
	}
}

// Who was away for longer than the log goes back has to read all anew.
func TestSinceForgets(t *testing.T) {
	i := NewIndex(began)
	for n := range kept + 10 {
		i.Put(&Row{Name: "web", Message: strconv.Itoa(n)})
	}
	if _, ok := i.Since(i.base+5, everybody); ok {
		t.Error("a forgotten version is known")
	}
	d, ok := i.Since(i.base+11, everybody)
	if !ok || len(d.Changed) != 1 || d.Changed[0].Message != strconv.Itoa(kept+9) {
		t.Errorf("got %+v, %t", d, ok)
	}
}

func TestRowOf(t *testing.T) {
	at := v1alpha1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "web", Labels: map[string]string{"team": "Shop"}, OwnerReferences: []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: "webs"}}},
		Spec:       v1alpha1.ApplicationSpec{Sources: v1alpha1.ApplicationSources{{RepoURL: "https://a", TargetRevision: "main"}, {RepoURL: "https://b", Chart: "c"}}},
		Status: v1alpha1.ApplicationStatus{
			Sync:       v1alpha1.SyncStatus{Status: v1alpha1.SyncStatusCodeSynced, Revisions: []string{"abc", "1.0.0"}},
			Conditions: []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionComparisonError, Message: "no such path"}, {Type: v1alpha1.ApplicationConditionSharedResourceWarning}},
			History:    v1alpha1.RevisionHistories{{DeployedAt: at}},
		},
	}
	r := RowOf(app, "prod")
	want := &Row{
		Namespace: "argocd", Name: "web", Project: "default", Cluster: "prod", Set: "webs", Sync: "Synced", Health: "Unknown", Message: "no such path",
		Sources: []Source{{RepoURL: "https://a", Target: "main", Revision: "abc"}, {RepoURL: "https://b", Chart: "c", Revision: "1.0.0"}},
		Labels:  map[string]string{"team": "Shop"}, Errors: 1, Warnings: 1, Synced: at.Time,
	}
	want.text, want.objects, want.cluster = want.searched(), objectsOf(nil), "prod"
	if d := cmp.Diff(want, r, cmp.AllowUnexported(Row{}), cmp.Comparer(func(a, b objects) bool { return a == b })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	i := NewIndex(began)
	i.Put(r)
	if page, err := i.Now().Select(Query{Text: "team=shop"}, everybody); err != nil || page.Total != 1 {
		t.Errorf("not found by its label: %v", err)
	}
}

func FuzzSelect(f *testing.F) {
	f.Add("web", "a=b", "-health", "abc", 3, 4)
	f.Fuzz(func(_ *testing.T, text, selector, sort, revision string, offset, limit int) {
		_, _ = sample().Now().Select(Query{Text: text, Labels: selector, Sort: sort, Revision: revision, Offset: offset, Limit: limit}, everybody)
	})
}

func BenchmarkSelect(b *testing.B) {
	i := NewIndex(began)
	for n := range 10_000 {
		i.Put(row(fmt.Sprintf("app-%05d", n), fmt.Sprintf("p%d", n%20), fmt.Sprintf("c%d", n%500), "Synced", "Healthy"))
	}
	for b.Loop() {
		if _, err := i.Now().Select(Query{Text: "app 77", Sort: "health", Limit: 100}, everybody); err != nil {
			b.Fatal(err)
		}
	}
}

// Who misspells a value is told which ones there are: an empty list would be
// taken for good news.
func TestSelectKnowsItsValues(t *testing.T) {
	state := NewIndex(time.Unix(1, 0)).Now()
	for want, q := range map[string]Query{
		"OutOfSync, Unknown, Synced":                                  {Sync: []string{"Synced", "Bogus"}},
		"Degraded, Missing, Unknown, Progressing, Suspended, Healthy": {Health: []string{"degraded"}},
		"Running, Terminating, Succeeded, Failed, Error":              {Operation: []string{"failed"}},
	} {
		if _, err := state.Select(q, func(*Row) bool { return true }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
