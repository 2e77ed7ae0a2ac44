package policy_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func projectOf(sourceRepos ...string) *v1alpha1.AppProject {
	return &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: sourceRepos}}
}

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
		"EncodedSign": "https://git.example.com/payments%2Fkeys",
		"Climbs":      "https://git.example.com/payments/open/../keys",
		"ClimbsCoded": "https://git.example.com/payments/open/%2e%2e/keys",
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
				if err := policy.Source(projectOf("*", pattern), repoURL); err == nil {
					t.Errorf("%q does not hold against %q", pattern, repoURL)
				}
			})
		}
	}
	for _, repoURL := range []string{"https://git.example.com/payments-open/keys", "https://git.example.org/payments/keys", "https://git.example.com/shop/payments/keys"} {
		if err := policy.Source(projectOf("*", rules["Exact"]), repoURL); err != nil {
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
		"Host":       {"the part before @ is a user", "https://git.example.com*/shop/*", "https://git.example.com@evil.example/shop/web", false},
		"Scheme":     {"nobody signs what comes in the clear", "https://git.example.com/shop/*", "http://git.example.com/shop/web", false},
		"Port":       {"another server of that host", "https://git.example.com/shop/*", "https://git.example.com:8443/shop/web", false},
		"UserInRule": {"as Argo CD: both name the user", "https://me@git.example.com/shop/*", "https://me@git.example.com/shop/web", true},
		"SSHForms":   {"one repository in both forms", "git@git.example.com:shop/*", "ssh://git@git.example.com/shop/web", true},
		"Braces":     {"as Argo CD: alternatives mean nothing here", "https://git.example.com/{shop,bank}/web", "https://git.example.com/shop/web", false},
		"Registry":   {"names without a scheme", "registry.example.com/charts", "registry.example.com/charts", true},
		"Folder":     {"folders", "file:///srv/git/*", "file:///srv/git/shop", true},
		"FolderUp":   {"and what is above them", "file:///srv/git/*", "file:///srv/git/../keys", false},
		"Unreadable": {"what is no address can be no repository", "https://**", "https://[", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := policy.Source(projectOf(tc.pattern), tc.repoURL); (err == nil) != tc.permitted {
				t.Errorf("%s: %q holds %q: %v", tc.reason, tc.pattern, tc.repoURL, err)
			}
		})
	}
}

// TestBrokenDeny has a deny that nobody can read.
func TestBrokenDeny(t *testing.T) {
	if policy.Source(projectOf("*", "!https://git.example.com/[payments"), "https://git.example.com/shop") == nil {
		t.Error("nobody knows what it was to deny, so it denies all")
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
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") + "/" + strings.Join(parts, "/"), true
}

// FuzzDeniedRepository holds that nothing leads to a denied repository, whatever form its address has.
func FuzzDeniedRepository(f *testing.F) {
	for _, seed := range []string{"https://h/a/b", "https://u@h:443/a/b.git/", "ssh://h:22//a/b", "http://h/a/%62", "https://H./A/B?c", "https://h/a/x/../b", "oci://h/a/b"} {
		f.Add(seed)
	}
	p := projectOf("*", "!https://h/a/b")
	f.Fuzz(func(t *testing.T, repoURL string) {
		place, ok := plainly(repoURL)
		if err := policy.Source(p, repoURL); ok && place == "h/a/b" && err == nil {
			t.Errorf("%q leads to what is denied", repoURL)
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
			permitted, err := policy.Besides(p, tc.repoURL)
			if permitted != tc.permitted && !tc.refused || (err != nil) != tc.refused {
				t.Errorf("%s: %t, %v", tc.reason, permitted, err)
			}
		})
	}
	if permitted, err := policy.Besides(projectOf("https://git.example.com/shop/*"), "https://charts.example.com"); permitted || err != nil {
		t.Errorf("what is only not named is read as everybody may: %t, %v", permitted, err)
	}
}
