package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestWhatProjectsRefuse tells what is wrong, where, and what to do; and that
// an application goes on when its project is mended, without a further touch.
func TestWhatProjectsRefuse(t *testing.T) {
	const invalid, sync = v1alpha1.ApplicationConditionInvalidSpecError, v1alpha1.ApplicationConditionSyncError
	group := func(kind string) metav1.GroupKind { return metav1.GroupKind{Kind: kind} }
	cases := map[string]struct {
		reason string
		breaks func(e *engine, s *v1alpha1.AppProjectSpec)
		kind   string
		words  []string
	}{
		"Source": {"a repository that is not listed", func(_ *engine, s *v1alpha1.AppProjectSpec) {
			s.SourceRepos = []string{"https://elsewhere.example.com/*"}
		}, invalid, []string{repoURL, "spec.sourceRepos"}},
		"SourceDeny": {"a repository that is denied", func(_ *engine, s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{"*", "!" + repoURL} }, invalid, []string{repoURL, "denies", "another repository"}},
		"Namespace":  {"a namespace that is not listed", func(_ *engine, s *v1alpha1.AppProjectSpec) { s.Destinations[0].Namespace = "elsewhere" }, invalid, []string{"in-cluster", "spec.destinations"}},
		"Destination": {"a namespace that is denied", func(e *engine, s *v1alpha1.AppProjectSpec) {
			s.Destinations = append(s.Destinations, v1alpha1.ApplicationDestination{Server: "*", Namespace: "!" + e.namespace})
		}, invalid, []string{"denies", "another destination"}},
		"OwnClusters": {"a cluster of nobody", func(_ *engine, s *v1alpha1.AppProjectSpec) { s.PermitOnlyProjectScopedClusters = true }, invalid, []string{"does not belong", "permitOnlyProjectScopedClusters"}},
		"Kind": {"a kind that is denied", func(_ *engine, s *v1alpha1.AppProjectSpec) {
			s.NamespaceResourceBlacklist = []metav1.GroupKind{group("ConfigMap")}
		}, sync, []string{"ConfigMap", "spec.namespaceResourceBlacklist", "plain/a.yaml"}},
		"NoKinds": {"an empty list permits none", func(_ *engine, s *v1alpha1.AppProjectSpec) {
			s.NamespaceResourceWhitelist = []metav1.GroupKind{group("Service")}
		}, sync, []string{"ConfigMap", "spec.namespaceResourceWhitelist"}},
	}
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e.t, e.bench.T = t, t
			p := e.project("bad-"+toLower(name), func(s *v1alpha1.AppProjectSpec) { tc.breaks(e, s) })
			e.app(toLower(name), "plain", in(p.Name))
			e.until(toLower(name), "refused: "+tc.reason, complains(tc.kind, append(tc.words, p.Name)...))
			if _, err := e.configMap("settings"); err == nil {
				t.Errorf("%s: it was deployed all the same", tc.reason)
			}
			e.amend(p, func(s *v1alpha1.AppProjectSpec) {
				*s = v1alpha1.AppProjectSpec{SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}}
			})
			app := e.until(toLower(name), "good when the project is mended", good)
			if err := e.Delete(t.Context(), app); err != nil {
				t.Fatal(err)
			}
			e.untilDeleted(toLower(name))
		})
	}
}

func toLower(name string) string {
	out := []byte(name)
	for i := range out {
		out[i] |= 0x20
	}
	return string(out)
}

func TestProjectThatIsNotThere(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	e.app("plain", "plain", in("later"))
	app := e.until("plain", "refused", complains(v1alpha1.ApplicationConditionInvalidSpecError, `AppProject "later"`, "create it"))
	if app.Status.Sync.Status != v1alpha1.SyncStatusCodeUnknown {
		t.Errorf("the sync status is %q", app.Status.Sync.Status)
	}
	p := e.project("later", func(*v1alpha1.AppProjectSpec) {})
	e.until("plain", "good once the project is there", good)

	// A project that is deleted while it is in use stays as its finalizer asks.
	e.amendProject(p, func(p *v1alpha1.AppProject) { p.Finalizers = []string{v1alpha1.FinalizerResources} })
	if err := e.Delete(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	e.write("plain/a.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	e.untilVersion("settings", "2")
	if err := e.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	e.untilDeleted("plain")
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(p), &v1alpha1.AppProject{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the project is still there: %w", err)
		}
		return nil
	})
}

func (e *engine) amendProject(p *v1alpha1.AppProject, change func(*v1alpha1.AppProject)) {
	e.t.Helper()
	before := p.DeepCopy()
	change(p)
	if err := e.Patch(e.t.Context(), p, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

// TestProjectsOwnClusters tells that a Secret that belongs to a project lets
// it use the cluster, from when it is there.
func TestProjectsOwnClusters(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	e.project("owner", func(s *v1alpha1.AppProjectSpec) {
		s.Destinations, s.PermitOnlyProjectScopedClusters = nil, true
	})
	e.app("plain", "plain", in("owner"))
	e.until("plain", "refused", complains(v1alpha1.ApplicationConditionInvalidSpecError, "spec.destinations"))
	e.make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "mine", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": "in-cluster", "server": "https://kubernetes.default.svc", "project": "owner"},
	})
	e.until("plain", "good in a cluster of its own", good)
	e.project("stranger", func(s *v1alpha1.AppProjectSpec) { s.PermitOnlyProjectScopedClusters = true })
	e.app("other", "plain", in("stranger"))
	e.until("other", "refused", complains(v1alpha1.ApplicationConditionInvalidSpecError, `"stranger"`, "does not belong"))
}

func TestRulesOfGlobalProjects(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		"globalProjects": "- {projectName: everybody, labelSelector: {matchLabels: {tier: team}}}\n",
	}})
	global := e.project("everybody", func(s *v1alpha1.AppProjectSpec) {
		s.NamespaceResourceBlacklist = []metav1.GroupKind{{Kind: "ConfigMap"}}
	})
	team := e.project("team", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = nil })
	e.app("plain", "plain", in("team"))
	e.until("plain", "refused: it has no repositories", complains(v1alpha1.ApplicationConditionInvalidSpecError, "spec.sourceRepos"))
	e.amendProject(team, func(p *v1alpha1.AppProject) { p.Labels = map[string]string{"tier": "team"} })
	e.until("plain", "refused by the global project", complains(v1alpha1.ApplicationConditionSyncError, "ConfigMap", "namespaceResourceBlacklist"))
	e.amend(global, func(s *v1alpha1.AppProjectSpec) { s.NamespaceResourceBlacklist = nil })
	e.until("plain", "good by the global project's repositories", good)
}

func TestWindowsThatCannotBeMeantSo(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	p := e.project("windows", func(s *v1alpha1.AppProjectSpec) {
		s.SyncWindows = v1alpha1.SyncWindows{{Kind: "allow", Schedule: "0 0 31 2 *", Duration: "1h", Applications: []string{"*"}}}
	})
	e.app("plain", "plain", in("windows"))
	const warning = v1alpha1.ApplicationConditionInvalidProjectWarning
	e.until("plain", "told that it never opens", complains(warning, "spec.syncWindows[0]", "never opens"))
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows[0].Schedule = "whenever" })
	e.until("plain", "told that it cannot be read", complains(warning, "spec.syncWindows[0]", "forbids every sync", "whenever"))
	e.amend(p, func(s *v1alpha1.AppProjectSpec) {
		s.SyncWindows[0] = &v1alpha1.SyncWindow{Kind: "deny", Schedule: "* * * * *", Duration: "24h", Applications: []string{"*"}}
	})
	app := e.until("plain", "held by the window", func(app *v1alpha1.Application) bool {
		return condition(app, warning) == "" && app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	if app.Status.OperationState != nil {
		t.Errorf("a sync was started in a deny window: %v", app.Status.OperationState)
	}
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = nil })
	e.until("plain", "good without a window", good)
}

// TestWindowOpensByItself tells that a sync begins when its window opens,
// with nothing but the clock to call for it.
func TestWindowOpensByItself(t *testing.T) {
	opens := time.Now().UTC().Truncate(time.Minute).Add(time.Minute)
	c := standing(opens.Add(-time.Second))
	e := start(t, map[string]string{"plain/a.yaml": configMapV1}, c.wind)
	e.project("windows", func(s *v1alpha1.AppProjectSpec) {
		s.SyncWindows = v1alpha1.SyncWindows{{Kind: "allow", Schedule: fmt.Sprintf("%d %d * * *", opens.Minute(), opens.Hour()), Duration: "1h", Applications: []string{"*"}}}
	})
	e.app("plain", "plain", in("windows"))
	app := e.until("plain", "looked at", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	if app.Status.OperationState != nil {
		t.Errorf("a sync began before the window: %+v", app.Status.OperationState)
	}
	c.run()
	app = e.until("plain", "good", good)
	if began := app.Status.OperationState.StartedAt.Time; began.Before(opens) {
		t.Errorf("the sync began at %s, before the window opened at %s", began, opens)
	}
	if _, err := e.configMap("settings"); err != nil {
		t.Error(errors.Join(errors.New("nothing was deployed"), err))
	}
}
