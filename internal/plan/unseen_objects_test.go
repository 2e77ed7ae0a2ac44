package plan_test

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// waitingWave plays a wave until it waits for one of its objects.
func waitingWave(t *testing.T, gone string) (*world, *gitops.Plan, *plan.Progress) {
	t.Helper()
	w, g := newWorld(), &plan.Progress{}
	w.live[key("slow")] = &gitops.Live{Key: key("slow"), ResourceVersion: "5", Health: gitops.Health{Code: gitops.Progressing}}
	p := planOf(t, gone, waved("slow", "0"), waved("next", "1"))
	if step := w.run(p, g); len(step.Waiting) == 0 {
		t.Fatalf("it does not wait: %+v", step)
	}
	return w, p, g
}

func TestLostObjectIsAppliedAgain(t *testing.T) {
	w, p, g := waitingWave(t, waved("gone", "0"))
	if unseen := g.Unseen(p, w.look); len(unseen) != 0 {
		t.Fatalf("all are there: %+v", unseen)
	}
	delete(w.live, key("gone"))
	unseen := g.Unseen(p, w.look)
	if len(unseen) != 1 || unseen[0].Key != key("gone") {
		t.Fatalf("unseen: %+v", unseen)
	}
	if step := plan.Next(p, g, w.look); step.Wave != nil {
		t.Fatalf("a watch may lag behind: nothing is sent before the cluster was asked: %+v", step)
	}
	g.Lost(p, &gitops.Action{Key: key("gone")})
	step := plan.Next(p, g, w.look)
	if !step.Again || len(step.Wave.Actions) != 1 || step.Wave.Actions[0].Key != key("gone") || step.Wave.Actions[0].Verb != gitops.Create || len(step.Waiting) != 2 {
		t.Fatalf("what is lost is sent again, alone: %+v", step)
	}
	if unseen := g.Unseen(p, w.look); len(unseen) != 0 {
		t.Errorf("what is known to be lost is not asked for again: %+v", unseen)
	}
	g.Advance(step, w.apply(step.Wave))
	if step = plan.Next(p, g, w.look); step.Wave != nil || len(step.Waiting) != 1 {
		t.Errorf("it is sent once: %+v", step)
	}
	w.health("slow", gitops.Healthy, "")
	if step = w.run(p, g); !step.Done || step.Failed || strings.Join(w.order, ",") != "gone,slow,gone,next" {
		t.Errorf("%+v after %v", step, w.order)
	}
}

func TestObjectThatWasAsDesiredIsLost(t *testing.T) {
	kept := &gitops.Live{Key: key("gone"), ResourceVersion: "3", Fingerprint: "f"}
	slow := &gitops.Live{Key: key("slow"), ResourceVersion: "5", Health: gitops.Health{Code: gitops.Progressing}}
	p, err := plan.Make(plan.Input{
		Set: desired(t, application(), waved("gone", "0"), waved("slow", "0"), waved("next", "1")), Hooks: true, Live: index(kept, slow),
		Known: func(k gitops.Key, _, fingerprint string) bool { return k == kept.Key && fingerprint == "f" },
	})
	if err != nil {
		t.Fatal(err)
	}
	w, g := &world{live: index(kept, slow)}, &plan.Progress{}
	w.run(p, g)
	delete(w.live, key("gone"))
	if unseen := g.Unseen(p, w.look); len(unseen) != 1 {
		t.Fatalf("unseen: %+v", unseen)
	}
	g.Lost(p, &gitops.Action{Key: key("gone")})
	step := plan.Next(p, g, w.look)
	if step.Wave == nil || step.Wave.Actions[0].Verb != gitops.Create || step.Wave.Actions[0].Live != nil {
		t.Errorf("what was left as it was is made: %+v", step)
	}
}

// A Job that is collected when it is done was done: to make it again would run
// it again.
func TestJobThatExpires(t *testing.T) {
	w, p, g := waitingWave(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {ttlSecondsAfterFinished: 1}}`)
	job := g.Unseen(p, func(gitops.Key) *gitops.Live { return nil })
	for _, a := range job {
		if a.Key.Kind == "Job" {
			delete(w.live, a.Key)
			g.Lost(p, &a)
		}
	}
	if step := plan.Next(p, g, w.look); step.Wave != nil || len(step.Waiting) != 1 {
		t.Fatalf("the other object alone is waited for: %+v", step)
	}
	w.health("slow", gitops.Healthy, "")
	if step := w.run(p, g); !step.Done || step.Failed || strings.Join(w.order, ",") != "slow,once,next" {
		t.Errorf("%+v after %v", step, w.order)
	}
}

func TestHookThatIsLost(t *testing.T) {
	hook := ", annotations: {argocd.argoproj.io/hook: Sync}"
	for name, c := range map[string]struct {
		reason string
		health gitops.HealthCode
		lost   int
	}{
		"done":    {"a hook that is over has done its work, whoever deletes it", gitops.Healthy, 0},
		"running": {"nobody knows how far it came, and it is not run twice by itself", gitops.Progressing, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, g := newWorld(), &plan.Progress{}
			w.live[key("hook")] = &gitops.Live{Key: key("hook"), ResourceVersion: "5", Health: gitops.Health{Code: c.health}}
			w.live[key("slow")] = &gitops.Live{Key: key("slow"), ResourceVersion: "5", Health: gitops.Health{Code: gitops.Progressing}}
			p := planOf(t, cm("hook", hook), waved("slow", "0"), waved("next", "1"))
			w.run(p, g)
			delete(w.live, key("hook"))
			unseen := g.Unseen(p, w.look)
			if len(unseen) != c.lost {
				t.Fatalf("%s: unseen %+v", c.reason, unseen)
			}
			if c.lost == 0 {
				return
			}
			g.Lost(p, &gitops.Action{Key: key("hook")})
			step := w.run(p, g)
			if !step.Done || !step.Failed || len(step.Errors) != 1 || !strings.Contains(step.Errors[0].Error(), "deleted before it was done") {
				t.Errorf("%s: %+v", c.reason, step)
			}
			if r, _ := g.Result(gitops.Sync, key("hook")); r.Err == nil || strings.Join(w.order, ",") != "hook,slow" {
				t.Errorf("%s: %+v after %v", c.reason, r, w.order)
			}
		})
	}
}

// A hook that was done may be deleted while its wave still waits for another
// object: by a Job's time to live, or by a person.
func TestHookThatGoesWhenItIsDone(t *testing.T) {
	w, g := newWorld(), &plan.Progress{}
	hook := &gitops.Live{Key: key("hook"), ResourceVersion: "5", UID: "1", Finalizers: []string{gitops.FinalizerHook}, Health: gitops.Health{Code: gitops.Progressing, Message: "busy"}}
	w.live[key("hook")] = hook
	w.live[key("slow")] = &gitops.Live{Key: key("slow"), ResourceVersion: "5", Health: gitops.Health{Code: gitops.Progressing}}
	p := planOf(t, cm("hook", ", annotations: {argocd.argoproj.io/hook: Sync}"), waved("slow", "0"), waved("next", "1"))
	look := func(code gitops.HealthCode, finalizers ...string) plan.Step {
		w.live[key("hook")] = &gitops.Live{Key: key("hook"), ResourceVersion: "9", UID: "1", Deleting: code == gitops.Progressing, Finalizers: finalizers, Health: gitops.Health{Code: code}}
		return w.run(p, g)
	}
	w.run(p, g)
	look(gitops.Healthy, gitops.FinalizerHook)
	held := g.Held()
	if len(held) != 1 {
		t.Fatalf("held: %+v", held)
	}
	// The answer of the API server to a person's deletion and the engine's release.
	g.Released(held[0], &gitops.Live{Key: key("hook"), ResourceVersion: "9", UID: "1", Deleting: true, Health: gitops.Health{Code: gitops.Progressing}})
	if step := look(gitops.Progressing, "foregroundDeletion"); len(step.Waiting) != 1 || step.Waiting[0].Key.Name != "slow" || step.Replan {
		t.Errorf("a hook that was done is waited for: %+v", step)
	}
	delete(w.live, key("hook"))
	if unseen := g.Unseen(p, w.look); len(unseen) != 0 {
		t.Errorf("a hook that was done is missed: %+v", unseen)
	}
	w.health("slow", gitops.Healthy, "")
	if step := w.run(p, g); !step.Done || step.Failed {
		t.Errorf("the sync ends with %+v", step)
	}
	if r, _ := g.Result(gitops.Sync, key("hook")); r.Live.Health.Code != gitops.Healthy || r.Message != string(gitops.Healthy) {
		t.Errorf("the hook ended as %+v, %q", r.Live.Health, r.Message)
	}
}

// What nobody may look for any more holds nothing up, and is not made anew.
func TestObjectThatIsForgone(t *testing.T) {
	w, p, g := waitingWave(t, waved("gone", "0"))
	delete(w.live, key("gone"))
	for _, a := range g.Unseen(p, w.look) {
		g.Forgo(p, &a)
	}
	if unseen := g.Unseen(p, w.look); len(unseen) != 0 {
		t.Errorf("it is missed again: %+v", unseen)
	}
	if step := plan.Next(p, g, w.look); step.Wave != nil || len(step.Waiting) != 1 || step.Waiting[0].Key != key("slow") {
		t.Fatalf("the other object alone is waited for: %+v", step)
	}
	w.health("slow", gitops.Healthy, "")
	if step := w.run(p, g); !step.Done || step.Failed || strings.Join(w.order, ",") != "gone,slow,next" {
		t.Errorf("%+v after %v", step, w.order)
	}
}
