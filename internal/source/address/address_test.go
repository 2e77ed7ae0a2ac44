package address

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	cases := map[string]struct {
		reason string
		raw    string
		want   string
	}{
		"https":     {"the plain form", "https://github.com/org/repo", "github.com/org/repo"},
		"git":       {"the ending .git does not matter", "https://github.com/org/repo.git", "github.com/org/repo"},
		"slash":     {"nor does a trailing slash", "https://github.com/org/repo.git/", "github.com/org/repo"},
		"user":      {"nor a user", "https://me:pw@GitHub.com/org/repo", "github.com/org/repo"},
		"scp":       {"ssh has a short form", "git@github.com:org/repo.git", "github.com/org/repo"},
		"ssh":       {"and a long one", "ssh://git@github.com:22/org/repo", "github.com/org/repo"},
		"ssh port":  {"another port is another host", "ssh://git@host:2222/r", "host:2222/r"},
		"oci":       {"registries", "oci://public.ecr.aws/ns/chart", "public.ecr.aws/ns/chart"},
		"bare":      {"registries without a scheme", "public.ecr.aws", "public.ecr.aws"},
		"bare port": {"a port is no scp path", "localhost:5000/charts", "localhost:5000/charts"},
		"scp host":  {"where the user is that of the configuration", "gitea:team/x.git", "gitea/team/x"},
		"scp user":  {"whatever the host is called", "git@data:team/x.git", "data/team/x"},
		"folder":    {"a local folder", "/srv/git/x.git", "/srv/git/x"},
		"ipv6":      {"colons in brackets are no helper", "https://[2001:db8::1]:443/t/r.git", "[2001:db8::1]/t/r"},
		"ipv6 scp":  {"in the short form neither", "git@[2001:db8::1]:t/r.git", "[2001:db8::1]/t/r"},
		"colons":    {"nor are those of a path", "https://host/a::b", "host/a::b"},
		"file":      {"and as a URL", "file:///srv/git/x", "/srv/git/x"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, err := Parse(c.raw)
			if err != nil {
				t.Fatalf("%s: %v", c.reason, err)
			}
			if got := a.Name(); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// TestFolded: whoever asks for one repository is known by one name, of which only
// some spellings differ.
func TestFolded(t *testing.T) {
	for _, raw := range []string{
		"https://git.example.com/Org/repo", "HTTPS://Git.Example.COM:443/org/repo.git/", "https://me:pw@git.example.com/org/repo", "git@git.example.com:org/repo.git", "git.example.com/org/repo",
	} {
		for range 2 { // the second time from memory
			if got := Folded(raw); got != "git.example.com/org/repo" {
				t.Errorf("%q is known as %q", raw, got)
			}
		}
	}
	for _, raw := range []string{"https://git.example.com/org/other", "https://git.example.com:8443/org/repo", "https://git.example.com/org/repo?a=b", "x y"} {
		if Folded(raw) == "git.example.com/org/repo" {
			t.Errorf("%q has the name of another repository", raw)
		}
	}
}

// TestPlace: all ways to write the address of one repository lead to one place.
func TestPlace(t *testing.T) {
	for raw, want := range map[string]string{
		"https://git.example.com/Org/repo.git": "git.example.com/org/repo", "git@git.example.com:org/repo": "git.example.com/org/repo", "ssh://git@git.example.com:22/~/org/%72epo": "git.example.com/org/repo",
		"https://git.example.com:8443/org/repo?a=b": "git.example.com:8443/org/repo?a=b", "https://git.example.com": "git.example.com", "/srv/git/Site": "/srv/git/site", "X y": "x y",
	} {
		for range 2 { // the second time from memory
			if got := Place(raw); got != want {
				t.Errorf("%q leads to %q, want %q", raw, got, want)
			}
		}
	}
}

// TestAlike: what a host may take for one repository is alike, and no other is.
func TestAlike(t *testing.T) {
	for raw, want := range map[string]bool{
		"https://git.example.com/org/repo": true, "https://git.example.com/Org/%72EPO.git": true, "git@git.example.com:ORG/repo": true, "https://u1@git.example.com//org///repo/": true,
		"https://git.example.com/org/repo.GIT": true, "https://git.example.com/org/repo.%47it/": true, "git@git.example.com:org/repo.Git": true, "ssh://git@git.example.com/%2Forg/repo": true,
		"alice@git.example.com:org/repo": false, "ssh://alice@git.example.com/org/repo": false, "git.example.com:org/repo": false,
		"https://git.example.com/org/repos": false, "https://git.example.com:8443/org/repo": false, "https://git.example.com/org/repo?a=b": false,
	} {
		at, err := Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.Alike(); got == "git.example.com/org/repo" != want {
			t.Errorf("%s is as %s: want %t", raw, got, want)
		}
	}
}

// TestAlikeOfOtherUsers: who is another user of ssh has another home, in which one
// repository is alike however it is written.
func TestAlikeOfOtherUsers(t *testing.T) {
	for raw, want := range map[string]string{
		"alice@git.corp:site.git": "alice@git.corp/site", "ssh://alice@git.corp//SITE.GIT": "alice@git.corp/site", "bob@git.corp:site.git": "bob@git.corp/site",
		"git.corp:site": "@git.corp/site", "https://site.git/": "site.git/",
	} {
		at, err := Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.Alike(); got != want {
			t.Errorf("%s is as %s: want %s", raw, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]struct{ reason, raw string }{
		"option":   {"git would take it for an option", "--upload-pack=/bin/sh"},
		"helper":   {"a remote helper runs commands", "ext::sh -c id"},
		"helper +": {"whatever it is called", "my-git.2+x::https://host/x"},
		"no name":  {"even if it is not", "::https://host/x"},
		"scheme":   {"only known transports", "gopher://host/x"},
		"ssh dash": {"ssh would take the host for an option", "ssh://-oProxyCommand=id/x"},
		"scp dash": {"the short form too", "-oProxyCommand=id:x"},
		"newline":  {"it would end up in a configuration", "https://host/x\ny"},
		"empty":    {"nothing is named", ""},
		"host":     {"no host", "https:///x"},
		"relative": {"relative to what?", "../x"},
		"above":    {"a Java server takes it for the folder above", "https://host/a/..;/b"},
		"params":   {"and leaves out what follows the semicolon", "http://host/a;x/b"},
		"encoded":  {"some decode it first", "https://host/a/..%3B/b"},
		"registry": {"a registry is such a server, too", "oci://host/a;x/b"},
		"nameless": {"without a scheme as well", "host/a;x/b"},
		"slash":    {"some servers take it for a slash", `https://host/a%5Cb`},
		"control":  {"some servers end there", "https://host/a%00b"},
		"query":    {"an escape that nobody reads hides no dots", "https://host/a/%2e%2e/b?%zz"},
		"twice":    {"some hosts decode what they decoded", "https://host/a/%252e%252E/b"},
		"mixed":    {"in any mixture", "ssh://host/a/.%252525%32e/b"},
		"joined":   {"with the slash", "https://host/a%25252f..%2fb"},
		"late":     {"also beside what nobody reads", "https://host/%25zz/%252e%252e/b"},
		"above 2":  {"with what some leave out", "oci://host/a/..%253b/b"},
		"slash 2":  {"a backslash is one then, too", "https://host/a%255cb"},
		"query 2":  {"and dots of a query", "https://host/a?b/%252e%252e/c"},
		"folder 2": {"or of a folder", "file:///srv/a/%252e%252e/b"},
		"endless":  {"nobody looks that deep", "https://host/%25252525252525252525252e"},
		"script":   {"a page would run it", "javascript:alert(1)"},
		"Script":   {"however it is written", "JavaScript:alert(1)"},
		"data":     {"it is in no repository", "data:text/html,x"},
		"mail":     {"nor is a letter", "mailto:me@example.com"},
		"slashes":  {"they were forgotten", "https:host/x"},
		"home":     {"git reads ~root/x", "git@host:x~root/x"},
		"fragment": {"no server is told of it, so there would be as many spellings as anybody likes", "https://host/x#one"},
		"sign":     {"nor of the sign alone", "https://host/x?a=b#"},
		"folder 3": {"a folder as a URL has none either", "file:///srv/x#one"},
		"password": {"one that has the sign ends there", "https://me:p#w@host/x"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a, err := Parse(c.raw); err == nil {
				t.Errorf("%s: %q was taken as %+v", c.reason, c.raw, a)
			}
		})
	}
}

func TestRefusalsTellNoToken(t *testing.T) {
	if _, err := Parse("ghp_token@host/o/r?private_token=ghp_token"); err == nil || strings.Contains(err.Error(), "ghp_token") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"https://github.com/a/b.git", "git@github.com:a/b", "oci://x/y", "localhost:5000/x", "/tmp/x", "ssh://u@h:22/p", "https://a:b@c/d?e=f", "https://h/%252e%252e/x", "https://h/%25252fa%2525"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := Parse(raw)
		if err != nil || len(raw) > longest/4 { // escapes may triple the length
			return
		}
		b, err := Parse(a.String())
		if err != nil {
			t.Fatalf("%q became %q, which does not parse: %v", raw, a.String(), err)
		}
		if a.Name() != b.Name() {
			t.Errorf("%q: name %q became %q", raw, a.Name(), b.Name())
		}
		if strings.HasPrefix(a.String(), "-") {
			t.Errorf("%q looks like an option", a.String())
		}
	})
}

func TestCheckChart(t *testing.T) {
	cases := map[string]struct {
		reason, name string
		refused      bool
	}{
		"plain":  {"a usual one", "web-app", false},
		"below":  {"in a folder of the registry", "team/web_app.v2", false},
		"above":  {"in another folder than that which rules have seen", "../secret/web", true},
		"inside": {"the same further on", "web/../../secret", true},
		"coded":  {"as a server reads it", "%2e%2e/secret", true},
		"twice":  {"as a second one does", "%252e%252e/secret", true},
		"params": {"which may be dots to a server", "..;/secret", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := CheckChart(c.name); (err != nil) != c.refused {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}
