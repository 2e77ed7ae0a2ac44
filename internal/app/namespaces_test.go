package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// elsewhere makes an Application of the same name in another namespace.
func (e *engine) elsewhere(namespace, name, path string) *v1alpha1.Application {
	e.t.Helper()
	yes := true
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: e.id(name), Namespace: namespace, Finalizers: []string{v1alpha1.FinalizerResources}},
		Spec: v1alpha1.ApplicationSpec{
			Project:     "teams",
			Source:      &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: path, TargetRevision: "HEAD"},
			Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: namespace},
			SyncPolicy:  &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes, SelfHeal: &yes}},
		},
	}
	if err := e.Create(e.t.Context(), app); err != nil {
		e.t.Fatal(err)
	}
	return app
}

func (e *engine) untilElsewhere(app *v1alpha1.Application, what string, ok func(*v1alpha1.Application) bool) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if !ok(app) {
			return fmt.Errorf("application %s/%s is not %s: %v %v", app.Namespace, app.Name, what, app.Status.Sync.Status, app.Status.Conditions)
		}
		return nil
	})
}

// TestApplicationsInOtherNamespaces has Applications of one name in three
// namespaces: of the engine, of a team, and of nobody.
func TestApplicationsInOtherNamespaces(t *testing.T) {
	for name, byFlag := range map[string]bool{"Flag": true, "ConfigMap": false} {
		t.Run(name, func(t *testing.T) {
			e := prepare(t, hubConfig, map[string]string{"plain/a.yaml": configMapV1})
			team, nobody := embeddedtest.Namespace(t, hubConfig), embeddedtest.Namespace(t, hubConfig)
			if byFlag {
				e.adjust = func(c *Config) { c.ApplicationNamespaces = []string{team[:len(team)-1] + "?"} }
			} else {
				e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: hub.ParamsMap}, Data: map[string]string{hub.NamespacesKey: "no-such-namespace, " + team}})
			}
			e.restart()
			teams := e.project("teams", func(*v1alpha1.AppProjectSpec) {})
			e.app("plain", "plain", in("teams"))
			e.until("plain", "good in the control namespace", good)
			other := e.elsewhere(team, "plain", "plain")
			ignored := e.elsewhere(nobody, "plain", "plain")
			e.untilElsewhere(other, "refused by its project", complains(v1alpha1.ApplicationConditionInvalidSpecError, `"teams"`, team, "spec.sourceNamespaces"))
			e.amend(teams, func(s *v1alpha1.AppProjectSpec) { s.SourceNamespaces = []string{team, nobody} })
			e.untilElsewhere(other, "good", good)

			cm := &corev1.ConfigMap{}
			if err := e.Get(t.Context(), client.ObjectKey{Namespace: team, Name: "settings"}, cm); err != nil {
				t.Fatal(err)
			}
			if id := cm.Annotations["argocd.argoproj.io/tracking-id"]; !strings.HasPrefix(id, team+"_"+e.id("plain")+":") {
				t.Errorf("the object's tracking id is %q", id)
			}
			if err := e.Delete(t.Context(), cm); err != nil {
				t.Fatal(err)
			}
			embeddedtest.Eventually(t, func(ctx context.Context) error {
				return e.Get(ctx, client.ObjectKey{Namespace: team, Name: "settings"}, &corev1.ConfigMap{})
			})
			patch := `{"operation": {"sync": {}, "initiatedBy": {"username": "ann"}}}`
			if err := e.Patch(t.Context(), other, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
				t.Fatal(err)
			}
			e.hasEvents(team, other.Name)
			if err := e.Get(t.Context(), client.ObjectKeyFromObject(ignored), ignored); err != nil || ignored.Status.Sync.Status != "" {
				t.Errorf("an Application of a namespace that is not the engine's has the status %q (%v)", ignored.Status.Sync.Status, err)
			}
			if err := e.Delete(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			embeddedtest.Eventually(t, func(ctx context.Context) error {
				err := e.Get(ctx, client.ObjectKeyFromObject(other), &v1alpha1.Application{})
				if err == nil {
					return fmt.Errorf("application %s is still there", other.Name)
				}
				return client.IgnoreNotFound(err)
			})
			e.until("plain", "good as before", good)
			ignored.Finalizers = nil
			if err := e.Update(t.Context(), ignored); err != nil {
				t.Error(err)
			}
		})
	}
}

func (e *engine) hasEvents(namespace, app string) {
	e.t.Helper()
	clients, err := kubernetes.NewForConfig(rest.CopyConfig(e.hub))
	if err != nil {
		e.t.Fatal(err)
	}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		list, err := clients.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + app})
		if err == nil && len(list.Items) == 0 {
			err = fmt.Errorf("no event of %s in namespace %s", app, namespace)
		}
		return err
	})
}

func TestNamespacesThatCannotBeRead(t *testing.T) {
	_, err := New(Config{Hub: hubConfig, Namespace: "x", CacheDir: t.TempDir(), Interval: time.Hour, ApplicationNamespaces: []string{"/^((?!no).)*$/"}})
	if err == nil || !strings.Contains(err.Error(), "--application-namespaces") || !strings.Contains(err.Error(), "regular expression") {
		t.Errorf("a pattern that cannot be read is taken: %v", err)
	}
}
