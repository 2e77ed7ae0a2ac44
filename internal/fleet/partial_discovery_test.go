package fleet

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestGroupThatDoesNotAnswer: the server of one API is down. What it served is
// known as before, all else goes on, and the cluster's state names the API.
func TestGroupThatDoesNotAnswer(t *testing.T) {
	later := schema.GroupVersion{Group: "later.test", Version: "v1"}
	down := &discovery.ErrGroupDiscoveryFailed{Groups: map[schema.GroupVersion]error{later: errors.New("503")}}
	server := &lateServer{answers: []lateAnswer{{widgets: true}, {err: down}, {widgets: true}}}
	c := &Cluster{o: Options{OnKinds: func(string) {}}, link: newLink(time.Minute), catalog: newCatalog(server)}
	c.desc.Store(&gitops.Cluster{})
	for i, want := range [][]string{nil, {later.String()}, nil} {
		found, err := c.catalog.refresh(t.Context())
		if err != nil {
			t.Fatalf("look %d: %v", i+1, err)
		}
		if diff := cmp.Diff(want, c.State().FailedGroups); diff != "" {
			t.Errorf("look %d: APIs that do not answer (-want +got):\n%s", i+1, diff)
		}
		if len(found.byKind[schema.GroupKind{Group: later.Group, Kind: "Widget"}]) != 1 {
			t.Errorf("look %d: the kind is not known any more", i+1)
		}
	}
}
