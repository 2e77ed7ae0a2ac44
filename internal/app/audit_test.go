package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// An audit that could not be opened is missed, and one that nobody wants is not.
func TestNotesWithoutAnAudit(t *testing.T) {
	for off, want := range map[bool]int64{true: 0, false: 3} {
		var log bytes.Buffer
		e := &Engine{cfg: Config{Log: slog.New(slog.NewTextHandler(&log, nil)), History: HistoryConfig{Off: off}}}
		for range 3 {
			e.note(&audit.Entry{Verb: "delete"})
		}
		if got, lines := e.unaudited.Load(), strings.Count(log.String(), "\n"); got != want || lines > 1 || (lines == 1) != (want > 0) {
			t.Errorf("off is %t: %d are counted, want %d, and the log is %q", off, got, want, log.String())
		}
	}
}

// What was held is released by an approval, of which it is told whose it claims to be, or
// for another reason.
func TestEntriesOfWhatIsHeld(t *testing.T) {
	for name, tc := range map[string]struct {
		count    int
		approved string
		verb     string
		says     string
	}{
		"Held":     {2, "", "hold", "2 deletions held"},
		"Approved": {0, " by ann (unverified)", "release", "they were approved by ann (unverified)"},
		"Gone":     {0, "", "release", "or are no longer wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			e := holding(v1alpha1.ApplicationSetKind, "argocd/addons", tc.count, tc.approved)
			if e.Verb != tc.verb || e.Resource != "applicationsets" || e.Namespace != "argocd" || e.Name != "addons" || !strings.Contains(e.Message, tc.says) {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// A sync that was asked for past the API is told of when it has ended; what the
// API was asked for, and what begins by itself, is not told of twice.
func TestSyncsThatWereAskedForAtTheHub(t *testing.T) {
	for name, tc := range map[string]struct {
		sync history.Sync
		verb string
		says string
	}{
		"ByItself":   {sync: history.Sync{Cause: history.Automated}},
		"Heals":      {sync: history.Sync{Cause: history.Heal}},
		"GoesBack":   {sync: history.Sync{Cause: history.AutomaticRollback}},
		"ByTheAPI":   {sync: history.Sync{Cause: history.Requested, By: gitops.Initiator("ann", true)}},
		"AtTheHub":   {history.Sync{Cause: history.Requested, By: gitops.Initiator("ann", false), Phase: "Failed"}, "sync", "by ann (unverified); it ended as Failed"},
		"ByNobody":   {history.Sync{Cause: history.Requested, Phase: "Succeeded"}, "sync", "somebody who is not named"},
		"DryRun":     {history.Sync{Cause: history.Requested, DryRun: true}, "sync", "a dry run, "},
		"AsIfItself": {history.Sync{Cause: history.Automated, By: gitops.Initiator("somebody", false), Phase: "Succeeded"}, "sync", "by somebody (unverified)"},
		"Itself":     {history.Sync{Cause: history.Automated, Phase: "Succeeded"}, "", ""},
		"RolledBack": {history.Sync{Cause: history.Rollback, By: gitops.Initiator("ann", false)}, "rollback", "by ann (unverified)"},
	} {
		tc.sync.ID, tc.sync.App = "1", history.App{Namespace: "argocd", Name: "web"}
		got := askedAtTheHub(&tc.sync)
		if got == nil {
			got = &audit.Entry{}
		}
		if got.Verb != tc.verb || !strings.Contains(got.Message, tc.says) || tc.verb != "" && (got.Name != "web" || got.Operation != "1") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPruningThatIsTooMuchToList: what the history does not keep of a sync was deleted all the same.
func TestPruningThatIsTooMuchToList(t *testing.T) {
	s := &history.Sync{Cause: history.Automated, Omitted: history.Counts{Pruned: 3}}
	if entry := pruned(s); entry == nil || !strings.Contains(entry.Message, "deleted 3 objects") {
		t.Errorf("the audit has %+v", entry)
	}
	s.Waves = []history.Wave{{Objects: []history.Object{{Kind: "Secret", Name: "token", Pruned: true}}}}
	if entry := pruned(s); entry == nil || len(entry.Changes) != 1 || !strings.Contains(entry.Message, "deleted 4 objects") {
		t.Errorf("the audit has %+v", entry)
	}
	s.DryRun = true
	if entry := pruned(s); entry != nil {
		t.Errorf("a dry run deleted: %+v", entry)
	}
}

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
		all, err := e.history.Audit(ctx, store.AuditQuery{Verb: verb, Who: audit.Engine, Name: name, Limit: 100})
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
