package connection

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Requests a second: one apply of a large fleet is hundreds of small ones.
const (
	requests = 100
	burst    = 200
)

// rest makes the client's configuration. What is written in the block wins
// over the kubeconfig, as the flags of kubectl do.
func (c *Connection) rest(ctx context.Context) (*rest.Config, error) {
	s := c.settings
	overrides, err := s.overrides(ctx)
	if err != nil {
		return nil, err
	}
	config, err := s.load(overrides)
	if err != nil {
		return nil, err
	}
	if err := oneName(config); err != nil {
		return nil, err
	}
	config.QPS, config.Burst, config.UserAgent = requests, burst, "terraform-provider-causeway"
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}

func (s Settings) load(overrides *clientcmd.ConfigOverrides) (*rest.Config, error) {
	if isSet(s.Kubeconfig) {
		parsed, err := clientcmd.Load([]byte(s.Kubeconfig.ValueString()))
		if err != nil {
			// The parser's words may hold what it stumbled over.
			return nil, errors.New("cannot read the provider's attribute kubeconfig: it is no kubeconfig in YAML or JSON")
		}
		return told(clientcmd.NewDefaultClientConfig(*parsed, overrides).ClientConfig())
	}
	if isSet(s.Host) {
		return told(clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), overrides).ClientConfig())
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if files := s.files(); len(files) > 0 {
		rules = &clientcmd.ClientConfigLoadingRules{Precedence: files}
		if !slices.ContainsFunc(files, readable) {
			return nil, fmt.Errorf("cannot read the kubeconfig %s: write it first, or name another one in config_path", strings.Join(files, ", "))
		}
	}
	return told(clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig())
}

// oneName refuses a name that net/http would ask of the proxy's certificate as well.
func oneName(config *rest.Config) error {
	if config.ServerName == "" || config.Insecure {
		return nil
	}
	proxy, err := proxyOf(config)
	if err != nil || proxy == nil || proxy.Scheme != "https" {
		return nil //nolint:nilerr // whether an address can be used is the client's to say: it takes a host without a scheme
	}
	return errors.New("proxy_url (proxy-url in a kubeconfig) begins with https://, and tls_server_name (tls-server-name) would be asked of the proxy as well: write the name in host (server), which is asked of the cluster alone, or use a proxy by http:// or socks5://")
}

// told says what to do about an answer of the kubeconfig's reader.
func told(config *rest.Config, err error) (*rest.Config, error) {
	if err == nil {
		return config, nil
	}
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("there is no cluster to talk to: set config_path, kubeconfig or host in the provider's block, or KUBE_CONFIG_PATH in the environment")
	}
	return nil, fmt.Errorf("cannot use the kubeconfig: %w", err)
}

// files are the kubeconfigs that are named, in the block or the environment.
func (s Settings) files() []string {
	text := s.ConfigPath.ValueString()
	if text == "" {
		text = os.Getenv("KUBE_CONFIG_PATH")
	}
	var out []string
	for _, f := range filepath.SplitList(text) {
		if rest, ok := strings.CutPrefix(f, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				f = filepath.Join(home, rest)
			}
		}
		out = append(out, f)
	}
	return out
}

// CurrentContext is kubectl's, where that is the hub and nobody said so; empty
// where the block or KUBE_CONFIG_PATH names the cluster.
func (c *Connection) CurrentContext() string {
	s := c.settings
	if c.unknown || isSet(s.Kubeconfig) || isSet(s.Host) || isSet(s.ConfigContext) || len(s.files()) > 0 {
		return ""
	}
	all, err := clientcmd.NewDefaultClientConfigLoadingRules().Load()
	if err != nil {
		return "" // what cannot be read is told by whoever asks the hub
	}
	return all.CurrentContext
}

func readable(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// overrides are the attributes that are more than a place of a kubeconfig.
func (s Settings) overrides(ctx context.Context) (*clientcmd.ConfigOverrides, error) {
	o := &clientcmd.ConfigOverrides{CurrentContext: s.ConfigContext.ValueString()}
	o.ClusterInfo.Server = s.Host.ValueString()
	o.ClusterInfo.CertificateAuthorityData = []byte(s.ClusterCA.ValueString())
	o.ClusterInfo.InsecureSkipTLSVerify = s.Insecure.ValueBool()
	o.ClusterInfo.TLSServerName = s.ServerName.ValueString()
	o.ClusterInfo.ProxyURL = s.ProxyURL.ValueString()
	o.AuthInfo.Token = s.Token.ValueString()
	o.AuthInfo.ClientCertificateData = []byte(s.ClientCertificate.ValueString())
	o.AuthInfo.ClientKeyData = []byte(s.ClientKey.ValueString())
	if s.Exec == nil {
		return o, nil
	}
	program := &clientcmdapi.ExecConfig{
		APIVersion: s.Exec.APIVersion.ValueString(), Command: s.Exec.Command.ValueString(),
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	if d := s.Exec.Args.ElementsAs(ctx, &program.Args, false); d.HasError() {
		return nil, errText(d)
	}
	env := map[string]string{}
	if d := s.Exec.Env.ElementsAs(ctx, &env, false); d.HasError() {
		return nil, errText(d)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		program.Env = append(program.Env, clientcmdapi.ExecEnvVar{Name: name, Value: env[name]})
	}
	o.AuthInfo.Exec = program
	return o, nil
}
