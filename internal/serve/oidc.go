package serve

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/rights"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Label of Secrets, besides argocd-secret, that settings may refer to.
const (
	partOf     = "app.kubernetes.io/part-of"
	partOfArgo = "argocd"
)

// issuers follows the settings of the issuer that people sign in with.
type issuers struct {
	secrets   client.Reader // asks the API server: the Secrets are none that the engine caches
	namespace string
	settings  func() map[string]string
	policy    func() *rbac.Policy
	now       func() time.Time
	log       *slog.Logger
	known     *origin.Known

	mu      sync.Mutex
	text    [sha256.Size]byte // of the settings
	whole   [sha256.Size]byte // with what they refer to
	until   time.Time
	current *oidc.Issuer
	err     error
}

// Current implements session.Issuers. What the settings refer to is believed
// for seconds: each request asks.
func (s *issuers) Current(ctx context.Context) (*oidc.Issuer, error) {
	data := s.settings()
	hash := sha256.New()
	for _, key := range oidc.Keys {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(data[key]), data[key])
	}
	text := [sha256.Size]byte(hash.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == s.text && s.now().Before(s.until) {
		return s.current, s.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	config, err := oidc.Parse(data, func(secret, key string) (string, error) {
		value, err := s.lookup(ctx, secret, key)
		_, _ = fmt.Fprintf(hash, "%d:%s", len(value), value)
		return value, err
	})
	s.until = s.now().Add(secretsFor)
	if text == s.text && s.current != nil && (errors.Is(err, errUnread) || errors.Is(err, errBarred)) {
		return s.current, s.err // it is as it was
	}
	s.text = text
	s.put(ctx, [sha256.Size]byte(hash.Sum(nil)), config, err)
	return s.current, s.err
}

// put takes what the settings say now.
func (s *issuers) put(ctx context.Context, whole [sha256.Size]byte, config *oidc.Config, err error) {
	if whole == s.whole && fmt.Sprint(err) == fmt.Sprint(s.err) {
		return
	}
	if s.current != nil {
		s.current.Close()
	}
	s.whole, s.current, s.err = whole, nil, err
	switch {
	case err != nil:
		s.log.WarnContext(ctx, "people cannot sign in with an issuer", "configmap", "argocd-cm", "error", err)
	case config != nil:
		s.current = oidc.NewAmong(config, s.now, s.known)
		s.log.InfoContext(ctx, "people sign in with an issuer", "name", config.Name, "issuer", config.Issuer)
		if config.InTheClear() || config.Insecure {
			s.log.WarnContext(ctx, "whoever is between here and the issuer can sign in as anybody: let it be asked by TLS, with rootCA for its certificate", "issuer", config.Issuer)
		}
	}
}

// Why a Secret cannot be read. What was read before counts until it can.
var (
	errUnread = errors.New("the API server does not answer")
	errBarred = errors.New("the API server does not let the engine read it")
)

// lookup reads a key of argocd-secret, or of another Secret that is labelled for it.
func (s *issuers) lookup(ctx context.Context, name, key string) (string, error) {
	labelled := name == ""
	if labelled {
		name = account.Secret
	}
	secret := &corev1.Secret{}
	err := s.secrets.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: name}, secret)
	if apierrors.IsForbidden(err) {
		return "", fmt.Errorf("cannot read Secret %s: %w", name, errBarred)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("cannot read Secret %s: %w", name, errUnread)
	}
	if !labelled && err == nil && secret.Labels[partOf] != partOfArgo {
		return "", fmt.Errorf("Secret %s has no label %s=%s, which lets settings refer to it", name, partOf, partOfArgo) //nolint:staticcheck // a kind's name
	}
	value, ok := secret.Data[key]
	if !ok {
		return "", fmt.Errorf("Secret %s has no key %s", name, key) //nolint:staticcheck // a kind's name
	}
	return string(value), nil
}

// foreign goes before a name that is kept for others.
const foreign = "oidc:"

// User implements session.Issuers: with the claims that the policy goes by.
func (s *issuers) User(claims oidc.Claims) *auth.User {
	policy := s.policy()
	kept := claims.Believed().Keep(policy.Scopes())
	kept["sub"] = policy.Subject(rbac.Claims(claims)).Name()
	u := &auth.User{Name: claims.Name(), Email: claims.Email(), Via: auth.OIDC, Claims: kept}
	u.Issuer, _ = claims["iss"].(string)
	u.Sub, _ = claims["sub"].(string)
	u.Groups = policy.Subject(rights.WithoutReserved(kept)).Groups()
	if rights.Reserved(u.Name) || u.Name == audit.Engine || u.Name == v1alpha1.ApplicationSetInitiator {
		u.Name = foreign + u.Name
	}
	return u
}

// signIns are the ways to sign in.
func signIns(all session.Issuers) func(context.Context) api.SignIns {
	return func(ctx context.Context) api.SignIns {
		out := api.SignIns{Password: true}
		switch issuer, err := all.Current(ctx); {
		case errors.Is(err, oidc.ErrDex):
			out.Notice = err.Error()
		case err != nil:
			out.Notice = session.ErrUnusable.Error()
		case issuer != nil:
			out.OIDC = issuer.Config.Name
		}
		return out
	}
}
