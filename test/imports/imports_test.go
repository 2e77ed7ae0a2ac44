package imports

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnused has a rule with exemptions of which some permit nothing.
func TestUnused(t *testing.T) {
	m := Module{Path: "example.com/m", Packages: []Package{
		{ImportPath: "example.com/m/a", Imports: []string{"example.com/m/b", "example.com/m/c/d"}},
		{ImportPath: "example.com/m/e", Imports: []string{"example.com/m/b"}},
		{ImportPath: "example.com/m/f", Imports: []string{"example.com/m/f/g"}},
	}}
	for name, tc := range map[string]struct {
		reason string
		rule   Rule
		want   []string
	}{
		"Allowed":  {"each is imported", Rule{From: []string{"a"}, Never: []string{"b", "c"}, Allow: []string{"b", "c/d"}}, nil},
		"Excepted": {"each imports what is forbidden", Rule{From: []string{"a", "e"}, Never: []string{"b"}, Except: []string{"a", "e"}}, nil},
		"Allow":    {"nobody imports it", Rule{From: []string{"a"}, Never: []string{"b", "c"}, Allow: []string{"b", "c/d", "c/x"}}, []string{"c/x"}},
		"Except":   {"it imports nothing that is forbidden", Rule{From: []string{"a", "e", "f"}, Never: []string{"b"}, Except: []string{"a", "e", "f"}}, []string{"f"}},
		"Outside":  {"the rule is not about it", Rule{From: []string{"a"}, Never: []string{"x"}, Except: []string{"e"}}, []string{"e"}},
		"Own":      {"a package may import what is below it anyway", Rule{From: []string{"f"}, Never: []string{"f"}, Allow: []string{"f"}}, []string{"f"}},
		"Twice":    {"another exemption permits the same", Rule{From: []string{"a"}, Never: []string{"c"}, Allow: []string{"c", "c/d"}}, []string{"c", "c/d"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, m.unused(tc.rule)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWithin has paths of the module, of another one and of the standard library.
func TestWithin(t *testing.T) {
	m := Module{Path: "example.com/m"}
	for name, tc := range map[string]struct {
		reason       string
		path, folder string
		want         bool
	}{
		"Relative": {"a folder of the module", "example.com/m/a/b", "a", true},
		"Beside":   {"a name that begins alike is another", "example.com/m/ab", "a", false},
		"Other":    {"another module's", "other.org/x/y", "other.org/x", true},
		"Standard": {"the standard library's have no dot either", "text/template/parse", "text/template", true},
		"Internal": {"internal is the module's", "internal/abi", "internal", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := m.within(tc.path, []string{tc.folder}); got != tc.want {
				t.Errorf("%s: %s within %s: %v", tc.reason, tc.path, tc.folder, got)
			}
		})
	}
}
