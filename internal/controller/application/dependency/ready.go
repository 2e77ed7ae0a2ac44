package dependency

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// unmetSet tells in whose conditions it stands why a set is not ready: who reads the
// dependant need not be let read the set, nor all Applications that these name.
func unmetSet(code gitops.HealthCode) string {
	if code == gitops.Progressing {
		return "it is not through with its Applications, as its conditions tell"
	}
	return "it has an error, which its conditions tell"
}

// unready tells why an Application is no ground to build on: it has to be
// healthy, synced, at rest, and to have seen the commit that the dependant has.
func (c *Checker) unready(by asking, app *v1alpha1.Application) string {
	switch {
	case !app.DeletionTimestamp.IsZero():
		return "it is being deleted"
	case app.Outlined != "":
		return app.Outlined
	}
	code, why := c.health(v1alpha1.ApplicationKind, app)
	switch {
	case code != gitops.Healthy:
		return why
	case app.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced:
		return "it is " + string(app.Status.Sync.Status)
	case c.Looks == nil || !by.Compared:
		return ""
	}
	l, ok := c.Looks.Of(client.ObjectKeyFromObject(app), app.UID)
	if !ok || l.Behind(comparisons.At(by.Sources, by.Revisions)) || l.Sync != app.Status.Sync.Status {
		return "it was not compared with the same commit yet"
	}
	return ""
}

// health assesses a typed object as a wave does.
func (c *Checker) health(kind string, o any) (gitops.HealthCode, string) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return gitops.HealthUnknown, err.Error()
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: kind})
	return c.healthOf(gitops.HubServer, u)
}

// healthOf leaves out the words of what progresses: they change all the time.
func (c *Checker) healthOf(server string, o *unstructured.Unstructured) (gitops.HealthCode, string) {
	h, _ := c.Checks.Health(server, o) // the error is in the message
	switch {
	case h.Code == "":
		return gitops.Healthy, ""
	case h.Message == "" || h.Code == gitops.Progressing && !isAppOrSet(gitops.KeyOf(o)):
		return h.Code, string(h.Code)
	}
	return h.Code, fmt.Sprintf("%s (%s)", h.Code, h.Message)
}
