package policy

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestServersByAnySpelling has rules that name a server in one way, and a
// Secret or an Application that names it in another.
func TestServersByAnySpelling(t *testing.T) {
	cases := map[string]struct {
		reason          string
		pattern, server string
		want            bool
	}{
		"Same":      {"as written", "https://prod.example.com", "https://prod.example.com", true},
		"EKS":       {"with capitals in both", "https://A1B2.gr7.eks.amazonaws.com", "https://A1B2.gr7.eks.amazonaws.com", true},
		"Port":      {"a port that goes without saying", "https://prod.example.com", "https://prod.example.com:443/", true},
		"Capitals":  {"capitals", "https://Prod.example.com", "https://prod.EXAMPLE.com", true},
		"Wild":      {"under a wildcard", "https://prod-*.example.com", "https://PROD-1.example.com:443", true},
		"WildPort":  {"whose port goes without saying", "https://*.example.com:443/", "https://prod.example.com", true},
		"WildPath":  {"with a path", "https://Rancher/k8s/clusters/C-*", "https://rancher:443/k8s/clusters/C-1/", true},
		"WildHTTP":  {"of http", "http://*.example.com:80", "http://prod.example.com", true},
		"PathCase":  {"paths have capitals", "https://rancher/k8s/clusters/c-*", "https://rancher/k8s/clusters/C-1", false},
		"Other":     {"another server", "https://prod.example.com", "https://dev.example.com", false},
		"OtherPort": {"another port", "https://prod.example.com", "https://prod.example.com:6443", false},
		"IPv6":      {"brackets of an address are text", "https://[fd00::10]:6443", "https://[fd00::10]:6443", true},
		"IPv6Form":  {"of an address that is spelled otherwise", "https://[FD00:0::10]:443/", "https://[fd00::10]", true},
		"IPv6Quote": {"as Argo CD wants it", `https://\[fd00:0:0::10\]:6443`, "https://[fd00::10]:6443", true},
		"IPv6Wild":  {"under a wildcard", "https://[fd00::*]:*", "https://[fd00::10]:6443", true},
		"IPv6Class": {"with a class inside", "https://[fd00::[12]0]:6443", "https://[fd00::20]:6443", true},
		"IPv6As4":   {"of an IPv4 address", "https://[::ffff:10.0.0.1]:6443", "https://10.0.0.1:6443", true},
		"IPv6Other": {"another address", "https://[fd00::10]:6443", "https://[fd00::11]:6443", false},
		"IPv6None":  {"not one of its signs", "https://[fd00::10]:6443", "https://f:6443", false},
		"Class":     {"a class is one", "https://[ab].example.com", "https://b.example.com", true},
		"NoAddress": {"a pattern that is no address", "*.example.com", "https://prod.example.com", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isServer(tc.pattern, tc.server, match); got != tc.want {
				t.Errorf("%s: %q of %q is %v", tc.reason, tc.pattern, tc.server, got)
			}
		})
	}
}

// TestDeniedServers has what destinations permit and deny.
func TestDeniedServers(t *testing.T) {
	cases := map[string]struct {
		reason          string
		pattern, server string
		want            bool
	}{
		"All":       {"a star is all", "*", "", true},
		"Permitted": {"what is permitted is so as it is written", "https://prod.example.com", "https://prod.example.com", true},
		"Spelled":   {"as Argo CD has it", "https://prod.example.com", "https://PROD.example.com", false},
		"Deny":      {"a denial does not hang on spelling", "!https://prod.example.com", "https://PROD.example.com:443/", false},
		"DenyDots":  {"nor on dots that are escaped twice", "!https://rancher/k8s/payments", "https://rancher/k8s/shop/%252e%252e/payments", false},
		"DenyWild":  {"nor one with a wildcard", "!https://prod-*", "https://Prod-1:443", false},
		"DenyIPv6":  {"nor one of an IPv6 address", "!https://[fd00::10]:6443", "https://[fd00::10]:6443", false},
		"DenySpelt": {"in whatever spelling", "!https://[fd00::10]:6443", "https://[FD00:0:0::10]:6443/", false},
		"IPv6":      {"which is permitted as it is written", "https://[fd00::10]:6443", "https://[fd00::10]:6443", true},
		"DenyOther": {"which denies nothing else", "!https://prod.example.com", "https://dev.example.com", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := matchServer(tc.pattern, tc.server); got != tc.want {
				t.Errorf("%s: %q of %q is %v", tc.reason, tc.pattern, tc.server, got)
			}
		})
	}
}

// TestWindowOfServer has an Application that spells its server otherwise than
// the window that is to keep it from syncing.
func TestWindowOfServer(t *testing.T) {
	p := &v1alpha1.AppProject{}
	p.Spec.SyncWindows = v1alpha1.SyncWindows{{Kind: "deny", Clusters: []string{"https://prod.example.com"}}}
	app := &v1alpha1.Application{}
	for _, server := range []string{"https://prod.example.com/", "https://PROD.example.com", "https://prod.example.com:443"} {
		app.Spec.Destination.Server = server
		if len(WindowsFor(p, app)) != 1 {
			t.Errorf("the window does not concern %s", server)
		}
	}
	p.Spec.SyncWindows[0].Clusters = []string{"https://[fd00::10]:6443"}
	if app.Spec.Destination.Server = "https://[fd00::10]:6443"; len(WindowsFor(p, app)) != 1 {
		t.Error("the window does not concern an address in brackets")
	}
}
