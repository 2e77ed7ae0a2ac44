package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

func version(n string) string { return strings.ReplaceAll(configMapV1, `"1"`, `"`+n+`"`) }

// keep lets the engine find its history again when it is started again.
func (e *engine) keep() {
	dir := e.t.TempDir()
	e.adjust = func(c *Config) { c.CacheDir = dir }
}

// syncs returns what the store has of an application, newest first.
func (e *engine) syncs(name string) []history.Sync {
	e.t.Helper()
	list, err := e.chronicle.Store.List(e.t.Context(), e.namespace, e.id(name), 100)
	if err != nil {
		e.t.Fatal(err)
	}
	return list
}

// goBack asks for a rollback as the command line does.
func (e *engine) goBack(name, to string, h v1alpha1.RevisionHistory) {
	e.t.Helper()
	e.change(name, func(app *v1alpha1.Application) {
		source := h.Source
		app.Operation = &v1alpha1.Operation{
			Sync:        &v1alpha1.SyncOperation{Revision: h.Revision, Source: &source, Prune: true, SyncStrategy: &v1alpha1.SyncStrategy{Apply: &v1alpha1.SyncStrategyApply{}}},
			InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"},
		}
		if to != "" {
			app.Operation.Info = []v1alpha1.Info{{Name: gitops.InfoRollback, Value: to}}
		}
	})
}

// rolled reports whether a rollback by ann is over, and that the application has
// been compared with its sources again.
func rolled(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return app.Operation == nil && st != nil && st.Operation.InitiatedBy.Username == "ann" && st.Phase == v1alpha1.OperationSucceeded &&
		condition(app, v1alpha1.ApplicationConditionRolledBackWarning) != ""
}

func TestRollbackStays(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": version("1")})
	e.app("app", "app")
	first := e.until("app", "good", good).Status.History[0]
	e.write("app/a.yaml", version("2")+"---"+strings.ReplaceAll(configMapV1, "settings", "second")) // one commit
	e.untilVersion("settings", "2")
	e.until("app", "good at version 2", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 })

	// As Argo CD asks for it: the source and the revision of the entry alone.
	e.goBack("app", "", first)
	e.untilVersion("settings", "1")
	app := e.until("app", "rolled back and OutOfSync with Git", func(app *v1alpha1.Application) bool {
		return rolled(app) && app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	e.withoutConfigMap("second")
	if h := app.Status.History; len(h) != 3 || h[2].Revision != first.Revision || h[2].InitiatedBy.Username != "ann" {
		t.Errorf("the rollback does not stand in the history: %+v", h)
	}
	// Automated sync and self-healing leave it alone, also at a commit that
	// changes nothing of this application.
	e.write("elsewhere/a.yaml", version("9"))
	e.looksAt("app")
	e.keeps("1", "settings")
	// A change of the manifests rolls forward.
	e.write("app/a.yaml", version("3"))
	e.untilVersion("settings", "3")
	e.until("app", "good at version 3", good)

	list := e.syncs("app")
	if len(list) != 4 || list[1].Cause != history.Rollback || list[1].By != "ann (unverified)" || list[1].Changed.Pruned != 1 || list[1].Changed.Changed != 1 {
		t.Errorf("the store does not tell of the rollback: %+v", list)
	}
}

// keepsHold runs operations that leave the hold of a rollback as it is: a dry
// run of a sync and of a rollback, and a sync of an object that is unchanged.
// The ConfigMap settings stays at version 1.
func (e *engine) keepsHold(name, unchanged string) {
	e.t.Helper()
	app := e.until(name, "held", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionRolledBackWarning) != ""
	})
	said := condition(app, v1alpha1.ApplicationConditionRolledBackWarning)
	again := app.Status.History[len(app.Status.History)-1]
	asked := []v1alpha1.Operation{
		{Sync: &v1alpha1.SyncOperation{DryRun: true}},
		{Sync: &v1alpha1.SyncOperation{DryRun: true, Source: &again.Source, Revision: again.Revision}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: strconv.FormatInt(again.ID, 10)}}},
		{Sync: &v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: unchanged}}}},
	}
	for i := range asked {
		by := fmt.Sprintf("asker %d", i)
		asked[i].InitiatedBy.Username = by
		e.change(name, func(app *v1alpha1.Application) { app.Operation = &asked[i] })
		e.until(name, "held after what was asked by "+by, func(app *v1alpha1.Application) bool {
			st := app.Status.OperationState
			return app.Operation == nil && st.Operation.InitiatedBy.Username == by && st.Phase == v1alpha1.OperationSucceeded &&
				condition(app, v1alpha1.ApplicationConditionRolledBackWarning) == said
		})
	}
	e.looksAt(name)
	e.keeps("1", "settings")
}

// TestRollbackOutlivesWhatIsNoSync asks for dry runs and for a part after a
// rollback, and for a whole sync then.
func TestRollbackOutlivesWhatIsNoSync(t *testing.T) {
	other := strings.ReplaceAll(configMapV1, "settings", "other")
	e := start(t, map[string]string{"app/a.yaml": version("1"), "app/other.yaml": other})
	e.app("app", "app")
	first := e.until("app", "good", good).Status.History[0]
	e.write("app/a.yaml", version("2"))
	e.untilVersion("settings", "2")
	e.until("app", "good at version 2", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 })
	e.goBack("app", "", first)
	e.untilVersion("settings", "1")
	e.until("app", "rolled back", rolled)

	e.keepsHold("app", "other")
	e.change("app", func(app *v1alpha1.Application) { app.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}} })
	e.untilVersion("settings", "2")
	e.until("app", "good, and no more held", func(app *v1alpha1.Application) bool {
		return good(app) && condition(app, v1alpha1.ApplicationConditionRolledBackWarning) == ""
	})
}

// TestRollbackToNothing goes back to what is not kept: such an operation ends, also one that runs already, and the
// application is compared as before.
func TestRollbackToNothing(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": version("1")})
	e.app("app", "app", byHand)
	back := v1alpha1.Operation{Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "nowhere"}}, Sync: &v1alpha1.SyncOperation{}}
	for name, ask := range map[string]func(app *v1alpha1.Application){
		"asked for": func(app *v1alpha1.Application) { app.Operation = back.DeepCopy() },
		"under way": func(app *v1alpha1.Application) {
			app.Status.OperationState = &v1alpha1.OperationState{Operation: *back.DeepCopy(), Phase: v1alpha1.OperationRunning, StartedAt: v1alpha1.NewTime(time.Now())}
			annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal)) // a status alone wakes nobody
		},
		"terminated": func(app *v1alpha1.Application) {
			app.Status.OperationState = &v1alpha1.OperationState{Operation: *back.DeepCopy(), Phase: v1alpha1.OperationTerminating, StartedAt: v1alpha1.NewTime(time.Now())}
			annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal))
		},
	} {
		e.until("app", "compared", func(app *v1alpha1.Application) bool {
			return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
		})
		e.change("app", ask)
		app := e.until("app", name+", ended", func(app *v1alpha1.Application) bool {
			return app.Operation == nil && app.Annotations[v1alpha1.AnnotationRefresh] == "" && app.Status.OperationState.Phase.Completed()
		})
		if st := app.Status.OperationState; st.Phase.Successful() || name != "terminated" && !strings.Contains(st.Message, "nowhere") {
			t.Errorf("%s: it ended as %s: %s", name, st.Phase, st.Message)
		}
		if c := condition(app, v1alpha1.ApplicationConditionInvalidSpecError); c != "" || app.Status.Sync.Status != v1alpha1.SyncStatusCodeOutOfSync {
			t.Errorf("%s: the application is %s: %s", name, app.Status.Sync.Status, c)
		}
	}
}

// TestRollbackGoesByTheProjectOfNow has manifests in the history that an operation brought under a project that permits
// every repository, and goes back to them under one that permits a single one.
func TestRollbackGoesByTheProjectOfNow(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": version("1")})
	e.project("wide", func(*v1alpha1.AppProjectSpec) {})
	e.project("narrow", func(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{repoURL} })
	e.app("app", "app", byHand, in("wide"))
	local := []string{version("1"), strings.ReplaceAll(version("2"), "settings", "extra")}
	for _, dry := range []bool{true, false} {
		e.ask("app", v1alpha1.SyncOperation{Manifests: local, DryRun: dry})
		e.until("app", "over", endedAs(v1alpha1.OperationSucceeded))
	}
	e.untilVersion("extra", "2")
	past := e.syncs("app") // newest first
	back := func(to string, phase v1alpha1.OperationPhase, text string) {
		t.Helper()
		e.change("app", func(app *v1alpha1.Application) {
			app.Operation = &v1alpha1.Operation{
				Sync: &v1alpha1.SyncOperation{}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: to}},
				InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"},
			}
		})
		e.until("app", "rolled back as "+text, endedAs(phase, text))
	}
	back(past[1].ID, v1alpha1.OperationFailed, "was a dry run")
	back(past[0].ID, v1alpha1.OperationSucceeded, "successfully synced")
	if h := e.until("app", "", func(*v1alpha1.Application) bool { return true }).Status.History; len(h) > 0 {
		t.Errorf("what is in no source stands in the history: %+v", h)
	}
	again := e.syncs("app")[0].ID
	e.change("app", in("narrow"))
	back(past[0].ID, v1alpha1.OperationFailed, "permits some repositories alone")
	back(again, v1alpha1.OperationFailed, "permits some repositories alone")
}

// TestRollbackWithoutGit goes back while the repository cannot be reached.
func TestRollbackWithoutGit(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": version("1")})
	e.app("app", "app")
	e.until("app", "good", good)
	e.write("app/a.yaml", version("2"))
	e.untilVersion("settings", "2")
	h := e.until("app", "good at version 2", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 }).Status.History

	e.change("app", func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = "http://127.0.0.1:1/gone" })
	e.until("app", "without its repository", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	e.goBack("app", strconv.FormatInt(h[0].ID, 10), h[0])
	e.untilVersion("settings", "1")
	e.until("app", "rolled back, and telling that Git is away", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return app.Operation == nil && st.Phase == v1alpha1.OperationSucceeded && st.Operation.InitiatedBy.Username == "ann" &&
			condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	e.change("app", func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = repoURL })
	e.until("app", "held when Git is back", rolled)
}

// atomicApp has atomic syncs with little time for each wave.
func atomicApp(timeout string) func(*v1alpha1.Application) {
	return func(app *v1alpha1.Application) {
		app.Annotations = map[string]string{gitops.AnnotationAtomic: "true", gitops.AnnotationAtomicTimeout: timeout}
		noRetry(app)
	}
}

// withoutConfigMap waits until a ConfigMap is not there: the garbage collector
// ends its deletion, after the sync has.
func (e *engine) withoutConfigMap(name string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		if _, err := e.configMap(name); !apierrors.IsNotFound(err) {
			return fmt.Errorf("ConfigMap %s is still there: %w", name, err)
		}
		return nil
	})
}

func undone(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st != nil && st.Phase == v1alpha1.OperationFailed && strings.HasPrefix(st.Message, "rolled back to ")
}

func TestAtomicSyncComesBack(t *testing.T) {
	both := strings.ReplaceAll(configMapV1, "settings", "new") + "---" + version("2") + "---"
	files := map[string]string{
		"app/web.yaml": version("1") + "---" + deployment("web", "0", ""), "app/hook.yaml": preSyncHook,
		"app/other.yaml": strings.ReplaceAll(configMapV1, "settings", "other"),
	}
	c := &clock{}
	e := start(t, files, hasty, c.wind)
	e.app("app", "app", noRetry)
	good1 := e.until("app", "good", good)
	e.change("app", atomicApp("15m"))
	hooks := e.jobUID("prepare")
	e.write("app/web.yaml", both+deployment("web", "0", neverReady)) // one commit
	e.untilVersion("settings", "2")
	afterSync := e.jobUID("prepare")

	e.until("app", "waiting for what is not healthy", waitsFor("web"))
	c.skip(15 * time.Minute)
	app := e.until("app", "rolled back by itself", undone)
	e.untilVersion("settings", "1")
	e.until("app", "healthy again", func(app *v1alpha1.Application) bool { return app.Status.Health.Status == v1alpha1.HealthStatusHealthy })
	st := app.Status.OperationState
	for _, word := range []string{"web", "not healthy within 15m0s"} {
		if !strings.Contains(st.Message, word) {
			t.Errorf("the message does not name %q: %s", word, st.Message)
		}
	}
	e.until("app", "telling so in a condition", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionSyncError), "rolled back to")
	})
	e.withoutConfigMap("new")
	if hooks == afterSync {
		t.Error("the hook of the second sync did not run, so this test shows nothing")
	}
	if got := e.jobUID("prepare"); got != afterSync {
		t.Error("the rollback ran a hook again")
	}
	if h := app.Status.History; h[len(h)-1].Revision != good1.Status.History[0].Revision {
		t.Errorf("the history does not tell that the first revision is there: %+v", h)
	}
	e.until("app", "holding the revision back", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionRolledBackWarning) != ""
	})
	list := e.syncs("app")
	if len(list) != 3 || list[0].Cause != history.AutomaticRollback || list[1].Phase != "Failed" || list[0].Of != list[2].ID {
		t.Errorf("the store does not tell of the failure and the rollback: %+v", list)
	}
	e.keepsHold("app", "other")
	// It is tried again when it is asked for, and when it changes.
	e.write("app/web.yaml", both+deployment("web", "0", ""))
	e.untilVersion("settings", "2")
	e.until("app", "good after the repair", good)
}

// TestAtomicSyncThroughARestart stops the engine while a wave has its time, and
// starts it again when Git is away.
func TestAtomicSyncThroughARestart(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/web.yaml": deployment("web", "0", ""), "app/late.yaml": waved("late", "1")})
	e.keep()
	stop := e.restart()
	e.app("app", "app", noRetry)
	e.until("app", "good", good)
	e.change("app", atomicApp("5s"))
	e.write("app/web.yaml", waved("early", "0")+"---"+deployment("web", "0", neverReady)) // one commit
	e.until("app", "waiting for the first wave", waitsFor("web"))
	stop()

	e.restart()
	e.until("app", "rolled back by itself", undone)
	e.withoutConfigMap("early")
	e.until("app", "healthy again", func(app *v1alpha1.Application) bool { return app.Status.Health.Status == v1alpha1.HealthStatusHealthy })
}

// TestAtomicRollbackWithoutGit stops the engine, and takes the repository
// away, between the failure of a sync and the rollback.
func TestAtomicRollbackWithoutGit(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/web.yaml": version("1") + "---" + deployment("web", "0", "")})
	e.keep()
	stop := e.restart()
	e.app("app", "app", noRetry)
	e.until("app", "good", good)
	e.change("app", atomicApp("3s"))
	e.write("app/web.yaml", version("2")+"---"+deployment("web", "0", neverReady)) // one commit
	e.untilVersion("settings", "2")
	e.until("app", "rolling back", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return undone(app) || st.Operation.Sync != nil && st.Operation.Sync.SyncStrategy != nil
	})
	stop()
	found := e.adjust
	e.adjust = func(c *Config) {
		found(c)
		c.Mirrors = nil
	}
	e.restart()
	e.untilVersion("settings", "1")
	e.until("app", "rolled back without Git", undone)
}

func TestAtomicTimeoutThatMeansNothing(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", atomicApp("soon"))
	e.until("app", "refused", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionInvalidSpecError), gitops.AnnotationAtomicTimeout)
	})
}

const preSyncHook = `
apiVersion: batch/v1
kind: Job
metadata: {name: prepare, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/prepare}]}}}
`

// jobUID is the UID of a Job.
func (e *engine) jobUID(name string) types.UID {
	e.t.Helper()
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("batch/v1")
	o.SetKind("Job")
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, o); err != nil {
		e.t.Fatal(err)
	}
	return o.GetUID()
}
