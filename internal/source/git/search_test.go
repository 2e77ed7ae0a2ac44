package git

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestSearchesAreOnAnAccount has a project look through all that it may of a
// repository's references, and others go on.
func TestSearchesAreOnAnAccount(t *testing.T) {
	r, err := listed(t, branches(10))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	r.spent = newLedger(func() time.Time { return now })
	red, blue := search{r, "red"}, search{r, "blue"}
	if err := r.spent.spend("red", searchedLines); err != nil {
		t.Fatal(err)
	}
	_, err = red.find(t.Context(), "1")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable || p.Fix == "" {
		t.Errorf("one line more: got %v", err)
	}
	if of, err := blue.find(t.Context(), "1"); err != nil || of.hash != anyHash {
		t.Errorf("another account: got %v, %v", of, err)
	}
	now = now.Add(searchedIn)
	if of, err := red.find(t.Context(), "1"); err != nil || of.hash != anyHash {
		t.Errorf("afterwards: got %v, %v", of, err)
	}
}

// TestSearchesAreCounted counts what each search looks through, and has no list
// be looked through anew for what is known.
func TestSearchesAreCounted(t *testing.T) {
	const all = 3 * looked
	r, err := listed(t, branches(all), strings.ReplaceAll(branches(2*all), "heads/", "pull/"))
	if err != nil {
		t.Fatal(err)
	}
	v := &View{refs: r, gaps: &gaps{}, desk: unasked}
	for _, tc := range []struct {
		reason, revision string
		want             int
	}{
		{"a branch is looked for among branches and tags", "1", all},
		{"and is known then", "1", 0},
		{"other names take a look at all", "pull/7", all + 2*all},
		{"and so does what is not there", "nothing", all + 2*all},
		{"which is known, too", "nothing", 0},
		{"a whole commit is no name", anyHash, 0},
		{"no reference is called so", strings.Repeat("x", longestRef+1), 0},
	} {
		before := r.spent.spent[""]
		if _, err := v.find(t.Context(), tc.revision); err != nil {
			t.Fatal(err)
		}
		if got := r.spent.spent[""] - before; got > tc.want {
			t.Errorf("%s: %d lines, want %d", tc.reason, got, tc.want)
		}
	}
}

// TestSearchesOfNewListsAreCounted has a server list something new at each look.
func TestSearchesOfNewListsAreCounted(t *testing.T) {
	u := newUpstream(t)
	r := newRemote(t, u.dir, access.Credential{})
	for n := 1; n <= 3; n++ {
		u.commit("again")
		v := look(t, r)
		if _, err := v.find(t.Context(), "main"); err != nil {
			t.Fatal(err)
		}
		if got := v.refs.spent.spent[""]; got < n {
			t.Errorf("after %d looks %d lines are counted", n, got)
		}
	}
}

// TestRangesShareOnePass asks for as many ranges as the sources of one
// Application may name.
func TestRangesShareOnePass(t *testing.T) {
	const tags, ranges = 20_000, 1000
	var text strings.Builder
	for i := range tags {
		fmt.Fprintf(&text, "%s\trefs/tags/1.0.%d\n", anyHash, i)
	}
	r, err := listed(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	v := &View{refs: r, gaps: &gaps{}, desk: unasked}
	newest := fmt.Sprintf("%s1.0.%d", tagPrefix, tags-1)
	first := 0
	for i := range ranges {
		_, ref, err := v.resolve(t.Context(), fmt.Sprintf(">=1.0.%d", i))
		if err != nil || ref != newest {
			t.Fatalf("got %s, %v", ref, err)
		}
		if i == 0 {
			first = r.spent.spent[""]
		}
	}
	if got := r.spent.spent[""]; got > first+ranges*versionCost {
		t.Errorf("the first range takes %d lines, and %d of them take %d", first, ranges, got)
	}
	if got, err := v.find(t.Context(), "<1.0.7 || 0.x"); err != nil || got.ref != tagPrefix+"1.0.6" {
		t.Errorf("an older one: got %v, %v", got, err)
	}
}

// TestRangesAmongVeryManyTags has more tags than are sorted.
func TestRangesAmongVeryManyTags(t *testing.T) {
	r, err := listed(t, strings.ReplaceAll(branches(maxNamed+1), "heads/", "tags/1.0."))
	if err != nil {
		t.Fatal(err)
	}
	of, err := (search{refs: r}).find(t.Context(), "1.x")
	if want := fmt.Sprintf("%s1.0.%d", tagPrefix, maxNamed); err != nil || of.ref != want {
		t.Errorf("got %v, %v, want %s", of, err, want)
	}
	if r.newestFirst.path != "" {
		t.Error("they are sorted in memory")
	}
}
