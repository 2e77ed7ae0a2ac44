package connection

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/client-go/rest"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: a, cluster: {server: "https://a.example.org"}}
- {name: b, cluster: {server: "https://b.example.org", proxy-url: "http://proxy.example.org"}}
- {name: c, cluster: {server: "https://c.example.org", tls-server-name: d.example.org, proxy-url: "https://me:hunter2@proxy.example.org"}}
users:
- {name: u, user: {token: of-the-file}}
contexts:
- {name: one, context: {cluster: a, user: u}}
- {name: two, context: {cluster: b, user: u}}
- {name: named, context: {cluster: c, user: u}}
`

func TestWaysToTheHub(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	home := filepath.Dir(file)
	text := types.StringValue
	for name, tc := range map[string]struct {
		settings    Settings
		environment string
		host, token string
	}{
		"Path":        {Settings{ConfigPath: text(file)}, "", "https://a.example.org", "of-the-file"},
		"Home":        {Settings{ConfigPath: text("~/config")}, "", "https://a.example.org", "of-the-file"},
		"OneIsMissed": {Settings{ConfigPath: text(filepath.Join(home, "none") + string(filepath.ListSeparator) + file)}, "", "https://a.example.org", "of-the-file"},
		"Context":     {Settings{ConfigPath: text(file), ConfigContext: text("two")}, "", "https://b.example.org", "of-the-file"},
		"Environment": {Settings{}, file, "https://a.example.org", "of-the-file"},
		"BlockWins":   {Settings{ConfigPath: text(file)}, filepath.Join(home, "none"), "https://a.example.org", "of-the-file"},
		"Text":        {Settings{Kubeconfig: text(kubeconfig)}, "", "https://a.example.org", "of-the-file"},
		"Override":    {Settings{Kubeconfig: text(kubeconfig), Token: text("of-the-block")}, "", "https://a.example.org", "of-the-block"},
		"ByHTTP":      {Settings{Host: text("https://c.example.org"), Token: text("t"), ServerName: text("d.example.org"), ProxyURL: text("http://proxy.example.org")}, "", "https://c.example.org", "t"},
		"NoName":      {Settings{Host: text("https://c.example.org"), Token: text("t"), ProxyURL: text("https://proxy.example.org")}, "", "https://c.example.org", "t"},
		"NoScheme":    {Settings{Host: text("10.0.0.1:6443"), Token: text("t"), ServerName: text("d.example.org"), ProxyURL: text("https://proxy.example.org")}, "", "10.0.0.1:6443", ""},
		"Insecure":    {Settings{Kubeconfig: text(kubeconfig), ConfigContext: text("named"), Insecure: types.BoolValue(true)}, "", "https://c.example.org", "of-the-file"},
		"Host":        {Settings{Host: text("https://c.example.org"), Token: text("t")}, "", "https://c.example.org", "t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", home)
			t.Setenv("KUBE_CONFIG_PATH", tc.environment)
			got, err := (&Connection{settings: tc.settings}).rest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.Host != tc.host || got.BearerToken != tc.token {
				t.Errorf("%s as %s; want %s as %s", got.Host, got.BearerToken, tc.host, tc.token)
			}
			if got.QPS != requests || got.UserAgent == rest.DefaultKubernetesUserAgent() {
				t.Errorf("%v requests a second by %s", got.QPS, got.UserAgent)
			}
		})
	}
}

func TestNoWayToTheHub(t *testing.T) {
	text := types.StringValue
	for name, tc := range map[string]struct {
		settings Settings
		want     string
	}{
		"ProxyName": {
			Settings{Host: text("https://c.example.org"), Token: text("t"), ServerName: text("d.example.org"), ProxyURL: text("https://me:hunter2@proxy.example.org")},
			"tls_server_name (tls-server-name) would be asked of the proxy",
		},
		"FileOfProxy": {Settings{Kubeconfig: text(kubeconfig), ConfigContext: text("named")}, "proxy_url (proxy-url in a kubeconfig) begins with https://"},
		"Nothing":     {Settings{}, "set config_path, kubeconfig or host"},
		"NoFile":      {Settings{ConfigPath: types.StringValue("/none/config")}, "/none/config: write it first"},
		"NoYAML":      {Settings{Kubeconfig: types.StringValue("token: [hunter2")}, "no kubeconfig in YAML or JSON"},
		"NoContext":   {Settings{Kubeconfig: types.StringValue(kubeconfig), ConfigContext: types.StringValue("three")}, `"three" does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("KUBECONFIG", "")
			t.Setenv("KUBE_CONFIG_PATH", "")
			_, err := (&Connection{settings: tc.settings}).rest(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%v; want %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("it repeats what it read: %v", err)
			}
		})
	}
}

// TestCurrentContext: whether it was said which cluster is the hub.
func TestCurrentContext(t *testing.T) {
	dir, text := t.TempDir(), types.StringValue
	file, bare := filepath.Join(dir, "config"), filepath.Join(dir, "bare")
	for name, content := range map[string]string{file: kubeconfig, bare: "apiVersion: v1\nkind: Config\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		reason             string
		hub                *Connection
		kubectl, terraform string
		want               string
	}{
		"Nobody":      {"kubectl decides", &Connection{}, file, "", "one"},
		"Token":       {"who asks is not whom", &Connection{settings: Settings{Token: text("t"), Namespace: text("argocd")}}, file, "", "one"},
		"Path":        {"the block names a file", &Connection{settings: Settings{ConfigPath: text(file)}}, file, "", ""},
		"Environment": {"the environment does", &Connection{}, file, file, ""},
		"Context":     {"the block names a context", &Connection{settings: Settings{ConfigContext: text("two")}}, file, "", ""},
		"Host":        {"the block names the cluster", &Connection{settings: Settings{Host: text("https://a.example.org")}}, file, "", ""},
		"Text":        {"so it does here", &Connection{settings: Settings{Kubeconfig: text(kubeconfig)}}, file, "", ""},
		"Unknown":     {"it is made by the same apply", &Connection{unknown: true}, file, "", ""},
		"NoContext":   {"it is the pod's own cluster, or none", &Connection{}, bare, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", dir)
			t.Setenv("KUBECONFIG", tc.kubectl)
			t.Setenv("KUBE_CONFIG_PATH", tc.terraform)
			if got := tc.hub.CurrentContext(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestProgramOfCredentials(t *testing.T) {
	c := &Connection{settings: Settings{Host: types.StringValue("https://a.example.org"), Exec: &Exec{
		APIVersion: types.StringValue("client.authentication.k8s.io/v1"), Command: types.StringValue("login"),
		Args: types.ListValueMust(types.StringType, []attr.Value{types.StringValue("get-token")}),
		Env:  types.MapValueMust(types.StringType, map[string]attr.Value{"B": types.StringValue("2"), "A": types.StringValue("1")}),
	}}}
	got, err := c.rest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := got.ExecProvider
	if p == nil || p.Command != "login" || len(p.Args) != 1 || len(p.Env) != 2 || p.Env[0].Name != "A" || p.Env[1].Value != "2" {
		t.Errorf("the program is %+v", p)
	}
}

func TestUnknownHub(t *testing.T) {
	c := &Connection{unknown: true, namespace: unknownNamespace}
	if _, err := c.Open(t.Context()); !errors.Is(err, ErrUnknown) {
		t.Errorf("opened: %v", err)
	}
	if name, known := c.Namespace(); known || name != "" {
		t.Errorf("its namespace is %q", name)
	}
	if name, known := (&Connection{}).Namespace(); !known || name != DefaultNamespace {
		t.Errorf("without one, the namespace is %q", name)
	}
}
