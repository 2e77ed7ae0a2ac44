package connection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Program is the path of the program `causeway`, which works out what needs
// the engine's own stages.
func (c *Connection) Program() (string, error) {
	named := c.settings.CausewayPath.ValueString()
	if named == "" {
		named = "causeway"
	}
	found, err := exec.LookPath(named)
	if err != nil {
		return "", fmt.Errorf("cannot find the program %s: install it, or name it in the provider's causeway_path", named)
	}
	return filepath.Abs(found)
}

// Kubeconfig writes into a folder how the hub is reached, for the program: the
// provider's block may say so in many ways. The file has credentials, so
// nobody else may read it, and whoever made the folder removes it.
func (c *Connection) Kubeconfig(ctx context.Context, dir string) (string, error) {
	if c.unknown {
		return "", ErrUnknown
	}
	config, err := c.rest(ctx)
	if err != nil {
		return "", err
	}
	return writeKubeconfig(config, dir)
}

func writeKubeconfig(config *rest.Config, dir string) (string, error) {
	cluster, err := clusterOf(config)
	if err != nil {
		return "", err
	}
	const only = "hub"
	file := filepath.Join(dir, "kubeconfig")
	err = clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{only: cluster}, AuthInfos: map[string]*clientcmdapi.AuthInfo{only: userOf(config)},
		Contexts: map[string]*clientcmdapi.Context{only: {Cluster: only, AuthInfo: only}}, CurrentContext: only,
	}, file)
	if err != nil {
		return "", fmt.Errorf("cannot write the kubeconfig of the program: %w", err)
	}
	return file, os.Chmod(file, 0o600)
}

func clusterOf(config *rest.Config) (*clientcmdapi.Cluster, error) {
	out := &clientcmdapi.Cluster{
		Server: config.Host, TLSServerName: config.ServerName, InsecureSkipTLSVerify: config.Insecure,
		CertificateAuthority: here(config.CAFile), CertificateAuthorityData: config.CAData, DisableCompression: config.DisableCompression,
	}
	proxy, err := proxyOf(config)
	if err != nil {
		return nil, err
	}
	if proxy != nil {
		out.ProxyURL = proxy.String()
	}
	return out, nil
}

// proxyOf is the proxy on the way to the cluster; nil where none is named.
func proxyOf(config *rest.Config) (*url.URL, error) {
	if config.Proxy == nil {
		return nil, nil //nolint:nilnil // none
	}
	probe, err := http.NewRequest(http.MethodGet, config.Host, http.NoBody) //nolint:noctx // it is never sent
	if err != nil {
		return nil, errors.New("the address of the cluster is no URL")
	}
	proxy, err := config.Proxy(probe)
	if err != nil {
		return nil, errors.New("the provider's proxy_url is no URL")
	}
	return proxy, nil
}

func userOf(config *rest.Config) *clientcmdapi.AuthInfo {
	program := config.ExecProvider.DeepCopy()
	if program != nil && filepath.Base(program.Command) != program.Command {
		program.Command = here(program.Command)
	}
	return &clientcmdapi.AuthInfo{
		Token: config.BearerToken, TokenFile: here(config.BearerTokenFile), Username: config.Username, Password: config.Password,
		ClientCertificate: here(config.CertFile), ClientCertificateData: config.CertData,
		ClientKey: here(config.KeyFile), ClientKeyData: config.KeyData,
		Exec: program, AuthProvider: config.AuthProvider,
		Impersonate: config.Impersonate.UserName, ImpersonateUID: config.Impersonate.UID,
		ImpersonateGroups: config.Impersonate.Groups, ImpersonateUserExtra: config.Impersonate.Extra,
	}
}

// here is a file's path that means the same in a kubeconfig, whose paths are
// relative to its own folder.
func here(file string) string {
	if file == "" {
		return ""
	}
	if whole, err := filepath.Abs(file); err == nil {
		return whole
	}
	return file
}
