package vault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// logIn gets a token, and notes until when it can be used.
func (p *Provider) logIn(ctx context.Context) error {
	if p.config.Auth == nil {
		return nil
	}
	token, until, err := p.token(ctx)
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client.SetToken(token)
	p.until = until
	return nil
}

// token is one, and until when it can be used; the zero time for one that lasts.
func (p *Provider) token(ctx context.Context) (token string, until time.Time, err error) {
	began := time.Now()
	auth, err := p.authenticate(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	if auth.LeaseDuration <= 0 {
		return auth.ClientToken, time.Time{}, nil // it lasts
	}
	return auth.ClientToken, began.Add(usable(auth)), nil
}

// authenticate is a token, with what Vault says of it; of one that is given, nothing.
func (p *Provider) authenticate(ctx context.Context) (*api.SecretAuth, error) {
	auth := p.config.Auth
	if auth.TokenSecretRef != nil {
		token, err := p.around.Secret(ctx, *auth.TokenSecretRef)
		return &api.SecretAuth{ClientToken: token}, err
	}
	path, body, err := p.login(ctx, *auth)
	if err != nil {
		return nil, err
	}
	secret, err := p.entrance().Logical().WriteWithContext(ctx, path, body)
	if err != nil {
		return nil, fmt.Errorf("cannot log in at %s: %w", path, without(body, plain(err)))
	}
	if secret == nil || secret.Auth == nil || secret.Auth.ClientToken == "" {
		return nil, fmt.Errorf("the login at %s gave no token", path)
	}
	return secret.Auth, nil
}

// entrance is the client in the namespace of Vault where tokens are made.
func (p *Provider) entrance() *api.Client {
	if p.config.Auth.Namespace != nil {
		return p.client.WithNamespace(*p.config.Auth.Namespace)
	}
	return p.client
}

// without masks what was said at a login: a server may repeat it.
func without(body map[string]any, err error) error {
	var said []string
	for field, v := range body {
		if text, ok := v.(string); ok && field != "role" && field != "name" && field != "iam_http_request_method" {
			said = append(said, text)
		}
	}
	text := redact.NewKnown(said).Text(err.Error())
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// usable is how long a token is used: two thirds of its life.
func usable(auth *api.SecretAuth) time.Duration {
	return time.Duration(auth.LeaseDuration) * time.Second * 2 / 3 //nolint:mnd // two thirds
}

// login is where to log in, and what to say there.
func (p *Provider) login(ctx context.Context, auth Auth) (path string, body map[string]any, err error) {
	switch {
	case auth.AppRole != nil:
		return p.byAppRole(ctx, *auth.AppRole)
	case auth.Kubernetes != nil:
		return p.byKubernetes(ctx, *auth.Kubernetes)
	case auth.JWT != nil:
		return p.byJWT(ctx, *auth.JWT)
	case auth.UserPass != nil:
		return p.byPassword(ctx, "userpass", *auth.UserPass)
	case auth.LDAP != nil:
		return p.byPassword(ctx, "ldap", *auth.LDAP)
	case auth.Cert != nil:
		body := map[string]any{}
		if auth.Cert.Role != "" {
			body["name"] = auth.Cert.Role
		}
		return at("cert", auth.Cert.Path, "login"), body, nil
	case auth.IAM != nil:
		return p.byIAM(ctx, *auth.IAM)
	default:
		return "", nil, errors.New("it names no method: set tokenSecretRef, appRole, kubernetes, jwt, userPass, ldap, cert or iam")
	}
}

// at is a path of a method, which is mounted where its name says if nothing else does.
func at(method, path, then string) string {
	if path == "" {
		path = method
	}
	return "auth/" + strings.Trim(path, "/") + "/" + then
}

func (p *Provider) byAppRole(ctx context.Context, auth AppRole) (string, map[string]any, error) {
	role := auth.RoleID
	if auth.RoleRef != nil {
		var err error
		if role, err = p.around.Secret(ctx, *auth.RoleRef); err != nil {
			return "", nil, fmt.Errorf("appRole.roleRef: %w", err)
		}
	}
	secret, err := p.around.Secret(ctx, auth.SecretRef)
	if err != nil {
		return "", nil, fmt.Errorf("appRole.secretRef: %w", err)
	}
	return at("approle", auth.Path, "login"), map[string]any{"role_id": role, "secret_id": secret}, nil
}

func (p *Provider) byKubernetes(ctx context.Context, auth Kubernetes) (string, map[string]any, error) {
	var token string
	var err error
	switch {
	case auth.ServiceAccountRef != nil:
		token, err = p.around.Token(ctx, *auth.ServiceAccountRef)
	case auth.SecretRef != nil:
		ref := *auth.SecretRef
		if ref.Key == "" {
			ref.Key = "token"
		}
		token, err = p.around.Secret(ctx, ref)
	default:
		err = errors.New("set serviceAccountRef or secretRef")
	}
	if err != nil {
		return "", nil, fmt.Errorf("kubernetes: %w", err)
	}
	return at("kubernetes", auth.Path, "login"), map[string]any{"jwt": token, "role": auth.Role}, nil
}

func (p *Provider) byJWT(ctx context.Context, auth JWT) (string, map[string]any, error) {
	var token string
	var err error
	switch made := auth.KubernetesServiceAccountToken; {
	case made != nil:
		audiences := made.Audiences
		if len(audiences) == 0 && len(made.ServiceAccountRef.Audiences) == 0 {
			audiences = []string{"vault"}
		}
		token, err = p.around.Token(ctx, made.ServiceAccountRef, audiences...)
	case auth.SecretRef != nil:
		token, err = p.around.Secret(ctx, *auth.SecretRef)
	default:
		err = errors.New("set kubernetesServiceAccountToken or secretRef")
	}
	if err != nil {
		return "", nil, fmt.Errorf("jwt: %w", err)
	}
	body := map[string]any{"jwt": token}
	if auth.Role != "" {
		body["role"] = auth.Role
	}
	return at("jwt", auth.Path, "login"), body, nil
}

func (p *Provider) byPassword(ctx context.Context, method string, auth Password) (string, map[string]any, error) {
	ref := auth.SecretRef
	if ref == (esv1.SecretKeySelector{}) {
		return "", nil, fmt.Errorf("%s: set secretRef", method)
	}
	password, err := p.around.Secret(ctx, ref)
	if err != nil {
		return "", nil, fmt.Errorf("%s.secretRef: %w", method, err)
	}
	return at(method, auth.Path, "login/"+strings.TrimSpace(auth.Username)), map[string]any{"password": password}, nil
}
