package host

import (
	"context"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// caller opens one host for a generator of a namespace.
type caller struct {
	Options

	ctx       context.Context //nolint:containedctx // it lives for one call
	namespace string
}

// secret reads a key of a Secret; without a reference nobody signs in.
func (c caller) secret(ref *v1alpha1.SecretRef) (string, error) {
	if ref == nil {
		return "", nil
	}
	if c.Secrets == nil {
		return "", gitops.Problemf(gitops.Refused, "cannot sign in to the Git host: Secrets are not at hand, and %s/%s is one", c.namespace, ref.SecretName)
	}
	value, err := c.Secrets.Value(c.ctx, c.namespace, ref.SecretName, ref.Key)
	// Files that Secrets are made of tend to end with a newline.
	return strings.TrimSpace(value), err
}

// token is what a host's client asks for its token.
func (c caller) token(ref *v1alpha1.SecretRef) (func(context.Context) (string, error), error) {
	value, err := c.secret(ref)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (string, error) { return value, nil }, nil
}

// http says how to reach a host: whether its address is allowed, and which
// authority it is trusted by.
func (c caller) http(api string, insecure bool, authority *v1alpha1.ConfigMapKeyRef) (wire.Options, error) {
	o := c.HTTP
	o.Insecure = o.Insecure || insecure
	if err := c.allow(api); err != nil || authority == nil {
		return o, err
	}
	if c.ConfigMaps == nil {
		return o, gitops.Problemf(gitops.Refused, "cannot check the Git host: ConfigMaps are not at hand, and caRef %s/%s is one", c.namespace, authority.ConfigMapName)
	}
	pem, err := c.ConfigMaps.Value(c.ctx, c.namespace, authority.ConfigMapName, authority.Key)
	o.CA = strings.TrimSpace(o.CA + "\n" + pem)
	return o, err
}

// fix is what to do when a host refuses the token.
func (c caller) fix(ref *v1alpha1.SecretRef) string {
	if ref == nil {
		return "set tokenRef"
	}
	return "check the token in the Secret " + c.namespace + "/" + ref.SecretName + ", key " + ref.Key + ", and what it may read"
}
