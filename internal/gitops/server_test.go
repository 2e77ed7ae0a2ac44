package gitops

import "testing"

func TestServerKey(t *testing.T) {
	cases := map[string]struct{ reason, server, want string }{
		"Plain":     {"the form itself", "https://prod.example.com", "https://prod.example.com"},
		"Slash":     {"slashes at the end", "https://prod.example.com//", "https://prod.example.com"},
		"Capitals":  {"hosts and schemes have no capitals", "HTTPS://Prod.Example.COM", "https://prod.example.com"},
		"Port":      {"the port that goes without saying", "https://prod.example.com:443/", "https://prod.example.com"},
		"Zeros":     {"a port is a number", "https://prod.example.com:0443", "https://prod.example.com"},
		"NoPort":    {"a colon without a port", "https://prod.example.com:", "https://prod.example.com"},
		"Other":     {"another port is another server", "https://prod.example.com:6443", "https://prod.example.com:6443"},
		"Plaintext": {"443 is not the port of http", "http://prod.example.com:443", "http://prod.example.com:443"},
		"Eighty":    {"80 is", "http://prod.example.com:80", "http://prod.example.com"},
		"Dot":       {"a name that ends in a dot is the same name", "https://prod.example.com.", "https://prod.example.com"},
		"User":      {"who logs in is no part of where", "https://me:secret@prod.example.com", "https://prod.example.com"},
		"Query":     {"a connection leaves out the query", "https://prod.example.com?x=1#y", "https://prod.example.com"},
		"Path":      {"one host may serve many", "https://rancher.example.com/k8s/clusters/C-1/", "https://rancher.example.com/k8s/clusters/C-1"},
		"Dots":      {"dots in a path lead back", "https://rancher.example.com/x/../k8s//clusters/./a", "https://rancher.example.com/k8s/clusters/a"},
		"Encoded":   {"a path may be encoded", "https://rancher.example.com/%6b8s", "https://rancher.example.com/k8s"},
		"DotsCoded": {"encoded as well", "https://rancher.example.com/x/%2e%2e/k8s", "https://rancher.example.com/k8s"},
		"DotsTwice": {"once more for a proxy", "https://rancher.example.com/x/%252e%252e/k8s", "https://rancher.example.com/k8s"},
		"DotsMixed": {"together with the slash", "https://rancher.example.com/x%25252f..%2525252fk8s", "https://rancher.example.com/k8s"},
		"Twice":     {"but for dots, an escape of an escape is another path", "https://rancher.example.com/%256b8s", "https://rancher.example.com/%256b8s"},
		"IPv6":      {"one address of many spellings", "https://[0:0:0:0:0:0:0:1]:443", "https://[::1]"},
		"IPv6Port":  {"with its port", "https://[::0001]:6443", "https://[::1]:6443"},
		"Mapped":    {"IPv4 in IPv6", "https://[::ffff:10.0.0.1]:6443", "https://10.0.0.1:6443"},
		"Spaces":    {"spaces around", " https://prod.example.com ", "https://prod.example.com"},
		"Hub":       {"the hub", "https://Kubernetes.Default.svc.:443/", HubServer},
		"Text":      {"what is no address stays", "arn:aws:eks:eu-1:1:cluster/a/", "arn:aws:eks:eu-1:1:cluster/a"},
		"NoHost":    {"dots are no host", "A://.", "A://."},
		"PortAlone": {"a port alone is no host", "https://:443/", "https://:443"},
		"Question":  {"what is escaped in a path is no query", "https://a/%3Fx", "https://a/%3Fx"},
		"Zone":      {"an address with its zone", "https://[fe80::1%25eth0]:6443", "https://[fe80::1%25eth0]:6443"},
		"Empty":     {"nothing is nothing", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ServerKey(tc.server)
			if got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if again := ServerKey(got); again != got {
				t.Errorf("the form of a form is another one: %q", again)
			}
		})
	}
}

// FuzzServerKey has what holds of every text.
func FuzzServerKey(f *testing.F) {
	for _, s := range []string{"https://A:443/", "https://[::1]", "x", "https://a/%2e%2e/b", "https://a/x/%252e%252e/b", "https://a/x%25252f..%252fb%2525", "http://u:p@h:0080?q"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, server string) {
		key := ServerKey(server)
		if again := ServerKey(key); again != key {
			t.Errorf("%q becomes %q, which becomes %q", server, key, again)
		}
		if !SameServer(server, key) {
			t.Errorf("%q is not the server of its form %q", server, key)
		}
	})
}
