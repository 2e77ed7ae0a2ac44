package declaredcluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

const server = "https://10.0.0.1:6443"

// TestOwn has the Applications that a Cluster takes along: a mistake deletes
// what is not on it, or leaves what can never go any more.
func TestOwn(t *testing.T) {
	to := func(d v1alpha1.ApplicationDestination, change ...func(*v1alpha1.Application)) v1alpha1.Application {
		app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "app"}, Spec: v1alpha1.ApplicationSpec{Destination: d}}
		for _, c := range change {
			c(&app)
		}
		return app
	}
	named := v1alpha1.ApplicationDestination{Name: "dev"}
	cases := map[string]struct {
		reason  string
		server  string // of the Cluster's status
		app     v1alpha1.Application
		on, own bool
	}{
		"Name":        {"it names the cluster", server, to(named), true, true},
		"NameUnknown": {"a cluster that never answered has a name all the same", "", to(named), true, true},
		"OtherName":   {"it names another one", server, to(v1alpha1.ApplicationDestination{Name: "prod"}), false, false},
		"Server":      {"it names the address", server, to(v1alpha1.ApplicationDestination{Server: server}), true, true},
		"Slash":       {"a slash at the end is the same address", server, to(v1alpha1.ApplicationDestination{Server: server + "/"}), true, true},
		"OtherServer": {"it names another address", server, to(v1alpha1.ApplicationDestination{Server: "https://10.0.0.2:6443"}), false, false},
		"NoServer":    {"an address that is not known is nobody's", "", to(v1alpha1.ApplicationDestination{}), false, false},
		"OfASet": {"its set makes it anew: it goes when the set does not see the cluster", server, to(named, func(a *v1alpha1.Application) {
			a.OwnerReferences = []metav1.OwnerReference{{Kind: "ApplicationSet", Name: "addons"}}
		}), true, false},
		"OfAParent": {"its parent makes it anew: it goes from Git", server, to(named, func(a *v1alpha1.Application) {
			a.Annotations = map[string]string{gitops.AnnotationTracking: "root:argoproj.io/Application:argocd/app"}
		}), true, false},
		"Copied": {"the mark is that of the Application that it was copied of", server, to(named, func(a *v1alpha1.Application) {
			a.Annotations = map[string]string{gitops.AnnotationTracking: "root:argoproj.io/Application:argocd/original"}
		}), true, true},
		"CopiedAway": {"or of one of its name in another namespace", server, to(named, func(a *v1alpha1.Application) {
			a.Namespace, a.Annotations = "team", map[string]string{gitops.AnnotationTracking: "root:argoproj.io/Application:argocd/app"}
		}), true, true},
		"BeingDeleted": {"it goes already", server, to(named, func(a *v1alpha1.Application) { now := metav1.Now(); a.DeletionTimestamp = &now }), true, false},
		"OfSomebody": {"another owner makes none anew", server, to(named, func(a *v1alpha1.Application) {
			a.OwnerReferences = []metav1.OwnerReference{{Kind: "ConfigMap", Name: "x"}}
		}), true, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Status: causeway.ClusterStatus{Server: tc.server}}
			if got := on(c, &tc.app); got != tc.on {
				t.Errorf("%s: on the cluster is %t", tc.reason, got)
			}
			if got := len(Own(c, []v1alpha1.Application{tc.app})) == 1; got != tc.own {
				t.Errorf("%s: deleted with the cluster is %t", tc.reason, got)
			}
		})
	}
}

// TestThere has Applications that name a cluster and are not on it.
func TestThere(t *testing.T) {
	r := New(Options{
		Covers: func(namespace string) bool { return namespace == "argocd" || namespace == "team" },
		Permits: func(_ context.Context, app *v1alpha1.Application) (bool, error) {
			return app.Spec.Project != "elsewhere", nil
		},
	})
	var all []v1alpha1.Application
	for _, key := range []string{"argocd/default", "team/default", "team/elsewhere", "others/default"} {
		namespace, project, _ := strings.Cut(key, "/")
		all = append(all, v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "app"}, Spec: v1alpha1.ApplicationSpec{
			Project: project, Destination: v1alpha1.ApplicationDestination{Name: "dev"},
		}})
	}
	there, err := r.there(t.Context(), &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}}, all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range there {
		got = append(got, there[i].Namespace+"/"+there[i].Spec.Project)
	}
	if diff := cmp.Diff([]string{"argocd/default", "team/default"}, got); diff != "" {
		t.Errorf("what goes with the cluster (-want +got):\n%s", diff)
	}
}

func TestRemainderIsBounded(t *testing.T) {
	var left remainder
	for i := range 5000 {
		left.apps = append(left.apps, fmt.Sprintf("app-%04d (to be deleted)", i))
	}
	left.held = "the limit"
	text := left.String()
	if !strings.HasPrefix(text, "5000 applications are on the cluster: app-0000 (to be deleted), ") || !strings.HasSuffix(text, "and 4990 more; denied: the limit") || len(text) > 1000 {
		t.Errorf("got %d bytes: %.300s", len(text), text)
	}
}

// announced are the events of a Cluster.
type announced []string

func (a *announced) Event(_ client.Object, _, reason, message string) {
	*a = append(*a, reason+": "+message)
}

// TestApprovedByWhom is told when an approval lets the Applications of a Cluster go.
func TestApprovedByWhom(t *testing.T) {
	at := time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)
	list := guard.List{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}}
	for name, tc := range map[string]struct {
		reason string
		given  *guard.Approval
		want   string
	}{
		"named":   {"a name that anybody may have written", &guard.Approval{Digest: list.Digest(), By: "ann"}, " by ann (unverified)"},
		"unnamed": {"an approval need not say whose it is", &guard.Approval{Digest: list.Digest()}, " by somebody who is not named"},
		"another": {"what is not approved is by nobody", &guard.Approval{Digest: guard.Digest([]string{"c"}), By: "ann"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			events, ledger, released := &announced{}, guard.NewLedger(), ""
			ledger.Watch(func(_, _ string, _ int, approved string) { released += approved })
			r := New(Options{Ledger: ledger, Events: events, Now: func() time.Time { return at }, Limits: func() guard.Settings {
				return guard.Settings{Fleet: guard.Rule{Least: 1}, Window: time.Minute}
			}})
			c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}}
			if held := r.held(c, list, 2); held == "" {
				t.Fatal("nothing is held")
			}
			tc.given.Until = at.Add(time.Hour)
			c.Annotations = map[string]string{gitops.AnnotationDeletionApproval: tc.given.String()}
			var want announced
			if tc.want != "" {
				want = announced{"DeletionApproved: Deletion of 2 applications was approved" + tc.want}
			}
			if held := r.held(c, list, 2); (held == "") != (tc.want != "") || released != tc.want {
				t.Errorf("%s: held for %q, released as approved%s", tc.reason, held, released)
			}
			if diff := cmp.Diff(want, *events, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: events (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestApprovalIsOfOneNamespace: teams have Applications of the same name.
func TestApprovalIsOfOneNamespace(t *testing.T) {
	apps := make([]*v1alpha1.Application, 2)
	for i, namespace := range []string{"blue", "red"} {
		apps[i] = &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}}
	}
	shown, all := ListOf(apps[:1]), ListOf(apps)
	now := time.Now()
	approval := guard.Approval{Digest: shown.Digest(), Until: now.Add(time.Hour)}
	if ok, _ := guard.Approves(approval.String(), all.Digest(), now); ok {
		t.Errorf("an approval of %v lets %v go", shown.Names(), all.Names())
	}
}

// nobody is a driver that does nothing.
type nobody struct{ Driver }

func TestDriverStaysTheSame(t *testing.T) {
	r := New(Options{Drivers: map[string]Driver{"embedded": nobody{}, "adopt": nobody{}}})
	cases := map[string]struct {
		reason, was string
		spec        causeway.ClusterSpec
		problem     string
	}{
		"First":   {"the spec says it", "", causeway.ClusterSpec{Embedded: &causeway.EmbeddedCluster{}}, ""},
		"Same":    {"nothing changed", "adopt", causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{}}, ""},
		"Changed": {"what one made another cannot take away", "embedded", causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{}}, "cannot be changed: it was made by embedded, and the spec names adopt"},
		"None":    {"the spec says nothing", "", causeway.ClusterSpec{}, "set one of embedded, kind and adopt"},
		"Absent":  {"this engine has none of that name", "", causeway.ClusterSpec{Kind: &causeway.KindCluster{}}, `no driver "kind"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &causeway.Cluster{Spec: tc.spec, Status: causeway.ClusterStatus{Driver: tc.was}}
			_, err := r.driver(c)
			if tc.problem == "" && (err != nil || c.Status.Driver != Name(tc.spec)) {
				t.Errorf("%s: driver %q, %v", tc.reason, c.Status.Driver, err)
			}
			if tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem) || c.Status.Driver != tc.was) {
				t.Errorf("%s: driver %q, %v", tc.reason, c.Status.Driver, err)
			}
		})
	}
}

// TestPhases has what a driver says become the phase and conditions.
func TestPhases(t *testing.T) {
	problem := func(k gitops.ProblemKind) error { return gitops.Problemf(k, "said") }
	cases := map[string]struct {
		reason  string
		tell    func(*outcome) error
		phase   causeway.ClusterPhase
		kind    string
		status  metav1.ConditionStatus
		because string
		again   bool // the error is tried again at once
	}{
		"Starting":      {"it comes by itself", func(o *outcome) error { return o.failed(problem(gitops.NotReady)) }, causeway.ClusterProvisioning, causeway.ConditionReady, metav1.ConditionFalse, "Provisioning", false},
		"Unreachable":   {"a person has to look", func(o *outcome) error { return o.failed(problem(gitops.Unreachable)) }, causeway.ClusterFailed, causeway.ConditionReady, metav1.ConditionFalse, "Unreachable", false},
		"Unknown":       {"an error without a name is tried again", func(o *outcome) error { return o.failed(errors.New("said")) }, causeway.ClusterFailed, causeway.ConditionReady, metav1.ConditionFalse, "Failed", true},
		"Going":         {"nothing is left on it", func(o *outcome) error { return o.deleting(problem(gitops.NotReady)) }, causeway.ClusterDeleting, causeway.ConditionDeletable, metav1.ConditionTrue, "Deleting", false},
		"CannotGo":      {"the driver says why", func(o *outcome) error { return o.deleting(problem(gitops.Refused)) }, causeway.ClusterDeleting, causeway.ConditionDeletable, metav1.ConditionFalse, "Refused", false},
		"Left":          {"applications first", func(o *outcome) error { o.draining(remainder{apps: []string{"a"}}, nil); return nil }, causeway.ClusterDraining, causeway.ConditionDeletable, metav1.ConditionFalse, "ApplicationsLeft", false},
		"Held":          {"the guard first", func(o *outcome) error { o.draining(remainder{apps: []string{"a"}, held: "said"}, nil); return nil }, causeway.ClusterDraining, causeway.ConditionDeletable, metav1.ConditionFalse, ReasonHeld, false},
		"LeftAndDown":   {"they cannot leave a cluster that is away", func(o *outcome) error { o.draining(remainder{apps: []string{"a"}}, errors.New("said")); return nil }, causeway.ClusterDraining, causeway.ConditionDeletable, metav1.ConditionFalse, "ApplicationsLeft", false},
		"InvalidSpec":   {"it is told of the spec as well", func(o *outcome) error { return o.invalid(problem(gitops.Invalid)) }, causeway.ClusterFailed, causeway.ConditionValid, metav1.ConditionFalse, "Invalid", false},
		"StuckDeletion": {"a step that failed is tried again", func(o *outcome) error { return o.stuck(errors.New("said")) }, "", causeway.ConditionDeletable, metav1.ConditionFalse, "Failed", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := New(Options{}).begin(&causeway.Cluster{})
			err := tc.tell(out)
			got := meta.FindStatusCondition(out.cluster.Status.Conditions, tc.kind)
			if (err != nil) != tc.again || out.cluster.Status.Phase != tc.phase || got == nil || got.Status != tc.status || got.Reason != tc.because {
				t.Errorf("%s: phase %s, condition %+v, error %v", tc.reason, out.cluster.Status.Phase, got, err)
			}
		})
	}
}

// TestSecretOf has what the bridge says of each cluster give way to what the
// Cluster says.
func TestSecretOf(t *testing.T) {
	cases := map[string]struct {
		reason              string
		labels, annotations map[string]string
		label, annotation   string // environment
	}{
		"Nothing":    {"the name stands for it", nil, nil, "dev", "dev"},
		"Label":      {"the annotation follows the label", map[string]string{"environment": "test"}, nil, "test", "test"},
		"Both":       {"each as it is said", map[string]string{"environment": "test"}, map[string]string{"environment": "qa"}, "test", "qa"},
		"Annotation": {"a label is not made of it: it may be no valid one", nil, map[string]string{"environment": "quality assurance"}, "dev", "quality assurance"},
		"Type":       {"what makes it a cluster's cannot be taken away", map[string]string{v1alpha1.LabelSecretType: "repository"}, map[string]string{gitops.AnnotationDeclaredBy: "x"}, "dev", "dev"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Spec: causeway.ClusterSpec{Labels: tc.labels, Annotations: tc.annotations, Namespaces: []string{"a", "b"}}}
			s, err := secretOf(c, kubeconfig.Connection{Server: server})
			if err != nil {
				t.Fatal(err)
			}
			if s.Labels["environment"] != tc.label || s.Annotations["environment"] != tc.annotation || s.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeCluster || !ours(c, s) {
				t.Errorf("%s: labels %v, annotations %v", tc.reason, s.Labels, s.Annotations)
			}
			if diff := cmp.Diff([]string{server, "a,b"}, []string{string(s.Data["server"]), string(s.Data["namespaces"])}); diff != "" {
				t.Error(diff)
			}
		})
	}
}
