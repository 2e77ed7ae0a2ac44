package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Name of the provider in a SecretStore.
const Name = "vault"

// Config is what a SecretStore says of it.
type Config struct {
	// Server is the address: https://vault.example.com:8200.
	Server string `json:"server"`
	// Path of the KV engine; the first part of each key when it is empty.
	Path string `json:"path,omitempty"`
	// Version is v1 or v2; v2 when it is empty.
	Version string `json:"version,omitempty"`
	// Namespace of Vault Enterprise, and of OpenBao.
	Namespace  string            `json:"namespace,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	CABundle   []byte            `json:"caBundle,omitempty"`
	CAProvider *esv1.CAProvider  `json:"caProvider,omitempty"`
	// ReadYourWrites and ForwardInconsistent are for replicas of Vault Enterprise.
	ReadYourWrites      bool      `json:"readYourWrites,omitempty"`
	ForwardInconsistent bool      `json:"forwardInconsistent,omitempty"`
	TLS                 ClientTLS `json:"tls,omitzero"`
	// Auth says who asks; it may be empty for a proxy that says so itself.
	Auth *Auth `json:"auth,omitempty"`
}

// ClientTLS is the certificate that the server wants of its clients.
type ClientTLS struct {
	CertSecretRef *esv1.SecretKeySelector `json:"certSecretRef,omitempty"`
	KeySecretRef  *esv1.SecretKeySelector `json:"keySecretRef,omitempty"`
}

// Auth has one method.
type Auth struct {
	// Namespace to log in to; Config.Namespace when it is empty.
	Namespace      *string                 `json:"namespace,omitempty"`
	TokenSecretRef *esv1.SecretKeySelector `json:"tokenSecretRef,omitempty"`
	AppRole        *AppRole                `json:"appRole,omitempty"`
	Kubernetes     *Kubernetes             `json:"kubernetes,omitempty"`
	JWT            *JWT                    `json:"jwt,omitempty"`
	UserPass       *Password               `json:"userPass,omitempty"`
	LDAP           *Password               `json:"ldap,omitempty"`
	Cert           *Certificate            `json:"cert,omitempty"`

	IAM *IAM `json:"iam,omitempty"`

	GCP json.RawMessage `json:"gcp,omitempty"`
}

// AppRole logs in with the identifier of a role, and a secret.
type AppRole struct {
	// Path of the method; "approle" when it is empty.
	Path      string                  `json:"path,omitempty"`
	RoleID    string                  `json:"roleId,omitempty"`
	RoleRef   *esv1.SecretKeySelector `json:"roleRef,omitempty"`
	SecretRef esv1.SecretKeySelector  `json:"secretRef"`
}

// Kubernetes logs in with a token of a service account.
type Kubernetes struct {
	// Path of the method; "kubernetes" when it is empty.
	Path              string                       `json:"mountPath,omitempty"`
	Role              string                       `json:"role"`
	ServiceAccountRef *esv1.ServiceAccountSelector `json:"serviceAccountRef,omitempty"`
	SecretRef         *esv1.SecretKeySelector      `json:"secretRef,omitempty"`
}

// JWT logs in with any token.
type JWT struct {
	// Path of the method; "jwt" when it is empty.
	Path      string                  `json:"path,omitempty"`
	Role      string                  `json:"role,omitempty"`
	SecretRef *esv1.SecretKeySelector `json:"secretRef,omitempty"`
	// KubernetesServiceAccountToken is made for the login.
	KubernetesServiceAccountToken *struct {
		ServiceAccountRef esv1.ServiceAccountSelector `json:"serviceAccountRef"`
		Audiences         []string                    `json:"audiences,omitempty"`
		ExpirationSeconds int64                       `json:"expirationSeconds,omitempty"`
	} `json:"kubernetesServiceAccountToken,omitempty"`
}

// Password logs in with a name and a password.
type Password struct {
	// Path of the method; its name when it is empty.
	Path      string                 `json:"path,omitempty"`
	Username  string                 `json:"username"`
	SecretRef esv1.SecretKeySelector `json:"secretRef"`
}

// Certificate logs in with a client's certificate.
type Certificate struct {
	// Path of the method; "cert" when it is empty.
	Path       string                 `json:"path,omitempty"`
	Role       string                 `json:"vaultRole,omitempty"`
	ClientCert esv1.SecretKeySelector `json:"clientCert"`
	SecretRef  esv1.SecretKeySelector `json:"secretRef"`
}

const (
	version1 = "v1"
	version2 = "v2"
)

func (c Config) check() error {
	switch {
	case c.Server == "":
		return errors.New("server is empty: write its address, such as https://vault.example.com:8200")
	case !strings.HasPrefix(c.Server, "http://") && !strings.HasPrefix(c.Server, "https://"):
		return fmt.Errorf("server %q is no address such as https://vault.example.com:8200", c.Server) // a socket of this machine, to the client
	case c.Version != "" && c.Version != version1 && c.Version != version2:
		return fmt.Errorf("version %q is neither %s nor %s", c.Version, version1, version2)
	case c.Auth != nil && len(c.Auth.GCP) > 0:
		return errors.New("auth.gcp is not supported yet: use jwt, kubernetes or appRole")
	}
	return nil
}
