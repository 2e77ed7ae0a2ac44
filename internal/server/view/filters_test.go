package view

import (
	"strings"
	"testing"
)

// labelled are rows that differ in what is not counted.
func labelled() *Index {
	i := NewIndex(began)
	add := func(name, health, revision, target, image string, labels map[string]string) {
		r := row(name, "shop", "prod", "Synced", health)
		r.Labels, r.Images, r.Operation, r.Set = labels, []string{"registry/" + image}, "Failed", "webs"
		r.Sources = []Source{{RepoURL: "https://a"}, {RepoURL: "https://b", Revision: revision, Target: target}}
		r.text = r.searched()
		i.Put(r)
	}
	add("a", "Healthy", "abc1", "main", "web:1", map[string]string{"team": "one"})
	add("b", "Degraded", "abc2", "v1", "web:2", map[string]string{"team": "two"})
	add("c", "Healthy", "def3", "abc", "db:1", nil)
	return i
}

// A row is picked as a list without an Index picks it: both read one query.
func TestFiltersPickTheSameRowsEverywhere(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		query  Query
		want   string
	}{
		"Nothing":      {"all are wanted", Query{}, "a b c"},
		"Label":        {"a label as kubectl takes it", Query{Labels: "team in (one,two),team!=two"}, "a"},
		"No label":     {"also that there is none", Query{Labels: "!team"}, "c"},
		"Revision":     {"a revision by its beginning, of any source; a target as a whole", Query{Revision: "abc"}, "a b c"},
		"Target":       {"part of a target is none", Query{Revision: "mai"}, ""},
		"Image":        {"part of an image", Query{Image: "web:"}, "a b"},
		"Letters":      {"images differ in their letters", Query{Image: "WEB"}, ""},
		"Operation":    {"what a sync ended in", Query{Operation: []string{"Failed", "Error"}}, "a b c"},
		"Set":          {"who made it", Query{Set: []string{"other"}}, ""},
		"Namespace":    {"where it is", Query{Namespace: []string{"argocd"}, Health: []string{"Healthy"}}, "a c"},
		"Words":        {"words of labels", Query{Text: "TEAM=two"}, "b"},
		"Words of two": {"of which all occur", Query{Text: "web:1 team=two"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			state := labelled().Now()
			page, err := state.Select(tc.query, everybody)
			if err != nil {
				t.Fatal(err)
			}
			keep, err := tc.query.Filter()
			if err != nil {
				t.Fatal(err)
			}
			var kept []string
			for _, r := range state.Rows {
				if keep(r) {
					kept = append(kept, r.Name)
				}
			}
			if listed := strings.Join(names(page.Items), " "); listed != tc.want || strings.Join(kept, " ") != tc.want {
				t.Errorf("%s: listed are %q and kept %v, want %q", tc.reason, listed, kept, tc.want)
			}
		})
	}
}

// A filter that nobody can read is none that lets nothing through: it is said, with what to write.
func TestFiltersThatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		query Query
		says  string
	}{
		"Column":     {Query{Sort: "-colour"}, `cannot sort by "colour"; choose one of changed, cluster, created, health, name, project, sync, synced`},
		"No column":  {Query{Sort: "-"}, `cannot sort by ""; choose one of changed, `},
		"Labels":     {Query{Labels: "a in"}, "cannot read the label selector: "},
		"Health":     {Query{Health: []string{"Healthy", "well"}}, `cannot filter by the health "well"; choose of Degraded, `},
		"Characters": {Query{Text: strings.Repeat("я", maxText+1)}, "cannot search for 257 characters: more than 256"},
	} {
		if _, err := tc.query.Filter(); err == nil || !strings.HasPrefix(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (Query{Text: strings.Repeat("я", maxText)}).Filter(); err != nil {
		t.Errorf("as many characters as may be, of two bytes each: %v", err)
	}
}

// Columns begin with what people look for; rows that are alike stay in the order of names,
// whichever way it is sorted.
func TestOrders(t *testing.T) {
	i := NewIndex(began)
	for n, r := range []*Row{row("d", "z", "c1", "Synced", "Missing"), row("c", "y", "c2", "OutOfSync", "Suspended"), row("b", "y", "c2", "Unknown", "Unknown"), row("a", "z", "c1", "Synced", "Healthy")} {
		r.Created, r.Synced, r.Changed = began.AddDate(0, 0, n), began.AddDate(0, 0, -n), began.AddDate(0, 0, n%2)
		i.Put(r)
	}
	for sort, want := range map[string]string{
		"": "a b c d", "name": "a b c d", "-name": "d c b a", "project": "b c a d", "-project": "a d b c", "cluster": "a d b c",
		"sync": "c b a d", "-sync": "a d b c", "health": "d b c a", "-health": "a c b d",
		"created": "a b c d", "-created": "d c b a", "synced": "d c b a", "changed": "a c b d",
	} {
		page, err := i.Now().Select(Query{Sort: sort}, everybody)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(names(page.Items), " "); got != want {
			t.Errorf("by %q they are %s, want %s", sort, got, want)
		}
	}
	if !Worse("Degraded", "Healthy") || Worse("Healthy", "Healthy") || Worse("Suspended", "Progressing") {
		t.Error("what is worse is not looked at first")
	}
}

// A page is within what there is, and within a bound, whatever is asked for.
func TestPagesAreWithinBounds(t *testing.T) {
	i := NewIndex(began)
	for n := range MaxLimit + 5 {
		i.Put(row("app-"+strings.Repeat("x", n), "p", "c", "Synced", "Healthy"))
	}
	for _, tc := range []struct{ offset, limit, want int }{
		{0, 0, MaxLimit}, {0, -1, MaxLimit}, {0, MaxLimit + 1, MaxLimit}, {-7, 2, 2}, {MaxLimit, MaxLimit, 5}, {1 << 62, 1, 0},
	} {
		page, err := i.Now().Select(Query{Offset: tc.offset, Limit: tc.limit}, everybody)
		if err != nil || len(page.Items) != tc.want || page.Total != MaxLimit+5 || page.Items == nil {
			t.Errorf("from %d at most %d: %d of %d, %v", tc.offset, tc.limit, len(page.Items), page.Total, err)
		}
	}
}
