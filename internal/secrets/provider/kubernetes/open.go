package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Name of the provider in a SecretStore.
const Name = "kubernetes"

// Config is what a SecretStore says of it.
type Config struct {
	// Server is the store's own cluster when its URL is empty.
	Server Server `json:"server"`
	// Auth says who asks.
	Auth *Auth `json:"auth,omitempty"`
	// AuthRef is a kubeconfig, in place of Server and Auth.
	AuthRef *esv1.SecretKeySelector `json:"authRef,omitempty"`
	// RemoteNamespace of the Secrets; "default" when it is empty.
	RemoteNamespace string `json:"remoteNamespace,omitempty"`
}

// Server is an API server.
type Server struct {
	URL        string           `json:"url,omitempty"`
	CABundle   []byte           `json:"caBundle,omitempty"`
	CAProvider *esv1.CAProvider `json:"caProvider,omitempty"`
}

// Auth has one member.
type Auth struct {
	Cert *struct {
		ClientCert esv1.SecretKeySelector `json:"clientCert"`
		ClientKey  esv1.SecretKeySelector `json:"clientKey"`
	} `json:"cert,omitempty"`
	Token *struct {
		BearerToken esv1.SecretKeySelector `json:"bearerToken"`
	} `json:"token,omitempty"`
	ServiceAccount *esv1.ServiceAccountSelector `json:"serviceAccount,omitempty"`
}

// Open is a store.Factory.
func Open(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	to, err := connection(ctx, config, around)
	if err != nil {
		return nil, err
	}
	to.Wrap(provider.Bounded)
	// Whatever the engine's own client speaks: other forms than JSON have no bound.
	to.ContentType, to.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	to.UserAgent = rest.DefaultKubernetesUserAgent()
	through, err := rest.HTTPClientFor(to)
	if err != nil {
		return nil, err
	}
	through.CheckRedirect = stay
	client, err := kubernetes.NewForConfigAndClient(to, through)
	if err != nil {
		return nil, err
	}
	namespace := config.RemoteNamespace
	if namespace == "" {
		namespace = "default"
	}
	return Provider{secrets: client.CoreV1().Secrets(namespace), namespace: namespace}, nil
}

// stay follows no redirect, which would be sent the credential as well. API servers
// do not redirect.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func connection(ctx context.Context, config Config, around store.Around) (*rest.Config, error) {
	if config.AuthRef != nil {
		return byKubeconfig(ctx, *config.AuthRef, around)
	}
	to := rest.AnonymousClientConfig(around.Server)
	if config.Server.URL != "" {
		certificates, err := around.Certificates(ctx, config.Server.CABundle, config.Server.CAProvider)
		if err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
		to = &rest.Config{Host: config.Server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: certificates}, Dial: around.Dial}
	}
	if config.Auth == nil {
		return nil, errors.New("set auth or authRef: who reads the Secrets is not the engine")
	}
	if err := authenticate(ctx, *config.Auth, around, to); err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	return to, nil
}

func authenticate(ctx context.Context, auth Auth, around store.Around, to *rest.Config) (err error) {
	switch {
	case auth.ServiceAccount != nil:
		to.BearerToken, err = around.Token(ctx, *auth.ServiceAccount)
	case auth.Token != nil:
		to.BearerToken, err = around.Secret(ctx, auth.Token.BearerToken)
	case auth.Cert != nil:
		var certificate, key string
		if certificate, err = around.Secret(ctx, auth.Cert.ClientCert); err == nil {
			key, err = around.Secret(ctx, auth.Cert.ClientKey)
		}
		to.CertData, to.KeyData = []byte(certificate), []byte(key)
	default:
		err = errors.New("set serviceAccount, token or cert")
	}
	return err
}

// byKubeconfig takes the server and what it carries itself: it runs no program, and
// reads no file.
func byKubeconfig(ctx context.Context, ref esv1.SecretKeySelector, around store.Around) (*rest.Config, error) {
	text, err := around.Secret(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("authRef: %w", err)
	}
	said, err := clientcmd.Load([]byte(text))
	if err != nil {
		return nil, errors.New("authRef: the value is no kubeconfig")
	}
	if reaches(said) {
		return nil, errors.New("authRef: the kubeconfig runs a program or reads files: put token and certificates into it")
	}
	to, err := clientcmd.NewDefaultClientConfig(*said, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, errors.New("authRef: the kubeconfig names no server and user")
	}
	to.Dial = around.Dial
	return to, nil
}

// reaches reports whether a kubeconfig is about this machine. That is known before it
// is used: a client reads some files at once, and such a file may never end.
func reaches(said *clientcmdapi.Config) bool {
	for _, user := range said.AuthInfos {
		if user.Exec != nil || user.AuthProvider != nil || user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "" {
			return true
		}
	}
	for _, cluster := range said.Clusters {
		if cluster.CertificateAuthority != "" {
			return true
		}
	}
	return false
}
