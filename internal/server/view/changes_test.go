package view

import (
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// long is an Application that has a text of 100 KiB, another one each time.
func long(n int) *v1alpha1.Application {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "one"}}
	app.Status.Summary.Images = []string{strconv.Itoa(n) + strings.Repeat("x", 100<<10)}
	return app
}

// Who writes one Application again and again has what the index remembers for
// those who follow, and no more.
func TestChangesAreBoundedByBytes(t *testing.T) {
	i := NewIndex(began)
	before := i.Now().Version
	for n := range 2000 {
		i.Put(RowOf(long(n), "prod"))
	}
	var held int64
	rows := map[*Row]bool{}
	for _, c := range i.changes.all {
		for _, r := range []*Row{c.row, c.before} {
			if r != nil && !rows[r] {
				rows[r] = true
				held += weigh(r)
			}
		}
	}
	if held > keptBytes || held < keptBytes/4 {
		t.Errorf("%d changes hold %d bytes", len(i.changes.all), held)
	}
	for _, c := range i.changes.all[:cap(i.changes.all)][len(i.changes.all):] {
		if c.row != nil {
			t.Fatal("what is forgotten is held behind the list")
		}
	}
	if _, ok := i.Since(before, everybody); ok {
		t.Error("a forgotten version is known")
	}
	d, ok := i.Since(i.Now().Version-2, everybody)
	if !ok || len(d.Changed) != 1 || d.Changed[0].Images[0] != long(1999).Status.Summary.Images[0] {
		t.Errorf("the last changes: %d, %t", len(d.Changed), ok)
	}
	i.Drop(Key{"team-a", "one"})
	if d, ok := i.Since(i.Now().Version-1, everybody); !ok || len(d.Gone) != 1 {
		t.Errorf("the last change: %d gone, %t", len(d.Gone), ok)
	}
}

// Values that no row has are known no more, and their numbers are given again;
// who reads an earlier state sees its values.
func TestValuesGoWithTheirRows(t *testing.T) {
	i := sample()
	earlier := i.Now()
	for n := range 100 {
		i.Put(row("one", "p"+strconv.Itoa(n), "c"+strconv.Itoa(n), "Synced", "Healthy"))
	}
	now := i.Now()
	i.Drop(Key{"argocd", "one"})
	i.Put(row("two", "other", "else", "Synced", "Healthy"))
	for f := range i.values {
		v := &i.values[f]
		if len(v.all) > 5 || len(v.all) != len(v.rows) || len(v.numbers)+len(v.free) != len(v.all) {
			t.Errorf("%s: %+v", facets[f].name, v)
		}
	}
	for _, tc := range []struct {
		state *State
		q     Query
		want  int
	}{
		{earlier, Query{Cluster: []string{"dev"}}, 2},
		{earlier, Query{Cluster: []string{"else"}}, 0},
		{now, Query{Cluster: []string{"c99"}}, 1},
		{now, Query{Project: []string{"p0", ""}}, 0},
		{i.Now(), Query{Project: []string{"other"}}, 1},
		{i.Now(), Query{Cluster: []string{"c99", ""}}, 0},
	} {
		page, err := tc.state.Select(tc.q, everybody)
		if err != nil || page.Total != tc.want {
			t.Errorf("%+v: %+v, %v", tc.q, page, err)
		}
	}
	page, err := now.Select(Query{}, everybody)
	if err != nil || page.Facets["cluster"]["c99"] != 1 || len(page.Facets["cluster"]) != 3 {
		t.Errorf("%+v, %v", page.Facets, err)
	}
}
