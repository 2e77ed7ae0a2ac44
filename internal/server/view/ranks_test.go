package view

import (
	"slices"
	"testing"
)

// The better a name fits what was asked for, the smaller its rank, whatever its capitals.
func TestRanksOfNames(t *testing.T) {
	words := WordsOf(" Web  PROD ")
	for rank, name := range []string{"web prod", "Prod", "Web Prod-2", "my-web prod", "prod-web", "dns"} {
		if got := words.Rank(name); got != rank {
			t.Errorf("%s has rank %d, want %d", name, got, rank)
		}
	}
	if none := WordsOf("\t \n"); !none.None() || !none.In("anything") || words.None() {
		t.Error("blanks are words")
	}
	if !words.In("PROD-of-Web") || words.In("web") {
		t.Error("not all words have to occur, or in one order")
	}
}

// The best are kept, of equals those that came first, and it is told that there are others.
func TestBestAreKept(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		limit  int
		ranks  []int
		want   []int // by when they were offered
		more   bool
	}{
		"Few":     {"all are kept, the best first", 3, []int{2, 0}, []int{1, 0}, false},
		"As many": {"as many as may be are all", 2, []int{1, 1}, []int{0, 1}, false},
		"Later":   {"a better one takes the place of the last", 2, []int{3, 3, 1}, []int{2, 0}, true},
		"Equal":   {"an equal one does not", 2, []int{1, 1, 1}, []int{0, 1}, true},
		"None":    {"of nothing there is more", 0, []int{0}, nil, true},
		"Nothing": {"nothing was offered", 0, nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			one, other := BestOf[int](tc.limit), BestOf[int](tc.limit)
			for n, rank := range tc.ranks {
				one.Add(rank, n)
				if !other.Beyond(rank) { // who asks before need not offer it
					other.Add(rank, n)
				}
			}
			for _, b := range []*Best[int]{one, other} {
				if got, more := b.Items(); !slices.Equal(got, tc.want) || more != tc.more {
					t.Errorf("%s: kept are %v, more: %t; want %v, %t", tc.reason, got, more, tc.want, tc.more)
				}
			}
		})
	}
}

// It is settled only when nothing can come that is better, and that there is more is known.
func TestBestIsSettled(t *testing.T) {
	b := BestOf[string](1)
	for _, step := range []struct {
		rank    int
		settled bool
	}{{4, false}, {0, true}, {3, true}} {
		if b.Add(step.rank, "x"); b.Settled() != step.settled {
			t.Errorf("after one of rank %d it is settled: %t", step.rank, b.Settled())
		}
	}
	only := BestOf[string](1)
	only.Add(0, "x")
	if only.Settled() {
		t.Error("whether there is another one is not known yet")
	}
}

// What looks for objects has parts: kind/name, namespace/name, either of them alone, and the
// place of an object, which alone is none.
func TestPartsOfAnObject(t *testing.T) {
	i := NewIndex(began)
	i.Put(holding("shop-web", "Prod", object("Deployment", "shop", "api"), object("Secret", "other", "api-deploy")))
	for text, want := range map[string]int{
		"deploy/": 1, "/api": 2, "/": 2, "shop/api": 1, "other/api": 1, "secret/api-deploy": 1, "api/deploy": 0, "deploy/api/x": 0,
		"api shop-web": 2, "api shop-web dev": 0, "shop-web": 0, "": 0,
	} {
		if found, _ := i.Now().Seen(everybody).FindObjects(WordsOf(text), 9); len(found) != want {
			t.Errorf("%q finds %d, want %d", text, len(found), want)
		}
	}
	found, _ := i.Now().Seen(everybody).FindObjects(WordsOf("deploy/api"), 1)
	if len(found) != 1 || !found[0].Is("deployment", "SHOP", "Api") || found[0].Is("Deployment", "other", "api") || found[0].Row.Name != "shop-web" {
		t.Errorf("found is %+v", found)
	}
}

// Seen are those that may be seen, and it is known whether they are all.
func TestSeenAreAllOrSome(t *testing.T) {
	now := sample().Now()
	if all := now.Seen(everybody); !all.All(now) {
		t.Error("all of them are not all")
	}
	some := now.Seen(func(r *Row) bool { return r.Project == "shop" })
	if some.All(now) || len(some) != 2 {
		t.Errorf("seen are %v", names(some))
	}
	if rows, _ := some.Find(WordsOf("dns"), 9); len(rows) > 0 {
		t.Errorf("found is what may not be seen: %v", names(rows))
	}
}
