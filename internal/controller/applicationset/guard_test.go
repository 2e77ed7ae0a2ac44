package applicationset

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/report"
)

// counted has so many Applications.
type counted struct {
	client.Reader

	count int
	err   error
}

func (c counted) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if all, ok := list.(*v1alpha1.ApplicationList); ok {
		all.Items = appsNamed(0, c.count)
	}
	return c.err
}

func appsNamed(from, to int) (out []v1alpha1.Application) {
	for i := from; i < to; i++ {
		out = append(out, v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("app-", i)}})
	}
	return out
}

func guardOf(fleet counted) *Guard {
	return &Guard{
		Ledger: guard.NewLedger(), Settings: guard.Defaults, Applications: fleet, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Project: func(_ context.Context, name string) (*v1alpha1.AppProject, error) {
			limits := map[string]string{"strict": "0% min 1", "free": "off"}
			return &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{gitops.AnnotationDeletionGuard: limits[name]}}}, nil
		},
	}
}

// What is told before deletions is what the guard does then.
func TestGuardTellsBefore(t *testing.T) {
	approved := func(until time.Duration, count int) func(*v1alpha1.ApplicationSet) {
		return func(s *v1alpha1.ApplicationSet) {
			a := guard.Approval{Digest: listOf(appsNamed(0, count)).Digest(), Until: time.Now().Add(until)}
			s.Annotations = map[string]string{gitops.AnnotationDeletionApproval: a.String()}
		}
	}
	of := func(project string) func(*v1alpha1.ApplicationSet) {
		return func(s *v1alpha1.ApplicationSet) { s.Spec.Template.Spec.Project = project }
	}
	small, large := counted{count: 100}, counted{count: 40}
	cases := map[string]struct {
		reason    string
		fleet     counted
		going, of int
		change    func(*v1alpha1.ApplicationSet)
		beside    int
		want      string
	}{
		"none":     {"nothing is no mass", small, 0, 5, nil, 0, ""},
		"few":      {"half may go", small, 3, 6, nil, 0, ""},
		"many":     {"more than half may not", small, 4, 6, nil, 0, "4 of 6, where the limit is 50%"},
		"all":      {"a set that yields nothing keeps what it has", small, 2, 2, nil, 0, "yield nothing"},
		"project":  {"the limit of the project counts", small, 1, 6, of("strict"), 0, "1 of 6, where the limit is 0%"},
		"off":      {"what has no limit is not counted either", small, 6, 6, of("free"), 0, ""},
		"approved": {"exactly this list was approved", small, 4, 6, approved(time.Hour, 4), 0, ""},
		"another":  {"an approval of another list is none", small, 4, 6, approved(time.Hour, 3), 0, "4 of 6"},
		"expired":  {"so is one whose time is over", small, 4, 6, approved(-time.Hour, 4), 0, "4 of 6"},
		"fleet":    {"the fleet has a limit, too", large, 20, 40, nil, 0, "more than the fleet lets go within 10m0s, where the limit is 40% min 20"},
		"beside":   {"which counts what goes of other sets", large, 10, 25, nil, 10, "more than the fleet lets go within 10m0s, where the limit is 40% min 20; other sets delete some of them"},
		"unknown":  {"a fleet that cannot be counted lets nothing go", counted{err: errors.New("no cache")}, 1, 6, nil, 0, "no cache"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, set := guardOf(tc.fleet), &v1alpha1.ApplicationSet{}
			if tc.change != nil {
				tc.change(set)
			}
			beside := map[string][]string{}
			for i := range tc.beside {
				beside["project/other"] = append(beside["project/other"], fmt.Sprint("other-", i))
			}
			for range 2 { // to ask counts nothing
				got, counts := g.Would(t.Context(), set, appsNamed(0, tc.going), appsNamed(0, tc.of), tc.of-tc.going, beside)
				if !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") || counts != (tc.want == "" && name != "off") {
					t.Errorf("%s: got %q, counted %t, want %q", tc.reason, got, counts, tc.want)
				}
			}
			if ok, gone, _ := g.Ledger.Would(guard.Settings{Window: time.Hour}, guard.OfSet(set), nil, nil, 10, time.Now()); !ok || gone != 0 {
				t.Errorf("the ledger has %d deletions of which was only asked", gone)
			}
		})
	}
}

// A list that is approved and being deleted goes on, and those that are being
// deleted anyway are not counted.
func TestGuardTellsOfWhatIsUnderWay(t *testing.T) {
	g, set := guardOf(counted{count: 100}), &v1alpha1.ApplicationSet{}
	digest := listOf(appsNamed(0, 5)).Digest()
	set.Annotations = map[string]string{gitops.AnnotationDeletionApproval: guard.Approval{Digest: digest, Until: time.Now().Add(time.Hour)}.String()}
	set.Status.Conditions = []v1alpha1.ApplicationSetCondition{{
		Type: v1alpha1.ApplicationSetConditionDeletionHeld, Status: v1alpha1.ApplicationSetConditionStatusFalse, Reason: reasonApproved, Message: approvalText(digest),
	}}
	for _, app := range appsNamed(0, 5) {
		set.Status.Resources = append(set.Status.Resources, v1alpha1.ResourceStatus{Name: app.Name, RequiresPruning: true})
	}
	if why, _ := g.Would(t.Context(), set, appsNamed(1, 5), appsNamed(1, 6), 1, nil); why != "" {
		t.Errorf("the rest of an approved list would be held: %s", why)
	}
	apps := appsNamed(0, 6)
	for i := range 3 {
		apps[i].DeletionTimestamp = &metav1.Time{Time: time.Now()}
	}
	if why, _ := g.Would(t.Context(), &v1alpha1.ApplicationSet{}, apps[:4], apps, 2, nil); why != "" {
		t.Errorf("one of three would be held: %s", why)
	}
}

// TestUsedApprovalIsTakenAway when nothing of its list is left, also where the last of
// them are so few that they need none.
func TestUsedApprovalIsTakenAway(t *testing.T) {
	set := usedApproval("some")
	to := &patched{}
	r := New(Options{Client: to, Guard: guardOf(counted{count: 100})})
	for _, going := range []int{1, 1, 0} {
		if to.data != nil {
			t.Fatalf("with some on their way it writes %s", to.data)
		}
		r.round(t, set, appsNamed(0, going))
	}
	if to.data == nil || set.Status.Conditions[0].Reason != reasonNothing {
		t.Errorf("it writes %q, and says %+v", to.data, set.Status.Conditions[0])
	}
}

// usedApproval is a set whose status notes the approval of a list.
func usedApproval(names ...string) *v1alpha1.ApplicationSet {
	set, digest := &v1alpha1.ApplicationSet{}, guard.Digest(names)
	set.UID = "uid-1"
	set.Annotations = map[string]string{gitops.AnnotationDeletionApproval: guard.Approval{Digest: digest, Until: time.Now().Add(time.Hour)}.String()}
	set.Status.Conditions = []v1alpha1.ApplicationSetCondition{{
		Type: v1alpha1.ApplicationSetConditionDeletionHeld, Status: v1alpha1.ApplicationSetConditionStatusFalse, Reason: reasonApproved, Message: approvalText(digest),
	}}
	return set
}

// TestUsedApprovalStaysKnown until it is gone: without the condition, nothing would take
// it away any more.
func TestUsedApprovalStaysKnown(t *testing.T) {
	sets := schema.GroupResource{Group: v1alpha1.Group, Resource: "applicationsets"}
	for name, c := range map[string]struct {
		reason  string
		err     error
		says    string
		wantErr bool
	}{
		"gone":     {reason: "nothing is left to tell", says: reasonNothing},
		"refused":  {reason: "it is tried again", err: apierrors.NewForbidden(sets, "addons", errors.New("no")), says: reasonApproved, wantErr: true},
		"mismatch": {reason: "the set is looked at as it is by now", err: &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusUnprocessableEntity}}, says: reasonApproved},
		"conflict": {reason: "so it is when somebody writes at the same time", err: apierrors.NewConflict(sets, "addons", errors.New("no")), says: reasonApproved},
		"deleted":  {reason: "there is no set any more", err: apierrors.NewNotFound(sets, "addons"), says: reasonApproved},
	} {
		t.Run(name, func(t *testing.T) {
			set, to := usedApproval("a", "b"), &patched{err: c.err}
			r := New(Options{Client: to})
			if err := r.letGo(t.Context(), set); (err != nil) != c.wantErr {
				t.Errorf("%s: error %v", c.reason, err)
			}
			if got := set.Status.Conditions[0].Reason; got != c.says || to.data == nil {
				t.Errorf("%s: the condition says %s, and %q is written", c.reason, got, to.data)
			}
		})
	}
}

// TestLaterApprovalStays: it is for a list that has not gone yet.
func TestLaterApprovalStays(t *testing.T) {
	set, to := usedApproval("a", "b"), &patched{}
	set.Annotations[gitops.AnnotationDeletionApproval] = guard.Approval{Digest: guard.Digest([]string{"c"}), Until: time.Now().Add(time.Hour)}.String()
	r := New(Options{Client: to})
	if err := r.letGo(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	if to.data != nil || set.Status.Conditions[0].Reason != reasonNothing {
		t.Errorf("it writes %q, and says %+v", to.data, set.Status.Conditions[0])
	}
}

// round is one of a set that yields nothing and has Applications that are to go.
func (r *Reconciler) round(t *testing.T, set *v1alpha1.ApplicationSet, owned []v1alpha1.Application) (deleted int) {
	t.Helper()
	changes := &generate.Changes{Delete: slices.Clone(owned)}
	word, err := r.guarded(t.Context(), &report.Outcome{}, set, owned, &generate.Expansion{}, changes)
	if err != nil {
		t.Fatal(err)
	}
	r.tell(set, after(gitops.ByName(owned), changes), word)
	return len(changes.Delete)
}

// announced are the events of an outcome.
type announced []string

func (a *announced) Event(_ client.Object, _, reason, message string) {
	*a = append(*a, reason+": "+message)
}

// TestApprovedByWhom is told when an approval is written down. The rest of its list goes
// whoever it was, also where an earlier engine has written that nobody is named.
func TestApprovedByWhom(t *testing.T) {
	apps := appsNamed(0, 5)
	digest := listOf(apps).Digest()
	for name, c := range map[string]struct {
		reason, by, want string
	}{
		"named":   {"a name that anybody may have written", "ann", " by ann (unverified)"},
		"unnamed": {"an approval need not say whose it is", "", " by somebody who is not named"},
	} {
		t.Run(name, func(t *testing.T) {
			set := &v1alpha1.ApplicationSet{}
			set.Annotations = map[string]string{gitops.AnnotationDeletionApproval: guard.Approval{Digest: digest, Until: time.Now().Add(time.Hour), By: c.by}.String()}
			r, released := New(Options{Guard: guardOf(counted{count: 100})}), ""
			r.Guard.Ledger.Hold(v1alpha1.ApplicationSetKind, client.ObjectKeyFromObject(set).String(), 5)
			r.Guard.Ledger.Watch(func(_, _ string, _ int, approved string) { released += approved })
			events := &announced{}
			out := report.New("ApplicationSet", nil, events, nil, report.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)).Begin(t.Context(), set)
			out.Hold(time.Second) // what is told matters, not what is written
			if _, err := r.guarded(t.Context(), out, set, apps, &generate.Expansion{}, &generate.Changes{Delete: slices.Clone(apps)}); err != nil {
				t.Fatal(err)
			}
			if _, err := out.EndUnchanged(); err != nil {
				t.Fatal(err)
			}
			if want := []string{"DeletionApproved: Deletion of 5 applications was approved" + c.want}; !slices.Equal(*events, want) {
				t.Errorf("%s: the events are %q, want %q", c.reason, *events, want)
			}
			if released != c.want {
				t.Errorf("%s: it is released as approved%s, want%s", c.reason, released, c.want)
			}
			said := &set.Status.Conditions[0]
			if want := "the list " + digest + " was approved" + c.want; said.Message != want {
				t.Errorf("%s: the condition says %q, want %q", c.reason, said.Message, want)
			}
			for _, message := range []string{said.Message, approvalText(digest)} {
				if said.Message = message; !goesOn(set, listOf(apps), time.Now()) {
					t.Errorf("with %q the list does not go on", message)
				}
			}
			if said.Message = approvalText(strings.Repeat("0", len(digest))) + c.want; goesOn(set, listOf(apps), time.Now()) {
				t.Error("a list of which another was written down goes on")
			}
		})
	}
}

// TestApprovedListIsReadLate: the Applications that were deleted are read as they were
// before, while the set is read as it was written then. They are on their way, and no new
// list that nobody approved.
func TestApprovedListIsReadLate(t *testing.T) {
	apps := appsNamed(0, 5)
	set := &v1alpha1.ApplicationSet{}
	set.Annotations = map[string]string{gitops.AnnotationDeletionApproval: guard.Approval{Digest: listOf(apps).Digest(), Until: time.Now().Add(time.Hour)}.String()}
	to := &patched{}
	r := New(Options{Client: to, Guard: guardOf(counted{count: 100})})
	if n := r.round(t, set, apps); n != 0 || !isApproved(set) {
		t.Fatalf("%d are deleted before it is written down that they may be", n)
	}
	for _, late := range []int{5, 3, 3, 1} {
		if n := r.round(t, set, apps[:late]); n != late {
			t.Errorf("of %d that were approved %d are deleted", late, n)
		}
		if to.data != nil || set.Status.ResourcesCount != int64(late) {
			t.Fatalf("with %d on their way it writes %q, and names %d", late, to.data, set.Status.ResourcesCount)
		}
	}
	if r.round(t, set, nil); to.data == nil || set.Status.ResourcesCount != 0 {
		t.Errorf("with none left it writes %q, and names %d", to.data, set.Status.ResourcesCount)
	}
}
