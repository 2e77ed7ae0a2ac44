package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// A sync that is written into the Application is in the audit when it has ended.
func TestAuditOfWhatIsAskedAtTheHub(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", byHand)
	e.ask("app", v1alpha1.SyncOperation{})
	told(t, e, "sync", e.id("app"), "the sync", func(one *audit.Entry) bool {
		return one.Project == "default" && one.Operation != "" && strings.Contains(one.Message, "by ann (unverified); it ended as Succeeded")
	})
}

const secretToken = `
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: hunter2}
`

// told waits until the audit has an entry of the engine's own.
func told(t *testing.T, e *engine, verb, name, what string, right func(*audit.Entry) bool) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		all, err := e.chronicle.Store.Audit(ctx, store.AuditQuery{Verb: verb, Who: audit.Engine, Name: name, Limit: 100})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all, func(one audit.Entry) bool { return right(&one) }) {
			return fmt.Errorf("no entry of %s: %+v", what, all)
		}
		return nil
	})
}

// What the engine deletes by itself is in the audit, and what it holds.
func TestAuditOfWhatHappensByItself(t *testing.T) {
	s := start(t, map[string]string{"app/a.yaml": configMapV1, "app/b.yaml": secretToken})
	s.app("app", "app")
	s.until("app", "synced", func(app *v1alpha1.Application) bool { return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced })
	s.remove("app/b.yaml")
	told(t, s, "prune", s.id("app"), "the pruning", func(e *audit.Entry) bool {
		return len(e.Changes) == 1 && e.Changes[0].Path == "Secret "+s.namespace+"/token" && e.Operation != "" && strings.Contains(e.Message, "automated")
	})

	spoke := s.spoke("a", "true", "eu")
	s.spoke("b", "true", "eu")
	s.spoke("c", "true", "eu")
	if err := s.Create(t.Context(), s.addons()); err != nil {
		t.Fatal(err)
	}
	s.untilSet("addons", func(set *v1alpha1.ApplicationSet) bool { return set.Status.ResourcesCount == 3 })
	before := spoke.DeepCopy()
	spoke.Labels["enable_web"] = "false"
	if err := s.Patch(t.Context(), spoke, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	told(t, s, "delete", s.namespace+"-a", "the Application that is deleted", func(e *audit.Entry) bool {
		return e.Message == "deleted by ApplicationSet addons" && e.Project == "default"
	})
	set := &v1alpha1.ApplicationSet{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: "addons"}, set); err != nil {
		t.Fatal(err)
	}
	was := set.DeepCopy()
	set.Spec.Generators[0].Clusters.Selector.MatchLabels = map[string]string{"enable_webb": "true"}
	if err := s.Patch(t.Context(), set, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	told(t, s, "hold", "addons", "what is held", func(e *audit.Entry) bool {
		return strings.Contains(e.Message, "2 deletions") && e.Resource == "applicationsets"
	})
}

// What goes with an Application is in the audit, wave by wave, and so are its hooks.
func TestAuditOfADeletion(t *testing.T) {
	e := start(t, map[string]string{
		"app/a.yaml": waved("first", "0"), "app/b.yaml": waved("second", "1"), "app/c.yaml": waved("third", "1"),
		"app/d.yaml": hooked("after", "PostDelete", "HookSucceeded"),
	})
	e.app("app", "app")
	e.until("app", "good", good)
	e.delete("app")
	e.untilDeleted("app")
	for why, names := range map[string][]string{
		"deleted 2 objects: the Application is being deleted": {"second", "third"},
		"deleted 1 object: the Application is being deleted":  {"first"},
		"deleted 1 object: hooks that have run":               {"after"},
	} {
		told(t, e, "prune", e.id("app"), why, func(one *audit.Entry) bool {
			return strings.HasPrefix(one.Message, why) && slices.Equal(e.configMapsOf(one), names) && one.Project == "default" && one.Cluster != "" && one.Operation == ""
		})
	}
}

// What a sync deletes besides pruning is in the audit: hooks by their policy, and what is made anew.
func TestAuditOfHooksAndOfWhatIsMadeAnew(t *testing.T) {
	e := start(t, map[string]string{
		"app/a.yaml": optioned(fixedConfig, "fixed", "Force=true"),
		"app/b.yaml": hooked("before", "PreSync", "BeforeHookCreation"), "app/c.yaml": hooked("after", "PostSync", "HookSucceeded"),
	})
	e.app("app", "app")
	e.until("app", "synced", succeeded)
	e.write("app/a.yaml", strings.ReplaceAll(optioned(fixedConfig, "fixed", "Force=true"), "77.1", "77.2"))
	for name, why := range map[string]string{"after": "hooks that have run", "before": "made anew", "fixed": "made anew"} {
		told(t, e, "prune", e.id("app"), name+": "+why, func(one *audit.Entry) bool {
			return strings.Contains(one.Message, why) && slices.Equal(e.configMapsOf(one), []string{name}) && one.Operation != ""
		})
	}
}

// configMapsOf are the names of the ConfigMaps that an entry tells of.
func (e *engine) configMapsOf(one *audit.Entry) []string {
	names := make([]string, 0, len(one.Changes))
	for _, c := range one.Changes {
		names = append(names, strings.TrimPrefix(c.Path, "ConfigMap "+e.namespace+"/"))
	}
	return names
}
