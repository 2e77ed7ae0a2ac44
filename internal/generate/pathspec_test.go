package generate

import (
	"strings"
	"testing"
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
