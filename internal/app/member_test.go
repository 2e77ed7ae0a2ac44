package app

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// TestClustersThatAreLeft: nothing new comes to a cluster that applications are
// to leave, and what its project may touch there stays so, to be taken away.
func TestClustersThatAreLeft(t *testing.T) {
	f, err := fleet.New(fleet.Options{
		Hub: &rest.Config{Host: "https://127.0.0.1:1"}, Namespace: "argocd", Convert: observe.New().Live, OnChange: func(gitops.Change) {}, OnCluster: func(string, bool) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	left := gitops.Cluster{
		Name: "old", Server: "https://127.0.0.1:1/old", Secret: "old", Project: "red", Annotations: map[string]string{gitops.AnnotationDraining: "true"},
	}
	if err := f.Set(t.Context(), left, &rest.Config{Host: left.Server}); err != nil {
		t.Fatal(err)
	}
	c := newClusters(f)
	if own := c.OfProject("red"); len(own) != 1 || own[0].Name != "old" {
		t.Errorf("of the project are %v, want old", own)
	}
	all, err := c.Clusters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Name == "old" {
			t.Errorf("generators see %v", all)
		}
	}
}
