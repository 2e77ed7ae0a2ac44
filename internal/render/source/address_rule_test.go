package source

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Addresses of value files are those of the installation's rule, and a private one is only reached where a glob names it.
func TestAddressesOfValueFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		settings Settings
		address  string
		named    bool
		says     string // empty where it is allowed
	}{
		"Usual":         {"nothing is said: addresses of the web, of public hosts", Settings{}, "https://example.com/v.yaml", false, ""},
		"Plain":         {"with or without encryption", Settings{}, "http://example.com/v.yaml", false, ""},
		"Case":          {"schemes have no case", Settings{}, "HTTPS://example.com/v.yaml", false, ""},
		"Other scheme":  {"others are named by an installation first", Settings{}, "s3://bucket/v.yaml", false, "scheme s3 is not allowed, http or https is"},
		"No scheme":     {"a path is no address", Settings{}, "values.yaml", false, "scheme  is not allowed"},
		"File":          {"files of the engine's machine are nobody's", Settings{}, "file:///etc/passwd", false, "scheme file is not allowed"},
		"Own scheme":    {"an installation may name one alone", Settings{ValueSchemes: []string{"s3"}}, "s3://bucket/v.yaml", false, ""},
		"Not others":    {"which takes the usual ones away", Settings{ValueSchemes: []string{"s3"}}, "https://example.com", false, "scheme https is not allowed, s3 is"},
		"None":          {"and an empty list all of them", Settings{ValueSchemes: []string{}}, "https://example.com", false, "scheme https is not allowed"},
		"No host":       {"an address names a host", Settings{}, "https:///v.yaml", false, "names no host"},
		"Opaque":        {"also one that is all one word", Settings{}, "https:example.com", false, "names no host"},
		"Port alone":    {"a port is none", Settings{}, "https://:443/v.yaml", false, "names no host"},
		"User":          {"who asks is no part of it", Settings{ValueHosts: []string{"a.com"}}, "https://a.com@b.com/", false, "host b.com is not among"},
		"Host":          {"a host that is named", Settings{ValueHosts: []string{"a.com", "b.com"}}, "https://b.com:8443/v.yaml", true, ""},
		"Host case":     {"hosts have no case on either side", Settings{ValueHosts: []string{"Git.Example.COM"}}, "https://gIT.example.com", true, ""},
		"Star":          {"a star stays within the parts between dots", Settings{ValueHosts: []string{"*.example.com"}}, "https://a.example.com", true, ""},
		"Star within":   {"and does not take two", Settings{ValueHosts: []string{"*.example.com"}}, "https://a.b.example.com", false, "is not among"},
		"Star alone":    {"nor none", Settings{ValueHosts: []string{"*.example.com"}}, "https://example.com", false, "is not among"},
		"Stars":         {"two take any", Settings{ValueHosts: []string{"**.example.com"}}, "https://a.b.example.com", true, ""},
		"Behind":        {"a host is compared as a whole", Settings{ValueHosts: []string{"*.example.com"}}, "https://a.example.com.evil.org", false, "is not among"},
		"Before":        {"from its beginning", Settings{ValueHosts: []string{"example.com"}}, "https://evilexample.com", false, "is not among"},
		"No hosts":      {"an empty list allows none", Settings{ValueHosts: []string{}}, "https://example.com", false, "is not among"},
		"Broken":        {"a glob that cannot be read allows nothing", Settings{ValueHosts: []string{"[", "{a"}}, "https://[::1]/", false, "host ::1 is not among"},
		"Broken before": {"and does not keep others from it", Settings{ValueHosts: []string{"[", "a.com"}}, "https://a.com", true, ""},
		"IPv6":          {"an address of a machine is a host, without its brackets", Settings{ValueHosts: []string{"::1"}}, "https://[::1]:8443/", true, ""},
		"Dot":           {"a dot behind a host makes it another", Settings{ValueHosts: []string{"a.com"}}, "https://a.com./", false, "host a.com. is not among"},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(tc.address)
			if err != nil {
				t.Fatal(err)
			}
			rule := tc.settings.Rule("shop")
			named, err := rule.Check(u)
			if named != tc.named || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: named: %t, %v", tc.reason, named, err)
			}
			if rule.Project != "shop" {
				t.Errorf("%s: it is the rule of project %q", tc.reason, rule.Project)
			}
		})
	}
	if !slices.Equal(DefaultSchemes, []string{"http", "https"}) {
		t.Errorf("the usual schemes are %q", DefaultSchemes)
	}
}
