package repository

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAddressesHaveNoPassword: what attributes say is in plans and in the state.
func TestAddressesHaveNoPassword(t *testing.T) {
	const password = "correct-horse-battery"
	cases := map[string]struct {
		reason string
		given  map[string]any
		says   string // empty where it is taken
	}{
		"Plain":         {"nobody is named", map[string]any{"url": "https://git.example.com/a", "proxy": "http://proxy.example.com:3128"}, ""},
		"User":          {"some hosts have a user in their addresses", map[string]any{"url": "https://team@dev.example.com/a"}, ""},
		"SSH":           {"so has ssh", map[string]any{"url": "git@git.example.com:a"}, ""},
		"Password":      {"a password", map[string]any{"url": "https://robot:" + password + "@git.example.com/a"}, "password_wo"},
		"Prefix":        {"one for many repositories", map[string]any{"url_prefix": "https://robot:" + password + "@git.example.com"}, "password_wo"},
		"Unreadable":    {"one in what cannot be read", map[string]any{"url": "https://robot:" + password + "%zz@git.example.com/a"}, "password_wo"},
		"Proxy":         {"a proxy that wants a password", map[string]any{"url": "https://git.example.com/a", "proxy": "http://robot:" + password + "@proxy.example.com"}, "proxy_wo"},
		"ProxyNoScheme": {"one without a scheme", map[string]any{"url": "https://git.example.com/a", "proxy": "robot:" + password + "@proxy.example.com:3128"}, "proxy_wo"},
		"ProxyToken":    {"a user who may be a token", map[string]any{"url": "https://git.example.com/a", "proxy": "http://" + password + "@proxy.example.com"}, "proxy_wo"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{Object: map[string]any{}}
			err := complete(tc.given, o)
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("%s: %v", tc.reason, err)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), password)):
				t.Errorf("%s: it says %v", tc.reason, err)
			}
		})
	}
}

// TestImportOfAProxy: an import has no password of a proxy in its attributes.
func TestImportOfAProxy(t *testing.T) {
	for proxy, wanted := range map[string]bool{
		"aHR0cDovL3Byb3h5LmV4YW1wbGUuY29t":             true,  // http://proxy.example.com
		"aHR0cDovL3JvYm90OnhAcHJveHkuZXhhbXBsZS5jb20=": false, // http://robot:x@proxy.example.com
	} {
		live := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "git"}, "data": map[string]any{"proxy": proxy},
		}}
		if _, dropped := absorb(live)["proxy"]; dropped == wanted {
			t.Errorf("the attribute proxy is left out for %s: %t", proxy, dropped)
		}
	}
}

// TestLoginsOfOthersAreHidden: what somebody put into an address of the live
// Secret is in no refresh.
func TestLoginsOfOthersAreHidden(t *testing.T) {
	for name, tc := range map[string]struct {
		key, value string
		want       bool
	}{
		"Proxy":      {"proxy", "http://proxy.example.com:3128", false},
		"ProxyLogin": {"proxy", "http://robot:x@proxy.example.com:3128", true},
		"URL":        {"url", "https://team@dev.example.com/a", false},
		"URLLogin":   {"url", "https://robot:x@git.example.com/a", true},
		"User":       {"username", "robot@example.com", false},
	} {
		if got := hides(tc.key, tc.value); got != tc.want {
			t.Errorf("%s: hidden is %t", name, got)
		}
	}
}
