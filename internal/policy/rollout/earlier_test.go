package rollout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestBehindIsTheFirstOfAll compares with a look at each Application of the steps before.
func TestBehindIsTheFirstOfAll(t *testing.T) {
	behind := func(a, other *rolling) bool {
		return !a.Fresh || slices.ContainsFunc(a.Seen, func(s Seen) bool {
			return slices.ContainsFunc(other.Seen, func(o Seen) bool { return s.Source == o.Source && s.Revision != o.Revision })
		})
	}
	random, found := rand.New(rand.NewPCG(7, 7)), map[bool]int{}
	for range 2000 {
		r := randomRound(random)
		before := newEarlier()
		for step := 1; step <= 3; step++ {
			members := r.in(step)
			for _, a := range members {
				var want *rolling
				if i := slices.IndexFunc(r.apps, func(b rolling) bool { return b.step < step && b.step != Unmatched && behind(&b, a) }); i >= 0 {
					want = &r.apps[i]
				}
				if got := before.behind(a); got != want {
					t.Fatalf("behind %+v is %+v, want %+v, of %+v", a, got, want, r.apps)
				}
				found[want != nil]++
			}
			before.add(members)
		}
	}
	if found[true] < 100 || found[false] < 100 {
		t.Errorf("too few are behind, or not: %v", found)
	}
}

// randomRound has a few Applications in three steps and in none, most of which agree on
// what they were compared with.
func randomRound(random *rand.Rand) *round {
	input := Input{Steps: append(slices.Clone(steps), in("env", "last")), Now: now}
	for i := range random.IntN(12) {
		a := app(fmt.Sprint("app-", i), []string{"dev", "prod", "last", "none"}[random.IntN(4)])
		a.Fresh = random.IntN(20) > 0
		for range random.IntN(3) {
			s := Seen{Source{RepoURL: fmt.Sprint("repo-", random.IntN(3)), Chart: []string{"", "web"}[random.IntN(2)], Wanted: "main"}, "1"}
			if random.IntN(12) == 0 {
				s.Revision = strconv.Itoa(random.IntN(3))
			}
			a.Seen = append(a.Seen, s)
		}
		input.Apps = append(input.Apps, a)
	}
	return newRound(input)
}
