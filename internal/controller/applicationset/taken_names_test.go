package applicationset

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

func TestStranger(t *testing.T) {
	controller := func(kind, name string) func(*v1alpha1.Application) {
		yes := true
		return func(a *v1alpha1.Application) {
			a.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &yes}}
		}
	}
	cases := map[string]struct {
		reason  string
		project string
		live    func(*v1alpha1.Application)
		class   report.Class
		words   []string
	}{
		"same project": {"people migrate by that", "red", func(a *v1alpha1.Application) { a.Spec.Project = "red" }, report.None, nil},
		"default":      {"no project is the project default", "default", func(*v1alpha1.Application) {}, report.None, nil},
		"other project": {"a name out of a repository opens no other project", "red", func(a *v1alpha1.Application) { a.Spec.Project = "blue" }, report.Denied,
			[]string{"blue-shop", `project "blue"`, `project "red"`, "rename", "spec.project"}},
		"no project":     {"default is a project as well", "red", func(*v1alpha1.Application) {}, report.Denied, []string{`project "default"`}},
		"owned by a set": {"the other set has it", "default", controller("ApplicationSet", "other"), report.Denied, []string{"ApplicationSet other"}},
		"owned":          {"whoever controls it would lose it", "default", controller("Portal", "shop"), report.Denied, []string{"Portal shop"}},
		"outlined":       {"what is not known of it is not written over", "default", func(a *v1alpha1.Application) { a.Outlined = "it takes too much" }, report.Terminal, []string{"blue-shop", "it takes too much"}},
		"deleted": {"its objects are just being deleted", "default", func(a *v1alpha1.Application) {
			a.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		}, report.Waiting, []string{"being deleted"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			live, made := &v1alpha1.Application{}, &v1alpha1.Application{}
			live.Name, made.Name, made.Spec.Project = "blue-shop", "blue-shop", c.project
			c.live(live)
			err := stranger(live, made)
			if got := report.Classify(err); got != c.class {
				t.Fatalf("%s: got %v, want class %q", c.reason, err, c.class)
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

// TestMovedToAnotherProject has an Application whose writer says that a set owns it: what it asked for in its own
// project is not carried out in the set's.
func TestMovedToAnotherProject(t *testing.T) {
	for _, tc := range []struct {
		reason, project string
		phase           v1alpha1.OperationPhase
		class           report.Class
	}{
		{"a sync of the own project goes on", "red", v1alpha1.OperationRunning, report.None},
		{"one that runs in another project ends there", "blue", v1alpha1.OperationRunning, report.Waiting},
		{"also while it is being ended", "blue", v1alpha1.OperationTerminating, report.Waiting},
		{"one that has ended is no hindrance", "blue", v1alpha1.OperationFailed, report.None},
		{"nor is none", "blue", "", report.None},
	} {
		from, to := &v1alpha1.Application{}, &v1alpha1.Application{}
		from.Spec.Project, to.Spec.Project = tc.project, "red"
		if tc.phase != "" {
			from.Status.OperationState = &v1alpha1.OperationState{Phase: tc.phase}
		}
		if err := staysIn(from, to); report.Classify(err) != tc.class {
			t.Errorf("%s: %v", tc.reason, err)
		}
		if tc.class == report.None {
			continue
		}
		if err := (&Reconciler{}).update(t.Context(), nil, from, to, nil); report.Classify(err) != tc.class {
			t.Errorf("%s: %v", tc.reason, err)
		}
	}
}
