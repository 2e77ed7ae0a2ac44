package charts_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
)

// team makes a namespace whose Applications may be of the project "teams".
func (c *cluster) team() string {
	c.t.Helper()
	team := embeddedtest.Namespace(c.t, hub)
	c.create(&v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "teams"}, Spec: v1alpha1.AppProjectSpec{
		SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}, SourceNamespaces: []string{team},
	}})
	return team
}

// elsewhere makes an Application in a team's namespace.
func (c *cluster) elsewhere(team string, to v1alpha1.ApplicationDestination) *v1alpha1.Application {
	c.t.Helper()
	yes := true
	a := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: team}, Spec: v1alpha1.ApplicationSpec{
		Project: "teams", Source: &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "web", TargetRevision: "HEAD"}, Destination: to,
		SyncPolicy: &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes}},
	}}
	if err := c.Create(c.t.Context(), a); err != nil {
		c.t.Fatal(err)
	}
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(a), a); err != nil {
			return err
		}
		return good(a)
	})
	return a
}

func (c *cluster) untilGone(o client.Object) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("%T %s is still there", o, o.GetName())
	})
}

// TestOtherNamespacesNeedWhatTheChartGrants has an Application in the namespace
// of a team. Somebody looks at it, syncs it, and deletes it.
func TestOtherNamespacesNeedWhatTheChartGrants(t *testing.T) {
	c, target, folder, record := newCluster(t), embeddedtest.Namespace(t, hub), t.TempDir(), newRequests()
	write(t, filepath.Join(folder, "web", "cm.yaml"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n")
	team := c.team()
	given := values{
		"server": values{"enabled": true}, "applications": values{"namespaces": []any{team}},
		"destination": values{"rules": someRules(), "namespaces": []any{target}},
	}
	c.install(given)
	c.create(clusterSecret(target))
	l := c.door()
	c.engineWith(c.account(record), folder, func(cfg *app.Config) {
		cfg.Serving, cfg.ApplicationNamespaces = listener.At{Listener: l}, []string{team}
	})
	a := c.elsewhere(team, v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: target})

	base := "http://" + l.Addr().String() + "/api/v1"
	at := base + "/applications/" + team + "/" + a.Name
	session := c.signIn(base)
	c.ask(http.MethodGet, at+"/events", session.Token, nil, nil)
	c.ask(http.MethodPost, at+"/sync", session.Token, map[string]string{}, nil)
	c.ask(http.MethodDelete, at, session.Token, nil, nil)
	c.untilGone(a)
	c.untilGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: target}})

	objects, _ := render(t, c.namespace, given)
	for _, role := range find[rbacv1.ClusterRole](t, objects, "ClusterRole") {
		for _, right := range granting(role.Rules) {
			used := slices.ContainsFunc(record.in(team), func(asked string) bool { return asked == right || strings.HasPrefix(asked, right+" ") })
			if strings.HasSuffix(role.Name, ":applications") && !used && explainedElsewhere[right] == "" {
				t.Errorf("the chart grants what the engine does not use in other namespaces: %s", right)
			}
		}
	}
	for _, q := range record.refusals(func(q request) bool { return q.namespace == target }) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}

var explainedElsewhere = map[string]string{
	"list argoproj.io/applications": streamed,
	"patch /events":                 "an event that comes again within minutes is counted",
}
