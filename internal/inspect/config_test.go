package inspect

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/hub"
)

// Who looks has not to say everything, and what they gave is not changed by the look:
// the engine may use the same connection.
func TestConfigIsCompleted(t *testing.T) {
	given := &rest.Config{Host: "https://hub", QPS: 5, Burst: 10}
	got, err := Config{Hub: given}.complete()
	if err != nil || got.Namespace != hub.DefaultNamespace || got.Log == nil {
		t.Errorf("it is completed to %+v, %v", got, err)
	}
	if got.Hub == given || got.Hub.QPS >= 0 || given.QPS != 5 || given.Burst != 10 {
		t.Errorf("limits of requests are %v there and %v here", got.Hub.QPS, given.QPS)
	}
	if own, err := (Config{Hub: given, Namespace: "gitops"}).complete(); err != nil || own.Namespace != "gitops" {
		t.Errorf("a namespace that is named is %q, %v", own.Namespace, err)
	}
	if _, err := (Config{}).complete(); err == nil {
		t.Error("a look without a hub begins")
	}
	if _, err := Open(t.Context(), Config{}); err == nil {
		t.Error("a look without a hub is opened")
	}
}
