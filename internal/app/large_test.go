package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestLargeApplication is about an Application whose status would not fit
// into the hub's store if it told everything of every object.
func TestLargeApplication(t *testing.T) {
	const objects = 5000
	var files strings.Builder
	for i := range objects {
		fmt.Fprintf(&files, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings-of-the-component-%04d}\ndata: {color: blue}\n", i)
	}
	e := start(t, map[string]string{"large/all.yaml": files.String()})
	e.app("large", "large", noRetry)
	app := e.until("large", "synced", func(app *v1alpha1.Application) bool {
		return app.Status.OperationState != nil && app.Status.OperationState.Phase.Completed() && app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced
	})
	if app.Status.OperationState.Phase != v1alpha1.OperationSucceeded || len(app.Status.Resources) != objects {
		t.Errorf("phase %s (%s), %d of %d objects in the status", app.Status.OperationState.Phase, app.Status.OperationState.Message, len(app.Status.Resources), objects)
	}
	size, err := json.Marshal(app)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects, an Application of %d bytes", objects, len(size))
}
