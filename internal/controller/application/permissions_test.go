package application

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Anybody may write a project's name into an Application. What is wrong in a
// project is told where it may be used.
func TestWhoIsToldOfAProject(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, namespace string
		told              bool
	}{
		"Operators": {"they write the project", "argocd", true},
		"Team":      {"it uses the project", "blue", true},
		"Another":   {"another team only names it", "red", false},
	} {
		t.Run(name, func(t *testing.T) {
			project := permitting("*")
			project.Spec.SourceNamespaces = []string{"blue"}
			project.Spec.Roles = []v1alpha1.ProjectRole{{Name: "payroll", Policies: []string{"p, proj:other:x, applications, get, blue/payroll, allow"}}}
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: oursURL, Path: "."}}}
			app.Namespace, app.Name = tc.namespace, "web"
			app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionInvalidProjectWarning, Message: "as it was before"}}
			r := New(Options{Namespace: "argocd", Projects: oneProject{project}, Fleet: oneCluster{}, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at }})
			if _, err := r.target(t.Context(), app); err == nil {
				t.Error("it has no permission for the destination")
			}
			if got := len(app.Status.Conditions) > 0; got != tc.told {
				t.Errorf("%s: told %t: %v", tc.reason, got, app.Status.Conditions)
			}
		})
	}
}

// Where nobody is to be acted as, nothing can be written at all.
func TestNoWriterWithoutAnAccount(t *testing.T) {
	r := New(Options{Acting: func() policy.Acting { return policy.ActAlways }})
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{Namespace: "shop"}}}
	if as, err := r.writer(&state.Subject{App: app, Project: permitting("*"), Cluster: somewhere{}}, state.Writer{}); as.Cluster != nil || err == nil {
		t.Errorf("it writes as %v: %v", as, err)
	}
}

// TestFirstOfWhatWentWrong: a message has room for some of it.
func TestFirstOfWhatWentWrong(t *testing.T) {
	var all []error
	for n, want := range []string{"one or more objects failed to apply", "e0", "e0; e1", "e0; e1; e2", "e0; e1; e2; and 1 more", "e0; e1; e2; and 2 more"} {
		if got := opstate.Failure(plan.Step{Errors: all}); got != want {
			t.Errorf("of %d: %q, want %q", n, got, want)
		}
		all = append(all, fmt.Errorf("e%d", n))
	}
	for all, want := range map[int]string{1: "a", 2: "a (and 1 more)", 9: "a (and 8 more)"} {
		if got := opstate.FirstOf("a", all); got != want {
			t.Errorf("of %d: %q, want %q", all, got, want)
		}
	}
}
