package operation

import (
	"slices"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhoIsShown asks who it was, of operations that the engine sealed and of ones that somebody wrote.
func TestWhoIsShown(t *testing.T) {
	known := []v1alpha1.Info{{Name: gitops.InfoInitiatorKnown, Value: "true"}}
	tests := map[string]struct {
		reason         string
		by             v1alpha1.OperationInitiator
		info           []v1alpha1.Info
		sealed, forged string
	}{
		"Named":     {"a name is what anybody wrote, also where the engine has sealed something else", v1alpha1.OperationInitiator{Username: "dave"}, nil, "dave (unverified)", "dave (unverified)"},
		"Known":     {"the engine knew who it was", v1alpha1.OperationInitiator{Username: "dave"}, known, "dave", "dave (unverified)"},
		"Automated": {"the engine's own controllers have names", v1alpha1.OperationInitiator{Username: "erin", Automated: true}, nil, "erin", "erin (unverified)"},
		"Bare":      {"nobody asked", v1alpha1.OperationInitiator{Automated: true}, nil, "", ""},
		"Nobody":    {"nobody is named", v1alpha1.OperationInitiator{}, nil, "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s, at := NewSeal([]byte("secret")), v1alpha1.NewTime(time.Unix(100, 0))
			app := &v1alpha1.Application{}
			app.UID = "one"
			app.Status.OperationState = &v1alpha1.OperationState{Operation: v1alpha1.Operation{InitiatedBy: tc.by, Info: tc.info}, StartedAt: at, Phase: v1alpha1.OperationSucceeded}
			app.Status.History = v1alpha1.RevisionHistories{{DeployStartedAt: &at, InitiatedBy: tc.by}}
			if asked, deployed := s.Asker(app), s.Deployer(app); asked != tc.forged || deployed != tc.forged {
				t.Errorf("%s: without a seal it is %q, deployed by %q, want %q", tc.reason, asked, deployed, tc.forged)
			}
			s.Stamp(app.UID, at, &app.Status.OperationState.Operation)
			if asked, deployed := s.Asker(app), s.Deployer(app); asked != tc.sealed || deployed != tc.sealed {
				t.Errorf("%s: sealed it is %q, deployed by %q, want %q", tc.reason, asked, deployed, tc.sealed)
			}
			if got := NewSeal(nil).Asker(app); got != tc.forged {
				t.Errorf("%s: by the seal of another installation it is %q", tc.reason, got)
			}
		})
	}
}

// TestDeployer tells that a history is proven by the operation alone that made its last entry.
func TestDeployer(t *testing.T) {
	s, at, before := NewSeal(nil), v1alpha1.NewTime(time.Unix(100, 0)), v1alpha1.NewTime(time.Unix(50, 0))
	ann := v1alpha1.OperationInitiator{Username: "ann"}
	tests := map[string]struct {
		reason, want string
		history      v1alpha1.RevisionHistories
		over         bool
	}{
		"None":    {"nothing was synced", "", nil, false},
		"Same":    {"its operation is there still", "ann", v1alpha1.RevisionHistories{{DeployStartedAt: &at, InitiatedBy: ann}}, false},
		"Other":   {"another operation came after it", "ann (unverified)", v1alpha1.RevisionHistories{{DeployStartedAt: &before, InitiatedBy: ann}}, false},
		"Renamed": {"somebody wrote another name into the history", "dave (unverified)", v1alpha1.RevisionHistories{{DeployStartedAt: &at, InitiatedBy: v1alpha1.OperationInitiator{Username: "dave"}}}, false},
		"Undated": {"an entry of long ago has no time", "ann (unverified)", v1alpha1.RevisionHistories{{InitiatedBy: ann}}, false},
		"Gone":    {"the status has no operation", "ann (unverified)", v1alpha1.RevisionHistories{{DeployStartedAt: &at, InitiatedBy: ann}}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			op := v1alpha1.Operation{InitiatedBy: ann}
			s.Vouch("one", &op, NewRequest(time.Now()))
			s.Stamp("one", at, &op)
			app := &v1alpha1.Application{Status: v1alpha1.ApplicationStatus{History: tc.history, OperationState: &v1alpha1.OperationState{Operation: op, StartedAt: at}}}
			if app.UID = "one"; tc.over {
				app.Status.OperationState = nil
			}
			if got := s.Deployer(app); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestDoubt takes from what runs what it claims, and lets what began by itself go on as such: that is no right.
func TestDoubt(t *testing.T) {
	seal := v1alpha1.Info{Name: gitops.InfoSeal, Value: "of a secret that is lost"}
	tests := map[string]struct {
		reason    string
		op        v1alpha1.Operation
		automated bool
		by        string
		took      []string
	}{
		"Bare":     {"an engine that has lost its secret goes on", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Info: []v1alpha1.Info{seal}}, true, "somebody (unverified)", []string{automated, gitops.InfoSeal}},
		"Named":    {"a controller's name is a right", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true, Username: "erin"}}, false, "erin (unverified)", []string{automated}},
		"Rollback": {"to go back by itself passes windows", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "3"}}}, false, "", []string{automated}},
		"Asked":    {"it claims nothing", v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"}}, false, "ann (unverified)", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time it says the same
				took := Doubt(&tc.op)
				if tc.op.InitiatedBy.Automated != tc.automated || By(&tc.op) != tc.by {
					t.Errorf("%s: automated is %t, by %q", tc.reason, tc.op.InitiatedBy.Automated, By(&tc.op))
				}
				if tc.took != nil && !slices.Equal(took, tc.took) {
					t.Errorf("%s: it took %v, want %v", tc.reason, took, tc.took)
				}
				tc.took = nil
			}
		})
	}
}
