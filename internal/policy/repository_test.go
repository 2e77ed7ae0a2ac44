package policy_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func projectOf(sourceRepos ...string) *v1alpha1.AppProject {
	return &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: sourceRepos}}
}

func at(repoURL string) gitops.SourceRef { return gitops.SourceRef{RepoURL: repoURL} }

// TestDeniesMeanRepositories reaches a repository that is denied by all the ways there are to it.
func TestDeniesMeanRepositories(t *testing.T) {
	ways := map[string]string{
		"AsWritten":   "https://git.example.com/payments/keys",
		"Ending":      "https://git.example.com/payments/keys.git",
		"Slash":       "https://git.example.com/payments/keys/",
		"EndingSlash": "https://git.example.com/payments/keys.git/",
		"Twice":       "https://git.example.com/payments/keys.git.git",
		"Port":        "https://git.example.com:443/payments/keys",
		"User":        "https://someone@git.example.com/payments/keys",
		"Password":    "https://someone:pw@git.example.com/payments/keys",
		"Case":        "HTTPS://Git.Example.com/Payments/KEYS",
		"Dot":         "https://git.example.com./payments/keys",
		"Slashes":     "https://git.example.com//payments///keys",
		"Encoded":     "https://git.example.com/payments/%6b%65ys",
		"Capital":     "https://git.example.com/payments/%4b%45%59%53",
		"Folds":       "https://git.example.com/payments/\u212aeys",
		"FoldsCoded":  "https://git.example.com/payments/%E2%84%AAeys",
		"Zeros":       "https://git.example.com:0443/payments/keys",
		"EncodedSign": "https://git.example.com/payments%2Fkeys",
		"Climbs":      "https://git.example.com/payments/open/../keys",
		"ClimbsCoded": "https://git.example.com/payments/open/%2e%2e/keys",
		"ClimbsTwice": "https://git.example.com/payments/open/%252e%252e/keys",
		"ClimbsMixed": "https://git.example.com/open/.%25252e%252fpayments/keys",
		"Stays":       "https://git.example.com/./payments/keys",
		"Backslash":   `https://git.example.com/payments\keys`,
		"Query":       "https://git.example.com/payments/keys?x=1",
		"Plain":       "http://git.example.com/payments/keys",
		"PlainPort":   "http://git.example.com:8080/payments/keys",
		"SSH":         "ssh://git@git.example.com/payments/keys",
		"SSHPort":     "ssh://git@git.example.com:2222/payments/keys.git",
		"SCP":         "git@git.example.com:payments/keys.git",
		"SCPRooted":   "git@git.example.com:/payments/keys.git",
		"SCPNobody":   "git.example.com:payments/keys",
		"Git":         "git://git.example.com/payments/keys",
		"Space":       " https://git.example.com/payments/keys ",
		"Parameters":  "https://git.example.com/payments;x/keys",
		"Above":       "https://git.example.com/open/..;/payments/keys",
		"AboveCoded":  "https://git.example.com/open/..%3b/payments/keys",
		"BrokenQuery": "https://git.example.com/open/%2e%2e/payments/keys?%zz",
		"SlashCoded":  "https://git.example.com/payments%5Ckeys",
		"Registry":    "git.example.com/open/..;/payments/keys",
		"Rooted":      "ssh://git@git.example.com//payments/keys",
		"Home":        "git@git.example.com:~/payments/keys",
		"HomeRooted":  "git@git.example.com:/~/payments/keys.git",
		"HomeURL":     "ssh://git@git.example.com:2222/~/payments/keys",
		"HomeSlash":   "ssh://git@git.example.com/~%2Fpayments/keys",
		"HomeNobody":  "git.example.com:~/payments/keys",
		"HomeGit":     "git://git.example.com/~/payments/keys",
		"OwnHome":     "ssh://git@git.example.com/~git/payments/keys.git",
		"OwnHomeCode": "ssh://git@git.example.com/%7Egit/payments/keys",
		"OwnHomeSCP":  "git@git.example.com:~git/payments/keys",
		"OthersHome":  "alice@git.example.com:~git/payments/keys",
		"HiddenHome":  "git@git.example.com:x~git/payments/keys",
	}
	rules := map[string]string{
		"Exact":  "!https://git.example.com/payments/keys",
		"Suffix": "!https://git.example.com/payments/keys.git",
		"Below":  "!https://git.example.com/payments/*",
		"Deep":   "!https://git.example.com/payments/**",
		"SSH":    "!git@git.example.com:payments/keys.git",
		"Any":    "!*://git.example.com/payments/keys",
		"Host":   "!https://*.example.com/payments/keys",
	}
	for rule, pattern := range rules {
		for way, repoURL := range ways {
			t.Run(rule+way, func(t *testing.T) {
				if err := policy.Source(projectOf("*", pattern), at(repoURL)); err == nil {
					t.Errorf("%q does not hold against %q", pattern, repoURL)
				}
			})
		}
	}
	for pattern, all := range map[string][]string{
		"!https://[2001:db8::1]/payments/*":   {"https://[2001:db8::1]/payments/keys", "https://[2001:DB8:0::1]:443/payments/keys.git", "ssh://git@[2001:db8::1]:2222/payments/keys", "git@[2001:db8::1]:payments/keys"},
		"!git@[2001:db8:0::1]:payments/*":     {"https://[2001:db8::1]/payments/keys", "git@[2001:db8::1]:payments/keys"},
		"!https://[2001:db8::1]:8443/a/b":     {"https://[2001:db8::1]:08443/a/b"},
		"!https://[::ffff:192.0.2.1]/a/b":     {"https://192.0.2.1/a/b", "https://[::ffff:c000:201]/a/b"},
		"!https://git.example.com/a%5Bb%5Dc":  {"https://git.example.com/a[b]c", "https://git.example.com/a%5bb%5dc.git"},
		"!https://git.example.com/a%7Bb%2Cc}": {"https://git.example.com/a{b,c}", "git@git.example.com:a{b,c}"},
		"!https://git.example.com/a%5Cb":      {"https://git.example.com/a%5cb"},
		"!https://git.example.com/a%2Ab":      {"https://git.example.com/a*b", "https://git.example.com/%61%2ab"},
		"!https://git.example.com/a?c":        {"https://git.example.com/a%5Bc"},
		"!git@git.example.com:~/payments/*":   {"https://git.example.com/payments/keys", "git@git.example.com:payments/keys", "git@git.example.com:~git/payments/keys"},
		"!me@git.example.com:~git/payments/*": {"git@git.example.com:payments/keys", "ssh://git@git.example.com/~/payments/keys", "me@git.example.com:~git/payments/keys"},
	} {
		for _, repoURL := range all {
			if err := policy.Source(projectOf("*", pattern), at(repoURL)); err == nil {
				t.Errorf("%q does not hold against %q", pattern, repoURL)
			}
		}
	}
	for _, repoURL := range []string{"https://git.example.com/payments-open/keys", "https://git.example.org/payments/keys", "https://git.example.com/shop/payments/keys", "https://git.example.com:8443/payments/keys", "ssh://git@git.example.com/home/git/payments/keys"} {
		if err := policy.Source(projectOf("*", rules["Exact"]), at(repoURL)); err != nil {
			t.Errorf("it is another repository: %v", err)
		}
	}
}

// TestAllowsMeanRepositories has addresses that look as if they were permitted.
func TestAllowsMeanRepositories(t *testing.T) {
	tests := map[string]struct {
		reason, pattern, repoURL string
		permitted                bool
	}{
		"Own":        {"what the pattern is for", "https://git.example.com/shop/*", "https://git.example.com/shop/web.git", true},
		"Climbs":     {"a server may follow it", "https://git.example.com/shop/**", "https://git.example.com/shop/../payments/keys", false},
		"Coded":      {"a server may read it", "https://git.example.com/shop/**", "https://git.example.com/shop/%2e%2e/payments/keys", false},
		"CodedTwice": {"a second one may read it", "https://git.example.com/shop/**", "https://git.example.com/shop/%252e%252e/payments/keys", false},
		"CodedDeep":  {"however deep it is", "https://git.example.com/shop/**", "https://git.example.com/shop/%2525252525252525252e%2e/payments/keys", false},
		"CodedRule":  {"a pattern that has it means nothing", "https://git.example.com/shop/%252e%252e/**", "https://git.example.com/shop/%252e%252e/payments/keys", false},
		"Percent":    {"a sign that is escaped may be a name", "https://git.example.com/shop/**", "https://git.example.com/shop/100%2525", true},
		"Host":       {"the part before @ is a user", "https://git.example.com*/shop/*", "https://git.example.com@evil.example/shop/web", false},
		"Folds":      {"hosts have it as another repository", "https://git.example.com/\u212aeys/*", "https://git.example.com/keys/web", false},
		"FoldsIn":    {"and the other way", "https://git.example.com/infra/*", "https://git.example.com/\u0130nfra/web", false},
		"FoldsCoded": {"also where it is encoded", "https://git.example.com/infra/*", "https://git.example.com/%C4%B0nfra/web", false},
		"Case":       {"letters of ASCII are the same in both cases", "https://git.example.com/Infra/*", "https://git.example.com/iNFRA/web", true},
		"Scheme":     {"nobody signs what comes in the clear", "https://git.example.com/shop/*", "http://git.example.com/shop/web", false},
		"Port":       {"another server of that host", "https://git.example.com/shop/*", "https://git.example.com:8443/shop/web", false},
		"UserInRule": {"as Argo CD: both name the user", "https://me@git.example.com/shop/*", "https://me@git.example.com/shop/web", true},
		"SSHForms":   {"one repository in both forms", "git@git.example.com:shop/*", "ssh://git@git.example.com/shop/web", true},
		"Braces":     {"as Argo CD: alternatives mean nothing here", "https://git.example.com/{shop,bank}/web", "https://git.example.com/shop/web", false},
		"Registry":   {"names without a scheme", "registry.example.com/charts", "registry.example.com/charts", true},
		"Folder":     {"folders", "file:///srv/git/*", "file:///srv/git/shop", true},
		"FolderUp":   {"and what is above them", "file:///srv/git/*", "file:///srv/git/../keys", false},
		"IPv6":       {"brackets of an address are text", "https://[2001:db8::1]/shop/*", "https://[2001:db8::1]/shop/web", true},
		"IPv6Other":  {"which are no signs for one of some", "https://[2001:db8::1]/shop/*", "https://2/shop/web", false},
		"Brackets":   {"what is encoded is text", "https://git.example.com/a%5Bb%5Dc", "https://git.example.com/a%5Bb%5Dc", true},
		"Class":      {"what is not is a sign", "https://git.example.com/a[bd]c", "https://git.example.com/adc", true},
		"Unreadable": {"what is no address can be no repository", "https://**", "https://[", false},
		"Above":      {"some servers leave out what follows a semicolon", "https://git.example.com/shop/**", "https://git.example.com/shop/..;/payments/keys", false},
		"AboveCoded": {"also where it is encoded", "https://git.example.com/shop/**", "https://git.example.com/shop/..%3Bx/payments/keys", false},
		"Parameters": {"such an address may be that of any repository", "https://git.example.com/shop/**", "https://git.example.com/shop/web;x", false},
		"SlashCoded": {"some servers take a backslash for a slash", "https://git.example.com/shop/**", "https://git.example.com/shop/..%5Cpayments/keys", false},
		"BadQuery":   {"a query that cannot be read hides no dots", "https://git.example.com/shop/**", "https://git.example.com/shop/%2e%2e/payments/keys?%zz", false},
		"Registries": {"registries are servers as well", "oci://registry.example.com/shop/**", "oci://registry.example.com/shop/..;/payments", false},
		"Query":      {"a semicolon is a usual sign there", "https://charts.example.com/shop?**", "https://charts.example.com/shop?a=1;b=2", true},
		"Semicolon":  {"ssh opens files, which may be called so", "git@git.example.com:shop/**", "git@git.example.com:shop/a;b", true},
		"Tilde":      {"Sourcehut's repositories begin with a tilde", "https://git.sr.ht/~somebody/*", "https://git.sr.ht/~somebody/web", true},
		"TildeSSH":   {"by ssh, too", "git@git.sr.ht:~somebody/*", "git@git.sr.ht:~somebody/web", true},
		"TildeOther": {"and are somebody's own", "git@git.sr.ht:~somebody/*", "git@git.sr.ht:~else/web", false},
		"Home":       {"a pattern may name the home folder", "git@git.example.com:~/shop/*", "git@git.example.com:~/shop/web", true},
		"HomeURL":    {"which addresses with a port can only name so", "ssh://git@git.example.com:2222/~git/shop/*", "ssh://git@git.example.com:2222/~git/shop/web", true},
		"HomeOther":  {"and other folders in it are not meant", "git@git.example.com:~/shop/*", "git@git.example.com:~/payments/keys", false},
		"HomeElse":   {"nor those of others", "git@git.example.com:~/shop/*", "git@git.example.com:~alice/shop/web", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := policy.Source(projectOf(tc.pattern), at(tc.repoURL)); (err == nil) != tc.permitted {
				t.Errorf("%s: %q holds %q: %v", tc.reason, tc.pattern, tc.repoURL, err)
			}
		})
	}
}

// TestBrokenDeny has a deny that nobody can read.
func TestBrokenDeny(t *testing.T) {
	if policy.Source(projectOf("*", "!https://git.example.com/[payments"), at("https://git.example.com/shop")) == nil {
		t.Error("nobody knows what it was to deny, so it denies all")
	}
}

// TestBrokenPatterns has patterns that nobody can read, each in a list that permits and in one that denies.
func TestBrokenPatterns(t *testing.T) {
	all := metav1.GroupKind{Group: "*", Kind: "*"}
	anything := v1alpha1.ApplicationDestination{Server: "*", Namespace: "*"}
	clusterWide := v1alpha1.ClusterResourceRestrictionItem{Group: "*", Kind: "*"}
	namespaced := func(s *v1alpha1.AppProject) error {
		return policy.Resource(s, gitops.Key{Group: "apps", Kind: "Deployment", Name: "x"}, true)
	}
	cluster := func(s *v1alpha1.AppProject) error {
		return policy.Resource(s, gitops.Key{Kind: "Namespace", Name: "x"}, false)
	}
	lives := func(s *v1alpha1.AppProject) error { return policy.Namespace(s, "team-a", "argocd") }
	acts := func(s *v1alpha1.AppProject) error {
		_, err := policy.ServiceAccount(s, target, "argocd")
		return err
	}
	signed := func(s *v1alpha1.AppProject) error {
		_, err := policy.Signatures(s, &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/x"})
		return err
	}
	orphan := func(s *v1alpha1.AppProject) error {
		if policy.Orphan(s, gitops.Key{Kind: "Secret", Namespace: "shop", Name: "x"}) {
			return errors.New("it is orphaned")
		}
		return nil
	}
	goes := func(s *v1alpha1.AppProject) error { return policy.Destination(s, target, nil) }
	cases := map[string]struct {
		reason string
		spec   v1alpha1.AppProjectSpec
		ask    func(*v1alpha1.AppProject) error
	}{
		"KindPermits":      {"it permits no kind", v1alpha1.AppProjectSpec{NamespaceResourceWhitelist: []metav1.GroupKind{{Group: "*", Kind: "[D"}}}, namespaced},
		"KindDenies":       {"it may deny any kind", v1alpha1.AppProjectSpec{NamespaceResourceWhitelist: []metav1.GroupKind{all}, NamespaceResourceBlacklist: []metav1.GroupKind{{Group: "*", Kind: "[D"}}}, namespaced},
		"GroupDenies":      {"or any group", v1alpha1.AppProjectSpec{NamespaceResourceBlacklist: []metav1.GroupKind{{Group: "[", Kind: "Deployment"}}}, namespaced},
		"ClusterDenies":    {"also cluster-scoped ones", v1alpha1.AppProjectSpec{ClusterResourceWhitelist: []v1alpha1.ClusterResourceRestrictionItem{clusterWide}, ClusterResourceBlacklist: []v1alpha1.ClusterResourceRestrictionItem{{Group: "", Kind: "[N"}}}, cluster},
		"NameDenies":       {"or any name", v1alpha1.AppProjectSpec{ClusterResourceWhitelist: []v1alpha1.ClusterResourceRestrictionItem{clusterWide}, ClusterResourceBlacklist: []v1alpha1.ClusterResourceRestrictionItem{{Group: "", Kind: "Namespace", Name: "kube-["}}}, cluster},
		"NamePermits":      {"it permits no name", v1alpha1.AppProjectSpec{ClusterResourceWhitelist: []v1alpha1.ClusterResourceRestrictionItem{{Group: "", Kind: "Namespace", Name: "["}}}, cluster},
		"NamespaceDenied":  {"it may deny any namespace", v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{anything, {Server: "*", Namespace: "!["}}}, goes},
		"ServerDenied":     {"or any server", v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{anything, {Server: "![", Namespace: "*"}}}, goes},
		"OfSomeServer":     {"of a server that nobody knows", v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{anything, {Server: "https://[", Namespace: "!shop"}}}, goes},
		"FromNamespace":    {"it permits no namespace", v1alpha1.AppProjectSpec{SourceNamespaces: []string{"team-["}}, lives},
		"FromExpression":   {"nor does an expression", v1alpha1.AppProjectSpec{SourceNamespaces: []string{"/team-(/"}}, lives},
		"AccountServer":    {"nobody knows whom it was for", v1alpha1.AppProjectSpec{DestinationServiceAccounts: []v1alpha1.ApplicationDestinationServiceAccount{{Server: "[", Namespace: "*", DefaultServiceAccount: "x"}}}, acts},
		"AccountNamespace": {"nor where", v1alpha1.AppProjectSpec{DestinationServiceAccounts: []v1alpha1.ApplicationDestinationServiceAccount{{Server: "*", Namespace: "[", DefaultServiceAccount: "x"}}}, acts},
		"Signatures":       {"nor which repository", v1alpha1.AppProjectSpec{SourceIntegrity: &v1alpha1.SourceIntegrity{Git: &v1alpha1.SourceIntegrityGit{Policies: []*v1alpha1.SourceIntegrityGitPolicy{{Repos: []v1alpha1.SourceIntegrityGitPolicyRepo{{URL: "!https://["}}}}}}}, signed},
		"Orphans":          {"it ignores nothing", v1alpha1.AppProjectSpec{OrphanedResources: &v1alpha1.OrphanedResourcesMonitorSettings{Ignore: []v1alpha1.OrphanedResourceKey{{Kind: "[S"}}}}, orphan},
		"InSomeNamespaces": {"of namespaces that nobody knows", v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{anything, {Server: "!" + target.Server, Namespace: "[s"}}}, goes},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := tc.ask(&v1alpha1.AppProject{Spec: tc.spec}); err == nil {
				t.Errorf("%s: it is permitted", tc.reason)
			}
			if text := fmt.Sprint(policy.Doubts(&v1alpha1.AppProject{Spec: tc.spec}, app("argocd", "x"))); !strings.Contains(text, "nobody can read") {
				t.Errorf("%s: nothing tells: %s", tc.reason, text)
			}
		})
	}
	p := windowed(&v1alpha1.SyncWindow{Kind: "deny"})
	p.Spec.SyncWindows[0].Applications = []string{"[s"}
	if len(policy.WindowsFor(p, app("argocd", "x"))) != 1 {
		t.Error("it may keep any application from syncing")
	}
	if text := fmt.Sprint(policy.Doubts(p, app("argocd", "x"))); !strings.Contains(text, "syncWindows[0]") || !strings.Contains(text, "nobody can read") {
		t.Errorf("nothing tells of the window: %s", text)
	}
	p.Spec.SyncWindows[0].Kind = "allow"
	if len(policy.WindowsFor(p, app("argocd", "x"))) != 0 {
		t.Error("it lets no application sync")
	}
}

// plainly is an address as the rules are told of: the parts that decide, read straight off the URL.
func plainly(repoURL string) (place string, ok bool) {
	u, err := url.Parse(repoURL)
	if err != nil || u.Hostname() == "" || u.Scheme == "" || u.Opaque != "" {
		return "", false
	}
	var parts []string
	for part := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		if part == "." || part == ".." {
			return "", false
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "", false
	}
	last := &parts[len(parts)-1]
	for strings.HasSuffix(*last, ".git") {
		*last = strings.TrimSuffix(*last, ".git")
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") + otherPort(u) + "/" + strings.Join(parts, "/"), true
}

// otherPort is a port that makes another server of a host, in the scheme that the rule names.
func otherPort(u *url.URL) string {
	n, err := strconv.Atoi(cmp.Or(u.Port(), "443"))
	if u.Scheme != "https" || err == nil && n == 443 {
		return ""
	}
	return ":" + u.Port()
}

// FuzzDeniedRepository holds that nothing leads to a denied repository, whatever form its address has.
func FuzzDeniedRepository(f *testing.F) {
	for _, seed := range []string{"https://h/a/b", "https://u@h:443/a/b.git/", "ssh://h:22//a/b", "http://h/a/%62", "https://H./A/B?c", "https://h/a/%42", "https://h:0443/a/b", "https://h:8443/a/b", "http://h:1/a/b", "https://h/%2561/b", "https://h/a/b/%2a", "https://h/A/", "https://h/a/x/../b", "oci://h/a/b"} {
		f.Add(seed)
	}
	exact, below := projectOf("*", "!https://h/a/b"), projectOf("*", "!https://h/a/**")
	only := projectOf("https://h/a/**")
	f.Fuzz(func(t *testing.T, repoURL string) {
		place, ok := plainly(repoURL)
		if err := policy.Source(exact, at(repoURL)); ok && place == "h/a/b" && err == nil {
			t.Errorf("%q leads to what is denied", repoURL)
		}
		if err := policy.Source(below, at(repoURL)); ok && strings.HasPrefix(place, "h/a/") && err == nil {
			t.Errorf("%q leads below what is denied", repoURL)
		}
		secure := strings.HasPrefix(strings.ToLower(strings.TrimSpace(repoURL)), "https://")
		if err := policy.Source(only, at(repoURL)); err == nil && (!ok || !secure || !strings.HasPrefix(place+"/", "h/a/")) {
			t.Errorf("%q leads elsewhere than to what is permitted: %q", repoURL, place)
		}
	})
}

// TestBesides tells what is read with credentials from what is read as everybody may, and from what is not read at all.
func TestBesides(t *testing.T) {
	p := projectOf("https://git.example.com/shop/*", "!https://git.example.com/payments/*")
	cases := map[string]struct {
		reason, repoURL    string
		permitted, refused bool
	}{
		"Ours":    {"what sources may be", "https://git.example.com/shop/base", true, false},
		"Public":  {"what nobody named", "https://charts.example.com", true, false}, // a deny permits all others
		"Denied":  {"what the project denies", "https://git.example.com/payments/keys", false, true},
		"Spelled": {"however it is spelled", "git@git.example.com:payments/keys", false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			permitted, err := policy.Besides(p, at(tc.repoURL))
			if permitted != tc.permitted && !tc.refused || (err != nil) != tc.refused {
				t.Errorf("%s: %t, %v", tc.reason, permitted, err)
			}
		})
	}
	if permitted, err := policy.Besides(projectOf("https://git.example.com/shop/*"), at("https://charts.example.com")); permitted || err != nil {
		t.Errorf("what is only not named is read as everybody may: %t, %v", permitted, err)
	}
}
