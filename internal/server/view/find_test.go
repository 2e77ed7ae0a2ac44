package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestFind(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []string
		more   bool
	}{
		"Name":    {"the name that was asked for is the first", "DNS-prod", []string{"dns-prod"}, false},
		"Begins":  {"what begins with it comes before what has it, and what is not well before what is", "web", []string{"web-prod", "web-dev"}, false},
		"Beside":  {"words are looked for beside the name, too; they are fewer than there are", "prod", []string{"web-prod", "dns-prod"}, false},
		"Several": {"all words have to occur", "shop dev", []string{"web-dev"}, false},
		"More":    {"there are more than were asked for", "d", []string{"dns-dev", "dns-prod"}, true},
		"Nothing": {"what does not occur is not found", "mail", nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rows, more := sample().Now().Seen(everybody).Find(WordsOf(tc.text), 2)
			got := names(rows)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || more != tc.more {
				t.Errorf("%s: more %v, -want +got:\n%s", tc.reason, more, diff)
			}
		})
	}
}

func holding(name, cluster string, objects ...v1alpha1.ResourceStatus) *Row {
	r := row(name, "shop", cluster, "Synced", "Healthy")
	r.objects = objectsOf(objects)
	return r
}

func object(kind, namespace, name string) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{Kind: kind, Namespace: namespace, Name: name}
}

func TestFindObjects(t *testing.T) {
	i := NewIndex(began)
	i.Put(holding("a", "prod", object("Deployment", "shop", "web"), object("Service", "shop", "web-internal")))
	i.Put(holding("b", "dev", object("Deployment", "shop", "web"), object("ClusterRole", "", "system:Reader")))
	i.Put(holding("hidden", "dev", object("Deployment", "shop", "web")))
	visible := func(r *Row) bool { return r.Name != "hidden" }
	cases := map[string]struct {
		reason string
		text   string
		want   []string
		more   bool
	}{
		"Name":        {"whose name it is comes first; what may not be seen does not", "web", []string{"a deployment web", "b deployment web", "a service web-internal"}, false},
		"KindAndName": {"kind/name is one word", "deploy/web", []string{"a deployment web", "b deployment web"}, false},
		"Namespace":   {"so is namespace/name", "shop/internal", []string{"a service web-internal"}, false},
		"Place":       {"the cluster narrows it down", "web dev", []string{"b deployment web"}, false},
		"PlaceAlone":  {"the cluster is no object", "prod", nil, false},
		"Capitals":    {"capitals do not count", "System:READER", []string{"b clusterrole system:reader"}, false},
		"Across":      {"words are of one object", "service reader", nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, more := i.Now().Seen(visible).FindObjects(WordsOf(tc.text), 3)
			var got []string
			for _, o := range objects {
				got = append(got, o.Row.Name+" "+o.kind+" "+o.name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || more != tc.more {
				t.Errorf("%s: more %v, -want +got:\n%s", tc.reason, more, diff)
			}
		})
	}
	if found, more := i.Now().Seen(visible).FindObjects(WordsOf("web"), 1); len(found) != 1 || !more || !found[0].Is("Deployment", "shop", "web") {
		t.Errorf("of many: %+v, %v", found, more)
	}
}

// An Application that has other objects, and is the same in all else, is found by those.
func TestObjectsAreThoseOfNow(t *testing.T) {
	i := NewIndex(began)
	i.Put(holding("a", "prod", object("Deployment", "shop", "old")))
	i.Put(holding("a", "prod", object("Deployment", "shop", "new")))
	for text, want := range map[string]int{"old": 0, "new": 1} {
		if found, _ := i.Now().Seen(everybody).FindObjects(WordsOf(text), 3); len(found) != want {
			t.Errorf("%s: %d found, want %d", text, len(found), want)
		}
	}
}

// What is looked through once for all that have the same objects is found as if
// each Application were looked through by itself.
func TestFindObjectsOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	i := NewIndex(began)
	for n := range 200 {
		var objects []v1alpha1.ResourceStatus
		for range random.IntN(4) {
			objects = append(objects, object(one("Deployment", "Service", "Secret"), one("", "shop", "web"), one("web", "web-db", "db", "cache")))
		}
		i.Put(holding(fmt.Sprintf("app-%s-%d", one("web", "db"), n), one("prod", "dev", "shop"), objects...))
	}
	seen := i.Now().Seen(everybody)
	for _, text := range []string{"w", "web", "db", "web prod", "deploy/web", "shop/db dev", "web db", "secret web cache", "/", "/ web", "app", "nothing", "prod dev"} {
		for _, limit := range []int{1, 6, 50, 1000} {
			best, parts := BestOf[Object](limit), partsOf(WordsOf(text))
			for _, r := range seen {
				for text := range strings.SplitSeq(r.objects.Value(), "\n") {
					o := objectOf(text)
					o.Row = r
					rank, of := parts.rank(&o)
					fits := of != nil && text != ""
					for n := range parts {
						fits = fits && (of[n] || parts[n].around(r))
					}
					if fits {
						best.Add(rank, o)
					}
				}
			}
			want, wantMore := best.Items()
			got, more := seen.FindObjects(WordsOf(text), limit)
			if !slices.Equal(want, got) || more != wantMore && !best.Settled() {
				t.Errorf("%q, %d: got %d, %v; want %d, %v", text, limit, len(got), more, len(want), wantMore)
			}
		}
	}
}

func FuzzFindObjects(f *testing.F) {
	f.Add("deploy/web", "Deployment", "shop", "web")
	f.Add("/ /", "", "\t", "\n")
	f.Fuzz(func(_ *testing.T, text, kind, namespace, name string) {
		i := NewIndex(began)
		i.Put(holding("a", "prod", object(kind, namespace, name)))
		i.Now().Seen(everybody).FindObjects(WordsOf(text), 2)
	})
}

// 10,000 Applications of 20 objects each.
func BenchmarkFind(b *testing.B) {
	i := NewIndex(began)
	for n := range 10_000 {
		objects := make([]v1alpha1.ResourceStatus, 0, 20)
		for k := range 20 {
			objects = append(objects, object("Deployment", "shop", fmt.Sprintf("component-%d-%d", k, n%500)))
		}
		i.Put(holding(fmt.Sprintf("app-%d", n), fmt.Sprintf("prod-%d", n%500), objects...))
	}
	for _, text := range []string{"a", "component", "deploy/component-7-77", "component-19 prod-499", "nothing of it"} {
		words := WordsOf(text)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				seen := i.Now().Seen(everybody)
				seen.Find(words, 8)
				seen.FindObjects(words, 8)
			}
		})
	}
}
