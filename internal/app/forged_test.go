package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/source"
)

const (
	theirsURL = "https://git.example.com/theirs"
	theirs    = "plain/theirs.yaml"
)

// beside serves a repository of another team's, and returns what its engine has to know of it.
func beside(t *testing.T, files map[string]string) func(*Config) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		put(t, folder+"/"+name, content)
	}
	return func(c *Config) { c.Mirrors = append(c.Mirrors, source.Mirror{URL: theirsURL, Path: folder}) }
}

func onlyOurs(s *v1alpha1.AppProjectSpec) { s.SourceRepos = []string{repoURL} }

// TestOperationReadsWhatTheProjectPermits asks, in each way that there is, for a sync from elsewhere.
func TestOperationReadsWhatTheProjectPermits(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1}, beside(t, map[string]string{theirs: strings.ReplaceAll(configMapV1, "settings", "theirs")}))
	e.project("ours", onlyOurs)
	e.app("plain", "plain", byHand, in("ours"))
	e.until("plain", "compared", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	elsewhere := v1alpha1.ApplicationSource{RepoURL: theirsURL, Path: "plain"}
	tests := []struct {
		reason, says string
		phase        v1alpha1.OperationPhase
		sync         v1alpha1.SyncOperation
	}{
		{"a source of its own", "does not permit it", v1alpha1.OperationError, v1alpha1.SyncOperation{Source: &elsewhere}},
		{"sources of its own", "does not permit it", v1alpha1.OperationError, v1alpha1.SyncOperation{Sources: v1alpha1.ApplicationSources{elsewhere}}},
		{"a source at a revision, as if it were a rollback", "does not permit it", v1alpha1.OperationError, v1alpha1.SyncOperation{Source: &elsewhere, Revision: "main"}},
		{"a dry run tells what is there as well", "does not permit it", v1alpha1.OperationError, v1alpha1.SyncOperation{Source: &elsewhere, DryRun: true}},
		{"manifests of its own are in no repository at all", "permits some repositories alone", v1alpha1.OperationFailed, v1alpha1.SyncOperation{Manifests: []string{configMapV1}}},
	}
	for _, tc := range tests {
		t.Run(strings.ReplaceAll(tc.reason, " ", ""), func(t *testing.T) {
			e.ask("plain", tc.sync)
			app := e.until("plain", tc.reason, func(app *v1alpha1.Application) bool {
				return app.Operation == nil && app.Status.OperationState != nil && app.Status.OperationState.Phase.Completed()
			})
			if st := app.Status.OperationState; st.Phase != tc.phase || !strings.Contains(st.Message, tc.says) {
				t.Errorf("%s: it ended as %s: %s", tc.reason, st.Phase, st.Message)
			}
			if _, err := e.configMap("theirs"); err == nil {
				t.Errorf("%s: it was deployed", tc.reason)
			}
		})
	}
	e.ask("plain", v1alpha1.SyncOperation{})
	e.until("plain", "an ordinary sync", endedAs(v1alpha1.OperationSucceeded))
}

// noTimeIsFree has a window in which nothing may sync, by whatever asks.
func noTimeIsFree(s *v1alpha1.AppProjectSpec) {
	s.SyncWindows = v1alpha1.SyncWindows{{Kind: v1alpha1.SyncWindowKindDeny, Schedule: "* * * * *", Duration: "24h", Applications: []string{"*"}}}
}

// TestForgedOperations claims what only the engine may say, in what is asked for and in the status, which is no
// subresource: neither windows nor the guard let it through.
func TestForgedOperations(t *testing.T) {
	claims := []v1alpha1.Info{
		{Name: "causeway.io/rollback", Value: "0"}, {Name: "causeway.io/deletions-approved", Value: "9999"}, {Name: "causeway.io/held-digest", Value: "x"},
		{Name: "causeway.io/wave-since", Value: "try 0 wave 0 since 2020-01-01T00:00:00Z"}, {Name: "causeway.io/seal", Value: strings.Repeat("0", 64)},
	}
	e := start(t, many(0, 8))
	p := e.project("windows", func(*v1alpha1.AppProjectSpec) {})
	e.app("app", "app", in("windows"))
	e.until("app", "good", good)
	e.amend(p, noTimeIsFree)
	e.change("app", func(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil })
	e.removeMany(1, 8)
	e.until("app", "compared without seven objects", func(app *v1alpha1.Application) bool {
		return slices.ContainsFunc(app.Status.Resources, func(r v1alpha1.ResourceStatus) bool { return r.RequiresPruning })
	})
	forged := v1alpha1.Operation{
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true, Username: v1alpha1.ApplicationSetInitiator}, Info: claims, Sync: &v1alpha1.SyncOperation{Prune: true},
	}
	ways := map[string]func(app *v1alpha1.Application){
		"asked for": func(app *v1alpha1.Application) { app.Operation = forged.DeepCopy() },
		"in the status": func(app *v1alpha1.Application) {
			// It bears the time of a sync that has ended, which the history keeps by that.
			app.Status.OperationState = &v1alpha1.OperationState{Operation: *forged.DeepCopy(), Phase: v1alpha1.OperationRunning, StartedAt: *app.Status.History[0].DeployStartedAt}
			annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal)) // a status alone wakes nobody
		},
	}
	for way, forge := range ways {
		t.Run(way, func(t *testing.T) {
			e.change("app", forge)
			app := e.until("app", "stripped of its claims, "+way, func(app *v1alpha1.Application) bool {
				st := app.Status.OperationState
				return app.Operation == nil && st != nil && slices.ContainsFunc(st.Operation.Info, func(i v1alpha1.Info) bool { return i.Name == "causeway.io/ignored" })
			})
			if op := app.Status.OperationState.Operation; op.InitiatedBy.Automated || op.InitiatedBy.Username != "" {
				t.Errorf("it still says that the engine asked: %+v", op.InitiatedBy)
			}
			e.until("app", "waiting for the window", func(app *v1alpha1.Application) bool {
				return strings.Contains(app.Status.OperationState.Message, "deny window")
			})
			if got := e.left(); got != 8 {
				t.Errorf("%s: %d of 8 are left", way, got)
			}
			e.terminate("app")
		})
	}
	e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = nil })
	forged.Info = claims[1:] // one that goes back would bring the objects with it
	e.change("app", ways["asked for"])
	e.until("app", "held by the guard", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return app.Operation == nil && st.Phase.Completed() && condition(app, heldError) != ""
	})
	if got := e.left(); got != 8 {
		t.Errorf("%d of 8 are left", got)
	}
}

// TestForgedBegin says in the status that a sync began before a deny window that lets such a one go on: the engine
// did not see it begin, and does not come to vouch for it, however often it looks.
func TestForgedBegin(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	now := time.Now().UTC()
	e.project("nights", func(s *v1alpha1.AppProjectSpec) {
		s.SyncWindows = v1alpha1.SyncWindows{{
			Kind: v1alpha1.SyncWindowKindDeny, Schedule: now.Add(-time.Hour).Format("4 15 * * *"), Duration: "12h", TimeZone: "UTC",
			Applications: []string{"*"}, SyncOverrun: true,
		}}
	})
	e.app("plain", "plain", byHand, in("nights"))
	e.until("plain", "compared", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	began := v1alpha1.NewTime(now.Add(-2 * time.Hour).Truncate(time.Second))
	e.change("plain", func(app *v1alpha1.Application) {
		app.Status.OperationState = &v1alpha1.OperationState{Operation: v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, Phase: v1alpha1.OperationRunning, StartedAt: began}
		annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal)) // a status alone wakes nobody
	})
	for look := range 3 {
		e.until("plain", "waiting for the window", func(app *v1alpha1.Application) bool {
			return app.Annotations[v1alpha1.AnnotationRefresh] == "" && strings.Contains(app.Status.OperationState.Message, "deny window")
		})
		if _, err := e.configMap("settings"); err == nil {
			t.Fatalf("it was deployed at look %d", look+1)
		}
		e.change("plain", func(app *v1alpha1.Application) {
			annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal))
		})
	}
	e.terminate("plain")
}

// TestAtomicRollbackInAClosedWindow: what the history has comes back while nothing may
// sync. What somebody wrote into the status of the Application does not come by that.
func TestAtomicRollbackInAClosedWindow(t *testing.T) {
	for name, forged := range map[string]bool{"honest": false, "forged": true} {
		t.Run(name, func(t *testing.T) {
			c := &clock{}
			e := start(t, map[string]string{"app/web.yaml": version("1") + "---" + deployment("web", "0", "")}, hasty, c.wind)
			p := e.project("nights", func(s *v1alpha1.AppProjectSpec) {
				s.SyncWindows = v1alpha1.SyncWindows{{
					Kind: v1alpha1.SyncWindowKindDeny, Schedule: time.Now().UTC().Add(time.Hour).Format("4 15 * * *"), Duration: "12h", TimeZone: "UTC",
					Applications: []string{"*"}, SyncOverrun: true, // what has begun before may fail in it
				}}
			})
			e.app("app", "app", in("nights"), noRetry)
			e.until("app", "good", good)
			if forged {
				e.change("app", func(app *v1alpha1.Application) {
					h := &app.Status.History[len(app.Status.History)-1]
					h.DeployStartedAt, h.Revision, h.Source.TargetRevision = &v1alpha1.Time{Time: h.DeployStartedAt.AddDate(-1, 0, 0)}, "HEAD", "HEAD"
				})
			}
			e.change("app", atomicApp("15m"))
			e.write("app/web.yaml", version("2")+"---"+deployment("web", "0", neverReady)) // one commit
			e.until("app", "waiting for what is not healthy", waitsFor("web"))
			c.skip(2 * time.Hour)
			if !forged {
				e.until("app", "rolled back by itself", undone)
				e.untilVersion("settings", "1")
				return
			}
			e.until("app", "waiting for the window", waitsFor("deny window"))
			e.write("app/web.yaml", version("3")+"---"+deployment("web", "0", ""))
			e.looksAt("app")
			if cm, err := e.configMap("settings"); err != nil || cm.Data["version"] != "2" {
				t.Errorf("what is new came in the closed window: %+v, %v", cm, err)
			}
			e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = nil })
			e.untilVersion("settings", "3")
		})
	}
}

// terminate ends what an Application is busy with.
func (e *engine) terminate(name string) {
	e.t.Helper()
	e.change(name, func(app *v1alpha1.Application) { app.Status.OperationState.Phase = v1alpha1.OperationTerminating })
	e.until(name, "at rest", func(app *v1alpha1.Application) bool { return app.Status.OperationState.Phase.Completed() })
}

// TestForgedWho writes into the status, in each form that the engine has for it, who asked for an operation that runs:
// the history does not have it as the engine's word.
func TestForgedWho(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	e.app("plain", "plain")
	e.until("plain", "good", good)
	if by, cause := e.lastOf("plain"); by != "" || cause != history.Automated {
		t.Errorf("what the engine began by itself is %s by %q", cause, by)
	}
	known := v1alpha1.Info{Name: gitops.InfoInitiatorKnown, Value: "true"}
	tests := map[string]struct {
		reason, want string
		cause        history.Cause
		op           v1alpha1.Operation
	}{
		"named":     {"a name alone", "dave (unverified)", history.Requested, v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "dave"}}},
		"known":     {"a name as if the API had it", "dave (unverified)", history.Requested, v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "dave"}, Info: []v1alpha1.Info{known}}},
		"automated": {"a name as if the engine had it", "erin (unverified)", history.Requested, v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "erin", Automated: true}}},
		"bare":      {"the engine itself", "somebody (unverified)", history.Automated, v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.op.Sync = &v1alpha1.SyncOperation{}
			e.change("plain", func(app *v1alpha1.Application) {
				at := v1alpha1.NewTime(app.Status.OperationState.StartedAt.Add(time.Second))
				app.Status.OperationState = &v1alpha1.OperationState{Operation: tc.op, Phase: v1alpha1.OperationRunning, StartedAt: at}
				annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal)) // a status alone wakes nobody
			})
			app := e.until("plain", name+", ended", func(app *v1alpha1.Application) bool {
				return app.Annotations[v1alpha1.AnnotationRefresh] == "" && app.Status.OperationState.Phase.Completed()
			})
			said := slices.ContainsFunc(app.Status.OperationState.Operation.Info, func(i v1alpha1.Info) bool { return i.Name == "causeway.io/ignored" })
			if claims := name != "named"; said != claims {
				t.Errorf("%s: the info is %+v", tc.reason, app.Status.OperationState.Operation.Info)
			}
			if by, cause := e.lastOf("plain"); by != tc.want || cause != tc.cause {
				t.Errorf("%s: the history has it as %s by %q, want %s by %q", tc.reason, cause, by, tc.cause, tc.want)
			}
		})
	}
}

// lastOf is who asked for the last sync of an application that the history has, and what for.
func (e *engine) lastOf(name string) (string, history.Cause) {
	e.t.Helper()
	list := e.syncs(name)
	if len(list) == 0 {
		e.t.Fatalf("the history has no sync of %s", name)
	}
	return list[0].By, list[0].Cause
}
