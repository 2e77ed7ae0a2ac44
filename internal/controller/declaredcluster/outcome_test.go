package declaredcluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// When a Cluster is looked at again depends on what is waited for.
func TestWhenAClusterIsLookedAtAgain(t *testing.T) {
	const retry = 7 * time.Second
	notReady := gitops.Problemf(gitops.NotReady, "it starts")
	for name, tc := range map[string]struct {
		reason string
		tell   func(*outcome)
		want   time.Duration
	}{
		"Failed":   {"what failed may work soon", func(o *outcome) { _ = o.failed(notReady) }, retry},
		"Ready":    {"a cluster that answers may stop to", func(o *outcome) { o.ready("https://dev", "1.36.3") }, lookPause},
		"Draining": {"applications take their time", func(o *outcome) { o.draining(remainder{apps: []string{"a"}}, nil) }, drainPause},
		"News":     {"sets that have just been told take a moment", func(o *outcome) { o.draining(remainder{news: true}, nil) }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			out := New(Options{Retry: retry}).begin(&causeway.Cluster{})
			if tc.tell(out); out.again != tc.want {
				t.Errorf("%s: after %s, want %s", tc.reason, out.again, tc.want)
			}
		})
	}
	if r := New(Options{}); r.Retry != retryPause {
		t.Errorf("of itself it is tried again after %s", r.Retry)
	}
}

// A protected Cluster stays, and says what to do; another one is not told of that.
func TestProtectedClustersStay(t *testing.T) {
	for protected, want := range map[bool]string{true: "spec.protected is true: set it to false", false: ""} {
		out := New(Options{}).begin(&causeway.Cluster{Spec: causeway.ClusterSpec{Protected: protected}})
		if got := out.protected(); got != protected {
			t.Errorf("protected %t: the deletion is refused: %t", protected, got)
		}
		c := meta.FindStatusCondition(out.cluster.Status.Conditions, causeway.ConditionDeletable)
		if (c != nil) != protected || c != nil && (c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, want)) {
			t.Errorf("protected %t: it is told %+v", protected, c)
		}
	}
}

// Applications cannot leave a cluster that is away: it is said why, beside whom it is
// waited for.
func TestDrainingTellsWhatIsInTheWay(t *testing.T) {
	out := New(Options{}).begin(&causeway.Cluster{})
	out.draining(remainder{apps: []string{"argocd/web (to be deleted)"}}, errors.New("it does not answer"))
	for _, kind := range []string{causeway.ConditionDeletable, causeway.ConditionReady} {
		c := meta.FindStatusCondition(out.cluster.Status.Conditions, kind)
		if c == nil || c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, "argocd/web (to be deleted); the cluster is not there for them: it does not answer") {
			t.Errorf("%s tells %+v", kind, c)
		}
	}
	if (remainder{}).any() || !(remainder{news: true}).any() || !(remainder{apps: []string{"a"}}).any() {
		t.Error("what is left keeps no cluster, or nothing does")
	}
	if text := (remainder{news: true}).String(); text != "ApplicationSets are told that the cluster goes" {
		t.Errorf("of sets it is told %q", text)
	}
}

// A deletion that somebody else was faster in, or that ends with the engine, is no
// failure that people are told of.
func TestStepsOfADeletionThatAreNoFailures(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "clusters"}, "dev", errors.New("changed"))
	for name, tc := range map[string]struct {
		reason string
		err    error
		told   bool
	}{
		"Done":     {"it worked", nil, false},
		"Conflict": {"who wrote at the same time wakes it", conflict, false},
		"Ended":    {"the engine ends", context.Canceled, false},
		"Failed":   {"a step failed", errors.New("forbidden"), true},
	} {
		t.Run(name, func(t *testing.T) {
			out := New(Options{}).begin(&causeway.Cluster{})
			if err := out.stuck(tc.err); !errors.Is(err, tc.err) {
				t.Errorf("%s: it goes on with %v", tc.reason, err)
			}
			c := meta.FindStatusCondition(out.cluster.Status.Conditions, causeway.ConditionDeletable)
			if (c != nil) != tc.told || c != nil && c.Message != "forbidden" {
				t.Errorf("%s: it is told %+v", tc.reason, c)
			}
		})
	}
}

// Of a Cluster that is gone there is no status to write, and what was counted of it goes.
func TestGoneClustersAreForgotten(t *testing.T) {
	held := -1
	ledger := guard.NewLedger()
	ledger.Watch(func(_, _ string, n int, _ string) { held = n })
	c := &causeway.Cluster{}
	c.Namespace, c.Name = "argocd", "dev"
	ledger.Hold(causeway.ClusterKind, client.ObjectKeyFromObject(c).String(), 3)
	out := New(Options{Ledger: ledger}).begin(c)
	if err := out.gone(errors.New("not now")); err == nil || out.over {
		t.Errorf("one that could not be let go is gone: %t, %v", out.over, err)
	}
	if err := out.gone(nil); err != nil {
		t.Fatal(err)
	}
	if again, err := out.end(t.Context(), nil); err != nil || again.RequeueAfter != 0 || held != 0 {
		t.Errorf("it is looked at again after %s, %d deletions are held: %v", again.RequeueAfter, held, err)
	}
}

// A phase that is new is told as an event, the same one no more; one that failed is a
// warning.
func TestPhasesAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		tell   func(*outcome)
		want   string
	}{
		"Ready":  {"it answers", func(o *outcome) { o.ready("https://dev", "1.36.3") }, "ClusterReady: the cluster answers, and Secret dev describes it"},
		"Failed": {"with why", func(o *outcome) { _ = o.failed(gitops.Problemf(gitops.Refused, "no login")) }, "ClusterFailed: no login"},
	} {
		events := &announced{}
		out := New(Options{Events: events}).begin(&causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}})
		tc.tell(out)
		out.tell(out.cluster.Status)
		if len(*events) != 1 || (*events)[0] != tc.want {
			t.Errorf("%s: %s: told %v, want %s", name, tc.reason, *events, tc.want)
		}
	}
}

// What others may not see of a login goes to the Secret alone, and what limits a cluster
// is in it only where it is said.
func TestSecretHasWhatTheClusterSays(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		spec   causeway.ClusterSpec
		want   map[string]string
	}{
		"Open":    {"it belongs to nobody, and is not limited", causeway.ClusterSpec{}, map[string]string{"name": "dev", "server": server}},
		"Limited": {"it is a project's, and of some namespaces", causeway.ClusterSpec{Project: "shop", Namespaces: []string{"a", "b"}}, map[string]string{"name": "dev", "server": server, "project": "shop", "namespaces": "a,b"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "argocd"}, Spec: tc.spec}
			s, err := secretOf(c, kubeconfig.Connection{Server: server})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Data["config"]) == 0 || len(s.OwnerReferences) > 0 || s.Namespace != "argocd" {
				t.Errorf("%s: the Secret is %+v", tc.reason, s)
			}
			delete(s.Data, "config")
			for key, value := range s.Data {
				if tc.want[key] != string(value) {
					t.Errorf("%s: %s is %q, want %q", tc.reason, key, value, tc.want[key])
				}
			}
			if len(s.Data) != len(tc.want) {
				t.Errorf("%s: it has %d values, want %d", tc.reason, len(s.Data), len(tc.want))
			}
		})
	}
}
