package plan_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestHookInPlaceOfAnObject is about what becomes of an object that is there
// when a hook of its name is to run.
func TestHookInPlaceOfAnObject(t *testing.T) {
	const neighbours = "neighbour"
	hook := map[string]string{gitops.AnnotationHook: "PreSync"}
	sameRun := map[string]string{gitops.AnnotationHook: "PreSync", gitops.AnnotationHookRun: "0123456-presync-7"}
	tracked := func(by string) func(*gitops.Live) {
		return func(l *gitops.Live) { l.Tracking = gitops.TrackingID(by, l.Key) }
	}
	with := func(annotations map[string]string) func(*gitops.Live) {
		return func(l *gitops.Live) { l.Annotations = maps.Clone(annotations) }
	}
	says := func(options string) func(*gitops.Live) {
		return with(map[string]string{gitops.AnnotationSync: options})
	}
	type want struct {
		Verb                    gitops.Verb
		Recreate, Goes, Remains bool
		Fault, Refused          string
	}
	anew := want{Verb: gitops.Create, Recreate: true, Goes: true}
	held, both := "part of application neighbour", "part of applications app and neighbour"
	cases := map[string]struct {
		reason, policy string
		change         []func(*gitops.Live)
		gone           bool
		taken          string
		approved       bool
		options        []string
		ran            plan.HookState
		want           want
	}{
		"Remains":         {reason: "an earlier hook left it", change: []func(*gitops.Live){with(hook)}, want: want{Verb: gitops.Create, Recreate: true, Goes: true, Remains: true}},
		"RemainsListed":   {reason: "another one that only lists its name stops no hook", change: []func(*gitops.Live){with(hook)}, taken: neighbours, want: want{Verb: gitops.Create, Recreate: true, Goes: true, Remains: true}},
		"Object":          {reason: "an object becomes a hook", want: anew},
		"ObjectLater":     {reason: "its policy deletes it at the end", policy: "HookSucceeded", want: want{Verb: gitops.Update, Goes: true}},
		"ObjectOnFailure": {reason: "the next commit could have another policy", policy: "HookFailed", want: want{Verb: gitops.Update, Goes: true}},
		"CrdInstall":      {reason: "Helm's annotation of old makes no hook", change: []func(*gitops.Live){with(map[string]string{"helm.sh/hook": "crd-install"})}, want: anew},
		"Nobodys":         {reason: "an object of nobody is an object", change: []func(*gitops.Live){func(l *gitops.Live) { l.Tracking = "" }, with(hook)}, want: anew},
		"CopiedID":        {reason: "an id of another object tells nothing", change: []func(*gitops.Live){func(l *gitops.Live) { l.Tracking = gitops.TrackingID("app", key("b")) }, with(hook)}, want: anew},
		"Others":          {reason: "another application made it", change: []func(*gitops.Live){tracked(neighbours)}, want: want{Verb: gitops.Create, Recreate: true, Fault: held, Refused: both}},
		"OthersLater":     {reason: "nor is it deleted at the end", policy: "HookSucceeded", change: []func(*gitops.Live){tracked(neighbours)}, want: want{Verb: gitops.Update, Fault: held, Refused: both}},
		"OthersHook":      {reason: "another application's hook is its own", change: []func(*gitops.Live){tracked(neighbours), with(hook)}, want: want{Verb: gitops.Create, Recreate: true, Fault: held, Refused: both}},
		"OthersRun":       {reason: "nor is it this one's because a record says that this one began", change: []func(*gitops.Live){tracked(neighbours), with(hook)}, ran: plan.HookStarted, want: want{Verb: gitops.Keep, Fault: held, Refused: both}},
		"OthersSameRun":   {reason: "nor because both sync one revision in one second", change: []func(*gitops.Live){tracked(neighbours), with(sameRun)}, want: want{Verb: gitops.Keep, Fault: held, Refused: both}},
		"OwnRun":          {reason: "what this one began goes on", change: []func(*gitops.Live){with(sameRun)}, want: want{Verb: gitops.Keep, Remains: true}},
		"OfOneThatIsGone": {reason: "nobody holds it", change: []func(*gitops.Live){tracked(neighbours)}, gone: true, want: anew},
		"Listed":          {reason: "another application has it in its sources", taken: neighbours, want: want{Verb: gitops.Create, Recreate: true, Fault: held, Refused: both}},
		"Confirm":         {reason: "a person is asked first", change: []func(*gitops.Live){says("Prune=confirm")}, want: want{Verb: gitops.Skip, Refused: "waiting for pruning confirmation"}},
		"ConfirmDelete":   {reason: "and before a deletion", change: []func(*gitops.Live){says("Delete=confirm")}, want: want{Verb: gitops.Skip, Refused: "waiting for pruning confirmation"}},
		"Confirmed":       {reason: "a person has said yes", change: []func(*gitops.Live){says("Prune=confirm")}, approved: true, want: anew},
		"ConfirmOfHook":   {reason: "a hook that says so is a hook", change: []func(*gitops.Live){with(map[string]string{gitops.AnnotationHook: "PreSync", gitops.AnnotationSync: "Prune=confirm"})}, want: want{Verb: gitops.Create, Recreate: true, Goes: true, Remains: true}},
		"Stays":           {reason: "it is to stay", change: []func(*gitops.Live){says("Prune=false")}, want: want{Verb: gitops.Create, Recreate: true, Fault: "keep it"}},
		"StaysAfter":      {reason: "also when its application goes", change: []func(*gitops.Live){says("Delete=false")}, want: want{Verb: gitops.Create, Recreate: true, Fault: "keep it"}},
		"HelmKeep":        {reason: "Helm's word for it", change: []func(*gitops.Live){with(map[string]string{"helm.sh/resource-policy": "keep"})}, want: want{Verb: gitops.Create, Recreate: true, Fault: "keep it"}},
		"StaysByApp":      {reason: "the application says so", options: []string{"Prune=false"}, want: want{Verb: gitops.Create, Recreate: true, Fault: "keep it"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy := ""
			if tc.policy != "" {
				policy = ", argocd.argoproj.io/hook-delete-policy: " + tc.policy
			}
			app := application(append(tc.options, "FailOnSharedResource=true")...)
			p, err := plan.Make(plan.Input{
				Set: desired(t, app, cm("a", ", annotations: {argocd.argoproj.io/hook: PreSync"+policy+"}")), Hooks: true, Approved: tc.approved,
				Revision: "0123456789", Started: time.Unix(7, 0), Ran: func(gitops.Phase, gitops.Key) plan.HookState { return tc.ran },
				Live: index(liveOf(key("a"), tc.change...)), Gone: func(string, gitops.Key) bool { return tc.gone },
				Taken: func([]gitops.Key) (map[gitops.Key]string, error) {
					return map[gitops.Key]string{key("a"): tc.taken}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			a := p.Waves[0].Actions[0]
			got := want{Verb: a.Verb, Recreate: a.Recreate, Goes: a.Goes, Remains: a.Remains, Fault: part(a.Fault, tc.want.Fault), Refused: part(plan.Refuse(p, nil, false), tc.want.Refused)}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			shared := slices.ContainsFunc(p.Warnings, func(w gitops.Warning) bool { return w.Reason == "SharedResourceWarning" })
			if shared != (tc.want.Fault == held) {
				t.Errorf("%s: warnings %v", tc.reason, p.Warnings)
			}
		})
	}
}

// part is the part of an error's text that was wanted, or all of it.
func part(err error, want string) string {
	switch {
	case err == nil:
		return ""
	case want != "" && strings.Contains(err.Error(), want):
		return want
	}
	return err.Error()
}

// TestHookOfAnotherPhase has a hook that is made anew in each of its phases:
// what is there now is gone by the second.
func TestHookOfAnotherPhase(t *testing.T) {
	in := plan.Input{
		Set: desired(t, application(), cm("a", ", annotations: {argocd.argoproj.io/hook: 'PreSync,PostSync'}")), Hooks: true,
		Live: index(annotated("a", gitops.AnnotationHook, "PreSync,PostSync")),
	}
	p, err := plan.Make(in)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Waves[0].Actions[0], p.Waves[1].Actions[0]; a.Live == nil || b.Live != nil || !b.Recreate {
		t.Errorf("the object of PreSync is another one in PostSync: %+v", b)
	}
	in.Ran = func(phase gitops.Phase, _ gitops.Key) plan.HookState {
		if phase == gitops.PreSync {
			return plan.HookOver
		}
		return plan.HookPending
	}
	in.Live = index(liveOf(key("a")))
	if p, err = plan.Make(in); err != nil {
		t.Fatal(err)
	}
	if a, b := p.Waves[0].Actions[0], p.Waves[1].Actions[0]; a.Live != nil || a.Goes || b.Live == nil || !b.Goes || b.Remains {
		t.Errorf("of a hook that has ended another object of its name is none; for the next one it is: %+v, %+v", a, b)
	}
}

// TestForceOfSharedObjects is about objects that Force=true would make anew.
func TestForceOfSharedObjects(t *testing.T) {
	cases := map[string]struct {
		reason   string
		tracking string
		taken    string
		hand     bool
		want     bool
	}{
		"Own":           {reason: "its own", tracking: "app", want: true},
		"Held":          {reason: "another application holds it", tracking: "neighbour"},
		"HeldAndByHand": {reason: "a person's --force changes nothing in that", tracking: "neighbour", hand: true},
		"Listed":        {reason: "another application has it in its sources", tracking: "app", taken: "neighbour"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := liveOf(key("a"), func(l *gitops.Live) { l.Tracking = gitops.TrackingID(tc.tracking, l.Key) })
			p, err := plan.Make(plan.Input{
				Set: desired(t, application("Replace=true", "Force=true"), cm("a")), Live: index(live), Force: tc.hand,
				Taken: func([]gitops.Key) (map[gitops.Key]string, error) {
					return map[gitops.Key]string{key("a"): tc.taken}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if a := p.Waves[0].Actions[0]; a.Verb != gitops.Update || a.Options.Force != tc.want || (len(p.Warnings) == 0) != tc.want {
				t.Errorf("%s: %s, force %t, %v", tc.reason, a.Verb, a.Options.Force, p.Warnings)
			}
		})
	}
}
