package kubeconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/fleet"
)

// TestContextsFindTheirEntries: an entry is the one of that name, whatever stands around it, and of several with one name the first, each time.
func TestContextsFindTheirEntries(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, context, server, token, says string }{
		"Unordered": {"the order of the lists says nothing",
			`{current-context: b, users: [{name: u2, user: {token: t2}}, {name: u1, user: {token: t1}}], clusters: [{name: c2, cluster: {server: "https://2.test"}}, {name: c1, cluster: {server: "https://1.test"}}], contexts: [{name: a, context: {cluster: c1, user: u1}}, {name: b, context: {cluster: c2, user: u2}}]}`,
			"", "https://2.test", "t2", ""},
		"Crossed": {"a user may be of several clusters, and a name of one kind says nothing of another",
			`{current-context: a, users: [{name: a, user: {token: ta}}, {name: b, user: {token: tb}}], clusters: [{name: a, cluster: {server: "https://a.test"}}, {name: b, cluster: {server: "https://b.test"}}], contexts: [{name: a, context: {cluster: b, user: a}}]}`,
			"", "https://b.test", "ta", ""},
		"Twice": {"the first of two that have one name",
			`{contexts: [{name: a, context: {cluster: c, user: u}}, {name: a, context: {cluster: d, user: v}}], clusters: [{name: c, cluster: {server: "https://1.test"}}, {name: c, cluster: {server: "https://2.test"}}], users: [{name: u, user: {token: t1}}, {name: u, user: {token: t2}}], current-context: a}`,
			"", "https://1.test", "t1", ""},
		"Asked": {"the one that is asked for is read, where the current one could not be",
			`{current-context: gone, contexts: [{name: "\u00e9 /b", context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://1.test"}}], users: [{name: u, user: {token: t1}}]}`,
			"\u00e9 /b", "https://1.test", "t1", ""},
		"Only": {"the only one is none that is asked for by another name",
			`{contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://1.test"}}], users: [{name: u, user: {token: t1}}]}`,
			"A", "", "", "no context of the name that is asked for"},
		"Nameless": {"a context without a name is none that a name can mean",
			`{contexts: [{context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://1.test"}}], users: [{name: u}]}`,
			"", "", "", "no current-context"},
		"Other": {"what is wrong with another cluster or user stops nobody",
			`{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: d, cluster: {certificate-authority: /x}}, {name: c, cluster: {server: "https://1.test"}}], users: [{name: v, user: {as: root, tokenFile: /x}}, {name: u, user: {token: t1}}]}`,
			"", "https://1.test", "t1", ""},
		"Most": {"as many as there may be",
			`{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://1.test"}}], users: [` + strings.Repeat("{name: v}, ", maxEntries-1) + `{name: u, user: {token: t1}}]}`,
			"", "https://1.test", "t1", ""},
		"ManyUsers": {"one more, of whichever kind",
			`{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://1.test"}}], users: [` + strings.Repeat("{name: v}, ", maxEntries) + `{name: u}]}`,
			"", "", "", "more than 256 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			server, login, err := parse([]byte(tc.text), tc.context)
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) || server != "" {
					t.Errorf("%s: %q, %v", tc.reason, server, err)
				}
				return
			}
			if err != nil || server != tc.server || login.BearerToken != tc.token {
				t.Errorf("%s: %q by %q, %v", tc.reason, server, login.BearerToken, err)
			}
		})
	}
}

// TestPluginsKeepTheirVariables: a plugin gets what the kubeconfig says, the last where it says it twice, and without any no
// list of them is kept.
func TestPluginsKeepTheirVariables(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, exec string
		want         *fleet.Plugin
	}{
		"None":  {"kubectl writes null for none", "exec: {command: a, args: null, env: null}", &fleet.Plugin{Command: "a"}},
		"Twice": {"a shell has the last one, too", "exec: {command: a, env: [{name: A, value: x}, {name: B, value: 'a=b'}, {name: A, value: ''}]}", &fleet.Plugin{Command: "a", Env: map[string]string{"A": "", "B": "a=b"}}},
		"Order": {"arguments stay in their order, empty ones as well", "exec: {command: a, args: [z, '', a]}", &fleet.Plugin{Command: "a", Args: []string{"z", "", "a"}}},
		"Other": {"what only kubectl asks for is no reason to refuse it", "exec: {command: a, interactiveMode: IfAvailable, provideClusterInfo: false}", &fleet.Plugin{Command: "a"}},
		"Null":  {"no plugin at all", "exec: null", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := Parse([]byte(config("server: https://c.test", tc.exec)))
			if diff := cmp.Diff(tc.want, got.Exec); err != nil || diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestAddressesOfServers: a person who gives a kubeconfig is told at once where its server can be none, and how to write
// another one.
func TestAddressesOfServers(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, server string
		taken          bool
	}{
		"Port":    {"with a port and a path, as behind Rancher", "https://c.test:6443/k8s/clusters/c-1", true},
		"IPv6":    {"an address in brackets", "'https://[::1]:6443'", true},
		"Plain":   {"without TLS, as on this machine", "http://127.0.0.1:8080", true},
		"Scheme":  {"another scheme", "ftp://c.test", false},
		"NoSlash": {"a name and a port look like a scheme", "'c.test:6443'", false},
		"NoHost":  {"nothing behind the scheme", "'https:///path'", false},
		"Space":   {"no address at all", "'https://c test'", false},
		"Number":  {"what YAML takes for something else", "6443", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read([]byte(config("server: "+tc.server, "token: hunter2")), "here")
			if tc.taken {
				if err != nil || got.Server != strings.Trim(tc.server, "'") {
					t.Errorf("%s: %q, %v", tc.reason, got.Server, err)
				}
				return
			}
			if err == nil || got.Server+got.Login.BearerToken != "" || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "kubectl config view --flatten --minify") {
				t.Errorf("%s: %q, %v", tc.reason, got.Server, err)
			}
		})
	}
}
