package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// connection is the JSON in a cluster Secret's data.config.
type connection struct {
	Username           string      `json:"username"`
	Password           string      `json:"password"`
	BearerToken        string      `json:"bearerToken"`
	TLS                tlsData     `json:"tlsClientConfig"`
	AWS                *struct{}   `json:"awsAuthConfig"`
	Exec               *execPlugin `json:"execProviderConfig"`
	DisableCompression bool        `json:"disableCompression"`
	ProxyURL           string      `json:"proxyUrl"`
}

type tlsData struct {
	Insecure   bool   `json:"insecure"`
	ServerName string `json:"serverName"`
	CertData   []byte `json:"certData"`
	KeyData    []byte `json:"keyData"`
	CAData     []byte `json:"caData"`
}

type execPlugin struct {
	Command     string            `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	APIVersion  string            `json:"apiVersion"`
	InstallHint string            `json:"installHint"`
}

// Bounds of what a Secret may ask for.
const (
	maxConfig   = 1 << 20 // bytes
	maxExecArgs = 64
)

// userAgent is how API servers see the engine's requests.
const userAgent = "causeway"

// ParseSecret reads a cluster Secret. The config is nil for the hub without
// credentials of its own. Errors name the Secret and the key, never what is
// in it; the description is as complete as can be even then.
func ParseSecret(s *corev1.Secret) (gitops.Cluster, *rest.Config, error) {
	d := clustersecret.Describe(s)
	if d.Server == "" {
		return d, nil, secretProblem(s, "server", errors.New("it is empty"))
	}
	if strings.HasPrefix(d.Server, "arn:") {
		return d, nil, secretProblem(s, "server", errors.New("addresses of AWS are not supported yet"))
	}
	if u, err := url.Parse(d.Server); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return d, nil, secretProblem(s, "server", errors.New("it is not an https address"))
	}
	var conn connection
	if err := decodeConfig(s.Data["config"], &conn); err != nil {
		return d, nil, secretProblem(s, "config", err)
	}
	cfg, err := conn.restConfig(d.Server)
	if err != nil {
		return d, nil, secretProblem(s, "config", err)
	}
	return d, cfg, nil
}

func secretProblem(s *corev1.Secret, key string, err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot use cluster Secret %s/%s, data.%s: %w", s.Namespace, s.Name, key, err).
		Do(fmt.Sprintf("correct data.%s of the Secret", key))
}

// decodeConfig tells where JSON is wrong, not what it says there.
func decodeConfig(data []byte, into *connection) error {
	if len(data) == 0 {
		return nil
	}
	if len(data) > maxConfig {
		return fmt.Errorf("it is longer than %d bytes", maxConfig)
	}
	err := json.Unmarshal(data, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON: error at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("field %s must be %s", kind.Field, kind.Type)
	}
	return errors.New("it cannot be read: certData, keyData and caData must be base64")
}

func (c connection) restConfig(server string) (*rest.Config, error) {
	if c.AWS != nil {
		return nil, errors.New("awsAuthConfig is not supported yet: use execProviderConfig or a bearerToken")
	}
	if sameServer(server, gitops.HubServer) && c.Username == "" && c.BearerToken == "" && c.Exec == nil && len(c.TLS.CertData) == 0 {
		return nil, nil //nolint:nilnil // no config of its own is a value: the hub
	}
	if c.TLS.Insecure && len(c.TLS.CAData) > 0 {
		return nil, errors.New("tlsClientConfig has both insecure and caData")
	}
	cfg := &rest.Config{
		Host: server, Username: c.Username, Password: c.Password, BearerToken: c.BearerToken,
		UserAgent: userAgent, DisableCompression: c.DisableCompression,
		TLSClientConfig: rest.TLSClientConfig{
			Insecure: c.TLS.Insecure, ServerName: c.TLS.ServerName,
			CertData: c.TLS.CertData, KeyData: c.TLS.KeyData, CAData: c.TLS.CAData,
		},
	}
	if err := c.addProxy(cfg); err != nil {
		return nil, err
	}
	return cfg, c.addExec(cfg)
}

func (c connection) addProxy(cfg *rest.Config) error {
	if c.ProxyURL == "" {
		return nil
	}
	u, err := url.Parse(c.ProxyURL)
	if err != nil || u.Host == "" {
		return errors.New("proxyUrl is not an address")
	}
	cfg.Proxy = http.ProxyURL(u)
	return nil
}

func (c connection) addExec(cfg *rest.Config) error {
	if c.Exec == nil {
		return nil
	}
	if c.Exec.Command == "" {
		return errors.New("execProviderConfig has no command")
	}
	if len(c.Exec.Args) > maxExecArgs || len(c.Exec.Env) > maxExecArgs {
		return fmt.Errorf("execProviderConfig has more than %d arguments or variables", maxExecArgs)
	}
	plugin := &clientcmdapi.ExecConfig{
		Command: c.Exec.Command, Args: c.Exec.Args, InstallHint: c.Exec.InstallHint,
		APIVersion:         orElse(c.Exec.APIVersion, "client.authentication.k8s.io/v1"),
		InteractiveMode:    clientcmdapi.NeverExecInteractiveMode,
		ProvideClusterInfo: true,
	}
	for _, name := range slices.Sorted(maps.Keys(c.Exec.Env)) {
		plugin.Env = append(plugin.Env, clientcmdapi.ExecEnvVar{Name: name, Value: c.Exec.Env[name]})
	}
	cfg.ExecProvider = plugin
	return nil
}
