package estate

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// fieldOwner of what people change by the API.
const fieldOwner = client.FieldOwner("causeway-api")

// writeTime bounds a write: whoever asked for it waits.
const writeTime = 10 * time.Second

// Writer writes to the hub in somebody's name, and tells the audit before.
type Writer struct {
	Hub *rest.Config
	// Engine reads from the cache, and writes for those whom Kubernetes does not know.
	Engine    client.Client
	Namespace string
	Trail     *trail.Trail
}

// errNobody is the answer to a write of nobody, whatever a policy lets them.
var errNobody = gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in to change something")

// as writes by somebody's own rights where Kubernetes knows them.
func (w *Writer) as(u *auth.User) (client.Client, error) {
	if u.Via != auth.Kubernetes {
		return w.Engine, nil
	}
	c := rest.CopyConfig(w.Hub)
	c.Impersonate = rest.ImpersonationConfig{UserName: u.Name, Groups: u.Groups, Extra: u.Extra}
	return client.New(c, client.Options{Scheme: w.Engine.Scheme(), Mapper: w.Engine.RESTMapper()})
}

// write does something that is in the audit before, and tells it what failed.
// What names the thing in errors.
func (w *Writer) write(ctx context.Context, u *auth.User, e *audit.Entry, what string, do func(context.Context, client.Client) error) error {
	if u == nil {
		return errNobody
	}
	c, err := w.as(u)
	if err != nil {
		return fmt.Errorf("cannot write as %s: %w", u.Name, err)
	}
	e.Namespace = w.Namespace
	if err := w.Trail.Begin(ctx, u, e); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	err = do(bounded, c)
	if apierrors.IsForbidden(err) && u.Via != auth.Kubernetes {
		err = gitops.Problemf(gitops.Forbidden, "Kubernetes does not let the engine change %s", what).Do("set server.describe in the values of the chart")
	}
	err = explained(err, what)
	w.Trail.Failed(ctx, u, e, err)
	return err
}

// put makes what is new, or changes it in the version that it was made from.
func (w *Writer) put(ctx context.Context, u *auth.User, e *audit.Entry, what string, wished client.Object) error {
	if wished.GetResourceVersion() == "" {
		e.Verb = "create"
		return w.write(ctx, u, e, what, func(ctx context.Context, c client.Client) error { return c.Create(ctx, wished, fieldOwner) })
	}
	e.Verb = "update"
	return w.write(ctx, u, e, what, func(ctx context.Context, c client.Client) error { return c.Update(ctx, wished, fieldOwner) })
}

// remove deletes what nobody has changed since it was read.
func (w *Writer) remove(ctx context.Context, u *auth.User, e *audit.Entry, what string, old client.Object) error {
	e.Verb = "delete"
	uid, version := old.GetUID(), old.GetResourceVersion()
	return w.write(ctx, u, e, what, func(ctx context.Context, c client.Client) error {
		return c.Delete(ctx, old, client.Preconditions{UID: &uid, ResourceVersion: &version})
	})
}

// secret reads one of the kinds as it was when somebody's rights were asked. One
// that is older than what is there is not written: its version says so.
func (w *Writer) secret(ctx context.Context, name, version, what string, is func(client.Object) bool) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	if err := w.Engine.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, s); err != nil {
		return nil, explained(err, what)
	}
	if gitops.OwnSecret(name) {
		return nil, gitops.Problemf(gitops.Forbidden, "%s is in Secret %s, which has what the engine or Argo CD goes by", what, name).
			Do("have an operator take the label " + v1alpha1.LabelSecretType + " off the Secret")
	}
	if !is(s) {
		return nil, gitops.Problemf(gitops.NotFound, "%s does not exist", what)
	}
	if s.ResourceVersion != version {
		return nil, busy(what)
	}
	return s, nil
}

func busy(what string) error {
	return gitops.Problemf(gitops.NotReady, "%s is being changed by somebody else", what).Do("load it again and make the change there")
}

// explained is an error of the API server in the product's words.
func explained(err error, what string) error {
	var p *gitops.Problem
	switch {
	case err == nil || errors.As(err, &p):
		return err
	case apierrors.IsNotFound(err):
		return gitops.Problemf(gitops.NotFound, "%s does not exist", what)
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Forbidden, "Kubernetes does not let you change %s: %w", what, err)
	case apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err):
		return busy(what)
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return gitops.Problemf(gitops.Invalid, "the API server refuses %s: %w", what, err)
	}
	return fmt.Errorf("cannot change %s: %w", what, err)
}
