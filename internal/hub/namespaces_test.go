package hub

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// Which namespaces are an installation's decides whose Applications it touches, and
// which it has to watch.
func TestNamespacesOfAnInstallation(t *testing.T) {
	for name, tc := range map[string]struct {
		reason         string
		others         []string
		covers, leaves []string
		watched        []string
	}{
		"None":   {"its own alone", nil, []string{"argocd"}, []string{"", "team", "argocd-2"}, []string{"argocd"}},
		"Names":  {"those that are named", []string{"team", "shop"}, []string{"argocd", "team", "shop"}, []string{"team-2", "tea"}, []string{"argocd", "shop", "team"}},
		"Glob":   {"a pattern may match any, so that all are watched", []string{"team-*", "shop"}, []string{"argocd", "team-a", "shop"}, []string{"team", "my-team-a"}, []string{cache.AllNamespaces}},
		"Range":  {"one letter of some is a pattern, too", []string{"team-[ab]"}, []string{"team-a"}, []string{"team-c"}, []string{cache.AllNamespaces}},
		"Regexp": {"an expression between slashes", []string{"/^team-.+$/"}, []string{"team-12"}, []string{"team", "/^team-.+$/"}, []string{cache.AllNamespaces}},
		"Twice":  {"its own may be named again", []string{"argocd"}, []string{"argocd"}, []string{"team"}, []string{"argocd"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := Namespaces{"argocd", tc.others}
			for _, namespace := range tc.covers {
				if !n.Covers(namespace) {
					t.Errorf("%s: %q is not covered", tc.reason, namespace)
				}
			}
			for _, namespace := range tc.leaves {
				if n.Covers(namespace) {
					t.Errorf("%s: %q is covered", tc.reason, namespace)
				}
			}
			if diff := cmp.Diff(tc.watched, slices.Sorted(maps.Keys(n.Watched()))); diff != "" {
				t.Errorf("%s: watched are -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A pattern that cannot be read would match nothing, silently: an engine does not start
// with one, and says where it is written.
func TestNamespacesThatAreNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		named  []string
		says   string
	}{
		"None":    {"a flag that is empty asks no hub", []string{}, ""},
		"Sound":   {"all can be read", []string{"team", "shop-*", "/^a/"}, ""},
		"Regexp":  {"an expression that cannot", []string{"team", "/(/"}, `cannot use "/(/" in --application-namespaces`},
		"Pattern": {"nor a glob", []string{"[a"}, `cannot use "[a" in --application-namespaces`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadNamespaces(&rest.Config{Host: "https://nowhere.invalid"}, "argocd", tc.named, nil)
			if (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "write a namespace, a glob")) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(Namespaces{"argocd", tc.named}, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Lists of ConfigMaps are written by hand.
func TestSplitList(t *testing.T) {
	for text, want := range map[string][]string{"": nil, " , ,": nil, "a": {"a"}, " a ,b,, c\n": {"a", "b", "c"}} {
		if diff := cmp.Diff(want, SplitList(text)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}
