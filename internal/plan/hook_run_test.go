package plan_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

func TestHookOfTheSameSyncIsNotMadeAgain(t *testing.T) {
	const hook = "{apiVersion: v1, kind: ConfigMap, metadata: {name: hook, annotations: {argocd.argoproj.io/hook: PreSync%s}}}"
	at := time.Unix(1000, 0)
	cases := map[string]struct {
		reason string
		policy string
		change func(*gitops.Live)
		gone   bool
		ran    plan.HookState
		want   gitops.Verb
		again  bool
	}{
		"started":       {"its object says that this sync made it, whatever the record says", "", func(*gitops.Live) {}, false, plan.HookPending, gitops.Keep, false},
		"of another":    {"the sync before made it", "", func(l *gitops.Live) { l.Annotations[gitops.AnnotationHookRun] = "other" }, false, plan.HookPending, gitops.Create, true},
		"failed":        {"a retry tries it again", "", func(l *gitops.Live) { l.Health.Code = gitops.Degraded }, false, plan.HookPending, gitops.Create, true},
		"deleted":       {"it succeeded and its policy took it away, before the sync could end", ", argocd.argoproj.io/hook-delete-policy: HookSucceeded", nil, true, plan.HookOver, gitops.Keep, false},
		"never started": {"nothing is recorded", ", argocd.argoproj.io/hook-delete-policy: HookSucceeded", nil, true, plan.HookPending, gitops.Create, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := plan.Input{
				Set: desired(t, application(), fmt.Sprintf(hook, tc.policy)), Hooks: true, Revision: "0123456789", Started: at,
				Ran: func(gitops.Phase, gitops.Key) plan.HookState { return tc.ran },
			}
			first, err := plan.Make(in)
			if err != nil {
				t.Fatal(err)
			}
			if !tc.gone {
				a := first.Waves[0].Actions[0]
				live := liveOf(a.Key, func(l *gitops.Live) { l.Annotations = maps.Clone(a.Desired.Object.GetAnnotations()) }, tc.change)
				in.Live = index(live)
			}
			p, err := plan.Make(in)
			if err != nil {
				t.Fatal(err)
			}
			if a := p.Waves[0].Actions[0]; a.Verb != tc.want || a.Recreate != tc.again {
				t.Errorf("%s: got %s (anew: %v), want %q (anew: %v)", tc.reason, a.Verb, a.Recreate, tc.want, tc.again)
			}
		})
	}
}
