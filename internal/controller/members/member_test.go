package members

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"weak"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"

	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/test/await"
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
	c := New(f)
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

// TestClustersThatLeaveAreLetGo has a Secret name another address 1,000 times, and
// an application use each: of all that was there before nothing is kept.
func TestClustersThatLeaveAreLetGo(t *testing.T) {
	f, err := fleet.New(fleet.Options{Hub: &rest.Config{Host: "https://127.0.0.1:1"}, Namespace: "argocd", Convert: observe.New().Live})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	c := New(f)
	const changes = 1000
	used := make([]weak.Pointer[fleet.Cluster], 0, changes)
	for n := range changes {
		d := gitops.Cluster{Name: "moves", Server: fmt.Sprintf("https://127.0.0.1:1/%d", n), Secret: "moves"}
		if err := f.Set(t.Context(), d, &rest.Config{Host: d.Server}); err != nil {
			t.Fatal(err)
		}
		found, err := c.Resolve(v1alpha1.ApplicationDestination{Name: d.Name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := found.As("somebody"); err != nil {
			t.Fatal(err)
		}
		used = append(used, weak.Make(found.(*member).Cluster))
	}
	await.Until(t, func(context.Context) error {
		runtime.GC()
		kept := 0
		for _, p := range used {
			if p.Value() != nil {
				kept++
			}
		}
		if kept != 1 {
			return fmt.Errorf("%d clusters are kept, want the one that is there", kept)
		}
		return nil
	})
}
