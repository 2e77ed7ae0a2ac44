package app

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// right is a verb on a kind, in a namespace where it has one. A name is that of
// the one object that is meant.
type right struct {
	verb, group, resource, namespace, name string
}

func (r right) String() string {
	text := r.verb + " " + r.resource
	if r.group != "" {
		text += "." + r.group
	}
	if r.name != "" {
		text += " " + r.name
	}
	if r.namespace != "" {
		text += " in namespace " + r.namespace
	}
	return text
}

// rights are what an apply or the deletion of the object takes.
func (f found) rights() []right {
	if f.wanted == nil {
		return []right{{verb: "delete", group: f.resource.group, resource: f.resource.name, namespace: f.live.GetNamespace()}}
	}
	r := right{verb: "patch", group: f.resource.group, resource: f.resource.name}
	if f.resource.namespaced {
		r.namespace = f.wanted.GetNamespace()
	}
	if f.live != nil {
		return []right{r}
	}
	create := r
	create.verb = "create"
	return []right{create, r}
}

// allowed asks whether whoever runs this may write the objects, and names all
// rights that are missing.
func (i *installer) allowed(ctx context.Context, all []found) error {
	clients, err := kubernetes.NewForConfig(i.config)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	var rights []right
	for _, f := range all {
		rights = append(rights, f.rights()...)
	}
	return refuseWithout(ctx, clients, rights)
}

// refuseWithout asks whether whoever runs this has the rights, and names all that
// are missing.
func refuseWithout(ctx context.Context, clients kubernetes.Interface, all []right) error {
	var missing []string
	asked := map[right]bool{}
	for _, r := range all {
		if asked[r] {
			continue
		}
		asked[r] = true
		ok, err := may(ctx, clients, r)
		if err != nil {
			return err
		}
		if !ok {
			missing = append(missing, r.String())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "nothing was written, because these rights are missing: %s", strings.Join(missing, "; ")).
		Do("sign in as somebody who has them, or have them granted")
}

// untoldError is that nobody tells whether whoever runs this has a right.
type untoldError struct {
	of  right
	err error
}

// Error implements error.
func (e *untoldError) Error() string {
	return fmt.Sprintf("cannot ask whether you may %s: %v", e.of, e.err)
}

// Unwrap returns what the API server said to the question.
func (e *untoldError) Unwrap() error { return e.err }

// may asks the API server whether it would let a request through; the error is an
// untoldError.
func may(ctx context.Context, clients kubernetes.Interface, r right) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.verb, Group: r.group, Resource: r.resource, Namespace: r.namespace, Name: r.name},
	}}
	answer, err := clients.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, &untoldError{r, err}
	}
	return answer.Status.Allowed, nil
}
