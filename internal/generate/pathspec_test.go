package generate

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestPathspec(t *testing.T) {
	cases := map[string]struct {
		reason, pattern string
		yes, no         []string
	}{
		"star":            {"* crosses folders", "a/*.yaml", []string{"a/x.yaml", "a/b/x.yaml"}, []string{"a/x.json", "b/x.yaml"}},
		"double star":     {"**/ between slashes needs a folder", "a/**/x", []string{"a/b/x", "a/b/c/x"}, []string{"a/x"}},
		"leading":         {"**/ does not match at the root", "**/x", []string{"a/x", "a/b/x"}, []string{"x"}},
		"folder":          {"a folder takes everything below", "a/b", []string{"a/b", "a/b/c/d"}, []string{"a/bc"}},
		"folder slash":    {"with or without a slash", "./a/", []string{"a/b"}, []string{"ab"}},
		"root":            {"a dot is everything", ".", []string{"x", "a/b"}, nil},
		"question":        {"one character, a slash too", "a?b", []string{"axb", "a/b"}, []string{"ab", "axxb"}},
		"class":           {"classes and ranges", "[a-c]/[!x]", []string{"a/y", "c/z"}, []string{"d/y", "a/x", "a/yy"}},
		"class bracket":   {"a bracket in first place is plain", "[]a]", []string{"]", "a"}, []string{"b"}},
		"class named":     {"named classes", "v[[:digit:]]", []string{"v1"}, []string{"vx", "v12"}},
		"class open":      {"a class that is not closed matches nothing", "a[b", nil, []string{"ab", "a["}},
		"class unnamed":   {"what begins as a named class and does not end is plain", "[[:a]x", []string{"[x", ":x", "ax"}, []string{"bx"}},
		"class late":      {"nor does anything before it", "[ab]\\[*[c", []string{"[ab]\\[*[c"}, []string{"a[c"}},
		"escape":          {"a backslash makes a wildcard plain", `a\*`, []string{"a*"}, []string{"ab"}},
		"many stars":      {"no exponential time", strings.Repeat("a*", 40) + "b", nil, []string{strings.Repeat("a", 3000)}},
		"literal bracket": {"a name that looks like a glob is found as it stands", "a[1]", []string{"a[1]", "a1", "a[1]/x"}, []string{"a2"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			match, _, err := pathspec(c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range c.yes {
				if !match(n) {
					t.Errorf("%s does not match %s: %s", c.pattern, n, c.reason)
				}
			}
			for _, n := range c.no {
				if match(n) {
					t.Errorf("%s matches %s: %s", c.pattern, n, c.reason)
				}
			}
		})
	}
	for _, bad := range []string{"", "/a", "..", "../a", ":(glob)a", ":!a"} {
		if _, _, err := pathspec(bad); err == nil {
			t.Errorf("%q gives no error", bad)
		}
	}
}

// TestOpenClassesAreCut has what is left to hold names against: the end of a class is not looked for at each byte.
func TestOpenClassesAreCut(t *testing.T) {
	for pattern, want := range map[string]string{
		"*[" + strings.Repeat(":", 4000): "*[", "a[b": "a[", "[a]*[[:": "[a]*[", `\[[a`: `\[[`, "[]": "[",
		"a[b]": "a[b]", `\[a`: `\[a`, "[[:alpha:]]*": "[[:alpha:]]*", "[]]": "[]]", `a\`: `a\`,
	} {
		if got := cutOpenClass(pattern); got != want {
			t.Errorf("%.20q becomes %.20q, want %q", pattern, got, want)
		}
	}
}

func TestPatternsOfFoldersHaveABound(t *testing.T) {
	for _, exclude := range []bool{false, true} {
		g := &v1alpha1.GitGenerator{Directories: []v1alpha1.GitDirectoryGeneratorItem{{Path: "a"}, {Path: strings.Repeat("a", maxPathspec+1), Exclude: exclude}}}
		r := newRun(t.Context(), New(nil, nil, nil), specSet(t, fast("generators: []")))
		if _, err := r.directoryParams(&repo{}, g); err == nil || !strings.Contains(err.Error(), "more than 4096 bytes") {
			t.Errorf("excluded %v: %v", exclude, err)
		}
	}
}
