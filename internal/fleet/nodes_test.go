package fleet

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// TestNodesAreFollowed: a change of what nodes say is told, and read anew; what
// they say all the time costs nothing.
func TestNodesAreFollowed(t *testing.T) {
	var told atomic.Int32
	f, err := New(Options{
		Hub: config, Namespace: "argocd", Convert: observe.New().Live, OnNodes: func(string) { told.Add(1) },
		OnChange: func(gitops.Change) {}, OnCluster: func(string, bool) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	api := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes()
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: embeddedtest.Namespace(t, config), Labels: map[string]string{corev1.LabelTopologyRegion: "eu-1", corev1.LabelArchStable: "arm64"}},
		Spec:       corev1.NodeSpec{ProviderID: "aws:///eu-1a/i-1"},
	}
	list := func() []Node {
		var all []Node
		embeddedtest.Eventually(t, func(ctx context.Context) (err error) { // the hub may not have been heard of yet
			all, err = f.Hub().Nodes(ctx)
			return err
		})
		return all
	}
	until := func(n int32) {
		embeddedtest.Eventually(t, func(context.Context) error {
			if got := told.Load(); got < n {
				return fmt.Errorf("changes are told %d times, want %d", got, n)
			}
			return nil
		})
	}
	has := func(want Node) {
		t.Helper()
		if all := list(); !slices.Contains(all, want) {
			t.Errorf("the nodes are %+v: no %+v", all, want)
		}
	}
	patch := func(body string) {
		t.Helper()
		if _, err := api.Patch(t.Context(), node.Name, types.MergePatchType, []byte(body), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	list()
	began := told.Load()
	if _, err := api.Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(began + 1)
	has(Node{Region: "eu-1", Architecture: "arm64", Provider: "aws"})

	began = told.Load()
	patch(`{"metadata":{"annotations":{"alive":"yes"}}}`)
	patch(`{"metadata":{"labels":{"topology.kubernetes.io/zone":"eu-1a"}}}`)
	until(began + 1)
	has(Node{Region: "eu-1", Zone: "eu-1a", Architecture: "arm64", Provider: "aws"})
	if got := told.Load(); got != began+1 {
		t.Errorf("a zone and a sign of life are told as %d changes, want 1", got-began)
	}
	if err := api.Delete(t.Context(), node.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(began + 2)
	if all := list(); slices.Contains(all, Node{Region: "eu-1", Zone: "eu-1a", Architecture: "arm64", Provider: "aws"}) {
		t.Errorf("a node that is deleted is still among %+v", all)
	}
}

// TestNodesAreReadOncePerChange.
func TestNodesAreReadOncePerChange(t *testing.T) {
	w := &nodeWatch{}
	aws, bare := []Node{{Provider: "aws"}}, []Node{{}}
	if _, _, ok := w.kept(); ok {
		t.Error("nodes are known that nobody has read")
	}
	w.keep(aws, 0)
	if known, _, ok := w.kept(); !ok || !slices.Equal(known, aws) {
		t.Errorf("kept are %v, %v", known, ok)
	}
	w.changed()
	if known, changes, ok := w.kept(); ok || changes != 1 {
		t.Errorf("after a change %v, %d, %v", known, changes, ok)
	}
	w.keep(bare, 0) // read before the change
	if known, _, ok := w.kept(); ok {
		t.Errorf("nodes are kept as they were before a change: %v", known)
	}
}

// TestNodesAfterAnInterruption: what happened meanwhile shows in the list.
func TestNodesAfterAnInterruption(t *testing.T) {
	told := 0
	n := &nodes{tell: func() { told++ }}
	list := func(zones ...string) {
		n.begin()
		for i, z := range zones {
			n.page(&metav1.ObjectMeta{Name: strconv.Itoa(i), Labels: map[string]string{corev1.LabelTopologyZone: z}})
		}
		n.end("1")
	}
	for i, step := range []struct {
		zones []string
		told  int
	}{{[]string{"a"}, 0}, {[]string{"a"}, 0}, {[]string{"b"}, 1}, {[]string{"b", "b"}, 2}, {nil, 3}, {nil, 3}} {
		if list(step.zones...); told != step.told {
			t.Errorf("step %d: told %d times, want %d", i, told, step.told)
		}
	}
}
