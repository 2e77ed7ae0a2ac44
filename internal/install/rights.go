package install

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Right is a verb on a kind, in a namespace where it has one. A name is that of
// the one object that is meant.
type Right struct {
	Verb, Group, Resource, Namespace, Name string
}

func (r Right) String() string {
	text := r.Verb + " " + r.Resource
	if r.Group != "" {
		text += "." + r.Group
	}
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.Namespace != "" {
		text += " in namespace " + r.Namespace
	}
	return text
}

// rights are what an apply or the deletion of the object takes.
func (f found) rights() []Right {
	if f.wanted == nil {
		return []Right{{Verb: "delete", Group: f.resource.group, Resource: f.resource.name, Namespace: f.live.GetNamespace()}}
	}
	r := Right{Verb: "patch", Group: f.resource.group, Resource: f.resource.name}
	if f.resource.namespaced {
		r.Namespace = f.wanted.GetNamespace()
	}
	if f.live != nil {
		return []Right{r}
	}
	create := r
	create.Verb = "create"
	return []Right{create, r}
}

// allowed asks whether whoever runs this may write the objects, and names all
// rights that are missing.
func (i *installer) allowed(ctx context.Context, all []found) error {
	clients, err := kubernetes.NewForConfig(i.config)
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	var rights []Right
	for _, f := range all {
		rights = append(rights, f.rights()...)
	}
	return RefuseWithout(ctx, clients, rights)
}

// RefuseWithout asks whether whoever runs this has the rights, and names all that
// are missing.
func RefuseWithout(ctx context.Context, clients kubernetes.Interface, all []Right) error {
	var missing []string
	asked := map[Right]bool{}
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

// UntoldError is that nobody tells whether whoever runs this has a right.
type UntoldError struct {
	of  Right
	err error
}

// Error implements error.
func (e *UntoldError) Error() string {
	return fmt.Sprintf("cannot ask whether you may %s: %v", e.of, e.err)
}

// Unwrap returns what the API server said to the question.
func (e *UntoldError) Unwrap() error { return e.err }

// may asks the API server whether it would let a request through; the error is an
// untoldError.
func may(ctx context.Context, clients kubernetes.Interface, r Right) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.Verb, Group: r.Group, Resource: r.Resource, Namespace: r.Namespace, Name: r.Name},
	}}
	answer, err := clients.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, &UntoldError{r, err}
	}
	return answer.Status.Allowed, nil
}
