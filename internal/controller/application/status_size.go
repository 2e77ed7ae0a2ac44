package application

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// smallStatus is the number of entries below which a status fits anyway.
const smallStatus = 1500

// fit makes the status of an application of very many objects small enough
// for the hub's store. What can be told elsewhere goes first: the results of
// plain objects that were applied, then the words of each object's health, and
// last the entries of objects that are as they should be.
func fit(app *v1alpha1.Application, now time.Time) {
	status := &app.Status
	shortened := []string{v1alpha1.ApplicationConditionStatusShortenedWarning}
	var conditions []v1alpha1.ApplicationCondition
	if all := len(status.Resources); excess(status) > 0 {
		shortenResults(status)
		shortenHealth(status, excess(status))
		drop(status, excess(status), asItShouldBe)
		drop(status, excess(status), func(v1alpha1.ResourceStatus) bool { return true })
		if left := len(status.Resources); left < all {
			conditions = append(conditions, v1alpha1.ApplicationCondition{
				Type:    shortened[0],
				Message: fmt.Sprintf("the status lists %d of %d objects: more do not fit into the hub's store; those that are Synced and Healthy are left out first", left, all),
			})
		}
	}
	report.SetConditions(app, shortened, conditions, now)
}

// excess is by how many bytes a status is too large; zero or less is none.
func excess(status *v1alpha1.ApplicationStatus) int {
	count := len(status.Resources)
	if st := status.OperationState; st != nil && st.SyncResult != nil {
		count += len(st.SyncResult.Resources)
	}
	if count < smallStatus {
		return 0
	}
	return report.Size(status) - report.MaxStatus
}

// The most results that a status which is too large keeps, and the most bytes
// of the words of each: the first failures tell what is wrong.
const (
	maxResults     = 300
	maxResultWords = 500
)

// shortenResults keeps the results of hooks, and the first of what failed or went.
func shortenResults(status *v1alpha1.ApplicationStatus) {
	st := status.OperationState
	if st == nil || st.SyncResult == nil {
		return
	}
	kept := make(v1alpha1.ResourceResults, 0, maxResults)
	for _, r := range st.SyncResult.Resources {
		plain := r.HookType == "" && r.Status == v1alpha1.ResultCodeSynced
		if plain || len(kept) == maxResults {
			continue
		}
		if len(r.Message) > maxResultWords {
			r.Message = strings.ToValidUTF8(r.Message[:maxResultWords], "") + "…"
		}
		kept = append(kept, r)
	}
	st.SyncResult.Resources = kept
}

func shortenHealth(status *v1alpha1.ApplicationStatus, excess int) {
	for i := range status.Resources {
		if excess <= 0 {
			return
		}
		health := status.Resources[i].Health
		if health != nil && health.Message != "" {
			excess -= len(health.Message)
			status.Resources[i].Health = &v1alpha1.HealthStatus{Status: health.Status}
		}
	}
}

// drop takes out entries, but for one of each kind: by the kinds the engine
// finds what has to be pruned.
func drop(status *v1alpha1.ApplicationStatus, excess int, which func(v1alpha1.ResourceStatus) bool) {
	type kind struct{ group, kind string }
	seen := map[kind]bool{}
	status.Resources = slices.DeleteFunc(status.Resources, func(r v1alpha1.ResourceStatus) bool {
		k := kind{r.Group, r.Kind}
		first := !seen[k]
		seen[k] = true
		if excess <= 0 || first || !which(r) {
			return false
		}
		excess -= report.Size(r) + 1
		return true
	})
}

func asItShouldBe(r v1alpha1.ResourceStatus) bool {
	healthy := r.Health == nil || r.Health.Status == v1alpha1.HealthStatusHealthy
	return cmp.Or(r.Status, v1alpha1.SyncStatusCodeSynced) == v1alpha1.SyncStatusCodeSynced && healthy && !r.RequiresPruning
}
