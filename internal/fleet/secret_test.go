package fleet

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	v1alpha1 "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func describing(name string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: "argocd",
		Labels: map[string]string{"environment": "dev"}, Annotations: map[string]string{"region": "r1"},
	}, Data: map[string][]byte{}}
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

func TestParseSecret(t *testing.T) {
	d, cfg, err := Parser{}.Parse(describing("spoke", map[string]string{
		"name": "spoke", "server": "https://spoke.test:6443", "project": "team",
		"namespaces": "a, b", "clusterResources": "true",
		"config": `{"bearerToken":"t","tlsClientConfig":{"serverName":"x","caData":"` + pem64(t) + `"},"disableCompression":true,"proxyUrl":"http://proxy.test"}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := gitops.Cluster{
		Name: "spoke", Server: "https://spoke.test:6443", Secret: "spoke", Project: "team",
		Labels: map[string]string{"environment": "dev"}, Annotations: map[string]string{"region": "r1"},
		Namespaces: []string{"a", "b"}, ClusterResources: true,
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	if cfg.BearerToken != "t" || cfg.ServerName != "x" || len(cfg.CAData) == 0 || !cfg.DisableCompression || proxyOf(cfg) != "http://proxy.test" {
		t.Errorf("config is %+v", cfg)
	}
}

// TestParseSecretOfIPv6 has a server whose brackets are no pattern.
func TestParseSecretOfIPv6(t *testing.T) {
	d, cfg, err := Parser{}.Parse(describing("six", map[string]string{"server": "https://[::1]:6443", "config": `{"bearerToken":"t"}`}))
	if err != nil || cfg == nil || cfg.Host != "https://[::1]:6443" || d.Server != cfg.Host {
		t.Errorf("got %+v, %+v, %v", d, cfg, err)
	}
}

func TestParseSecretOfHub(t *testing.T) {
	for _, text := range []string{"", `{"tlsClientConfig":{"insecure":false}}`} {
		d, cfg, err := Parser{}.Parse(describing("hub", map[string]string{"name": "hub", "server": gitops.HubServer, "config": text}))
		if err != nil || cfg != nil || d.Name != "hub" {
			t.Errorf("config %q: got %+v, %v, %v; want the hub without a config", text, d, cfg, err)
		}
	}
}

// pem64 is some certificate as a Secret's config has it.
func pem64(t *testing.T) string {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// TestParseSecretSources has the configs whose credentials are got elsewhere.
func TestParseSecretSources(t *testing.T) {
	allow := Parser{Allow: func() []string {
		return Allowed(map[string]string{v1alpha1.SettingExecAllow: "get-token, /opt/own\nother"})
	}}
	cases := map[string]struct {
		reason, config string
		parser         Parser
		refused        string
	}{
		"AWS":       {"EKS needs no program", `{"awsAuthConfig":{"clusterName":"x","roleARN":"r","profile":"p"},"tlsClientConfig":{"serverName":"sni"}}`, Parser{}, ""},
		"Argo":      {"Argo CD's program is not needed", `{"execProviderConfig":{"command":"argocd-k8s-auth","args":["gcp"],"apiVersion":"client.authentication.k8s.io/v1beta1"}}`, Parser{}, ""},
		"WellKnown": {"well-known programs may run", `{"execProviderConfig":{"command":"kubelogin","args":["get-token","--login","devicecode"]}}`, Parser{}, ""},
		"Allowed":   {"the installation allows more", `{"execProviderConfig":{"command":"get-token","args":["--cluster","x"],"env":{"B":"2","A":"1"}}}`, allow, ""},
		"Path":      {"a path is allowed as a whole", `{"execProviderConfig":{"command":"/opt/own"}}`, allow, ""},
		"Refused":   {"others may not", `{"execProviderConfig":{"command":"get-token"}}`, Parser{}, v1alpha1.SettingExecAllow},
		"Disguised": {"a file that is called like a well-known one is another one", `{"execProviderConfig":{"command":"/tmp/aws","args":["eks"]}}`, Parser{}, v1alpha1.SettingExecAllow},
		"Local":     {"a fleet of this machine runs none that a checkout names", `{"execProviderConfig":{"command":"get-token"}}`, Parser{Allow: allow.Allow, NoPrograms: true}, "--cluster-programs"},
		"LocalAWS":  {"nor a well-known one, which may be told to run others", `{"execProviderConfig":{"command":"kubelogin","args":["get-token","--login","devicecode"]}}`, Parser{NoPrograms: true}, "--cluster-programs"},
		"LocalSDK":  {"what needs no program goes on", `{"execProviderConfig":{"command":"argocd-k8s-auth","args":["gcp"]}}`, Parser{NoPrograms: true}, ""},
		"Version":   {"versions are checked", `{"execProviderConfig":{"command":"aws","apiVersion":"client.authentication.k8s.io/v1alpha1"}}`, Parser{}, "apiVersion"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			parse := func() (*rest.Config, error) {
				_, cfg, err := tc.parser.Parse(describing("x", map[string]string{"server": "https://x.test", "config": tc.config}))
				return cfg, err
			}
			cfg, err := parse()
			if tc.refused != "" {
				if p := problemOf(t, err, gitops.Invalid); !strings.Contains(p.Error(), tc.refused) {
					t.Errorf("%s: got %q", tc.reason, p)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			again, err := parse()
			if err != nil || !sameTransport(cfg.Transport, again.Transport) {
				t.Errorf("the same Secret makes another connection: %v", err)
			}
			if sameTransport(cfg.Transport, nil) {
				t.Error("it has no source")
			}
		})
	}
}

func TestParseSecretErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   map[string]string
		want   string
	}{
		"NoServer":  {"a cluster needs an address", map[string]string{"name": "x"}, "data.server"},
		"NotURL":    {"a bare host is no address", map[string]string{"server": "spoke.test"}, "https address"},
		"Lookalike": {"letters that become others are not compared as those", map[string]string{"server": "https://ｐrod.test"}, "xn--"},
		"User":      {"a password in the address would be told everybody", map[string]string{"server": "https://me:hunter2@spoke.test"}, "has a user in it"},
		"UserOfNo":  {"also where it is no address", map[string]string{"server": "https://me:hunter2@[spoke.test"}, "has a user in it"},
		"Pattern":   {"one Secret describes one server", map[string]string{"server": "https://*"}, "data.server: it has the sign * of patterns"},
		"Letter":    {"any letter is a pattern, too", map[string]string{"server": "https://spoke?.test"}, "the sign ? of patterns"},
		"Class":     {"and a class", map[string]string{"server": "https://[::1]:6443/[ab]"}, "the sign [ of patterns"},
		"Braces":    {"and one of several", map[string]string{"server": "https://{a,b}.test"}, "the sign { of patterns"},
		"Not":       {"and all but one", map[string]string{"server": "!https://spoke.test"}, "the sign ! of patterns"},
		"ARN":       {"a name of AWS is no address", map[string]string{"server": "arn:aws:eks:r:1:cluster/x"}, "name of AWS"},
		"NotJSON":   {"broken JSON tells where", map[string]string{"config": `{"bearerToken": hunter2}`}, "error at byte 17"},
		"WrongType": {"a wrong type names the field", map[string]string{"config": `{"tlsClientConfig":{"insecure":"hunter2"}}`}, "tlsClientConfig.insecure must be true or false"},
		"NotBase64": {"certificates are base64", map[string]string{"config": `{"tlsClientConfig":{"caData":"hunter2!"}}`}, "base64"},
		"AWS":       {"a token is for one cluster", map[string]string{"config": `{"awsAuthConfig":{"roleARN":"hunter2"}}`}, "no clusterName"},
		"TwoWays":   {"one login is enough", map[string]string{"config": `{"bearerToken":"hunter2","username":"hunter2"}`}, "more than one"},
		"TwoWays2":  {"a certificate and a plugin, too", map[string]string{"config": `{"awsAuthConfig":{"clusterName":"x"},"tlsClientConfig":{"certData":"aHVudGVyMg==","keyData":"aHVudGVyMg=="}}`}, "certData"},
		"Half":      {"a certificate needs its key", map[string]string{"config": `{"tlsClientConfig":{"certData":"aHVudGVyMg=="}}`}, "only one of"},
		"NotPair":   {"both must fit", map[string]string{"config": `{"tlsClientConfig":{"certData":"aHVudGVyMg==","keyData":"aHVudGVyMg=="}}`}, "belong together"},
		"NotCA":     {"a CA is a certificate", map[string]string{"config": `{"tlsClientConfig":{"caData":"aHVudGVyMg=="}}`}, "caData is no certificate"},
		"LineBreak": {"a token that was pasted with its line break", map[string]string{"config": `{"bearerToken":"hunter2\n"}`}, "line break"},
		"NotProxy":  {"a proxy is an address", map[string]string{"config": `{"proxyUrl":"ftp://hunter2:hunter2@proxy.test"}`}, "proxyUrl"},
		"ProxyName": {"a name would be asked of the proxy", map[string]string{"config": `{"proxyUrl":"https://hunter2:hunter2@proxy.test","tlsClientConfig":{"serverName":"hunter2.test"}}`}, "serverName would be asked of the proxy"},
		"NotObject": {"a config is an object", map[string]string{"config": `["hunter2"]`}, "it is JSON, and no object"},
		"NotText":   {"types are in words", map[string]string{"config": `{"tlsClientConfig":"hunter2"}`}, "tlsClientConfig must be an object in braces"},
		"NoCommand": {"a plugin is a command", map[string]string{"config": `{"execProviderConfig":{"args":["hunter2"]}}`}, "no command"},
		"Authority": {"the engine's identity is for Microsoft's clouds", map[string]string{"config": `{"execProviderConfig":{"command":"kubelogin","args":["get-token"],"env":{"AZURE_AUTHORITY_HOST":"https://hunter2.test"}}}`}, "execProviderConfig: its authority host"},
		"Both":      {"insecure and a CA contradict", map[string]string{"config": `{"tlsClientConfig":{"insecure":true,"caData":"Y2E="}}`}, "insecure"},
		"Long":      {"the config is bounded", map[string]string{"config": strings.Repeat(" ", maxConfig+1)}, "longer"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			data := map[string]string{"server": "https://spoke.test"}
			for k, v := range tc.data {
				data[k] = v
			}
			if name == "NoServer" {
				delete(data, "server")
			}
			_, _, err := Parser{}.Parse(describing("spoke", data))
			p := problemOf(t, err, gitops.Invalid)
			if !strings.Contains(p.Error(), tc.want) || !strings.Contains(p.Error(), "argocd/spoke") {
				t.Errorf("%s: got %q; want %q in it", tc.reason, p, tc.want)
			}
			if strings.Contains(p.Error(), "hunter2") {
				t.Errorf("the error tells what the Secret says: %q", p)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	f, _ := newFleet(t, config)
	for _, s := range []*corev1.Secret{
		describing("hub", map[string]string{"name": "hub", "server": gitops.HubServer}),
		describing("staging", map[string]string{"name": "staging", "server": "https://127.0.0.1:1"}),
		describing("twin-a", map[string]string{"name": "twin", "server": "https://127.0.0.1:2"}),
		describing("twin-b", map[string]string{"name": "twin", "server": "https://127.0.0.1:3"}),
		describing("hidden", map[string]string{"name": "payments", "server": "https://127.0.0.1:8", "project": "payments"}),
		describing("broken", map[string]string{"name": "broken", "server": "https://127.0.0.1:4", "config": "{"}),
	} {
		d, cfg, err := Parser{}.Parse(s)
		if err != nil {
			_ = f.SetBroken(d, err)
			continue
		}
		if err := f.Set(t.Context(), d, cfg); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		reason       string
		name, server string
		want         string
		kind         gitops.ProblemKind
		says         string
	}{
		"Name":     {"by name", "staging", "", "staging", 0, ""},
		"Server":   {"by server, whatever its end", "", "https://127.0.0.1:1/", "staging", 0, ""},
		"Hub":      {"the hub by its Secret's name", "hub", "", "hub", 0, ""},
		"HubURL":   {"the hub by its address", "", gitops.HubServer, "hub", 0, ""},
		"Internal": {"the hub by its old name", gitops.HubName, "", "hub", 0, ""},
		"Both":     {"one is enough", "hub", gitops.HubServer, "", gitops.Invalid, "both"},
		"None":     {"none is too little", "", "", "", gitops.Invalid, "names no cluster"},
		"Typo":     {"near names are told", "stagin", "", "", gitops.NotFound, "staging"},
		"Theirs":   {"but not those of a project", "paymens", "", "", gitops.NotFound, "name one of: "},
		"TheirURL": {"by server neither", "", "https://127.0.0.1:7", "", gitops.NotFound, "https://127.0.0.1:1"},
		"NoServer": {"near servers too", "", "https://127.0.0.1:9", "", gitops.NotFound, "https://127.0.0.1:"},
		"Twins":    {"a name that two have is nobody's", "twin", "", "", gitops.Invalid, `several cluster Secrets have the name "twin"`},
		"Broken":   {"a broken Secret tells what is wrong", "broken", "", "", gitops.Invalid, "data.config"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: tc.name, Server: tc.server})
			if tc.want != "" {
				if err != nil || c.Desc().Name != tc.want {
					t.Fatalf("%s: got %v", tc.reason, err)
				}
				return
			}
			p := problemOf(t, err, tc.kind)
			if !strings.Contains(p.Error(), tc.says) {
				t.Errorf("%s: got %q; want %q in it", tc.reason, p, tc.says)
			}
			if strings.Contains(p.Error(), "payments") || strings.Contains(p.Error(), "127.0.0.1:8") || strings.Contains(p.Error(), "twin-a") {
				t.Errorf("what others have is told to whoever guesses: %q", p)
			}
		})
	}
	f.Remove("hub")
	f.Remove("staging")
	f.Remove("hidden")
	var names []string
	for _, d := range f.Clusters() {
		names = append(names, d.Name)
	}
	if diff := cmp.Diff([]string{"broken", gitops.HubName, "twin", "twin"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestNameOfHub has a cluster that is called as the hub is, with a hub of each kind beside it.
func TestNameOfHub(t *testing.T) {
	f, _ := newFleet(t, config)
	poses := gitops.Cluster{Name: gitops.HubName, Server: "https://127.0.0.1:1", Secret: "poses", Project: "red"}
	if err := f.Set(t.Context(), poses, &rest.Config{Host: poses.Server}); err != nil {
		t.Fatal(err)
	}
	for reason, d := range map[string]gitops.Cluster{
		"the hub has no Secret":                {},
		"the hub has a Secret":                 {Name: gitops.HubName, Server: gitops.HubServer, Secret: "hub"},
		"the hub has a Secret of another name": {Name: "hub", Server: gitops.HubServer, Secret: "hub"},
	} {
		if d.Secret != "" {
			if err := f.Set(t.Context(), d, nil); err != nil {
				t.Fatal(err)
			}
		}
		if c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: gitops.HubName}); err != nil || c.Desc().Server != gitops.HubServer {
			t.Errorf("%s: the name of the hub leads to %+v, %v", reason, c, err)
		}
		if c, err := f.Resolve(v1alpha1.ApplicationDestination{Server: poses.Server}); err != nil || c.Desc().Secret != "poses" {
			t.Errorf("%s: the other cluster is not reached by its server: %v", reason, err)
		}
		if told := f.Clashes(poses); len(told) != 1 || !told[0].Hub {
			t.Errorf("%s: who wrote the Secret is told %v", reason, told)
		}
		f.Remove("hub")
	}
}

// TestSetKeepsWatches changes what the bridge writes into a Secret: the
// connection goes on.
func TestSetKeepsWatches(t *testing.T) {
	f, _ := newFleet(t, config)
	d := gitops.Cluster{Name: "spoke", Server: config.Host, Secret: "spoke"}
	set := func() *Cluster {
		t.Helper()
		if err := f.Set(t.Context(), d, config); err != nil {
			t.Fatal(err)
		}
		c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "spoke"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := set()
	d.Labels = map[string]string{"enable_x": "true"}
	if second := set(); second != first || second.Desc().Labels["enable_x"] != "true" {
		t.Error("a new label made a new connection, or was not kept")
	}
	d.Namespaces = []string{"default"}
	if third := set(); third == first {
		t.Error("other namespaces need other watches")
	}
}

// TestNameless has a Secret with neither a name nor a config, as Argo CD
// takes it: it is called by its server, and needs no login.
func TestNameless(t *testing.T) {
	d, cfg, err := Parser{}.Parse(describing("bare", map[string]string{"server": "https://bare.test"}))
	if err != nil || d.Name != "https://bare.test" || cfg == nil || cfg.BearerToken != "" {
		t.Errorf("got %+v, %+v, %v", d, cfg, err)
	}
}

// TestLargeMetadata has as many keys as a Secret's metadata can hold.
func TestLargeMetadata(t *testing.T) {
	s := describing("large", map[string]string{"server": "https://large.test"})
	for i := range 200 {
		s.Annotations[fmt.Sprintf("key-%d", i)] = strings.Repeat("v", 300)
	}
	d, _, err := Parser{}.Parse(s)
	if err != nil || len(d.Annotations) != 201 {
		t.Errorf("got %d keys, %v", len(d.Annotations), err)
	}
}

func FuzzParseSecret(f *testing.F) {
	for _, text := range []string{
		"", "{}", "[", `{"bearerToken":"t"}`, `{"awsAuthConfig":{"clusterName":"x"}}`, `{"tlsClientConfig":{"caData":"eA==","insecure":true}}`,
		`{"execProviderConfig":{"command":"aws","args":["eks","get-token","--cluster-name","x"]}}`, `{"proxyUrl":"socks5://h:1"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := describing("x", map[string]string{"server": "https://x.test", "config": text})
		_, cfg, err := Parser{}.Parse(s)
		if (err == nil) != (cfg != nil) {
			t.Errorf("got %v, %v", cfg, err)
		}
	})
}

// What a cluster is known by is in lists, metrics and errors.
func TestUserInAnAddressIsNotTold(t *testing.T) {
	for address, want := range map[string]string{
		"https://me:hunter2@spoke.test:6443/a@b": "https://spoke.test:6443/a@b", "https://me:hun@ter2@spoke.test": "https://spoke.test",
		"https://me:hunter2@[spoke.test": "https://[spoke.test", "https://spoke.test/a@b": "https://spoke.test/a@b", "me@spoke.test": "me@spoke.test",
	} {
		d, _, err := Parser{}.Parse(describing("spoke", map[string]string{"server": address}))
		if d.Server != want || d.Name != want || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: known as %+v, %v", address, d, err)
		}
	}
}
