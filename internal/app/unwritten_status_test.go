package app

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

const hookOnce = `
apiVersion: v1
kind: ConfigMap
metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync}}
`

// roundTrips lets a function look at each request and answer in the place of
// the API server.
type roundTrips struct {
	next http.RoundTripper
	look func(*http.Request) *http.Response
}

func (r roundTrips) RoundTrip(request *http.Request) (*http.Response, error) {
	if answer := r.look(request); answer != nil {
		return answer, nil
	}
	return r.next.RoundTrip(request)
}

func TestHookRunsOnceAlthoughTheStatusCannotBeWritten(t *testing.T) {
	var refusals, created, deleted atomic.Int32
	look := func(r *http.Request) *http.Response {
		switch {
		case r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/applications/") && refusals.Add(1) <= 4:
			return &http.Response{StatusCode: http.StatusInternalServerError, Status: "500 Internal Server Error", Body: http.NoBody, Request: r, Header: http.Header{}}
		case strings.HasSuffix(r.URL.Path, "/configmaps/migrate") && r.Header.Get("Content-Type") == string(types.ApplyPatchType) && !r.URL.Query().Has("dryRun"):
			created.Add(1)
		case strings.HasSuffix(r.URL.Path, "/configmaps/migrate") && r.Method == http.MethodDelete:
			deleted.Add(1)
		}
		return nil
	}
	e := prepare(t, hubConfig, map[string]string{"app/a.yaml": configMapV1, "app/hook.yaml": hookOnce})
	e.adjust = func(c *Config) {
		c.Hub = rest.CopyConfig(c.Hub)
		c.Hub.Wrap(func(next http.RoundTripper) http.RoundTripper { return roundTrips{next, look} })
	}
	e.restart()
	e.app("app", "app")
	app := e.until("app", "Synced and Healthy", good)
	if refusals.Load() < 4 {
		t.Fatalf("only %d status writes were refused", refusals.Load())
	}
	// The hook is applied once; a hook that ran again would have been deleted before.
	if deleted.Load() > 1 || created.Load() != 1 {
		t.Errorf("the hook was created %d times and deleted %d times", created.Load(), deleted.Load())
	}
	if len(app.Status.History) != 1 || app.Status.OperationState.Phase != v1alpha1.OperationSucceeded {
		t.Errorf("%d entries of history, phase %s", len(app.Status.History), app.Status.OperationState.Phase)
	}
}
