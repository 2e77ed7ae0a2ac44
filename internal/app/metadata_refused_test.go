package app

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestClusterMetadataPassesAFullSecret: a Secret that takes no more keeps
// neither the others from being written nor the status from being told.
func TestClusterMetadataPassesAFullSecret(t *testing.T) {
	e := start(t, nil)
	for _, name := range []string{"a-dev", "b-full", "c-prod"} {
		e.spoke(name, "true", "eu")
	}
	full := e.secret("b-full")
	before := full.DeepCopy()
	full.Annotations["filler"] = strings.Repeat("x", 261_900)
	if err := e.Patch(t.Context(), full, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	value := strings.Repeat("v", 1000)
	object := e.metadata("much", "clusters: {matchAll: true}\nvalues: [{key: much, value: "+value+"}]\n")
	e.untilAnnotated("a-dev", map[string]string{"much": value})
	e.untilAnnotated("c-prod", map[string]string{"much": value})
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		got := &causeway.ClusterMetadata{}
		if err := e.Get(ctx, client.ObjectKeyFromObject(object), got); err != nil {
			return err
		}
		if p := got.Status.Problems; len(p) != 1 || p[0].Cluster != "b-full" || !strings.Contains(p[0].Message, "too large") {
			return fmt.Errorf("the status tells %+v", p)
		}
		return nil
	})
}
