package applicationset

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/report"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// TestApprovalEndsByTheClock: the list that goes a moment before is held at the end of the
// approval, also where some of it went already.
func TestApprovalEndsByTheClock(t *testing.T) {
	apps := appsNamed(0, 5)
	set, now := &v1alpha1.ApplicationSet{}, noon
	set.Annotations = map[string]string{gitops.AnnotationDeletionApproval: guard.Approval{Digest: listOf(apps).Digest(), Until: noon.Add(time.Hour)}.String()}
	r := New(Options{Client: &patched{}, Guard: guardOf(counted{count: 100}), Now: func() time.Time { return now }})
	r.Guard.Now = r.Now
	r.round(t, set, apps) // writes the approval down
	if said := set.Status.Conditions[0]; said.Reason != reasonApproved || !said.LastTransitionTime.Time.Equal(noon) {
		t.Errorf("it says %+v", said)
	}
	for after, want := range map[time.Duration]string{time.Hour - time.Second: "", time.Hour: "4 of 6, where the limit is 50% min 3"} {
		now = noon.Add(after)
		if why, _ := r.Guard.Would(t.Context(), set, apps[:4], appsNamed(0, 6), 2, nil); why != want {
			t.Errorf("after %v: %q, want %q", after, why, want)
		}
	}
}

// TestFleetLimitIsOfATime: what went before its window counts no longer.
func TestFleetLimitIsOfATime(t *testing.T) {
	g, now := guardOf(counted{count: 40}), noon
	g.Now = func() time.Time { return now }
	of := func(name string) *v1alpha1.ApplicationSet {
		set := &v1alpha1.ApplicationSet{}
		set.Name, set.Spec.Template.Spec.Project = name, name
		return set
	}
	goes := func(name string, from int) bool {
		return g.tooMany(t.Context(), g.Ledger.Admit, &turnover{set: of(name), list: listOf(appsNamed(from, from+10)), of: 25, left: 15}) == ""
	}
	if !goes("red", 0) {
		t.Fatal("the first ten are held")
	}
	g.Applications = counted{count: 30} // those that are left
	window := guard.Defaults().Window
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{time.Minute, false}, {window - time.Second, false}, {window + time.Second, true}} {
		if now = noon.Add(step.after); goes("blue", 10) != step.want {
			t.Errorf("after %v ten more are let go: %t", step.after, !step.want)
		}
	}
}

// TestRollOutGoesByTheClock of the Reconciler, and not by the machine's.
func TestRollOutGoesByTheClock(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{Steps: make([]v1alpha1.ApplicationSetRolloutStep, 1)}}
	now := noon
	r := New(Options{Now: func() time.Time { return now }})
	app := &v1alpha1.Application{}
	ended := v1alpha1.NewTime(noon)
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, FinishedAt: &ended}
	yes := true
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{healPause - time.Second, false}, {healPause, true}} {
		now = noon.Add(step.after)
		o, err := r.roller(set, &generate.Expansion{})
		if err != nil {
			t.Fatal(err)
		}
		w := wanted{policy: &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{SelfHeal: &yes}}}
		if got := o.drifted(app, w, &rollout.App{}, &report.Outcome{}); got != step.want {
			t.Errorf("%v after its sync drift is undone: %t", step.after, got)
		}
	}
}

// failing expands nothing, and lists nothing.
type failing struct {
	client.Client

	expands, lists error
}

func (f failing) Applications(context.Context, *v1alpha1.ApplicationSet) (*generate.Expansion, error) {
	return &generate.Expansion{}, f.expands
}

func (f failing) List(context.Context, client.ObjectList, ...client.ListOption) error { return f.lists }

// stopped is where a reconcile stopped.
type stopped struct{ at *report.Failure }

func (s *stopped) Describe(_ client.Object, failure *report.Failure, _ time.Time) { s.at = failure }

// TestStagesAreNamed by which a set stops, and a roll-out that cannot go on says so.
func TestStagesAreNamed(t *testing.T) {
	broken := errors.New("it is broken")
	steps := &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{Steps: make([]v1alpha1.ApplicationSetRolloutStep, 1)}}
	for name, tc := range map[string]struct {
		reason string
		by     failing
		want   report.Stage
	}{
		"Expand": {"its generators fail", failing{expands: broken}, report.Generate},
		"Own":    {"what it has is not known", failing{lists: broken}, report.Plan},
		"None":   {"nothing stops it", failing{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			set, to := &v1alpha1.ApplicationSet{}, &stopped{}
			set.Namespace, set.Name, set.Spec.Strategy = "argocd", "fleet", steps
			log := slog.New(slog.DiscardHandler)
			r := New(Options{
				Client: tc.by, Generate: tc.by, Readers: NewReaders(), Rollouts: NewRollouts(), Log: log, Now: func() time.Time { return noon },
				Report: report.New("ApplicationSet", nil, &announced{}, to, report.NewMetrics(prometheus.NewRegistry()), log),
			})
			out := r.Report.Begin(t.Context(), set)
			out.Hold(time.Second)
			if _, err := out.End(r.expand(t.Context(), set, out)); err != nil {
				t.Fatal(err)
			}
			if tc.want == "" {
				if to.at != nil {
					t.Errorf("%s: %+v", tc.reason, to.at)
				}
				return
			}
			if to.at == nil || to.at.Stage != tc.want || to.at.Err.Error() != broken.Error() && !errors.Is(to.at.Err, broken) {
				t.Errorf("%s: it stops at %+v", tc.reason, to.at)
			}
			said := set.Status.Conditions
			if len(said) != 1 || said[0].Reason != v1alpha1.ApplicationSetReasonErrorOccurred || !said[0].LastTransitionTime.Time.Equal(noon) {
				t.Errorf("%s: the roll-out says %+v", tc.reason, said)
			}
		})
	}
}
