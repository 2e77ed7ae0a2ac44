package fleet

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/credential"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Connection is the JSON in a cluster Secret's data.config, as Argo CD has it.
type Connection struct {
	// Username of basic authentication.
	Username string `json:"username,omitempty"`
	// Password of basic authentication.
	Password string `json:"password,omitempty"`
	// BearerToken is a token, such as that of a ServiceAccount.
	BearerToken string `json:"bearerToken,omitempty"`
	// TLS says whom to trust, and has a client certificate.
	TLS TLS `json:"tlsClientConfig"`
	// AWS has a token of EKS signed by the identity of the engine.
	AWS *AWS `json:"awsAuthConfig,omitempty"`
	// Exec is a plugin that gets a credential.
	Exec *Plugin `json:"execProviderConfig,omitempty"`
	// DisableCompression asks for answers that are not compressed.
	DisableCompression bool `json:"disableCompression,omitempty"`
	// ProxyURL is the proxy on the way, as http://, https:// or socks5://.
	ProxyURL string `json:"proxyUrl,omitempty"`
}

// TLS says whom to trust, and has a client certificate; data is PEM.
type TLS struct {
	// Insecure trusts anybody; not together with caData.
	Insecure bool `json:"insecure"`
	// ServerName is the name in the server's certificate (SNI), when it is not
	// that in the address; a Secret that has it with a proxyUrl by https:// is refused.
	ServerName string `json:"serverName,omitempty"`
	// CertData is a client certificate, base64 of PEM; it must fit keyData.
	CertData []byte `json:"certData,omitempty"`
	// KeyData is the key of the client certificate, base64 of PEM.
	KeyData []byte `json:"keyData,omitempty"`
	// CAData is whom to trust, base64 of PEM.
	CAData []byte `json:"caData,omitempty"`
}

// AWS names a cluster of EKS.
type AWS struct {
	// ClusterName is the name of the cluster in EKS; it has to be there.
	ClusterName string `json:"clusterName"`
	// RoleARN is the role to take on first.
	RoleARN string `json:"roleARN,omitempty"`
	// Profile of the shared configuration files, instead of the default one.
	Profile string `json:"profile,omitempty"`
}

// Plugin is a program that prints a credential.
type Plugin struct {
	// Command is the program.
	Command string `json:"command"`
	// Args are its arguments, at most 64.
	Args []string `json:"args,omitempty"`
	// Env are its variables, at most 64.
	Env map[string]string `json:"env,omitempty"`
	// APIVersion is that of client.authentication.k8s.io which it speaks.
	APIVersion string `json:"apiVersion,omitempty"`
	// InstallHint is what to say where the program is not there.
	InstallHint string `json:"installHint,omitempty"`
}

// Bounds of what a Secret may ask for.
const (
	maxConfig   = 1 << 20 // bytes
	maxExecArgs = 64
)

// WellKnown are the programs that may get credentials without being allowed
// by the installation.
var WellKnown = []string{"argocd-k8s-auth", "aws", "aws-iam-authenticator", "gke-gcloud-auth-plugin", "kubelogin"}

// Allowed reads the programs of the installation's settings.
func Allowed(settings map[string]string) []string {
	return strings.FieldsFunc(settings[v1alpha1.SettingExecAllow], func(r rune) bool { return r == ',' || r == '\n' || r == ' ' })
}

func (p Parser) allowed(command string) bool {
	return slices.Contains(WellKnown, command) || p.Allow != nil && slices.Contains(p.Allow(), command)
}

func (c Connection) restConfig(server string, p Parser) (*rest.Config, error) {
	if gitops.IsHub(server) && !c.HasCredentials() {
		return nil, nil //nolint:nilnil // no config of its own is a value: the hub
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	proxy, err := c.proxy()
	if err != nil {
		return nil, err
	}
	source, err := c.source(server, p)
	if err != nil {
		return nil, err
	}
	if source != nil {
		return c.lively(server, credential.Options{Proxy: proxy, Source: source, Pause: p.Pause})
	}
	return &rest.Config{
		Host: server, Username: c.Username, Password: c.Password, BearerToken: c.BearerToken,
		UserAgent: userAgent, DisableCompression: c.DisableCompression, Proxy: proxy,
		TLSClientConfig: rest.TLSClientConfig{
			Insecure: c.TLS.Insecure, ServerName: c.TLS.ServerName,
			CertData: c.TLS.CertData, KeyData: c.TLS.KeyData, CAData: c.TLS.CAData,
		},
	}, nil
}

// HasCredentials reports whether there is any way to log in.
func (c Connection) HasCredentials() bool {
	return c.Username != "" || c.BearerToken != "" || c.Exec != nil || c.AWS != nil || len(c.TLS.CertData) > 0
}

// Borrows tells what of it uses the engine's own rights instead of a credential
// of the cluster's: a program runs on the engine's machine, and the identity of a
// cloud is the engine's wherever it is accepted. Whoever describes a cluster and
// is no operator of the installation may have neither.
func (c Connection) Borrows() error {
	switch {
	case c.Exec != nil:
		return fmt.Errorf("it has a program (exec) that gets its credential: write a token or a certificate, or have an operator describe the cluster in a cluster Secret, where programs may run that %s allows", v1alpha1.SettingExecAllow)
	case c.AWS != nil:
		return errors.New("it uses the engine's own identity at AWS (aws): write a token or a certificate, or have an operator describe the cluster in a cluster Secret")
	}
	return nil
}

// check finds what contradicts itself. What it tells holds nothing of what
// was written.
func (c Connection) check() error {
	ways := 0
	for _, set := range []bool{c.Username != "", c.BearerToken != "", c.Exec != nil, c.AWS != nil} {
		if set {
			ways++
		}
	}
	if ways > 1 {
		return errors.New("it has more than one of username, bearerToken, execProviderConfig and awsAuthConfig")
	}
	if len(c.TLS.CertData) > 0 && (c.Exec != nil || c.AWS != nil) {
		return errors.New("it has both tlsClientConfig.certData and a way to get other credentials")
	}
	if strings.ContainsAny(c.BearerToken, "\r\n") {
		return errors.New("bearerToken has a line break")
	}
	return c.TLS.check()
}

func (t TLS) check() error {
	switch {
	case t.Insecure && len(t.CAData) > 0:
		return errors.New("tlsClientConfig has both insecure and caData")
	case len(t.CAData) > 0 && !x509.NewCertPool().AppendCertsFromPEM(t.CAData):
		return errors.New("tlsClientConfig.caData is no certificate in PEM")
	case (len(t.CertData) > 0) != (len(t.KeyData) > 0):
		return errors.New("tlsClientConfig has only one of certData and keyData")
	case len(t.CertData) == 0:
		return nil
	}
	if _, err := tls.X509KeyPair(t.CertData, t.KeyData); err != nil {
		return errors.New("tlsClientConfig.certData and keyData are not in PEM, or do not belong together")
	}
	return nil
}

func (c Connection) proxy() (func(*http.Request) (*url.URL, error), error) {
	if c.ProxyURL == "" {
		return nil, nil //nolint:nilnil // none
	}
	u, err := url.Parse(c.ProxyURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("proxyUrl is not an address")
	}
	if !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme) {
		return nil, errors.New("proxyUrl begins with none of http://, https:// and socks5://")
	}
	// net/http asks the proxy's certificate for the name as well.
	if u.Scheme == "https" && c.TLS.ServerName != "" && !c.TLS.Insecure {
		return nil, errors.New("proxyUrl begins with https://, and tlsClientConfig.serverName would be asked of the proxy as well: write the name in server, which is asked of the cluster alone, or use a proxy by http:// or socks5://")
	}
	return http.ProxyURL(u), nil
}

// source gets the credentials that do not stand in the Secret; nil when it
// has them.
func (c Connection) source(server string, p Parser) (credential.Source, error) {
	if c.AWS != nil {
		if c.AWS.ClusterName == "" {
			return nil, errors.New("awsAuthConfig has no clusterName")
		}
		return credential.AWS{Cluster: c.AWS.ClusterName, Role: c.AWS.RoleARN, Profile: c.AWS.Profile}, nil
	}
	if c.Exec == nil {
		return nil, nil //nolint:nilnil // none
	}
	if c.Exec.Command == "" {
		return nil, errors.New("execProviderConfig has no command")
	}
	if len(c.Exec.Args) > maxExecArgs || len(c.Exec.Env) > maxExecArgs {
		return nil, fmt.Errorf("execProviderConfig has more than %d arguments or variables", maxExecArgs)
	}
	version := orElse(c.Exec.APIVersion, credential.Versions[0])
	if !slices.Contains(credential.Versions, version) {
		return nil, fmt.Errorf("execProviderConfig.apiVersion must be one of %s", strings.Join(credential.Versions, ", "))
	}
	if !p.allowed(c.Exec.Command) {
		return nil, fmt.Errorf("execProviderConfig.command is not one of %s: allow it with %s in ConfigMap argocd-cm", strings.Join(WellKnown, ", "), v1alpha1.SettingExecAllow)
	}
	native, ok, err := credential.Native(c.Exec.Command, c.Exec.Args, c.Exec.Env)
	if err != nil {
		return nil, fmt.Errorf("execProviderConfig: %w", err)
	}
	if ok {
		return native, nil
	}
	if p.NoPrograms {
		return nil, errors.New("execProviderConfig names a program, and this fleet runs none that a checkout names: start it with `causeway up --cluster-programs` where you trust the checkout")
	}
	return credential.Plugin{
		Command: c.Exec.Command, Args: c.Exec.Args, Env: c.Exec.Env, Version: version,
		Hint: c.Exec.InstallHint, Cluster: c.clusterInfo(server),
	}, nil
}

// clusterInfo is what a plugin learns of the cluster.
func (c Connection) clusterInfo(server string) map[string]any {
	out := map[string]any{"server": server}
	for name, value := range map[string]string{"tls-server-name": c.TLS.ServerName, "proxy-url": c.ProxyURL} {
		if value != "" {
			out[name] = value
		}
	}
	if c.TLS.Insecure {
		out["insecure-skip-tls-verify"] = true
	}
	if len(c.TLS.CAData) > 0 {
		out["certificate-authority-data"] = c.TLS.CAData
	}
	if c.DisableCompression {
		out["disable-compression"] = true
	}
	return out
}

// lively makes a connection whose credentials are got, and renewed.
func (c Connection) lively(server string, o credential.Options) (*rest.Config, error) {
	whole, err := json.Marshal(struct {
		Server string
		Connection
	}{server, c})
	if err != nil {
		return nil, err
	}
	o.TLS = transport.TLSConfig{Insecure: c.TLS.Insecure, ServerName: c.TLS.ServerName, CAData: c.TLS.CAData}
	o.DisableCompression, o.Identity = c.DisableCompression, sha256.Sum256(whole)
	t, err := credential.NewTransport(o)
	if err != nil {
		return nil, errors.New("tlsClientConfig cannot be used")
	}
	return &rest.Config{Host: server, UserAgent: userAgent, Transport: t}, nil
}

// sameTransport reports whether two configs get their credentials alike.
func sameTransport(a, b http.RoundTripper) bool {
	mine, ok1 := a.(*credential.Transport)
	other, ok2 := b.(*credential.Transport)
	if ok1 && ok2 {
		return mine.Same(other)
	}
	return a == nil && b == nil
}
