package application

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// large is an Application of many objects, each with a result of its sync.
func large(objects int, message string) *v1alpha1.Application {
	app := &v1alpha1.Application{}
	result := &v1alpha1.SyncOperationResult{}
	for i := range objects {
		name := fmt.Sprintf("component-%06d", i)
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{
			Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: name, Status: v1alpha1.SyncStatusCodeSynced,
			Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy, Message: message},
		})
		result.Resources = append(result.Resources, v1alpha1.ResourceResult{
			Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: name, Status: v1alpha1.ResultCodeSynced, Message: "created",
		})
	}
	app.Status.OperationState = &v1alpha1.OperationState{SyncResult: result}
	return app
}

func TestFit(t *testing.T) {
	cases := map[string]struct {
		reason  string
		objects int
		message string
		results int
		all     bool
	}{
		"small":      {"a status that fits is left as it is", 1000, "", 1000, true},
		"large":      {"results of plain objects go first", 5000, "", 1, true},
		"talkative":  {"then the words of their health", 5000, strings.Repeat("x", 100), 1, true},
		"very large": {"then objects that are as they should be", 30000, "", 1, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := large(tc.objects, tc.message)
			last := len(app.Status.Resources) - 1
			app.Status.Resources[last].Status = v1alpha1.SyncStatusCodeOutOfSync
			app.Status.OperationState.SyncResult.Resources[last].Status = v1alpha1.ResultCodeSyncFailed
			app.Status.Resources[last/2].Kind = "StatefulSet"
			fit(app, time.Now())
			if got := report.Size(app.Status); got > report.MaxStatus+1000 {
				t.Errorf("%s: %d bytes", tc.reason, got)
			}
			if got := len(app.Status.OperationState.SyncResult.Resources); got != tc.results {
				t.Errorf("%s: %d results, want %d", tc.reason, got, tc.results)
			}
			if all := len(app.Status.Resources) == tc.objects; all != tc.all || all == (len(app.Status.Conditions) > 0) {
				t.Errorf("%s: %d of %d objects, conditions %v", tc.reason, len(app.Status.Resources), tc.objects, app.Status.Conditions)
			}
			if got := app.Status.Resources[len(app.Status.Resources)-1].Status; got != v1alpha1.SyncStatusCodeOutOfSync {
				t.Error("the object that is OutOfSync is not listed any more")
			}
			if !strings.Contains(fmt.Sprint(app.Status.Resources), "StatefulSet") {
				t.Error("a kind is not listed any more")
			}
		})
	}
}

func TestFitWhereNothingIsAsItShouldBe(t *testing.T) {
	app := large(20000, "")
	for i := range app.Status.Resources {
		app.Status.Resources[i].Status = v1alpha1.SyncStatusCodeOutOfSync
		r := &app.Status.OperationState.SyncResult.Resources[i]
		r.Status, r.Message = v1alpha1.ResultCodeSyncFailed, strings.Repeat("ä", 500)
	}
	fit(app, time.Now())
	if got := report.Size(app.Status); got > report.MaxStatus+1000 {
		t.Errorf("%d bytes", got)
	}
	if results := app.Status.OperationState.SyncResult.Resources; len(results) != maxResults || len(results[0].Message) > maxResultWords+3 {
		t.Errorf("%d results, the first of %d bytes", len(results), len(results[0].Message))
	}
	if len(app.Status.Resources) == 0 || len(app.Status.Conditions) != 1 {
		t.Errorf("%d objects are listed, conditions %v", len(app.Status.Resources), app.Status.Conditions)
	}
}
