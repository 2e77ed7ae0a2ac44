package application

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// emptied is a cluster of which somebody has deleted all objects. It notes those that it is asked for,
// and whom it is made the writer of.
type emptied struct {
	state.Cluster

	asked, made *[]string
}

// another is a cluster that another user than the engine writes to.
type another struct {
	unsent

	user string
}

func (emptied) Desc() gitops.Cluster { return gitops.Cluster{Name: "dev", Server: "https://dev"} }
func (emptied) Put(*gitops.Live)     {}
func (c emptied) Find(_ context.Context, _ schema.GroupVersionKind, key gitops.Key) (*gitops.Live, error) {
	*c.asked = append(*c.asked, key.Namespace+"/"+key.Name)
	return nil, nil
}

func (c emptied) As(user string) (apply.Cluster, error) {
	user = user[strings.LastIndex(user, ":")+1:]
	*c.made = append(*c.made, user)
	return another{user: user}, nil
}

// writes notes what is sent to a cluster, and as whom unless that is the engine. Each object is there
// afterwards, of a health, and something may happen then.
type writes struct {
	Applier

	sent   *[]string
	health gitops.HealthCode
	then   func()
}

// note notes a write.
func (w writes) note(to apply.Cluster, verb string, k gitops.Key) {
	text := verb + " " + k.Namespace + "/" + k.Name
	if as, ok := to.(state.Writer).Cluster.(another); ok {
		text += " as " + as.user
	}
	*w.sent = append(*w.sent, text)
}

func (w writes) Wave(_ context.Context, to apply.Cluster, wave gitops.Wave) []gitops.Result {
	var out []gitops.Result
	for _, a := range wave.Actions {
		r := gitops.Result{Key: a.Key, Verb: a.Verb, Phase: wave.Phase, Hook: a.Hook, Live: a.Live}
		if a.Verb != gitops.Keep {
			w.note(to, string(a.Verb), a.Key)
			r.Live = &gitops.Live{Key: a.Key, Health: gitops.Health{Code: w.health}}
		}
		out = append(out, r)
	}
	if w.then != nil {
		w.then()
	}
	return out
}

func (w writes) Release(_ context.Context, to apply.Cluster, live *gitops.Live, _ string) (*gitops.Live, error) {
	w.note(to, "release", live.Key)
	return nil, nil
}

// unsent is a cluster that nothing is sent to.
type unsent struct{}

func (unsent) Server() string          { return "https://dev" }
func (unsent) REST() rest.Interface    { return nil }
func (unsent) Mapper() meta.RESTMapper { return nil }

// into is a project for namespaces.
func into(namespaces ...string) *v1alpha1.AppProject {
	p := permitting("*")
	for _, namespace := range namespaces {
		p.Spec.Destinations = append(p.Spec.Destinations, v1alpha1.ApplicationDestination{Server: "*", Namespace: namespace})
	}
	return p
}

// narrowing is a sync of an application whose project permitted red and blue when it was planned.
type narrowing struct {
	*Reconciler

	target            *state.Target
	attempt           *state.Attempt
	live              map[gitops.Key]*gitops.Live
	sent, asked, made []string
}

func narrowingOf(waves ...gitops.Wave) *narrowing {
	n := &narrowing{live: map[gitops.Key]*gitops.Live{}, attempt: &state.Attempt{Plan: &gitops.Plan{Waves: waves}}}
	app := &v1alpha1.Application{}
	app.Namespace, app.Name, app.Spec.Destination.Namespace = "argocd", "web", "red"
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, SyncResult: &v1alpha1.SyncOperationResult{}}
	n.target = &state.Target{Subject: state.Subject{App: app, Project: into("red", "blue"), Cluster: emptied{asked: &n.asked, made: &n.made}}, Writer: state.Writer{Cluster: unsent{}}}
	n.Reconciler = New(Options{
		Namespace: "argocd", Fleet: scopedFleet{}, Apply: writes{sent: &n.sent, health: gitops.Progressing}, Memo: compare.NewMemo(),
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at },
	})
	n.permit("red", "blue")
	for action := range n.attempt.Plan.All() {
		if action.Live != nil {
			n.live[action.Key] = action.Live
		}
	}
	return n
}

// permit writes the namespaces into the project.
func (n *narrowing) permit(namespaces ...string) { n.Projects = oneProject{into(namespaces...)} }

// act writes into the project who is acted as; empty for nobody.
func (n *narrowing) act(account string) {
	p := into("red", "blue")
	if account != "" {
		p.Spec.DestinationServiceAccounts = []v1alpha1.ApplicationDestinationServiceAccount{{Server: "*", Namespace: "*", DefaultServiceAccount: account}}
	}
	n.Projects = oneProject{p}
}

// after has something happen once a wave is written, and well.
func (n *narrowing) after(then func()) {
	n.Apply = writes{sent: &n.sent, health: gitops.Healthy, then: then}
}

// look reads the project, as each reconcile does, and goes on with the sync where the plan is not refused.
func (n *narrowing) look(t *testing.T) (step plan.Step, refusal string) {
	t.Helper()
	n.target.Project, _ = n.Projects.Project(t.Context(), "")
	if phase, text := n.target.Refuse(n.attempt.Plan); phase != "" {
		return step, text
	}
	for key := range n.live {
		if !n.target.Sees(key) {
			delete(n.live, key) // as leaveForeign does
		}
	}
	return n.run(t.Context(), n.target, n.attempt, n.live), ""
}

func action(verb gitops.Verb, namespace, name string, health gitops.HealthCode) gitops.Action {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	a := gitops.Action{Verb: verb, Key: gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: name}, Desired: &gitops.Manifest{Object: o}}
	if health != "" {
		a.Live = &gitops.Live{Key: a.Key, Health: gitops.Health{Code: health}}
	}
	return a
}

// waiting is a wave whose object in red does not get ready, beside one in blue that stays as it is, and a wave after it.
func waiting() []gitops.Wave {
	return []gitops.Wave{
		{Phase: gitops.Sync, Actions: []gitops.Action{action(gitops.Keep, "blue", "kept", gitops.Progressing), action(gitops.Create, "red", "slow", "")}},
		{Phase: gitops.Sync, Number: 1, Actions: []gitops.Action{action(gitops.Create, "red", "next", "")}},
	}
}

func listed(waiting []gitops.Waiting) string {
	var out []string
	for _, w := range waiting {
		out = append(out, w.Key.Namespace+"/"+w.Key.Name)
	}
	return strings.Join(out, " ")
}

// TestNarrowedProjectStopsASyncThatWaits: what a wave left as it was in a namespace that the project
// has lost since is not asked for, not made anew and not waited for.
func TestNarrowedProjectStopsASyncThatWaits(t *testing.T) {
	n := narrowingOf(waiting()...)
	if step, refusal := n.look(t); refusal != "" || listed(step.Waiting) != "blue/kept red/slow" {
		t.Fatalf("it waits for both: %q, %+v", refusal, step)
	}
	n.permit("red")
	step, refusal := n.look(t)
	if refusal != "" || step.Done || listed(step.Waiting) != "red/slow" {
		t.Errorf("it goes on with its own: %q, %+v", refusal, step)
	}
	if len(n.asked) > 0 || strings.Join(n.sent, ", ") != "create red/slow" {
		t.Errorf("asked for %v, sent %v", n.asked, n.sent)
	}
}

// TestNarrowedProjectIsAskedBeforeEachWave: a project may be narrowed in the midst of a look.
func TestNarrowedProjectIsAskedBeforeEachWave(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		waves  []gitops.Wave
		before func(*narrowing)
		want   string
	}{
		"Lost": {
			"what is gone is not made anew", waiting(),
			func(n *narrowing) { clear(n.live); n.attempt.Again = time.Time{} }, "create red/slow, create red/slow",
		},
		"Next": {
			"nor is what comes next made", []gitops.Wave{{Phase: gitops.Sync, Actions: []gitops.Action{action(gitops.Create, "red", "slow", "")}}, {
				Phase: gitops.Sync, Number: 1, Actions: []gitops.Action{action(gitops.Create, "blue", "a", ""), action(gitops.Prune, "blue", "b", gitops.Healthy), action(gitops.Create, "red", "c", "")},
			}},
			func(n *narrowing) {
				for _, l := range n.live {
					l.Health.Code = gitops.Healthy
				}
			}, "create red/slow, create red/c",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := narrowingOf(tc.waves...)
			n.look(t)
			tc.before(n)
			n.permit("red")
			step := n.run(t.Context(), n.target, n.attempt, n.live)
			if !step.Failed || len(step.Errors) == 0 || !strings.Contains(step.Errors[0].Error(), `project "web" does not permit it`) {
				t.Errorf("%s: the sync goes on: %+v", tc.reason, step)
			}
			if got := strings.Join(n.sent, ", "); got != tc.want {
				t.Errorf("%s: sent %s, want %s", tc.reason, got, tc.want)
			}
			for _, r := range state.Results(n.attempt, "red") {
				if r.Namespace == "blue" && (r.Status != v1alpha1.ResultCodeSyncFailed || r.Message == "") {
					t.Errorf("%s: its result is %+v", tc.reason, r)
				}
			}
		})
	}
	n := narrowingOf()
	n.Projects = lostProject{}
	got := n.wave(t.Context(), n.target, gitops.Wave{Actions: []gitops.Action{action(gitops.Create, "red", "a", "")}})
	if len(got) != 1 || got[0].Err == nil || len(n.sent) > 0 {
		t.Errorf("a project that is not there permits nothing: %+v, sent %v", got, n.sent)
	}
}

type lostProject struct{}

func (lostProject) Project(context.Context, string) (*v1alpha1.AppProject, error) {
	return nil, gitops.Problemf(gitops.NotFound, "it is not there")
}

// TestNarrowedProjectRefusesHooksThatRun: a hook is waited for, and run again where it fails.
func TestNarrowedProjectRefusesHooksThatRun(t *testing.T) {
	hook := func(over bool) gitops.Action {
		a := action(gitops.Keep, "blue", "hook", gitops.Progressing)
		a.Hook, a.Over = true, over
		return a
	}
	namespace := gitops.Action{Verb: gitops.Keep, Namespace: true, Key: gitops.Key{Kind: "Namespace", Name: "blue"}}
	for name, tc := range map[string]struct {
		reason  string
		action  gitops.Action
		refused bool
	}{
		"Runs":      {"nobody may look how it ends", hook(false), true},
		"Over":      {"it did its work while that was permitted", hook(true), false},
		"Object":    {"it stays as it is", action(gitops.Keep, "blue", "a", gitops.Healthy), false},
		"Left":      {"so does what is left out", action(gitops.Skip, "blue", "a", gitops.Healthy), false},
		"Namespace": {"and that of the destination", namespace, false},
		"Update":    {"nothing is written there", action(gitops.Update, "blue", "a", gitops.Healthy), true},
		"Own":       {"that is permitted", action(gitops.Update, "red", "a", gitops.Healthy), false},
	} {
		t.Run(name, func(t *testing.T) {
			n := narrowingOf(gitops.Wave{Phase: gitops.PreSync, Actions: []gitops.Action{tc.action}})
			n.permit("red")
			if _, refusal := n.look(t); (refusal != "") != tc.refused {
				t.Errorf("%s: refused %q", tc.reason, refusal)
			}
		})
	}
}

// TestNarrowedProjectKeepsHooks: what is left of a hook that was done stays as it is where the project
// permits nothing any more.
func TestNarrowedProjectKeepsHooks(t *testing.T) {
	hook := action(gitops.Keep, "blue", "hook", gitops.Healthy)
	hook.Hook, hook.Over, hook.Live.Finalizers = true, true, []string{gitops.FinalizerHook}
	hook.Desired.Object.SetAnnotations(map[string]string{gitops.AnnotationHook: "PreSync", "argocd.argoproj.io/hook-delete-policy": "HookSucceeded"})
	n := narrowingOf(gitops.Wave{Phase: gitops.PreSync, Actions: []gitops.Action{hook}})
	n.attempt.Progress.Advance(plan.Step{Wave: &n.attempt.Plan.Waves[0]}, []gitops.Result{{Key: hook.Key, Verb: hook.Verb, Phase: gitops.PreSync, Hook: true, Live: hook.Live}})
	n.permit("red")
	if step, refusal := n.look(t); refusal != "" || !step.Done {
		t.Fatalf("the sync is over: %q, %+v", refusal, step)
	}
	n.clean(t.Context(), n.target, n.attempt, plan.HookSucceeded)
	if len(n.sent) > 0 {
		t.Errorf("sent %v", n.sent)
	}
	n.permit("red", "blue")
	n.look(t)
	n.clean(t.Context(), n.target, n.attempt, plan.HookSucceeded)
	if want := []string{"release blue/hook", "prune blue/hook"}; !slices.Equal(n.sent, want) {
		t.Errorf("where it is permitted again, sent %v, want %v", n.sent, want)
	}
}

// TestNarrowedProjectChangesWhoWrites: each wave is written as the account that the project names then.
func TestNarrowedProjectChangesWhoWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		acting     policy.Acting
		accounts   []string
		sent, made string
		failed     bool
	}{
		"Same":   {"its writer is there", policy.ActAlways, []string{"one", "one", "one"}, "create red/a as one, create red/b as one, create red/c as one", "one", false},
		"Other":  {"the one before may have lost its rights", policy.ActAlways, []string{"one", "two", "one"}, "create red/a as one, create red/b as two, create red/c as one", "one two", false},
		"Engine": {"the installation lets it", policy.ActIfNamed, []string{"one", "", "two"}, "create red/a as one, create red/b, create red/c as two", "one two", false},
		"Nobody": {"the engine is no stand-in", policy.ActAlways, []string{"one", "", "one"}, "create red/a as one", "one", true},
	} {
		t.Run(name, func(t *testing.T) {
			var waves []gitops.Wave
			for i, object := range []string{"a", "b", "c"} {
				waves = append(waves, gitops.Wave{Phase: gitops.Sync, Number: i, Actions: []gitops.Action{action(gitops.Create, "red", object, "")}})
			}
			n := narrowingOf(waves...)
			n.Acting = func() policy.Acting { return tc.acting }
			next := 0
			name := func() { n.act(tc.accounts[next%len(tc.accounts)]); next++ }
			n.after(name)
			name()
			n.target.Project, _ = n.Projects.Project(t.Context(), "")
			n.target.Writer, n.target.Refusal = n.writer(&n.target.Subject, state.Writer{})
			step, refusal := n.look(t)
			if refusal != "" || step.Failed != tc.failed {
				t.Errorf("%s: it ends with %q, %+v", tc.reason, refusal, step)
			}
			if sent, made := strings.Join(n.sent, ", "), strings.Join(n.made, " "); sent != tc.sent || made != tc.made {
				t.Errorf("%s: sent %s, with writers for %s; want %s, for %s", tc.reason, sent, made, tc.sent, tc.made)
			}
		})
	}
}

// TestNarrowedProjectKeepsFinalizersOfHooks: what a project has lost in the midst of a look keeps its hook's finalizer
// in that look, also once a wave was refused for it.
func TestNarrowedProjectKeepsFinalizersOfHooks(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		then     func(*narrowing)
		released string
	}{
		"Same":      {"nothing has changed", func(*narrowing) {}, "release blue/hook"},
		"Account":   {"it is written as whom the project names now", func(n *narrowing) { n.act("two") }, "release blue/hook as two"},
		"Namespace": {"nothing is written there any more", func(n *narrowing) { n.permit("red") }, ""},
		"Lost":      {"nobody knows what is permitted", func(n *narrowing) { n.Projects = lostProject{} }, ""},
		"Nobody":    {"there is nobody to act as", func(n *narrowing) { n.Acting = func() policy.Acting { return policy.ActAlways } }, ""},
		"Unlisted":  {"the Application may not use the project", func(n *narrowing) { n.target.App.Namespace = "team" }, ""},
		"Cluster":   {"nothing is permitted on the cluster", func(n *narrowing) { n.permit() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			hook := action(gitops.Keep, "blue", "hook", gitops.Healthy)
			hook.Hook, hook.Over, hook.Live.Finalizers = true, true, []string{gitops.FinalizerHook}
			n := narrowingOf(gitops.Wave{Phase: gitops.PreSync, Actions: []gitops.Action{hook}}, gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{action(gitops.Create, "blue", "a", "")}})
			n.Acting = func() policy.Acting { return policy.ActIfNamed }
			n.after(func() { tc.then(n) })
			step, refusal := n.look(t)
			if refused := tc.released == ""; refusal != "" || step.Failed != refused {
				t.Errorf("%s: it ends with %q, %+v", tc.reason, refusal, step)
			}
			sent := slices.DeleteFunc(n.sent, func(s string) bool { return strings.HasPrefix(s, "create") && tc.released != "" })
			if got := strings.Join(sent, ", "); got != tc.released {
				t.Errorf("%s: sent %q, want %q", tc.reason, got, tc.released)
			}
		})
	}
}

// TestNarrowedProjectHoldsNoAtomicSync: the end of an atomic sync waits for what its project permits.
func TestNarrowedProjectHoldsNoAtomicSync(t *testing.T) {
	n := narrowingOf(gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{action(gitops.Keep, "blue", "kept", gitops.Healthy), action(gitops.Keep, "red", "kept", gitops.Healthy)}})
	n.look(t)
	n.permit("red")
	step, _ := n.look(t)
	if again := n.lostSince(t.Context(), n.target, n.attempt, n.live); again || len(n.asked) > 0 {
		t.Errorf("planned again: %t, asked for %v", again, n.asked)
	}
	if end := unsettled(n.target, n.attempt.Plan, n.live, step); !end.Done || len(end.Waiting) > 0 {
		t.Errorf("it waits for %+v", end.Waiting)
	}
}
