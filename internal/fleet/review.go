package fleet

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Review asks the API server whether it lets somebody do something; without a
// name, whether it lets the engine. An error of kind Forbidden is that the
// engine may not ask in their name.
func (c *Cluster) Review(ctx context.Context, who rest.ImpersonationConfig, what authorizationv1.ResourceAttributes) (allowed bool, err error) {
	if c.broken != nil {
		return false, c.broken
	}
	as := c.RESTConfig()
	as.Impersonate = who
	client, err := authorizationclient.NewForConfig(as)
	if err != nil {
		return false, err
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what}}
	answer, err := client.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if apierrors.IsForbidden(err) && who.UserName != "" {
		return false, gitops.Problemf(gitops.Forbidden, "cluster %s does not let the engine act as %s: %w", c.Desc().Name, who.UserName, withoutURL(err)).
			Do("let the engine's account impersonate them there")
	}
	if err != nil {
		return false, c.problem("create selfsubjectaccessreviews", err)
	}
	return answer.Status.Allowed && !answer.Status.Denied, nil
}

// Resource is how roles name a kind, in whichever version the cluster serves it.
func (c *Cluster) Resource(ctx context.Context, gk schema.GroupKind) (schema.GroupResource, error) {
	k, err := c.kinds(ctx)
	if err != nil {
		return schema.GroupResource{}, err
	}
	all := k.byKind[gk]
	if len(all) == 0 {
		return schema.GroupResource{}, gitops.Problemf(gitops.NotReady, "cluster %s does not serve %s", c.Desc().Name, gk)
	}
	return all[0].Resource.GroupResource(), nil
}
