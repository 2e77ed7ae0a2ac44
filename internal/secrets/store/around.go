package store

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Cluster is the one that stores are in.
type Cluster struct {
	// Objects reads Secrets and ConfigMaps at the API server.
	Objects client.Reader
	// Tokens makes a token of a service account; nil where that is not allowed.
	Tokens func(ctx context.Context, account types.NamespacedName, audiences []string) (string, error)
	// Server is the API server without credentials.
	Server *rest.Config
	// Render renders templates of stores.
	Render Render
	// Dial connects to servers of stores; the machine's when nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Engine is that the engine runs in this cluster.
	Engine bool
	// Asked is told of each call to a store's server; nobody is when nil.
	Asked func(provider string, took time.Duration, err error)
}

// Render is what templates become with values, by the fields that they stand in.
type Render func(ctx context.Context, templates map[string]string, values map[string]any) (map[string]string, error)

// Around is what a provider may use of the cluster that its store is in.
type Around struct {
	Cluster

	// own is the namespace of a SecretStore, which may use nothing of another one.
	own string
	// asking is the namespace of who uses a ClusterSecretStore.
	asking string
	// asked notes that what asks made a difference.
	asked *bool
}

// errNamespace is of a reference that a SecretStore may not make.
var errNamespace = errors.New("a SecretStore uses Secrets of its own namespace alone: use a ClusterSecretStore, or take the namespace out")

// ErrAsking is of a ClusterSecretStore that takes credentials of whoever uses it, and
// is opened for nobody.
var ErrAsking = errors.New("the store takes the credentials of the namespace that uses it")

// ErrAbsent is of an object that a store takes its credentials from.
var ErrAbsent = errors.New("does not exist")

// Whose names who asks among all that the engine serves: the cluster and the namespace.
func (a Around) Whose() string {
	server := ""
	if a.Server != nil {
		server = a.Server.Host
	}
	return server + " " + a.asking
}

// place is where something is that a store names.
func (a Around) place(namespace, name string) (types.NamespacedName, error) {
	switch {
	case name == "":
		return types.NamespacedName{}, errors.New("the name is empty")
	case a.own != "" && namespace != "" && namespace != a.own:
		return types.NamespacedName{}, errNamespace
	case a.own != "":
		namespace = a.own
	case namespace == "" && a.asking == "":
		return types.NamespacedName{}, ErrAsking
	case namespace == "":
		namespace, *a.asked = a.asking, true
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, nil
}

// Secret is the value of a key, without white space at its ends.
func (a Around) Secret(ctx context.Context, ref esv1.SecretKeySelector) (string, error) {
	at, err := a.place(ref.Namespace, ref.Name)
	if err != nil {
		return "", err
	}
	var secret corev1.Secret
	if err := a.get(ctx, "Secret", at, &secret); err != nil {
		return "", err
	}
	value, err := keyOf(secret.Data, "Secret", at, ref.Key)
	return string(bytes.TrimSpace(value)), err
}

// Labelled are all values of a Secret that has a label, as texts, or the one that is named.
func (a Around) Labelled(ctx context.Context, ref esv1.SecretKeySelector, label, value string) (map[string]any, error) {
	at, err := a.place(ref.Namespace, ref.Name)
	if err != nil {
		return nil, err
	}
	var secret corev1.Secret
	if err := a.get(ctx, "Secret", at, &secret); err != nil {
		return nil, err
	}
	if secret.Labels[label] != value {
		return nil, fmt.Errorf("Secret %s lacks the label %s: %s", at, label, value)
	}
	out := map[string]any{}
	for key, text := range secret.Data {
		if ref.Key == "" || ref.Key == key {
			out[key] = string(text)
		}
	}
	return out, nil
}

// Transport connects to a server that is trusted by certificates in PEM; by those of
// the machine when there are none.
func (a Around) Transport(certificates []byte) (*http.Transport, error) {
	own := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(certificates) > 0 {
		own.RootCAs = x509.NewCertPool()
		if !own.RootCAs.AppendCertsFromPEM(certificates) {
			return nil, errors.New("the CA bundle holds no certificate in PEM")
		}
	}
	const idle, handshake, perHost = 90 * time.Second, 10 * time.Second, 8
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: a.Dial, TLSClientConfig: own, ForceAttemptHTTP2: true,
		IdleConnTimeout: idle, TLSHandshakeTimeout: handshake, MaxIdleConnsPerHost: perHost,
	}, nil
}

// Certificates are those that a server is trusted by: a text in PEM, or where one is.
func (a Around) Certificates(ctx context.Context, bundle []byte, ref *esv1.CAProvider) ([]byte, error) {
	if len(bundle) > 0 || ref == nil {
		return bundle, nil
	}
	at, err := a.place(ref.Namespace, ref.Name)
	if err != nil {
		return nil, err
	}
	switch ref.Type {
	case "Secret":
		var secret corev1.Secret
		if err := a.get(ctx, ref.Type, at, &secret); err != nil {
			return nil, err
		}
		return keyOf(secret.Data, ref.Type, at, ref.Key)
	case "ConfigMap":
		var config corev1.ConfigMap
		if err := a.get(ctx, ref.Type, at, &config); err != nil {
			return nil, err
		}
		value, err := keyOf(config.Data, ref.Type, at, ref.Key)
		return []byte(value), err
	default:
		return nil, fmt.Errorf("caProvider.type %q is neither Secret nor ConfigMap", ref.Type)
	}
}

// Token is one of a service account.
func (a Around) Token(ctx context.Context, ref esv1.ServiceAccountSelector, audiences ...string) (string, error) {
	at, err := a.place(ref.Namespace, ref.Name)
	if err != nil {
		return "", err
	}
	if a.Tokens == nil {
		return "", errors.New("tokens of service accounts are not made here")
	}
	token, err := a.Tokens(ctx, at, append(slices.Clone(audiences), ref.Audiences...))
	if apierrors.IsNotFound(err) {
		return "", fmt.Errorf("cannot make a token: ServiceAccount %s %w", at, ErrAbsent)
	}
	if err != nil {
		return "", fmt.Errorf("cannot make a token of the ServiceAccount %s: %w", at, err)
	}
	return token, nil
}

// Annotations are those of a service account.
func (a Around) Annotations(ctx context.Context, ref esv1.ServiceAccountSelector) (map[string]string, error) {
	at, err := a.place(ref.Namespace, ref.Name)
	if err != nil {
		return nil, err
	}
	var account corev1.ServiceAccount
	if err := a.get(ctx, "ServiceAccount", at, &account); err != nil {
		return nil, err
	}
	return account.Annotations, nil
}

// AsEngine is an error where a store may not be read as the engine itself, as which a
// cloud knows it. Who writes ClusterSecretStores where the engine runs may have a token
// of its service account anyway; nobody else has what is the engine's.
func (a Around) AsEngine() error {
	if a.own == "" && a.Engine {
		return nil
	}
	return errors.New("the engine's own identity is for ClusterSecretStores of the cluster that it runs in")
}

func (a Around) get(ctx context.Context, kind string, at types.NamespacedName, into client.Object) error {
	err := a.Objects.Get(ctx, at, into)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%s %s %w", kind, at, ErrAbsent)
	}
	if err != nil {
		return fmt.Errorf("cannot read %s %s: %w", kind, at, err)
	}
	return nil
}

func keyOf[V any](data map[string]V, kind string, at types.NamespacedName, key string) (V, error) {
	value, ok := data[key]
	if !ok {
		return value, fmt.Errorf("%s %s has no key %q; it has %v", kind, at, key, slices.Sorted(maps.Keys(data)))
	}
	return value, nil
}
