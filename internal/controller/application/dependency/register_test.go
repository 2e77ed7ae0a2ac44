package dependency

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func key(kind, namespace, name string) gitops.Key {
	return gitops.Key{Group: "apps", Kind: kind, Namespace: namespace, Name: name}
}

// TestWhoIsWoken by a change of an object.
func TestWhoIsWoken(t *testing.T) {
	w := NewRegister()
	for name, waits := range map[string][]Object{
		"named":    {{Server: "east", Key: key("Deployment", "shop", "web")}, {Server: "east", Key: key("Deployment", "shop", "db")}},
		"in":       {{Server: "east", Key: key("Deployment", "shop", "")}},
		"anywhere": {{Server: "east", Key: key("Deployment", "", "")}},
		"west":     {{Server: "west", Key: key("Deployment", "shop", "web")}},
		"kind":     {{Server: "east", Key: key("StatefulSet", "shop", "web")}},
		"of red":   {{Server: "east", Key: key("Deployment", "shop", "web"), Project: "red"}},
		"all red":  {{Server: "east", Key: key("Deployment", "shop", ""), Project: "red"}},
	} {
		w.Set(types.NamespacedName{Name: name}, waits)
	}
	for name, tc := range map[string]struct {
		reason, server string
		key            gitops.Key
		project        string
		want           []string
	}{
		"object":    {"who names it, its namespace, or its kind", "east", key("Deployment", "shop", "web"), "", []string{"anywhere", "in", "named"}},
		"of red":    {"and who means those of its project", "east", key("Deployment", "shop", "web"), "red", []string{"all red", "anywhere", "in", "named", "of red"}},
		"of blue":   {"which is not another one's", "east", key("Deployment", "shop", "web"), "blue", []string{"anywhere", "in", "named"}},
		"another":   {"who waits for all waits for this one", "east", key("Deployment", "shop", "new"), "", []string{"anywhere", "in"}},
		"elsewhere": {"in another namespace", "east", key("Deployment", "pay", "web"), "", []string{"anywhere"}},
		"cluster":   {"on another cluster", "west", key("Deployment", "shop", "web"), "red", []string{"west"}},
		"group":     {"of another group", "east", gitops.Key{Kind: "Deployment", Namespace: "shop", Name: "web"}, "", nil},
	} {
		if diff := cmp.Diff(tc.want, names(w.On(tc.server, tc.key, tc.project))); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
	}
	if got := names(w.OnServer("west")); !slices.Equal(got, []string{"west"}) {
		t.Errorf("when cluster west comes back, %v are woken", got)
	}
}

func names(of []types.NamespacedName) []string {
	var out []string
	for _, n := range of {
		out = append(out, n.Name)
	}
	slices.Sort(out)
	return out
}

// TestWaitsAreReplaced: what an Application waited for before wakes it no more, and others
// still.
func TestWaitsAreReplaced(t *testing.T) {
	w, one, two := NewRegister(), types.NamespacedName{Name: "one"}, types.NamespacedName{Name: "two"}
	old, now := Object{Server: "east", Key: key("Deployment", "shop", "old")}, Object{Server: "east", Key: key("Deployment", "shop", "now")}
	w.Set(one, []Object{old, old})
	w.Set(two, []Object{old})
	w.Set(one, []Object{now})
	if got := names(w.On("east", old.Key, "")); !slices.Equal(got, []string{"two"}) {
		t.Errorf("by what it waited for before, %v are woken", got)
	}
	if got := names(w.On("east", now.Key, "")); !slices.Equal(got, []string{"one"}) {
		t.Errorf("by what it waits for, %v are woken", got)
	}
	w.Forget(one)
	w.Forget(two)
	if len(w.byApp)+len(w.on) > 0 {
		t.Errorf("of Applications that are gone %v and %v are kept", w.byApp, w.on)
	}
}

// TestPassed: an Application waits once for each manifests.
func TestPassed(t *testing.T) {
	w, app := NewRegister(), types.NamespacedName{Name: "one"}
	w.Pass(app, "a")
	w.Set(app, []Object{{Server: "east"}})
	if w.Set(app, nil); !w.Passed(app, "a") || w.Passed(app, "b") || w.Passed(types.NamespacedName{Name: "two"}, "a") {
		t.Error("it is not known what was let through")
	}
	if w.Forget(app); w.Passed(app, "a") {
		t.Error("one that is made under the name does not wait")
	}
}

// TestNobodyIsWokenWithoutARegister.
func TestNobodyIsWokenWithoutARegister(t *testing.T) {
	var w *Register
	app := types.NamespacedName{Name: "one"}
	w.Set(app, []Object{{Server: "east"}})
	w.Pass(app, "a")
	w.Forget(app)
	if w.Passed(app, "a") || w.On("east", gitops.Key{}, "red") != nil || w.OnServer("east") != nil {
		t.Error("nothing knows something")
	}
}

// TestFewTexts have the first ones, and count the others.
func TestFewTexts(t *testing.T) {
	all := []string{"a", "b", "c", "d", "e"}
	var got []string
	for _, f := range []few{{}, fewOf(all[:1]), fewOf(all[:3]), fewOf(all), fewOf(all[:2]).and(fewOf(all[2:])), few{}.and(fewOf(all[:1])), fewOf(all).and(few{})} {
		got = append(got, f.String())
	}
	want := []string{"", "a", "a; b; c", "a; b; c, and 2 more", "a; b; c, and 2 more", "a", "a; b; c, and 2 more"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
	first := fewOf(all[:2])
	if one, other := first.and(fewOf([]string{"x"})), first.and(fewOf([]string{"y"})); one.String() != "a; b; x" || other.String() != "a; b; y" {
		t.Errorf("what two objects lack is mixed up: %s and %s", one, other)
	}
}
