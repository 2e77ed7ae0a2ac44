package clustermetadata

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
)

// failing is a hub with one ClusterMetadata and one cluster Secret, at which things go
// wrong. It takes the status, and what people are told.
type failing struct {
	hub

	object      *causeway.ClusterMetadata
	list, apply error
	// stop is called when something is listed.
	stop   func()
	writes int
	told   []string
}

func (h *failing) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	h.object.DeepCopyInto(into.(*causeway.ClusterMetadata)) //nolint:forcetypeassert // nothing else is asked for
	return nil
}

func (h *failing) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	h.stop()
	if h.list != nil {
		return h.list
	}
	return h.hub.List(ctx, list, opts...)
}

func (h *failing) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return h.apply
}

func (h *failing) Status() client.SubResourceWriter { return statusWriter{hub: h} }

// Event implements report.Events.
func (h *failing) Event(_ client.Object, _, reason, message string) {
	h.told = append(h.told, reason+": "+message)
}

type statusWriter struct {
	client.SubResourceWriter

	hub *failing
}

func (w statusWriter) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	w.hub.writes++
	w.hub.object = o.(*causeway.ClusterMetadata).DeepCopy() //nolint:forcetypeassert // nothing else has one
	return nil
}

// TestFailuresAreInTheStatus: what the engine tries again is told, once, and leaves what
// was known of single values.
func TestFailuresAreInTheStatus(t *testing.T) {
	value := "a"
	before := causeway.ClusterMetadataStatus{Clusters: 7, Problems: []causeway.MetadataProblem{{Key: "b", Message: "it is another's"}}}
	for name, tc := range map[string]struct {
		reason        string
		list, apply   error
		stops         bool
		told          []string
		clusters      int32
		ready         string
		failed, wrote bool
	}{
		"List":  {reason: "nobody knows which clusters there are", list: errors.New("the cache is away"), told: []string{"Failed: cannot list cluster Secrets: the cache is away"}, clusters: 7, ready: "Failed", failed: true, wrote: true},
		"Write": {reason: "no matter of one Secret", apply: errors.New("connection refused"), told: []string{"Failed: cannot write to cluster Secret dev: connection refused"}, clusters: 7, ready: "Failed", failed: true, wrote: true},
		"Stops": {reason: "the next engine looks again", list: errors.New("stopped"), stops: true, clusters: 7},
		"Works": {reason: "the values are there", clusters: 1, ready: "Written", wrote: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			at := &failing{list: tc.list, apply: tc.apply, stop: func() {}}
			if tc.stops {
				at.stop = cancel
			}
			at.object = &causeway.ClusterMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "a", Generation: 2}, Status: *before.DeepCopy(), Spec: causeway.ClusterMetadataSpec{
				Clusters: causeway.ClusterSelector{MatchAll: true}, Values: []causeway.MetadataValue{{Key: "a", Value: &value}},
			}}
			r := New(Options{Objects: at, Hub: at, Namespace: "argocd", Writes: wake.NewPace[Write](9, time.Hour), Events: at, Log: slog.New(slog.DiscardHandler)})
			t.Cleanup(r.asked.stop)
			for range 2 { // what is told already is not written again
				if _, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "argocd", Name: "a"}}); (err != nil) != tc.failed {
					t.Errorf("%s: it goes on with %v", tc.reason, err)
				}
			}
			if diff := cmp.Diff(tc.told, at.told); diff != "" {
				t.Errorf("%s: events (-want +got):\n%s", tc.reason, diff)
			}
			st := at.object.Status
			if c := meta.FindStatusCondition(st.Conditions, causeway.ConditionReady); (c != nil) != tc.wrote || c != nil && (c.Reason != tc.ready || c.ObservedGeneration != 2) {
				t.Errorf("%s: it is told %+v", tc.reason, c)
			}
			if kept := len(st.Problems) == 1; st.Clusters != tc.clusters || kept != (tc.clusters == before.Clusters) || (at.writes == 1) != tc.wrote || at.writes > 1 {
				t.Errorf("%s: after %d writes the status is %+v", tc.reason, at.writes, st)
			}
		})
	}
}
