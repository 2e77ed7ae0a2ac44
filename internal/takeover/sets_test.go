package takeover

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestBlockersOfSets has ApplicationSets that would do something at once, or that
// Argo CD keeps from it.
func TestBlockersOfSets(t *testing.T) {
	set := func(namespace string, policy v1alpha1.ApplicationsSyncPolicy) v1alpha1.ApplicationSet {
		s := v1alpha1.ApplicationSet{}
		s.Name, s.Namespace = "fleet", namespace
		if policy != "" {
			s.Spec.SyncPolicy = &v1alpha1.ApplicationSetSyncPolicy{ApplicationsSync: &policy}
		}
		return s
	}
	controller := func(r Restraint) []Workload {
		return []Workload{{Kind: "Deployment", Name: "argocd-applicationset-controller", Component: ApplicationSetController, Restraint: r}}
	}
	for name, tc := range map[string]struct {
		reason    string
		params    map[string]string
		workloads []Workload
		set       v1alpha1.ApplicationSet
		expanded  SetComparison
		want      []string
	}{
		"Same": {"it gives what there is", nil, nil, set("argocd", ""), SetComparison{Name: "fleet"}, nil},
		"Changes": {"each Application is told", nil, nil, set("argocd", ""), SetComparison{Name: "fleet", Changes: []SetChange{
			{Application: "a", Verb: gitops.Create}, {Application: "b", Verb: gitops.Update, Fields: []string{"spec.project"}}, {Application: "c", Verb: gitops.Prune},
		}}, []string{
			"application a would be made by ApplicationSet fleet", "application b would be written (spec.project) by ApplicationSet fleet", "application c would be deleted by ApplicationSet fleet",
		}},
		"Problem":    {"nobody knows what it would do", nil, nil, set("argocd", ""), SetComparison{Name: "fleet", Problem: "no such repository"}, []string{"ApplicationSet fleet cannot be expanded: no such repository"}},
		"Policy":     {"it would delete later what Argo CD keeps", map[string]string{paramPolicy: "create-only"}, nil, set("argocd", ""), SetComparison{Name: "fleet"}, []string{"ApplicationSet fleet would go by the policy sync, which is its own, and not by create-only (by argocd-cmd-params-cm)"}},
		"Own":        {"the set says the same", map[string]string{paramPolicy: "create-only"}, nil, set("argocd", "create-only"), SetComparison{Name: "fleet"}, nil},
		"Sync":       {"it is kept from nothing", map[string]string{paramPolicy: "sync", paramDryRun: "false"}, nil, set("argocd", ""), SetComparison{Name: "fleet"}, nil},
		"Dry run":    {"it would begin to write", map[string]string{paramDryRun: "true"}, nil, set("argocd", ""), SetComparison{Name: "fleet"}, []string{"ApplicationSet fleet would begin to write Applications"}},
		"Elsewhere":  {"the engine does not look at it", map[string]string{paramPolicy: "create-only"}, nil, set("teams", ""), SetComparison{Name: "fleet"}, nil},
		"Argument":   {"an argument counts before the ConfigMap", map[string]string{paramPolicy: "sync"}, controller(RestraintOf([]string{"--policy=create-update"}, nil)), set("argocd", ""), SetComparison{Name: "fleet"}, []string{"not by create-update (by an argument of its container)"}},
		"Allows":     {"also one that allows all", map[string]string{paramPolicy: "create-only"}, controller(RestraintOf([]string{"--policy", "sync"}, nil)), set("argocd", ""), SetComparison{Name: "fleet"}, nil},
		"Dry by one": {"an argument has it write nothing", nil, controller(RestraintOf([]string{"--dry-run"}, nil)), set("argocd", ""), SetComparison{Name: "fleet"}, []string{"ApplicationSet fleet would begin to write Applications"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := &Installation{Namespace: "argocd", Params: tc.params, Workloads: tc.workloads, Sets: []v1alpha1.ApplicationSet{tc.set}}
			var got []string
			for _, b := range Blockers(in, nil, []SetComparison{tc.expanded}) {
				if len(got) < len(tc.want) && strings.Contains(b, tc.want[len(got)]) {
					b = tc.want[len(got)]
				}
				got = append(got, b)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRestraintOf(t *testing.T) {
	const argument, variable = "an argument of its container", "a variable of its container"
	for name, tc := range map[string]struct {
		reason    string
		arguments []string
		variables map[string]string
		want      Restraint
	}{
		"None":     {"it is started as it comes", []string{"argocd-applicationset-controller", "--loglevel", "debug"}, map[string]string{"NAMESPACE": "argocd"}, Restraint{}},
		"Equals":   {"one word", []string{"--policy=create-only"}, nil, Restraint{Policy: "create-only", From: argument}},
		"Two":      {"two words", []string{"--policy", "create-only"}, nil, Restraint{Policy: "create-only", From: argument}},
		"Variable": {"a variable", nil, map[string]string{variablePolicy: "create-delete", variableDryRun: "true"}, Restraint{Policy: "create-delete", DryRun: true, From: variable}},
		"Both":     {"the argument counts", []string{"--policy=sync"}, map[string]string{variablePolicy: "create-only"}, Restraint{Policy: "sync", From: argument}},
		"Dry run":  {"a flag without a value", []string{"--dry-run"}, nil, Restraint{DryRun: true, From: argument}},
		"Wet run":  {"one that is off", []string{"--dry-run=false"}, map[string]string{variableDryRun: "true"}, Restraint{From: argument}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, RestraintOf(tc.arguments, tc.variables)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRestraintsAreFound has a controller that is held back, by which nothing
// else would tell it.
func TestRestraintsAreFound(t *testing.T) {
	in := &Installation{Namespace: "argocd", Params: map[string]string{paramPolicy: "sync", paramDryRun: "true"}, Workloads: []Workload{
		{Kind: "StatefulSet", Name: "argocd-application-controller", Component: ApplicationController},
		{Kind: "Deployment", Name: "sets", Component: ApplicationSetController, Restraint: Restraint{Policy: "create-only", DryRun: true, From: "an argument of its container"}},
	}}
	for what, want := range map[string]Verdict{
		"deployment/sets: policy": Unsupported, "deployment/sets: dry run": Unsupported,
		"argocd-cmd-params-cm: " + paramPolicy: AsIs, "argocd-cmd-params-cm: " + paramDryRun: Unsupported,
	} {
		if f := find(t, Examine(in), what); f.Verdict != want {
			t.Errorf("%s is %q, want %q", what, f.Verdict, want)
		}
	}
}

// An application that a roll-out syncs moves by itself, and one that its set
// writes may be out of sync afterwards.
func TestWhatSetsMakeOfApplications(t *testing.T) {
	scaled := []Change{{Verb: gitops.Update, Fields: []string{"spec.replicas"}}}
	all := []Comparison{{Name: "rolled", State: Good, Changes: scaled}, {Name: "by-hand", State: Good, Changes: scaled}, {Name: "written", State: Good}}
	Rolls(all, []string{"rolled"})
	Rewrites(all, []SetComparison{{Name: "fleet", Changes: []SetChange{{Application: "written", Verb: gitops.Update}, {Application: "by-hand", Verb: gitops.Prune}}}})
	if !all[0].Moves() || all[1].Moves() || all[2].Moves() {
		t.Errorf("got %+v", all)
	}
	if got := all[2].Expected(); got.Sync != v1alpha1.SyncStatusCodeOutOfSync {
		t.Errorf("one that is written has to be %s", got)
	}
}
