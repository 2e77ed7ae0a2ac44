package address

import (
	"strings"
	"testing"
)

func parsed(t *testing.T, raw string) Address {
	t.Helper()
	at, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// What is allowed for an address is allowed for what is below it, and nowhere else.
func TestHolds(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, of, other string
		want              bool
	}{
		"Itself":   {"in any spelling", "https://h/Org", "HTTPS://me@H.:443//org.git/", true},
		"Below":    {"a folder's", "https://h/org", "https://h/ORG/%78", true},
		"Host":     {"a host's", "https://h", "https://h/any/thing?or=so", true},
		"Longer":   {"a longer name is another one", "https://h/org", "https://h/organisation", false},
		"Above":    {"what is above is not below", "https://h/org/x", "https://h/org", false},
		"Name":     {"another host, whose name ends as it does", "https://h", "https://evil.h/org", false},
		"Scheme":   {"another scheme", "https://h/org", "http://h/org", false},
		"Port":     {"another port", "https://h/org", "https://h:8443/org", false},
		"Query":    {"a query is a part of the address", "https://h/org?a=b", "https://h/org", false},
		"Queries":  {"another one is another place", "https://h/org?a=b", "https://h/org?a=c", false},
		"QuerySub": {"also where it is longer", "https://h/org?a=b", "https://h/org?a=bc", false},
		"AnyQuery": {"without one it is about all of them", "https://h/org", "https://h/org?a=b", true},
	} {
		if got := parsed(t, tc.of).Canonical().Holds(parsed(t, tc.other).Canonical()); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}

// A chart is a repository below a folder of its registry, in one form as others are.
func TestChartsOfARegistry(t *testing.T) {
	for name, want := range map[string]string{
		"web": "registry.example.com/charts/web", "Team/Web.git": "registry.example.com/charts/team/web", "a//b/": "registry.example.com/charts/a/b", "%77eb": "registry.example.com/charts/web", "": "registry.example.com/charts",
	} {
		at := parsed(t, "registry.example.com/Charts").Canonical()
		if got := at.Chart(name).String(); got != want {
			t.Errorf("%q is at %s, want %s", name, got, want)
		}
		if !at.Holds(at.Chart(name)) {
			t.Errorf("%q is not in its registry", name)
		}
	}
}

// One repository of a home folder has two paths: by its owner's name, and by who is
// the owner. Rules about one of them are about the other.
func TestOtherPath(t *testing.T) {
	for raw, want := range map[string]string{
		"ssh://ann@h/~bob/site.git": "site", "ssh://ann@h/site": "~ann/site", "ann@h:Site": "~ann/site", "ssh://ann@h/~ann/site": "~ann/site", "ssh://ann@h/~/site": "~ann/site",
		"git://h/~bob/site": "site", "git://h/site": "", "ssh://ANN@h/site": "~ann/site", "ssh://ann@h/~bob": "", "https://ann@h/~bob/site": "", "https://ann@h/site": "", "/srv/~bob/site": "", "ssh://ann@h": "",
	} {
		if got := parsed(t, raw).OtherPath(); got != want {
			t.Errorf("%s has the other path %q, want %q", raw, got, want)
		}
	}
}

// A sign of patterns in an address would be for several repositories; one in a query
// is not compared as a pattern.
func TestOneRepository(t *testing.T) {
	for raw, sign := range map[string]string{"https://h/a": "", "https://h/a?x=*": "", "https://h/a*": "*", "https://h/{a,b}": "{", "https://[::1]/a": "", "https://h/a[b]?c": "["} {
		err := OneRepository(raw)
		if (err == nil) != (sign == "") || err != nil && !strings.HasPrefix(err.Error(), "it has the sign "+sign+" of patterns: write the address of one repository") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
