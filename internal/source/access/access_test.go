package access

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func stored(kind string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "s-" + data["url"], Labels: map[string]string{LabelSecretType: kind}}, Data: map[string][]byte{}}
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

func TestParseRepositoryRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   string
		data   map[string]string
		want   string
	}{
		"label":  {"another kind of Secret", "cluster", map[string]string{"url": "https://h/r"}, "repo-creds"},
		"url":    {"no address", TypeRepository, map[string]string{"username": "me"}, "key url"},
		"option": {"an address that is an option", TypeRepository, map[string]string{"url": "--x"}, "dash"},
		"type":   {"a type that is none", TypeRepository, map[string]string{"url": "https://h/r", "type": "svn"}, "key type"},
		"flag":   {"a flag that is none", TypeRepository, map[string]string{"url": "https://h/r", "insecure": "maybe"}, "key insecure"},
		"cert":   {"half a client certificate", TypeRepository, map[string]string{"url": "https://h/r", "tlsClientCertData": "x"}, "tlsClientCertKey"},
		"star":   {"an address that is a pattern", TypeRepository, map[string]string{"url": "https://h/team/a*"}, "key url: it has the sign * of patterns"},
		"braces": {"of several", TypeRepository, map[string]string{"url": "https://h/{a,b}"}, "key url: it has the sign { of patterns"},
		"class":  {"or of a class, beside an IP address", TypeRepository, map[string]string{"url": "https://[::1]/[ab]"}, "key url: it has the sign [ of patterns"},
		"not":    {"or of all but one", TypeRepository, map[string]string{"url": "!https://h/r"}, "key url"},
		"app":    {"a GitHub App without its number", TypeRepository, map[string]string{"url": "https://h/r", "githubAppPrivateKey": "x"}, "githubAppID"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ParseRepository(stored(c.kind, c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "argocd/s-") {
				t.Errorf("%s: got %v, want the Secret's name and %q", c.reason, err, c.want)
			}
		})
	}
}

// TestParseRepositoryTakes has addresses with signs that are no pattern.
func TestParseRepositoryTakes(t *testing.T) {
	for _, address := range []string{"https://[::1]:8443/team/a", "git@[fd00::10]:team/a", "https://me:p*ss!@h/r", "https://h/r?id=a*"} {
		if r, err := ParseRepository(stored(TypeRepository, map[string]string{"url": address})); err != nil || r.URL != address {
			t.Errorf("%s: got %s, %v", address, r.URL, err)
		}
	}
}

func TestFor(t *testing.T) {
	var all []Repository
	for _, s := range []*corev1.Secret{
		stored(TypeTemplate, map[string]string{"url": "https://github.com", "password": "host"}),
		stored(TypeTemplate, map[string]string{"url": "https://github.com/org", "password": "org"}),
		stored(TypeTemplate, map[string]string{"url": "git@github.com:org", "sshPrivateKey": "key"}),
		stored(TypeRepository, map[string]string{"url": "https://github.com/org/own.git", "password": "own"}),
		stored(TypeRepository, map[string]string{"url": "https://github.com/org/bare", "depth": "3"}),
		stored(TypeRepository, map[string]string{"url": "https://h/scoped", "password": "all"}),
		stored(TypeRepository, map[string]string{"url": "https://h/scoped.git", "password": "team", "project": "team"}),
		stored(TypeRepository, map[string]string{"url": "https://h/closed", "password": "x", "project": "team"}),
		stored(TypeRepository, map[string]string{"url": "public.ecr.aws", "type": "helm", "enableOCI": "true", "password": "ecr"}),
	} {
		r, err := ParseRepository(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	var store Credentials
	store.Replace(all)
	cases := map[string]struct{ reason, url, project, want string }{
		"exact":        {"the repository's own Secret wins", "https://github.com/org/own/", "", "own"},
		"longest":      {"the longest template", "https://github.com/org/other", "", "org"},
		"shorter":      {"a shorter one where it does not fit", "https://github.com/else/other", "", "host"},
		"inherit":      {"a Secret without an identity takes the template's", "https://github.com/org/bare", "", "org"},
		"evil":         {"a host is compared as a whole", "https://github.com.evil.org/org/x", "", ""},
		"project":      {"the project's own Secret wins", "https://h/scoped", "team", "team"},
		"all":          {"others get the common one", "https://h/scoped", "other", "all"},
		"closed":       {"a scoped Secret is for its project", "https://h/closed", "other", ""},
		"oci":          {"names without a scheme", "oci://public.ecr.aws", "", "ecr"},
		"ssh template": {"https templates do not open ssh", "git@github.com:else/x", "", ""},
		"clear":        {"what is for https is not sent in the clear", "http://github.com/org/own", "", ""},
		"clear exact":  {"nor what is for one repository", "http://h/scoped", "", ""},
		"port":         {"the usual port is the same server", "https://github.com:443/org/own.git/", "", "own"},
		"other port":   {"another one is another server", "https://github.com:8443/org/own", "", ""},
		"climbs":       {"a template for a folder opens nothing beside it", "https://github.com/org/../else/x", "", ""},
		"coded":        {"nor when that is hidden", "https://github.com/org/%2e%2e/else/x", "", ""},
		"spelling":     {"one repository, however it is spelled", "https://me@GitHub.com//org/%6fwn", "", "own"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, _ := store.For(c.url, c.project)
			if got.Password.Reveal() != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got.Password.Reveal(), c.want)
			}
		})
	}
	if got, ok := store.For("git@github.com:org/x.git", ""); !ok || got.SSHKey == "" {
		t.Error("a template for ssh opens a repository of the organisation")
	}
	if got, _ := store.For("https://github.com/org/bare", ""); got.Depth != 3 {
		t.Error("what the repository's own Secret sets is kept")
	}
}

func TestTrust(t *testing.T) {
	var store Credentials
	store.Trust(Trust{KnownHosts: "h ssh-ed25519 x", CAs: map[string]string{"h": "pem"}})
	got, ok := store.For("https://h:8443/r", "")
	if !ok || got.CA != "pem" || got.KnownHosts == "" {
		t.Errorf("got %+v, %t", got, ok)
	}
}

func TestSecretsDoNotShow(t *testing.T) {
	c := Credential{Username: "me", Password: "hunter2", BearerToken: "tok3n", SSHKey: "k3y", App: &App{PrivateKey: "pr1vate"}, Proxy: "http://us:pr%2Fxy-word@proxy.example.com"}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(data), fmt.Sprintf("%v %+v %#v %s", c, c, c, c.Password), c.Redact("fatal: hunter2 bWU6aHVudGVyMg== tok3n"), c.Redact("the proxy says pr/xy-word pr%2Fxy-word dXM6cHIveHktd29yZA==")} {
		for _, s := range []string{"hunter2", "tok3n", "k3y", "bWU6aHVudGVyMg", "xy-word", "dXM6cHIveHktd29yZA"} {
			if strings.Contains(text, s) {
				t.Errorf("%q shows %q", text, s)
			}
		}
	}
	changed := c
	changed.Password = "hunter3"
	if c.Fingerprint() == changed.Fingerprint() {
		t.Error("a new password must change the fingerprint")
	}
}

func TestRedact(t *testing.T) {
	const begin, end, first, second, last = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "bGluZSBvbmU+bGluZSBvbmU+", "bGluZSB0d28+bGluZSB0d28+", "QUI="
	key := Secret(strings.Join([]string{begin, "Proc-Type: 4,ENCRYPTED", "", first, second, last, end, ""}, "\n"))
	for name, tc := range map[string]struct {
		reason     string
		c          Credential
		text, want string
	}{
		"Nothing": {"who has no secrets masks nothing", Credential{Username: "me"}, "me and you", "me and you"},
		"Longer":  {"a secret that is part of another one leaves nothing of that", Credential{BearerToken: "tok3n", Password: "my-tok3n-is-long"}, "tok3n my-tok3n-is-long", "[masked] [masked]"},
		"Proxy":   {"the address of a proxy is masked whole", Credential{Proxy: "http://us:w0rd@proxy.example.com"}, "at http://us:w0rd@proxy.example.com: w0rd", "at [masked]: [masked]"},
		"SSH":     {"a key is masked whole", Credential{SSHKey: key}, "bad: " + string(key) + "!", "bad: [masked]\n!"},
		"TLS":     {"and line by line; what names its form and what is short stay", Credential{TLSKey: key}, strings.ReplaceAll(string(key), "\n", "\r\n"), begin + "\r\nProc-Type: 4,ENCRYPTED\r\n\r\n[masked]\r\n[masked]\r\n" + last + "\r\n" + end + "\r\n"},
		"App":     {"a program may tell one line", Credential{App: &App{PrivateKey: key}}, "line 5 is " + second, "line 5 is [masked]"},
		"Word":    {"a key of no form is masked, too", Credential{SSHKey: "k3y\n"}, "k3y is no key", "[masked] is no key"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.c.Redact(tc.text); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// bare is a part of a path without what means nothing at its end.
func bare(part string) string {
	part = strings.ToLower(part)
	for strings.HasSuffix(part, ".git") {
		part = strings.TrimSuffix(part, ".git")
	}
	return part
}

// FuzzFor asks for what opens an address: nothing but the server that a Secret
// names gets it, and only in its scheme.
func FuzzFor(f *testing.F) {
	for _, raw := range []string{
		"https://h/org/x", "https://h:0443/ORG/%78", "https://h:8443/org/x", "http://h/org/x", "https://h@evil.example/org/x", "https://h.evil.example/org", "https://h./org/x",
		"https://evil.example/https://h/org/x", "ssh://h/org/x", "git@h:org/x", "h/org/x", "oci://h/org/x", "https://h/other/../org/x", "https://h/org/%2e%2e/x",
	} {
		f.Add(raw)
	}
	of, err := ParseRepository(stored(TypeTemplate, map[string]string{"url": "https://h/org/", "password": "opens"}))
	if err != nil {
		f.Fatal(err)
	}
	var store Credentials
	store.Replace([]Repository{of})
	f.Fuzz(func(t *testing.T, raw string) {
		got, _ := store.For(raw, "")
		if got.Password == "" {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || !strings.EqualFold(u.Scheme, "https") || !strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), "h") {
			t.Fatalf("%q is opened by what is for https://h", raw)
		}
		if port := u.Port(); port != "" && strings.TrimLeft(port, "0") != "443" {
			t.Errorf("%q is another server than https://h", raw)
		}
		parts := strings.FieldsFunc(u.Path, func(c rune) bool { return c == '/' })
		if len(parts) == 0 || bare(parts[0]) != "org" || slices.Contains(parts, "..") {
			t.Errorf("%q leads elsewhere than below https://h/org/", raw)
		}
	})
}
