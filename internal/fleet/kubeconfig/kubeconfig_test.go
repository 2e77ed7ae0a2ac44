package kubeconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/fleet"
)

const frame = `
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {CLUSTER}}]
users: [{name: u, user: {USER}}]
`

func config(cluster, user string) string {
	return strings.NewReplacer("CLUSTER", cluster, "USER", user).Replace(frame)
}

func TestParse(t *testing.T) {
	const server = "server: https://c.test"
	cases := map[string]struct {
		reason, text string
		want         fleet.Connection
		says         string
	}{
		"Token":    {"a token and a CA", config(server+", certificate-authority-data: Y2E=", "token: t"), fleet.Connection{BearerToken: "t", TLS: fleet.TLS{CAData: []byte("ca")}}, ""},
		"Pair":     {"a certificate", config(server, "client-certificate-data: YQ==, client-key-data: Yg=="), fleet.Connection{TLS: fleet.TLS{CertData: []byte("a"), KeyData: []byte("b")}}, ""},
		"Exec":     {"a plugin", config(server, "exec: {command: aws, args: [x], env: [{name: A, value: b}]}"), fleet.Connection{Exec: &fleet.Plugin{Command: "aws", Args: []string{"x"}, Env: map[string]string{"A": "b"}}}, ""},
		"NoName":   {"the only context needs no name", strings.Replace(config(server, "token: t"), "current-context: here", "", 1), fleet.Connection{BearerToken: "t"}, ""},
		"CAFile":   {"files are another machine's", config(server+", certificate-authority: /etc/ca", "token: hunter2"), fleet.Connection{}, "certificate-authority"},
		"Files":    {"of several the same is named each time", config(server, "client-key: /etc/key, client-certificate: /etc/crt"), fleet.Connection{}, "client-certificate"},
		"KeyFile":  {"keys too", config(server, "client-key: /etc/key"), fleet.Connection{}, "client-key"},
		"TokeFile": {"tokens too", config(server, "tokenFile: /etc/token"), fleet.Connection{}, "tokenFile"},
		"As":       {"nobody acts as another", config(server, "as: root"), fleet.Connection{}, "another user"},
		"Provider": {"providers are of the past", config(server, "auth-provider: {name: gcp}"), fleet.Connection{}, "auth-provider"},
		"Proxy":    {"its login stands in the address", config(server+", tls-server-name: a.test, proxy-url: 'http://me:hunter2@proxy.test'", "token: t"), fleet.Connection{BearerToken: "t", ProxyURL: "http://me:hunter2@proxy.test", TLS: fleet.TLS{ServerName: "a.test"}}, ""},
		"TwoNames": {"the name would be asked of the proxy", config(server+", tls-server-name: a.test, proxy-url: 'https://hunter2@proxy.test'", "token: t"), fleet.Connection{}, "its proxy-url begins with https://"},
		"NoServer": {"a cluster has an address", config("", "token: hunter2"), fleet.Connection{}, "no server"},
		"Pattern":  {"which is one", config("server: 'https://*'", "token: hunter2"), fleet.Connection{}, "the sign * of patterns"},
		"NoUser":   {"names must fit", strings.Replace(config(server, "token: hunter2"), "name: u", "name: v", 1), fleet.Connection{}, "no user"},
		"Basic":    {"a name and a password", config(server, "username: u, password: p"), fleet.Connection{Username: "u", Password: "p"}, ""},
		"Plugin":   {"what a plugin is asked in, and where to get it", config(server, "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1, installHint: get it}"), fleet.Connection{Exec: &fleet.Plugin{Command: "aws", APIVersion: "client.authentication.k8s.io/v1", InstallHint: "get it"}}, ""},
		"Open":     {"who serves it is not asked, so the name is nobody's", config(server+", insecure-skip-tls-verify: true, disable-compression: true, tls-server-name: a.test, proxy-url: 'https://proxy.test'", "token: t"), fleet.Connection{BearerToken: "t", DisableCompression: true, ProxyURL: "https://proxy.test", TLS: fleet.TLS{Insecure: true, ServerName: "a.test"}}, ""},
		"NoClust":  {"also that of the cluster", strings.Replace(config(server, "token: hunter2"), "name: c,", "name: d,", 1), fleet.Connection{}, "no cluster"},
		"Which":    {"of several contexts one is current", strings.NewReplacer("current-context: here", "", "contexts: [", "contexts: [{name: hunter2}, ").Replace(config(server, "token: t")), fleet.Connection{}, "no current-context"},
		"Unknown":  {"and is there", strings.Replace(config(server, "token: t"), "current-context: here", "current-context: hunter2", 1), fleet.Connection{}, "no context"},
		"Many":     {"no person has so many", strings.Replace(config(server, "token: t"), "contexts: [", "contexts: ["+strings.Repeat("{}, ", maxEntries), 1), fleet.Connection{}, "more than 256 entries"},
		"BadData":  {"what is no base64 is not repeated", config(server+", certificate-authority-data: hunter2!", "token: t"), fleet.Connection{}, "no kubeconfig"},
		"NotYAML":  {"anything may be in a Secret", "hunter2: [", fleet.Connection{}, "no kubeconfig"},
		"Empty":    {"nothing is too little", "", fleet.Connection{}, "no current-context"},
		"Long":     {"it is bounded", strings.Repeat("#", maxSize+1), fleet.Connection{}, "longer"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			address, got, err := Parse([]byte(tc.text))
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil || address != "https://c.test" {
				t.Fatalf("%s: got %q, %v", tc.reason, address, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(config("server: https://c.test", "token: t")))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if server, _, err := Parse(text); err == nil && server == "" {
			t.Error("no server and no error")
		}
	})
}
