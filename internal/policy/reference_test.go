package policy_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// simple are patterns of text and stars that do not follow one another: what
// they mean is said in one sentence. Two parts of one star may overlap, as in Argo CD.
var simple = regexp.MustCompile(`^([A-Za-z0-9.:/ -]|\*[A-Za-z0-9.:/ -])*\*?$`)

// covers is a pattern as its documentation has it, for those that are simple.
func covers(pattern, text string) bool {
	if first, last, star := strings.Cut(pattern, "*"); star && !strings.Contains(last, "*") {
		return strings.HasPrefix(text, first) && strings.HasSuffix(text, last)
	}
	return spans(pattern, text)
}

// spans tries all that a star can be.
func spans(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	for i := len(first); i <= len(text); i++ {
		if spans(rest, text[i:]) {
			return true
		}
	}
	return false
}

// plain reports whether the reference can say what all of some patterns mean.
func plain(patterns ...string) bool {
	for _, p := range patterns {
		if len(p) > 60 || !simple.MatchString(strings.TrimPrefix(p, "!")) {
			return false
		}
	}
	return true
}

// holds is a pattern that may begin with "!", which turns it round.
func holds(pattern, text string) bool {
	if rest, deny := strings.CutPrefix(pattern, "!"); deny {
		return !covers(rest, text)
	}
	return covers(pattern, text)
}

func denying(pattern string) bool { return strings.HasPrefix(pattern, "!") }

// permitted is Argo CD's rule for destinations, for servers whose spelling decides nothing.
func permitted(list []v1alpha1.ApplicationDestination, t policy.Target) bool {
	found := false
	for _, d := range list {
		name := t.Name != "" && holds(d.Name, t.Name)
		server := t.Server != "" && holds(d.Server, t.Server)
		namespace := holds(d.Namespace, t.Namespace)
		switch {
		case (name || server) && namespace:
			found = true
		case denying(d.Name) && !name:
			return false
		case denying(d.Server) && !server && namespace:
			return false
		case denying(d.Namespace) && !namespace && server:
			return false
		}
	}
	return found
}

// spelled are servers as Secrets write them: each names one cluster, in more than one way.
var spelled = map[string][]string{
	"https://a": {"https://a", "https://A", "https://a:443", "https://a/", "https://a.:0443/"},
	"https://b": {"https://b", "https://B:443"},
}

// FuzzDestinations holds two entries of a project to the rule, and to deny a
// cluster in all of its spellings.
func FuzzDestinations(f *testing.F) {
	f.Add("", "*", "*", "", "https://a", "!kube-*", "a", "https://a", "kube-system")
	f.Add("prod-*", "", "shop", "!prod-2", "", "", "prod-2", "https://b", "shop")
	f.Add("", "*", "!x", "", "!https://a", "[x", "", "https://a", "x")
	f.Add("", "https://*", "*", "", "https://[", "!x", "", "https://a", "x")
	f.Fuzz(func(t *testing.T, name1, server1, namespace1, name2, server2, namespace2, name, server, namespace string) {
		list := []v1alpha1.ApplicationDestination{{Name: name1, Server: server1, Namespace: namespace1}, {Name: name2, Server: server2, Namespace: namespace2}}
		p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: list}}
		target := policy.Target{Name: name, Server: server, Namespace: namespace}
		got := policy.Destination(p, target, nil) == nil
		if want := permitted(list, target); plain(name1, server1, namespace1, name2, server2, namespace2) && spelled[server] != nil && got != want && !wildHost(server1, server2) {
			t.Errorf("%+v permits %+v: %t, want %t", list, target, got, want)
		}
		for _, same := range spelled[server] {
			other := policy.Target{Name: name, Server: same, Namespace: namespace}
			list[0] = v1alpha1.ApplicationDestination{Server: "*", Namespace: "*"}
			if plain(name2, namespace2) && denying(server2+namespace2) && policy.Destination(p, target, nil) != nil && policy.Destination(p, other, nil) == nil && !wildHost(server2) {
				t.Errorf("%+v denies %+v, and not %+v", list, target, other)
			}
		}
		brokenDenies(t, target)
	})
}

// wildHost reports whether the spelling of a server may decide what a pattern means.
func wildHost(patterns ...string) bool {
	for _, p := range patterns {
		p = strings.TrimPrefix(p, "!")
		if p != "*" && p != "" && (strings.Contains(p, "*") || spelled[p] == nil) {
			return true
		}
	}
	return false
}

// brokenDenies has what nobody can read beside what permits everything.
func brokenDenies(t *testing.T, target policy.Target) {
	t.Helper()
	for _, d := range []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "!["}, {Server: "![", Namespace: "*"}, {Name: "![", Namespace: "none"}} {
		p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}, d}}}
		if target.Server != "" && policy.Destination(p, target, nil) == nil {
			t.Errorf("%+v denies nothing", d)
		}
	}
}

// FuzzResources holds the four lists of kinds to the rule.
func FuzzResources(f *testing.F) {
	f.Add("*", "Deploy*", "", "apps", "Deployment", "", "apps", "Deployment", "web", true)
	f.Add("*", "*", "team-*", "", "Namespace", "team-[a-c]", "", "Namespace", "team-a", false)
	f.Add("*", "*", "", "[", "*", "", "apps", "Deployment", "web", true)
	f.Add("", "Namespace", "", "*", "*", "kube-[", "", "Namespace", "kube-system", false)
	f.Fuzz(func(t *testing.T, group1, kind1, name1, group2, kind2, name2, group, kind, name string, namespaced bool) {
		list := v1alpha1.AppProjectSpec{
			ClusterResourceWhitelist:   []v1alpha1.ClusterResourceRestrictionItem{{Group: group1, Kind: kind1, Name: name1}},
			ClusterResourceBlacklist:   []v1alpha1.ClusterResourceRestrictionItem{{Group: group2, Kind: kind2, Name: name2}},
			NamespaceResourceWhitelist: []metav1.GroupKind{{Group: group1, Kind: kind1}},
			NamespaceResourceBlacklist: []metav1.GroupKind{{Group: group2, Kind: kind2}},
		}
		if namespaced {
			name1, name2 = "", ""
		}
		k := gitops.Key{Group: group, Kind: kind, Name: name}
		got := policy.Resource(&v1alpha1.AppProject{Spec: list}, k, namespaced) == nil
		if !plain(group1, kind1, group2, kind2) || denying(group1+kind1) || denying(group2) || denying(kind2) {
			return
		}
		allow := covers(group1, group) && covers(kind1, kind) && file(name1, name, false)
		deny := covers(group2, group) && covers(kind2, kind) && file(name2, name, true)
		if got != (allow && !deny) {
			t.Errorf("%+v permits %s (namespaced %t): %t", list, k, namespaced, got)
		}
	})
}

// file is a name's pattern, which is one of files; one that nobody can read is as told.
func file(pattern, name string, unreadable bool) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil && unreadable
}

// FuzzBroken holds any pattern that nobody can read to permit nothing, and to
// deny everything.
func FuzzBroken(f *testing.F) {
	for _, text := range []string{"[", "a[", "[]", "[z-a]", "*[!", "{a,[}", "\xff", "[\x90-0["} {
		f.Add(text, "web")
	}
	f.Fuzz(func(t *testing.T, text, of string) {
		if strings.ContainsAny(text, "[\\") || !utf8.ValidString(text) || len(text) > 60 {
			text += "[" // nothing closes it
		}
		if !strings.HasSuffix(text, "[") || strings.HasSuffix(text, `\[`) || strings.Contains(text, "{") || denying(text) || of == "" {
			return
		}
		k := gitops.Key{Group: of, Kind: of, Name: of}
		whole := []metav1.GroupKind{{Group: "*", Kind: "*"}}
		broken := []metav1.GroupKind{{Group: "*", Kind: text}}
		for name, spec := range map[string]v1alpha1.AppProjectSpec{
			"kinds permit": {NamespaceResourceWhitelist: broken},
			"kinds deny":   {NamespaceResourceWhitelist: whole, NamespaceResourceBlacklist: broken},
		} {
			if policy.Resource(&v1alpha1.AppProject{Spec: spec}, k, true) == nil {
				t.Errorf("%s: %q permits %s", name, text, k)
			}
		}
		if policy.NamespaceListed([]string{text}, of) {
			t.Errorf("%q lists the namespace %q", text, of)
		}
		if policy.Source(projectOf("https://h/"+text), at("https://h/"+of)) == nil || policy.Source(projectOf("*", "!https://h/"+text), at("https://h/"+of)) == nil {
			t.Errorf("%q permits the repository %q", text, of)
		}
	})
}

// FuzzNamespaces holds sourceNamespaces to their two forms.
func FuzzNamespaces(f *testing.F) {
	f.Add("team-*", "team-a")
	f.Add("/^team-[0-9]+$/", "team-1")
	f.Add("/[/", "[")
	f.Add("/", "/")
	f.Fuzz(func(t *testing.T, pattern, namespace string) {
		got := policy.NamespaceListed([]string{pattern}, namespace)
		var want bool
		switch {
		case len(pattern) > 1 && pattern[0] == '/' && pattern[len(pattern)-1] == '/':
			re, err := regexp.Compile(strings.TrimSuffix(strings.TrimPrefix(pattern, "/"), "/"))
			want = err == nil && re.MatchString(namespace)
		case plain(pattern) && !denying(pattern):
			want = covers(pattern, namespace)
		default:
			return
		}
		if got != want {
			t.Errorf("%q lists %q: %t", pattern, namespace, got)
		}
	})
}

// FuzzAccounts holds impersonation to the first entry that matches, and to
// service accounts alone.
func FuzzAccounts(f *testing.F) {
	f.Add("https://a", "shop", "deployer", "*", "*", "ops:admin", "https://a", "shop", "apps")
	f.Add("https://b", "[", "deployer", "https://b", "*", "x", "https://a", "", "apps")
	f.Add("https://a", "", " ", "https://a", "*", "system:admin", "https://a", "", "apps")
	f.Fuzz(func(t *testing.T, server1, namespace1, account1, server2, namespace2, account2, server, namespace, from string) {
		list := []v1alpha1.ApplicationDestinationServiceAccount{
			{Server: server1, Namespace: namespace1, DefaultServiceAccount: account1}, {Server: server2, Namespace: namespace2, DefaultServiceAccount: account2},
		}
		p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{DestinationServiceAccounts: list}}
		got, err := policy.ServiceAccount(p, policy.Target{Server: server, Namespace: namespace}, from)
		if got != "" && (err != nil || !strings.HasPrefix(got, "system:serviceaccount:") || strings.ContainsAny(strings.TrimPrefix(got, "system:serviceaccount:"+namespace), "!*[]{}\\/") && namespace != "") {
			t.Errorf("it acts as %q, %v", got, err)
		}
		if spelled[server] == nil || wildHost(server1, server2) || !plain(server1, namespace1, server2, namespace2) || denying(server1+namespace1) || denying(server2+namespace2) || denying(namespace1) || denying(namespace2) {
			return
		}
		want, refused := firstAccount(list, server, namespace, from)
		if got != want || (err != nil) != refused {
			t.Errorf("%+v has syncs to %q of %q act as %q, %v; want %q", list, namespace, server, got, err, want)
		}
	})
}

func firstAccount(list []v1alpha1.ApplicationDestinationServiceAccount, server, namespace, from string) (want string, refused bool) {
	for _, entry := range list {
		if !covers(entry.Server, server) || !covers(entry.Namespace, namespace) {
			continue
		}
		account := entry.DefaultServiceAccount
		if strings.TrimSpace(account) == "" || strings.ContainsAny(account, `!*[]{}\/`) {
			return "", true
		}
		if namespace != "" {
			from = namespace
		}
		if !strings.Contains(account, ":") {
			account = from + ":" + account
		}
		return "system:serviceaccount:" + account, false
	}
	return "", false
}
