package kustomize

import (
	"path"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/resource"
)

// TestElsewhere tells what would be fetched: all that the library would hand
// to git or to an HTTP client.
func TestElsewhere(t *testing.T) {
	for _, p := range []string{
		"https://example.com/r", "HTTP://example.com/r", "ssh://git@example.com/r", "file:///etc", "git::https://example.com/r",
		"git@example.com:o/r", "user@example.com/o/r.git", "github.com/o/r", "GitHub.com:o/r", "git::github.com/o/r", "https:opaque",
		"gİthub.com/o/r", "GİTHUB.COM:o/r", "git::gİthub.com/o/r", "gİthub.com/o/r?timeout=99h",
	} {
		if !elsewhere(p) {
			t.Errorf("%s would be fetched", p)
		}
	}
	for _, p := range []string{"../base", "base.git/x", "a//b", "example.com/o/r", "x.yaml", "./github.com/o/r", "./gİthub.com/o/r", "gİthub.com", "größe/x.yaml"} {
		if elsewhere(p) {
			t.Errorf("%s lies in the repository", p)
		}
	}
}

// TestBeside tells how paths are written for the library: as they are, but for
// those that begin as a host may.
func TestBeside(t *testing.T) {
	for entry, want := range map[string]string{
		"a.yaml": "a.yaml", "base": "base", "../base": "../base", "./gİthub.com/o/r": "./gİthub.com/o/r", "v1.2/a@b:c": "v1.2/a@b:c", "a/größe.yaml": "a/größe.yaml", "git=hub?x": "git=hub?x",
		"gİthub.com/o/r": here + "gİthub.com/o/r", "\u212aube/x": here + "\u212aube/x", "größe.yaml": here + "größe.yaml", "a:b": here + "a:b", "\ta.yaml": here + "\ta.yaml", "a@b/c": here + "a@b/c",
	} {
		if got := beside(entry); got != want {
			t.Errorf("%s is written as %s, want %s", entry, got, want)
		}
	}
}

// FuzzBeside holds it to the library's own parser, and what is fetched, too.
func FuzzBeside(f *testing.F) {
	for _, s := range []string{
		"a.yaml", "gİthub.com/o/r", "GİTHUB.COM:o/r", "\u212a/a", "ſsh://git@host/o/r", "git::gİthub.com/o/r", "git::git::gİthub.com/o/r//../x", "gİt::github.com/o/r", "a@b:c/d", "user@gİthub.com/o/r", "fİle:///etc",
		"https:opaque", "github.com/o/r", " github.com/o/r", "\tgithub.com/o/r", "g\u0131thub.com/o/r", "gi\u0307thub.com/o/r", "/github.com/o/r", "a/b?ref=gİthub.com/o/r", "x\ngithub.com/o/r", "\xffgithub.com/o/r",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		fetches := func(text string) bool { return new(resource.Origin).Append(text).Repo != "" }
		if fetches(entry) && !elsewhere(entry) {
			t.Fatalf("the library fetches %q", entry)
		}
		written := beside(entry)
		if !fetchable.MatchString(entry) && fetches(written) || elsewhere(here+entry) {
			t.Fatalf("the library fetches %q, which is written as %q", entry, written)
		}
		if path.Join("/a", written) != path.Join("/a", entry) {
			t.Fatalf("%q is written as %q, which leads elsewhere", entry, written)
		}
	})
}

func TestParseAddress(t *testing.T) {
	type want struct{ repo, path, ref string }
	cases := map[string]struct {
		reason, text string
		want         want // zero where it is no repository's address
	}{
		"Slashes":        {"a double slash ends the repository", "https://github.com/org/repo//a/b?ref=v1", want{"https://github.com/org/repo", "a/b", "v1"}},
		"NoScheme":       {"github.com needs none", "github.com/org/repo/a/b?ref=main", want{"https://github.com/org/repo", "a/b", "main"}},
		"TwoNames":       {"a repository has two names elsewhere, too", "https://host.example/org/repo/a", want{"https://host.example/org/repo", "a", ""}},
		"Root":           {"without a path it is the root", "https://github.com/org/repo", want{"https://github.com/org/repo", ".", ""}},
		"RootSlashes":    {"and with an empty one", "https://github.com/org/repo//?ref=v1", want{"https://github.com/org/repo", ".", "v1"}},
		"SCP":            {"as ssh writes it", "git@github.com:org/repo.git//a?ref=v1", want{"git@github.com:org/repo.git", "a", "v1"}},
		"SCPHost":        {"on any host with a user", "git@gitlab.example:group/sub/repo.git//a", want{"git@gitlab.example:group/sub/repo.git", "a", ""}},
		"SSH":            {"an ssh address", "ssh://git@host.example:22/group/repo.git/a?ref=v1", want{"ssh://git@host.example:22/group/repo.git", "a", "v1"}},
		"SSHGitHub":      {"that of GitHub has one form", "ssh://git@github.com/org/repo//a", want{"git@github.com:org/repo", "a", ""}},
		"Forced":         {"git:: is left out", "git::https://host.example/org/repo.git//a?ref=v1", want{"https://host.example/org/repo.git", "a", "v1"}},
		"Suffix":         {".git ends the repository", "https://host.example/a/b/c.git/d/e", want{"https://host.example/a/b/c.git", "d/e", ""}},
		"Groups":         {"a double slash allows groups", "https://gitlab.com/group/sub/repo//a?ref=v1", want{"https://gitlab.com/group/sub/repo", "a", "v1"}},
		"Azure":          {"the name after _git ends it", "https://user@dev.azure.com/org/project/_git/repo/a/b?version=v2", want{"https://user@dev.azure.com/org/project/_git/repo", "a/b", "v2"}},
		"RefWins":        {"ref is stronger than version", "https://host.example/o/r//a?version=1&ref=2&timeout=90s&submodules=false", want{"https://host.example/o/r", "a", "2"}},
		"Case":           {"schemes and github.com in any case", "HTTPS://GitHub.com/org/repo//a", want{"https://github.com/org/repo", "a", ""}},
		"GitHubUser":     {"a user makes it ssh", "git@github.com/org/repo", want{"git@github.com:org/repo", ".", ""}},
		"Local":          {"a path is none", "../base", want{}},
		"File":           {"a local repository is not read", "file:///srv/repo.git//a", want{}},
		"Short":          {"one name is no repository", "https://host.example/repo", want{}},
		"NoHost":         {"a host is needed", "https:///a/b", want{}},
		"SCPWithoutUser": {"without a user it is a path", "host.example:org/repo", want{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, ok := parseAddress(tc.text)
			if got := (want{a.repo, a.path, a.ref}); got != tc.want || ok != (tc.want != want{}) {
				t.Errorf("%s: got %+v, %v; want %+v", tc.reason, got, ok, tc.want)
			}
		})
	}
}

func TestAddressLeaves(t *testing.T) {
	for text, want := range map[string]bool{
		"https://github.com/org/repo//../x": true, "https://github.com/org/repo//a/../../x": true, "https://github.com/org/repo//a/../x": false, "https://github.com/org/repo//..x": false,
	} {
		if a, ok := parseAddress(text); !ok || a.leaves != want {
			t.Errorf("%s leaves the repository: got %v, want %v", text, a.leaves, want)
		}
	}
}

func TestParseRaw(t *testing.T) {
	type want struct{ repo, path, ref string }
	for text, expect := range map[string]want{
		"https://raw.githubusercontent.com/org/repo/v1/a/b.yaml":            {"https://github.com/org/repo", "a/b.yaml", "v1"},
		"https://raw.githubusercontent.com/org/repo/refs/heads/main/b.yaml": {"https://github.com/org/repo", "b.yaml", "main"},
		"https://github.com/org/repo/raw/v1/b.yaml":                         {"https://github.com/org/repo", "b.yaml", "v1"},
		"https://gitlab.example/g/s/repo/-/raw/v1/a/b.yaml?inline=false":    {"https://gitlab.example/g/s/repo", "a/b.yaml", "v1"},
		"https://bitbucket.org/org/repo/raw/abc/b.yaml":                     {"https://bitbucket.org/org/repo", "b.yaml", "abc"},
		"https://gitea.example/org/repo/raw/branch/main/b.yaml":             {"https://gitea.example/org/repo", "b.yaml", "main"},
		"https://github.com/org/repo/releases/download/v1/install.yaml":     {},
		"https://raw.githubusercontent.com/org/repo/v1/../../x":             {},
		"https://example.com/a.yaml":                                        {},
	} {
		a, ok := parseRaw(text)
		if got := (want{a.repo, a.path, a.ref}); got != expect || ok != (expect != want{}) {
			t.Errorf("%s: got %+v, %v", text, got, ok)
		}
	}
}

// FuzzParseAddress reads what users write: no panic, and never a path that
// leads out of the repository without being told.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{
		"https://github.com/org/repo//a?ref=v1", "git@github.com:org/repo.git//a", "ssh://git@h:22/a/b.git/c", "git::https://h/a/b", "github.com:o/r", "https://dev.azure.com/o/p/_git/r/x",
		"https://raw.githubusercontent.com/o/r/refs/heads/main/x.yaml", "https://h/a/-/raw/b/%2e%2e/x", "_git/", "//", "a@b:c", "https://?", ".git.git",
		"gİthub.com/o/r//a?ref=v1", "git::gİthub.com:o/r", "git@gİthub.com/o/r", "\u212aube@host:o/r", "httpſ://h/a/b", "ſſh://git@h/a/b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (address, bool){parseAddress, parseRaw} {
			a, ok := parse(text)
			if !ok {
				continue
			}
			if a.repo == "" || a.path == "" || strings.HasPrefix(a.path, "/") {
				t.Fatalf("%q: %+v", text, a)
			}
			if !a.leaves && (a.path == ".." || strings.HasPrefix(a.path, "../")) {
				t.Fatalf("%q leaves the repository: %+v", text, a)
			}
		}
		if _, ok := parseAddress(text); ok && !elsewhere(text) {
			t.Fatalf("%q is read as a path, and names a repository", text)
		}
	})
}
