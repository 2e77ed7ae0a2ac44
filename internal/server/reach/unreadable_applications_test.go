package reach

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// What somebody may not read is counted neither as itself nor as one of those that a set has made.
func TestWhatIsUnseenIsNotCounted(t *testing.T) {
	made := func(namespace, name, project, set string) *view.Row {
		return &view.Row{Namespace: namespace, Name: name, Project: project, Set: set}
	}
	u := UnseenOf([]*view.Row{made("argocd", "web", "shop", "webs"), made("argocd", "vault", "bank", "webs"), made("argocd", "dns", "bank", ""), made("team", "web", "bank", "webs")}, func(r *view.Row) bool { return r.Project == "shop" })
	for of, want := range map[view.Key]bool{{Namespace: "argocd", Name: "web"}: false, {Namespace: "argocd", Name: "vault"}: true, {Namespace: "team", Name: "web"}: true, {Namespace: "argocd", Name: "none"}: false} {
		if u.Has(of.Namespace, of.Name) != want {
			t.Errorf("%v is unseen: %t", of, !want)
		}
	}
	for of, want := range map[view.Key]int{{Namespace: "argocd", Name: "webs"}: 1, {Namespace: "team", Name: "webs"}: 1, {Namespace: "argocd"}: 0} {
		if got := u.OfSet(of); got != want {
			t.Errorf("%v has made %d", of, got)
		}
	}
	for _, tc := range []struct {
		names  []string
		count  int
		others bool
	}{{nil, 0, false}, {[]string{"web", "none"}, 2, false}, {[]string{"vault", "web", "dns"}, 1, true}} {
		if count, others := u.Besides("argocd", tc.names); count != tc.count || others != tc.others {
			t.Errorf("of %v there are %d, and others: %t", tc.names, count, others)
		}
	}
}

// Conditions of a set name and count Applications: who may not read all of these is told of
// those that are about the set alone, and of the others that there are such.
func TestConditionsThatTellOfTheUnseen(t *testing.T) {
	const on, off = v1alpha1.ApplicationSetConditionStatusTrue, v1alpha1.ApplicationSetConditionStatusFalse
	for name, tc := range map[string]struct {
		reason    string
		condition v1alpha1.ApplicationSetCondition
		told      bool
	}{
		"Well":           {"all is well", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: off, Reason: v1alpha1.ApplicationSetReasonApplicationSetUpToDate}, true},
		"Generators":     {"its generators are at fault", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: on, Reason: v1alpha1.ApplicationSetReasonApplicationParamsGenerationError}, true},
		"Applications":   {"an Application is", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: on, Reason: "UpdateApplicationError"}, false},
		"Not current":    {"so it is not current", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionResourcesUpToDate, Status: off, Reason: "CreateApplicationError"}, false},
		"Parameters":     {"parameters fail by the generators", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionParametersGenerated, Status: off, Reason: "ErrorOccurred"}, true},
		"Parameters, on": {"with an error of Applications they do not", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionParametersGenerated, Status: on, Reason: "ErrorOccurred"}, false},
		"Rolling":        {"a roll-out counts them", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionRolloutProgressing, Status: on, Reason: "ApplicationSetModified"}, false},
		"Rolled":         {"one that is complete does not", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionRolloutProgressing, Status: off, Reason: v1alpha1.ApplicationSetReasonApplicationSetRolloutComplete}, true},
		"Held":           {"a deletion that is held names them", v1alpha1.ApplicationSetCondition{Type: v1alpha1.ApplicationSetConditionDeletionHeld, Status: on}, false},
		"Of a later one": {"of a kind that nobody knows it is not known", v1alpha1.ApplicationSetCondition{Type: "Weather", Status: on, Reason: v1alpha1.ApplicationSetReasonApplicationSetUpToDate}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tc.condition.Message = "3 applications: vault"
			set := &v1alpha1.ApplicationSet{}
			set.Namespace, set.Name, set.Status.Conditions = "argocd", "webs", []v1alpha1.ApplicationSetCondition{tc.condition}
			some := UnseenOf([]*view.Row{{Namespace: "argocd", Name: "vault", Set: "webs"}}, func(*view.Row) bool { return false })
			got := some.Conditions(set)
			if told := got[0].Message == tc.condition.Message; told != tc.told || !told && got[0].Message != untold {
				t.Errorf("%s: told is %q", tc.reason, got[0].Message)
			}
			if got[0].Type != tc.condition.Type || set.Status.Conditions[0].Message != tc.condition.Message {
				t.Errorf("%s: the set itself says %+v, and shown is %+v", tc.reason, set.Status.Conditions[0], got[0])
			}
		})
	}
}

// Also a set that has made none of them may name one: in its status, that somebody wrote.
func TestSetsThatNameTheUnseen(t *testing.T) {
	u := UnseenOf([]*view.Row{{Namespace: "argocd", Name: "vault"}}, func(*view.Row) bool { return false })
	for name, tc := range map[string]struct {
		reason string
		status v1alpha1.ApplicationSetStatus
		hidden bool
	}{
		"Neither":   {"it names none of them", v1alpha1.ApplicationSetStatus{Resources: []v1alpha1.ResourceStatus{{Name: "web"}}}, false},
		"Resources": {"it lists one", v1alpha1.ApplicationSetStatus{Resources: []v1alpha1.ResourceStatus{{Name: "web"}, {Name: "vault"}}}, true},
		"Roll-out":  {"or rolls one out", v1alpha1.ApplicationSetStatus{ApplicationStatus: []v1alpha1.ApplicationSetApplicationStatus{{Application: "vault"}}}, true},
	} {
		set := &v1alpha1.ApplicationSet{Status: tc.status}
		set.Namespace, set.Name = "argocd", "webs"
		set.Status.Conditions = []v1alpha1.ApplicationSetCondition{{Type: "Other", Message: "of vault"}}
		if got := u.Conditions(set)[0].Message; (got == untold) != tc.hidden {
			t.Errorf("%s: %s: told is %q", name, tc.reason, got)
		}
		if set.Namespace = "team"; u.Conditions(set)[0].Message == untold {
			t.Errorf("%s: another namespace has another one of the name", name)
		}
	}
}
