package plan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// served knows all kinds but one.
func served(group, kind string) (namespaced, known bool) {
	return !clusterScoped[kind], group != "example.com"
}

const (
	gadget     = "{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g%s}}"
	definition = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gadgets.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Gadget}}}"
)

func TestFaults(t *testing.T) {
	plain, skips := strings.ReplaceAll(gadget, "%s", ""), strings.ReplaceAll(gadget, "%s", ", annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}")
	cases := map[string]struct {
		reason string
		texts  []string
		want   string
	}{
		"NoName":       {"an object without a name cannot be applied; the others are compared all the same", []string{"{apiVersion: v1, kind: ConfigMap, metadata: {}}", cm("a")}, "without a name"},
		"GenerateName": {"a generated name outside of hooks", []string{"{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}"}, "only hooks"},
		"UnknownKind":  {"a kind that is not served", []string{plain, cm("a")}, "does not serve this kind"},
		"Defined":      {"a kind that the same sync defines", []string{plain, definition}, ""},
		"Skips":        {"one that is told to be tried", []string{skips}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, err := plan.Desired(plan.Want{App: application(), TrackingName: "app", Manifests: manifests(t, tc.texts...), Scope: served})
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan.Make(plan.Input{Set: set})
			if err != nil {
				t.Fatal(err)
			}
			fault := faultOf(p)
			if tc.want == "" && fault != nil || tc.want != "" && (fault == nil || !strings.Contains(fault.Error(), tc.want)) {
				t.Errorf("%s: %v", tc.reason, fault)
			}
			if errors.Is(fault, gitops.ErrNotServed) != set.Unserved(scope) {
				t.Errorf("%s: whether a look for new kinds is worth it: %t", tc.reason, set.Unserved(scope))
			}
		})
	}
}

func faultOf(p *gitops.Plan) error {
	for _, w := range p.Waves {
		for i := range w.Actions {
			if err := w.Actions[i].Fault; err != nil {
				return err
			}
		}
	}
	return nil
}

func TestMisreadAnnotationsAreTold(t *testing.T) {
	cases := map[string]struct {
		reason, annotations string
		want                []string
	}{
		"Right":  {"nothing to tell", "argocd.argoproj.io/sync-wave: '-1', argocd.argoproj.io/hook: 'PreSync,PostDelete', argocd.argoproj.io/hook-delete-policy: HookFailed", nil},
		"Wave":   {"the wave that is taken is named", "argocd.argoproj.io/sync-wave: first", []string{`"first" is not a whole number: wave 0`}},
		"Hook":   {"with the nearest name, and what comes of it", "argocd.argoproj.io/hook: PreSinc", []string{`no hook "PreSinc": the object is not applied; did you mean "PreSync"?`}},
		"Second": {"one of two names", "argocd.argoproj.io/hook: 'PreSync,Postsync'", []string{`no hook "Postsync": it has no effect; did you mean "PostSync"?`}},
		"Policy": {"delete policies too", "argocd.argoproj.io/hook-delete-policy: hooksucceeded", []string{`no hook delete policy "hooksucceeded"`, `did you mean "HookSucceeded"?`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := desired(t, application(), cm("a", ", annotations: {"+tc.annotations+"}"))
			var texts []string
			for _, w := range s.Warnings {
				texts = append(texts, w.Message)
			}
			all := strings.Join(texts, "\n")
			if len(tc.want) == 0 && all != "" || slices.ContainsFunc(tc.want, func(part string) bool { return !strings.Contains(all, part) }) {
				t.Errorf("%s: %q", tc.reason, all)
			}
		})
	}
}

func TestExtras(t *testing.T) {
	hook := liveOf(key("left"), func(l *gitops.Live) { l.Annotations = map[string]string{gitops.AnnotationHook: "PreSync"} })
	copied := liveOf(key("copy"), func(l *gitops.Live) { l.Tracking = "app:/ConfigMap:demo/a" })
	owned := liveOf(key("owned"), func(l *gitops.Live) { l.Tracking, l.Owners = "app:/ConfigMap:demo/a", []types.UID{"1"} })
	set := desired(t, application(), cm("a"), cm("skipped", ", annotations: {argocd.argoproj.io/hook: Skip}"))
	got := plan.Extras(set, index(hook, copied, owned, liveOf(key("a"))))
	var names []string
	for _, e := range got {
		names = append(names, e.Key.Name)
	}
	if !slices.Equal(names, []string{"copy", "left", "skipped"}) {
		t.Fatalf("hooks that are left over, copies and what is never applied are extra, nothing else: %v", names)
	}
	if !got[1].Hook || !got[1].Own || got[0].Own {
		t.Errorf("a hook has an id of its own, a copy that of another: %+v", got)
	}
}

func TestHookStaysUntilItIsDone(t *testing.T) {
	w := newWorld()
	p := planOf(t, "{apiVersion: batch/v1, kind: Job, metadata: {name: before, annotations: {argocd.argoproj.io/hook: PreSync}}}", cm("a"))
	if f := p.Waves[0].Actions[0].Desired.Object.GetFinalizers(); !slices.Equal(f, []string{gitops.FinalizerHook}) {
		t.Fatalf("a hook carries %v", f)
	}
	var g plan.Progress
	g.Advance(plan.Next(p, &g, w.look), w.apply(&p.Waves[0]))
	job := gitops.Key{Group: "batch", Kind: "Job", Namespace: "demo", Name: "before"}
	state := func(code gitops.HealthCode) plan.Step {
		w.live[job] = &gitops.Live{Key: job, ResourceVersion: "9", Deleting: true, Finalizers: []string{gitops.FinalizerHook}, Health: gitops.Health{Code: code}}
		return plan.Next(p, &g, w.look)
	}
	if step := state(gitops.Progressing); len(step.Waiting) != 1 || len(g.Held()) != 0 {
		t.Errorf("a hook that somebody deleted while it runs is waited for: %+v", step)
	}
	if step := state(gitops.Healthy); step.Wave == nil || len(g.Held()) != 1 {
		t.Errorf("it is let go when it is done, and the sync goes on: %+v", step)
	}
	g.Released(g.Held()[0], &gitops.Live{Key: job, Deleting: true})
	if len(g.Held()) != 0 {
		t.Error("it is let go once")
	}
}
