package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// world is a cluster in which every apply works.
type world struct {
	live map[gitops.Key]*gitops.Live
	// fails are objects whose apply fails.
	fails map[string]error
	order []string
}

func (w *world) look(k gitops.Key) *gitops.Live { return w.live[k] }

func (w *world) apply(wave *gitops.Wave) []gitops.Result {
	var out []gitops.Result
	for _, a := range wave.Actions {
		w.order = append(w.order, a.Key.Name)
		r := gitops.Result{Key: a.Key, Phase: wave.Phase, Wave: wave.Number, Verb: a.Verb, Hook: a.Hook, Err: w.fails[a.Key.Name]}
		if r.Err == nil {
			r.Live = &gitops.Live{Key: a.Key, ResourceVersion: "1"}
			if w.live[a.Key] == nil {
				w.live[a.Key] = r.Live
			}
		}
		out = append(out, r)
	}
	return out
}

// run goes on until the sync ends or waits.
func (w *world) run(p *gitops.Plan, g *plan.Progress) plan.Step {
	for {
		step := plan.Next(p, g, w.look)
		if step.Wave == nil || step.Again {
			return step
		}
		g.Advance(step, w.apply(step.Wave))
	}
}

func (w *world) health(name string, code gitops.HealthCode, message string) {
	for k, l := range w.live {
		if k.Name == name {
			w.live[k] = &gitops.Live{Key: k, ResourceVersion: "9", Deleting: l.Deleting, Health: gitops.Health{Code: code, Message: message}}
		}
	}
}

func newWorld() *world { return &world{live: map[gitops.Key]*gitops.Live{}, fails: map[string]error{}} }

func waved(name, wave string) string {
	return cm(name, ", annotations: {argocd.argoproj.io/sync-wave: '"+wave+"'}")
}

func planOf(t *testing.T, texts ...string) *gitops.Plan {
	t.Helper()
	p, err := plan.Make(plan.Input{Set: desired(t, application(), texts...), Hooks: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNextRunsWavesInOrder(t *testing.T) {
	w, g := newWorld(), &plan.Progress{}
	p := planOf(t, waved("c", "2"), waved("a", "-1"), waved("b", "0"))
	step := w.run(p, g)
	if !step.Done || step.Failed || strings.Join(w.order, "") != "abc" {
		t.Errorf("kinds without health are healthy as soon as they exist: %+v after %v", step, w.order)
	}
	if n := len(g.Results(p)); n != 3 {
		t.Errorf("%d results", n)
	}
}

func TestNextWaitsForHealth(t *testing.T) {
	for _, code := range []gitops.HealthCode{gitops.Progressing, gitops.Suspended, gitops.Missing, gitops.HealthUnknown} {
		w, g := newWorld(), &plan.Progress{}
		w.live[key("a")] = &gitops.Live{Key: key("a"), ResourceVersion: "5", Health: gitops.Health{Code: code, Message: "1 of 3"}}
		p := planOf(t, waved("a", "1"), waved("b", "2"))
		step := w.run(p, g)
		if step.Done || len(step.Waiting) != 1 {
			t.Fatalf("%s holds back the next wave: %+v", code, step)
		}
		if got := step.Waiting[0].String(); got != "waiting for /ConfigMap:demo/a in wave 1: 1 of 3" {
			t.Errorf("text: %s", got)
		}
		w.health("a", gitops.Healthy, "")
		if step = w.run(p, g); !step.Done || step.Failed || strings.Join(w.order, "") != "ab" {
			t.Errorf("%s, then Healthy: %+v after %v", code, step, w.order)
		}
	}
}

func TestNextDoesNotWaitForTheLastWave(t *testing.T) {
	for _, code := range []gitops.HealthCode{gitops.Progressing, gitops.Degraded} {
		w, g := newWorld(), &plan.Progress{}
		w.live[key("a")] = &gitops.Live{Key: key("a"), ResourceVersion: "5", Health: gitops.Health{Code: code}}
		if step := w.run(planOf(t, cm("a")), g); !step.Done || step.Failed {
			t.Errorf("%s: %+v", code, step)
		}
	}
}

func TestNextFailsOnDegraded(t *testing.T) {
	w, g := newWorld(), &plan.Progress{}
	w.live[key("a")] = &gitops.Live{Key: key("a"), ResourceVersion: "5", Health: gitops.Health{Code: gitops.Degraded, Message: "broken"}}
	p := planOf(t, waved("a", "0"), waved("b", "1"), cm("sorry", ", annotations: {argocd.argoproj.io/hook: SyncFail}"))
	step := w.run(p, g)
	if !step.Done || !step.Failed || strings.Join(w.order, ",") != "a,sorry" {
		t.Errorf("a degraded object ends the sync and SyncFail hooks run: %+v after %v", step, w.order)
	}
}

func TestNextFailsWithAnAction(t *testing.T) {
	w, g := newWorld(), &plan.Progress{}
	w.fails["a"] = errors.New("rejected")
	step := w.run(planOf(t, waved("a", "0"), waved("c", "0"), waved("b", "1")), g)
	if !step.Done || !step.Failed || strings.Join(w.order, "") != "ac" || len(step.Errors) != 1 {
		t.Errorf("%+v after %v", step, w.order)
	}
}

func TestNextTriesAgainWhatWasNotReady(t *testing.T) {
	w, g := newWorld(), &plan.Progress{}
	w.fails["a"] = gitops.Problemf(gitops.NotReady, "no such kind yet")
	p := planOf(t, waved("a", "0"), waved("c", "0"), waved("b", "1"))
	step := w.run(p, g)
	if !step.Again || len(step.Wave.Actions) != 1 || step.Wave.Actions[0].Key.Name != "a" || len(step.Waiting) != 1 {
		t.Fatalf("only what was not ready is tried again: %+v", step)
	}
	delete(w.fails, "a")
	g.Advance(step, w.apply(step.Wave))
	if step = w.run(p, g); !step.Done || step.Failed || strings.Join(w.order, "") != "acab" {
		t.Errorf("%+v after %v", step, w.order)
	}
}

func TestNextWaitsForHooksEverywhere(t *testing.T) {
	w, g := newWorld(), &plan.Progress{}
	w.live[key("hook")] = &gitops.Live{Key: key("hook"), ResourceVersion: "5", Health: gitops.Health{Code: gitops.Progressing}}
	p := planOf(t, cm("a"), cm("hook", ", annotations: {argocd.argoproj.io/hook: PostSync}"))
	if step := w.run(p, g); step.Done || len(step.Waiting) != 1 {
		t.Fatalf("a hook of the last wave is waited for: %+v", step)
	}
	w.health("hook", gitops.Degraded, "exit code 1")
	if step := w.run(p, g); !step.Failed || !strings.Contains(step.Errors[0].Error(), "exit code 1") {
		t.Errorf("a hook that fails fails the sync: %+v", step)
	}
}

func TestNextAppOfApps(t *testing.T) {
	child := "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: child, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: '-2'}}}"
	k := gitops.Key{Group: "argoproj.io", Kind: "Application", Namespace: "argocd", Name: "child"}
	w, g := newWorld(), &plan.Progress{}
	w.live[k] = &gitops.Live{Key: k, ResourceVersion: "5", Health: gitops.Health{Code: gitops.Degraded, Message: "waits for a CRD"}}
	p := planOf(t, child, cm("b"))
	if step := w.run(p, g); step.Done || len(step.Waiting) != 1 {
		t.Fatalf("a degraded Application is waited for: it heals by itself: %+v", step)
	}
	w.health("child", gitops.Healthy, "")
	if step := w.run(p, g); !step.Done || step.Failed {
		t.Errorf("%+v", step)
	}
}

func TestNextTrustsTheNewerState(t *testing.T) {
	p := planOf(t, waved("a", "0"), waved("b", "1"))
	g := &plan.Progress{}
	step := plan.Next(p, g, func(gitops.Key) *gitops.Live { return nil })
	applied := &gitops.Live{Key: key("a"), ResourceVersion: "10", Health: gitops.Health{Code: gitops.Progressing}}
	g.Advance(step, []gitops.Result{{Key: key("a"), Phase: gitops.Sync, Verb: gitops.Update, Live: applied}})
	for _, seen := range []*gitops.Live{nil, {ResourceVersion: "9", Health: gitops.Health{Code: gitops.Healthy}}} {
		if s := plan.Next(p, g, func(gitops.Key) *gitops.Live { return seen }); len(s.Waiting) != 1 {
			t.Errorf("a watch that lags behind (%+v) must not open the gate: %+v", seen, s)
		}
	}
	fresh := &gitops.Live{ResourceVersion: "11", Health: gitops.Health{Code: gitops.Healthy}}
	if s := plan.Next(p, g, func(gitops.Key) *gitops.Live { return fresh }); s.Wave == nil {
		t.Errorf("the watch has caught up: %+v", s)
	}
}

func TestNextWaitsForDeletion(t *testing.T) {
	going := liveOf(key("a"), func(l *gitops.Live) { l.Deleting, l.Finalizers = true, []string{"x/y"} })
	p, err := plan.Make(plan.Input{Set: desired(t, application(), cm("a")), Live: index(going)})
	if err != nil {
		t.Fatal(err)
	}
	w, g := newWorld(), &plan.Progress{}
	w.live[key("a")] = going
	step := w.run(p, g)
	if step.Done || !step.Replan || len(step.Waiting) != 1 || !strings.Contains(step.Waiting[0].String(), "finalizer x/y") {
		t.Fatalf("an object that is being deleted has to go first: %+v", step)
	}
	delete(w.live, key("a"))
	if step = plan.Next(p, g, w.look); !step.Replan || len(step.Waiting) != 0 {
		t.Errorf("it has gone: %+v", step)
	}
}

func TestLeftovers(t *testing.T) {
	p := planOf(t,
		cm("good", ", annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded}"),
		cm("bad", ", annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookFailed}"),
		cm("kept", ", annotations: {argocd.argoproj.io/hook: PreSync}"))
	w, g := newWorld(), &plan.Progress{}
	w.run(p, g)
	for policy, want := range map[plan.DeletePolicy]string{plan.HookSucceeded: "good", plan.HookFailed: "bad"} {
		got := plan.Leftovers(p, g, policy)
		if len(got) != 1 || got[0].Key.Name != want || got[0].Verb != gitops.Prune {
			t.Errorf("%s: %+v", policy, got)
		}
	}
}

// counted is an error whose text is made each time that it is asked for.
type counted struct {
	text string
	made *int
}

func (e counted) Error() string {
	*e.made++
	return e.text
}

// TestNextReadsEachFailureOnce has many objects fail before a SyncFail hook runs.
func TestNextReadsEachFailureOnce(t *testing.T) {
	const many = 100
	w, g, made := newWorld(), &plan.Progress{}, 0
	manifests := []string{cm("sorry", ", annotations: {argocd.argoproj.io/hook: SyncFail}")}
	for i := range many {
		name := fmt.Sprintf("a-%d", i)
		manifests = append(manifests, cm(name))
		w.fails[name] = counted{fmt.Sprintf("rejected %d", i/2), &made}
	}
	step := w.run(planOf(t, manifests...), g)
	if !step.Done || !step.Failed || len(step.Errors) != many {
		t.Errorf("%d of %d errors are told: %+v", len(step.Errors), many, step)
	}
	if made > 2*many {
		t.Errorf("%d texts were made of %d errors", made, many)
	}
}
