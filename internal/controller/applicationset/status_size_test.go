package applicationset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/report"
)

// entriesOf are so many Applications of a roll-out, of which each second one is through.
func entriesOf(count int, message string) (entries []rollout.Entry, resources []v1alpha1.ResourceStatus) {
	at := v1alpha1.NewTime(time.Unix(1_700_000_000, 0))
	for i := range count {
		e := rollout.Entry{
			Application: fmt.Sprintf("application-of-the-shop-%05d", i), LastTransitionTime: &at, Message: "it is synced and healthy",
			Status: v1alpha1.ProgressiveSyncHealthy, Step: "1", TargetRevisions: []string{strings.Repeat("a", 40)},
		}
		if i%2 == 1 {
			e.Status, e.Message = v1alpha1.ProgressiveSyncProgressing, message
		}
		entries = append(entries, e)
		resources = append(resources, v1alpha1.ResourceStatus{
			Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: "Application", Namespace: "argocd", Name: e.Application,
			Status: v1alpha1.SyncStatusCodeSynced, Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy},
			RequiresPruning: i%100 == 99,
		})
	}
	return entries, resources
}

func TestStatusOfARolloutFits(t *testing.T) {
	for _, tc := range []struct {
		reason                         string
		count                          int
		message                        string
		entries                        int
		healthyWords, words, allListed bool
	}{
		{"few Applications lose nothing", 1000, "it is syncing", 1000, true, true, true},
		{"those that are through lose their words first", 2750, "it is syncing", 2750, false, true, true},
		{"what others say is long, and goes before the list does", 2600, strings.Repeat("x", mostOfOthers), 2600, false, false, true},
		{"all are there, and the list is shorter", 5000, "it is syncing", 5000, false, false, false},
		{"very many", 11_000, "it is syncing", 0, false, false, false},
	} {
		set := &v1alpha1.ApplicationSet{}
		entries, resources := entriesOf(tc.count, tc.message)
		before := slices.Clone(entries)
		set.Status.ApplicationStatus, set.Status.Resources = entries, resources[:min(len(resources), listed)]
		held := heldOf(&set.Status)
		fit(set)
		s := &set.Status
		if n := report.Size(s); n > report.MaxStatus {
			t.Errorf("%s: the status has %d bytes", tc.reason, n)
		}
		if tc.entries > 0 && len(s.ApplicationStatus) != tc.entries {
			t.Errorf("%s: %d entries are left, want %d", tc.reason, len(s.ApplicationStatus), tc.entries)
		}
		if got := s.ApplicationStatus[0].Message != ""; got != tc.healthyWords {
			t.Errorf("%s: the first that is through has words: %v", tc.reason, got)
		}
		waits := slices.IndexFunc(s.ApplicationStatus, func(e rollout.Entry) bool { return !isThrough(&e) })
		if got := s.ApplicationStatus[waits].Message != ""; got != tc.words {
			t.Errorf("%s: the first that is not through has words: %v", tc.reason, got)
		}
		if got := len(s.Resources) == tc.count; got != tc.allListed || held != heldOf(s) {
			t.Errorf("%s: %d are listed, and %d of %d whose deletion is held", tc.reason, len(s.Resources), heldOf(s), held)
		}
		if !slices.EqualFunc(entries, before, func(a, b rollout.Entry) bool {
			return a.Message == b.Message && len(a.TargetRevisions) == len(b.TargetRevisions)
		}) {
			t.Errorf("%s: what the roll-out remembers is shorter, too", tc.reason)
		}
	}
}

func heldOf(s *v1alpha1.ApplicationSetStatus) (count int) {
	for i := range s.Resources {
		if s.Resources[i].RequiresPruning {
			count++
		}
	}
	return count
}

func TestWordsOfOthersAreCut(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	conditions, failed, waits := &v1alpha1.Application{}, &v1alpha1.Application{}, &v1alpha1.Application{}
	conditions.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionComparisonError, Message: long}}
	failed.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, Message: long}
	waits.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Message: long}
	for reason, text := range map[string]string{
		"a comparison": failureOf(conditions), "a sync that failed": failureOf(failed), "a sync that waits": heldFor(waits),
	} {
		if text == "" || len(text) > mostOfOthers+50 {
			t.Errorf("%s: %d bytes of its message are told", reason, len(text))
		}
	}
}
