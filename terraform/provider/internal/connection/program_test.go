package connection

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestProgramReachesTheHubAsTheProviderDoes(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"ca.pem", "c.pem", "c.key"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	proxy, err := url.Parse("http://proxy.example.com:3128")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason string
		config rest.Config
		want   rest.Config
	}{
		"Token": {
			reason: "a token and an authority",
			config: rest.Config{Host: "https://10.0.0.1:6443", BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("ca"), ServerName: "hub"}},
			want:   rest.Config{Host: "https://10.0.0.1:6443", BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("ca"), ServerName: "hub"}},
		},
		"Files": {
			reason: "paths are relative to where terraform runs, not to the new file",
			config: rest.Config{Host: "https://10.0.0.1:6443", TLSClientConfig: rest.TLSClientConfig{CAFile: "ca.pem", CertFile: filepath.Join(folder, "c.pem"), KeyFile: "c.key"}},
			want: rest.Config{Host: "https://10.0.0.1:6443", TLSClientConfig: rest.TLSClientConfig{
				CAFile: filepath.Join(folder, "ca.pem"), CertFile: filepath.Join(folder, "c.pem"), KeyFile: filepath.Join(folder, "c.key"),
			}},
		},
		"Somebody": {
			reason: "who is impersonated is so for the program, too",
			config: rest.Config{Host: "https://10.0.0.1:6443", Username: "u", Password: "p", Impersonate: rest.ImpersonationConfig{UserName: "ops", Groups: []string{"g"}}},
			want:   rest.Config{Host: "https://10.0.0.1:6443", Username: "u", Password: "p", Impersonate: rest.ImpersonationConfig{UserName: "ops", Groups: []string{"g"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := written(t, &tc.config)
			for _, c := range []*rest.Config{got, &tc.want} {
				c.Impersonate.Extra = nil
			}
			shape := func(c *rest.Config) []any {
				return []any{c.Host, c.BearerToken, c.Username, c.Password, c.Impersonate, c.TLSClientConfig}
			}
			if diff := cmp.Diff(shape(&tc.want), shape(got)); diff != "" {
				t.Errorf("%s (-want +got): %s", tc.reason, diff)
			}
		})
	}
	t.Run("Proxy", func(t *testing.T) {
		got := written(t, &rest.Config{Host: "https://10.0.0.1:6443", Proxy: http.ProxyURL(proxy)})
		to, err := got.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "10.0.0.1:6443"}})
		if err != nil || to.String() != proxy.String() {
			t.Errorf("the proxy is %v, %v", to, err)
		}
	})
	t.Run("Exec", func(t *testing.T) {
		program := &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: "./login", Args: []string{"a"}, InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
		got := written(t, &rest.Config{Host: "https://10.0.0.1:6443", ExecProvider: program})
		if got.ExecProvider == nil || got.ExecProvider.Command != filepath.Join(folder, "login") {
			t.Errorf("the program of credentials is %+v", got.ExecProvider)
		}
	})
}

// written is a configuration that went through a file, as the program reads it.
func written(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	file, err := writeKubeconfig(config, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	got, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&clientcmd.ClientConfigLoadingRules{ExplicitPath: file}, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	return got
}
