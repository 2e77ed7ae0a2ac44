package chronicle

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Names of what belongs to the history.
const (
	// File and KeyFile are in the cache folder.
	File    = "history.db"
	KeyFile = "history.key"
	// Secret of the control namespace has the key that seals manifests in a database
	// that several engines share, and the token of the API.
	Secret     = "causeway-history"
	keyOfStore = "key"
	tokenOfAPI = "token"
)

// key is in a file beside the database, or, where engines share a database, in a Secret
// of the control namespace.
func (c *Chronicle) key(ctx context.Context) (store.Key, error) {
	if !strings.Contains(c.o.URL, "://") {
		dir := c.o.CacheDir
		if c.o.URL != "" {
			dir = filepath.Dir(c.o.URL)
		}
		return store.FileKey(filepath.Join(dir, KeyFile))
	}
	secret, err := c.secret(ctx)
	if err != nil {
		return store.Key{}, err
	}
	return store.ParseKey(secret.Data[keyOfStore])
}

// Token lets in to the history over the network.
func (c *Chronicle) Token(ctx context.Context) (string, error) {
	secret, err := c.secret(ctx)
	if err != nil {
		return "", err
	}
	return string(secret.Data[tokenOfAPI]), nil
}

// secret reads the Secret, and makes it where it is missing.
func (c *Chronicle) secret(ctx context.Context) (*corev1.Secret, error) {
	hub, err := client.New(c.o.Hub, client.Options{Scheme: c.o.Scheme})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	name := types.NamespacedName{Namespace: c.o.Namespace, Name: Secret}
	secret := &corev1.Secret{}
	err = hub.Get(ctx, name, secret)
	if err == nil {
		return secret, gitops.Misused(Secret, secret.Labels)
	}
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	key, token := store.NewKey(), store.NewKey()
	secret = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, Labels: map[string]string{"app.kubernetes.io/part-of": "causeway"}},
		Data:       map[string][]byte{keyOfStore: hexOf(key), tokenOfAPI: hexOf(token)},
	}
	err = hub.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		return secret, hub.Get(ctx, name, secret) // another replica was faster
	}
	return secret, err
}

func hexOf(k store.Key) []byte { return []byte(hex.EncodeToString(k[:])) }
