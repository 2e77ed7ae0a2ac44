package applicationset

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
)

// TestForesee has a set that generates a and b, by what is there.
func TestForesee(t *testing.T) {
	on, off := true, false
	automated, byHand := &v1alpha1.SyncPolicyAutomated{Prune: &on}, &v1alpha1.SyncPolicyAutomated{Prune: &on, Enabled: &off}
	app := func(name, owner string, a *v1alpha1.SyncPolicyAutomated, change ...func(*v1alpha1.Application)) v1alpha1.Application {
		out := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "argocd", Labels: map[string]string{"stage": name}}}
		out.Spec = v1alpha1.ApplicationSpec{Project: "default", SyncPolicy: &v1alpha1.SyncPolicy{Automated: a}}
		if owner != "" {
			out.OwnerReferences = []metav1.OwnerReference{{Kind: "ApplicationSet", Name: owner, Controller: &on}}
		}
		for _, c := range change {
			c(&out)
		}
		return out
	}
	another := func(a *v1alpha1.Application) { a.Spec.Project = "other" }
	leaving := func(a *v1alpha1.Application) { now := metav1.Now(); a.DeletionTimestamp = &now }
	rolling := &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{{MatchExpressions: []v1alpha1.ApplicationMatchExpression{{Key: "stage", Operator: "In", Values: []string{"a"}}}}},
	}}
	type foretold struct{ Create, Update, Delete, Rolls []string }
	for name, tc := range map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSetSpec
		live   []v1alpha1.Application
		reject []generate.Rejected
		want   foretold
	}{
		"Same":       {"nothing is to be done", v1alpha1.ApplicationSetSpec{}, []v1alpha1.Application{app("a", "fleet", automated), app("b", "fleet", automated), app("x", "others", automated)}, nil, foretold{}},
		"All":        {"one is made, one changed and one deleted", v1alpha1.ApplicationSetSpec{}, []v1alpha1.Application{app("b", "fleet", automated, another), app("c", "fleet", automated)}, nil, foretold{Create: []string{"a"}, Update: []string{"b"}, Delete: []string{"c"}}},
		"Leaving":    {"what goes already goes", v1alpha1.ApplicationSetSpec{}, []v1alpha1.Application{app("a", "fleet", automated), app("b", "fleet", automated), app("c", "fleet", automated, leaving)}, nil, foretold{}},
		"Rejected":   {"while one cannot be made none is deleted", v1alpha1.ApplicationSetSpec{}, []v1alpha1.Application{app("a", "fleet", automated), app("b", "fleet", automated), app("c", "fleet", automated)}, []generate.Rejected{{Name: "d"}}, foretold{}},
		"Taken over": {"one that nobody owns becomes the set's", v1alpha1.ApplicationSetSpec{}, []v1alpha1.Application{app("a", "fleet", automated), app("b", "", automated)}, nil, foretold{Update: []string{"b"}}},
		"Left":       {"another set's stays that set's", v1alpha1.ApplicationSetSpec{}, []v1alpha1.Application{app("a", "fleet", automated), app("b", "others", automated, another)}, nil, foretold{}},
		"Rolled":     {"where Argo CD rolls out in steps nothing is written, and syncs are asked for", v1alpha1.ApplicationSetSpec{Strategy: rolling}, []v1alpha1.Application{app("a", "fleet", byHand), app("b", "fleet", nil)}, nil, foretold{Rolls: []string{"a"}}},
		"Not rolled": {"where it does not, automated syncs are taken away", v1alpha1.ApplicationSetSpec{Strategy: rolling}, []v1alpha1.Application{app("a", "fleet", automated), app("b", "fleet", automated)}, nil, foretold{Update: []string{"a", "b"}, Rolls: []string{"a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: "argocd"}, Spec: tc.spec}
			made := &generate.Expansion{Applications: []v1alpha1.Application{app("a", "", automated), app("b", "", automated)}, Rejected: tc.reject}
			f, err := Foresee(t.Context(), set, tc.live, made)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, foretold{names(f.Create), names(f.Update), names(f.Delete), f.Rolls}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func names(apps []v1alpha1.Application) (out []string) {
	for i := range apps {
		out = append(out, apps[i].Name)
	}
	slices.Sort(out)
	return out
}
