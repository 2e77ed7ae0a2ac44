package charts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestTerminalsAreGrantedWhereSwitchedOn installs the chart with and without
// terminals: the engine is told of them, and may open them, with server.exec alone.
func TestTerminalsAreGrantedWhereSwitchedOn(t *testing.T) {
	cases := map[string]struct {
		reason string
		server values
		want   bool
	}{
		"On":       {"they are switched on", values{"enabled": true, "exec": true}, true},
		"Off":      {"they are off unless somebody wants them", values{"enabled": true}, false},
		"NoServer": {"without a server nobody asks for them", values{"exec": true}, false},
		"Logs":     {"to read logs is another right", values{"enabled": true, "logs": true, "kubernetesUsers": true}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			given := values{"server": tc.server}
			objects, _ := render(t, "gitops", given)
			if got := slices.Contains(find[appsv1.Deployment](t, objects, "Deployment")[0].Spec.Template.Spec.Containers[0].Args, "--exec"); got != tc.want {
				t.Errorf("%s: told of terminals: %t", tc.reason, got)
			}
			c := newCluster(t)
			c.install(given)
			for _, verb := range []string{"get", "create"} {
				c.may(t, verb, "exec", tc.want)
			}
			c.may(t, "get", "portforward", false)
			c.may(t, "create", "attach", false)
		})
	}
}

// may waits until the chart's account may, or may not, do something to pods of
// a namespace that is not its own.
func (c *cluster) may(t *testing.T, verb, subresource string, want bool) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + c.namespace + ":causeway",
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: "default", Verb: verb, Resource: "pods", Subresource: subresource, Name: "web",
			},
		}}
		if err := c.Create(ctx, review); err != nil {
			return err
		}
		if review.Status.Allowed != want {
			return fmt.Errorf("%s pods/%s: %t, want %t", verb, subresource, review.Status.Allowed, want)
		}
		return nil
	})
}
