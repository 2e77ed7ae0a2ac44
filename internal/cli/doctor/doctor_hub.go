package doctor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

func checkHub(ctx context.Context, h *target.Hub) ([]finding, bool) {
	version, took, err := target.ServerVersion(ctx, h.Config)
	var found finding
	switch {
	case apierrors.IsUnauthorized(err):
		return []finding{{"hub", fail, fmt.Sprintf("%s refuses the credentials (%s)", h.Config.Host, h.From), "sign in again, or renew what the kubeconfig has"}}, false
	case apierrors.IsForbidden(err): // the version is not for everybody
		found = finding{"hub", fine, fmt.Sprintf("%s answers (%s)", h.Config.Host, h.From), ""}
	case err != nil:
		return []finding{{"hub", fail, fmt.Sprintf("%s (%s): %s", h.Config.Host, h.From, err), "check that it runs and that its address can be reached from here"}}, false
	default:
		found = finding{"hub", fine, fmt.Sprintf("%s, Kubernetes %s, answers in %s (%s)", h.Config.Host, version, took.Round(time.Millisecond), h.From), ""}
	}
	return append([]finding{found}, checkKinds(h.Config)...), true
}

func checkKinds(config *rest.Config) []finding {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return []finding{{"API types", fail, err.Error(), ""}}
	}
	list, err := client.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	if err != nil && !apierrors.IsNotFound(err) {
		return []finding{{"API types", fail, "cannot tell whether " + v1alpha1.GroupVersion.String() + " is served: " + err.Error(), ""}}
	}
	if err != nil {
		return []finding{{"API types", fail, v1alpha1.GroupVersion.String() + " is not served", "install the definitions: causeway run --install-crds, or the Helm chart"}}
	}
	var missing []string
	for _, kind := range []string{v1alpha1.ApplicationKind, v1alpha1.ApplicationSetKind, v1alpha1.AppProjectKind} {
		if !serves(list, kind) {
			missing = append(missing, kind)
		}
	}
	if len(missing) > 0 {
		return []finding{{"API types", fail, "missing: " + strings.Join(missing, ", "), "install the definitions: causeway run --install-crds, or the Helm chart"}}
	}
	return []finding{{"API types", fine, "Application, ApplicationSet and AppProject are served", ""}}
}

func serves(list *metav1.APIResourceList, kind string) bool {
	for _, r := range list.APIResources {
		if r.Kind == kind {
			return true
		}
	}
	return false
}

// rights are what the engine cannot do without on the hub.
var rights = []authorizationv1.ResourceAttributes{
	{Group: v1alpha1.Group, Resource: "applications", Verb: "list"},
	{Group: v1alpha1.Group, Resource: "applications", Verb: "watch"},
	{Group: v1alpha1.Group, Resource: "applications", Verb: "patch"},
	{Group: v1alpha1.Group, Resource: "applicationsets", Verb: "list"},
	{Group: v1alpha1.Group, Resource: "appprojects", Verb: "list"},
	{Resource: "secrets", Verb: "list"},
	{Resource: "secrets", Verb: "watch"},
	{Resource: "events", Verb: "create"},
}

func checkAccess(ctx context.Context, h *target.Hub) []finding {
	client, err := kubernetes.NewForConfig(h.Config)
	if err != nil {
		return []finding{{"permissions", fail, err.Error(), ""}}
	}
	var denied []string
	for _, right := range rights {
		right.Namespace = h.Namespace
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &right}}
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return []finding{{"permissions", warn, "cannot ask: " + err.Error(), ""}}
		}
		if !answer.Status.Allowed {
			denied = append(denied, right.Verb+" "+right.Resource)
		}
	}
	if len(denied) > 0 {
		return []finding{{
			"permissions", fail, fmt.Sprintf("not allowed in namespace %s: %s", h.Namespace, strings.Join(denied, ", ")),
			"bind the Role of the Helm chart to this account",
		}}
	}
	return []finding{{"permissions", fine, "this account may do what the engine needs in namespace " + h.Namespace, ""}}
}

// checkClusters asks all clusters at the same time.
func checkClusters(ctx context.Context, h *target.Hub) []finding {
	spokes, err := h.Spokes(ctx)
	if err != nil {
		return []finding{{"clusters", fail, h.Explain(err).Error(), ""}}
	}
	found := make([]finding, len(spokes))
	var group sync.WaitGroup
	for i := range spokes {
		group.Go(func() { found[i] = checkCluster(ctx, &spokes[i]) })
	}
	group.Wait()
	return append(checkClashes(spokes), found...)
}

// checkClashes lists what several cluster Secrets describe.
func checkClashes(spokes []target.Spoke) []finding {
	var found []finding
	_, clashes := target.Ranked(spokes)
	for _, c := range clashes {
		found = append(found, finding{"clusters", fail, c.String(), "kubectl delete secret of those that are not meant, or correct their data." + c.Field})
	}
	return found
}

func checkCluster(ctx context.Context, s *target.Spoke) finding {
	name := "cluster " + s.Name
	if s.Problem != nil {
		return finding{name, fail, s.Problem.Error(), ""}
	}
	version, took, err := target.ServerVersion(ctx, s.Config)
	switch {
	case apierrors.IsUnauthorized(err):
		return finding{name, fail, s.Server + " refuses the credentials", "renew data.config of Secret " + s.Secret}
	case apierrors.IsForbidden(err):
		return finding{name, fine, s.Server + " answers", ""}
	case err != nil:
		return finding{name, fail, fmt.Sprintf("%s: %s", s.Server, err), "check that it runs, and data.server of Secret " + s.Secret}
	}
	return finding{name, fine, fmt.Sprintf("%s, Kubernetes %s, answers in %s", s.Server, version, took.Round(time.Millisecond)), ""}
}
