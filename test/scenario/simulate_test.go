package scenario

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// simulator plays the workload controllers: it sets the status of each Job
// and Deployment once a generation, as annotations of the object ask for.
type simulator struct {
	bed *bed

	mu   sync.Mutex
	done map[types.UID]int64 // generation
	wait sync.WaitGroup
}

func simulate(t *testing.T, b *bed) {
	t.Helper()
	s := &simulator{bed: b, done: map[types.UID]int64{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		cancel()
		s.wait.Wait()
	})
	for _, kind := range []string{"Job", "Deployment"} {
		b.mirror.tell(kind, func(o *unstructured.Unstructured) { s.see(ctx, o) })
	}
}

func (s *simulator) see(ctx context.Context, o *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.done[o.GetUID()] >= o.GetGeneration() {
		return
	}
	s.done[o.GetUID()] = o.GetGeneration()
	annotations := o.GetAnnotations()
	delay, _ := strconv.ParseFloat(annotations["sim.test/delay"], 64)
	status := statusOf(o.DeepCopy(), annotations["sim.test/outcome"])
	if status == nil {
		return
	}
	s.wait.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(delay * float64(time.Second))):
		}
		patch := client.RawPatch(types.MergePatchType, encode(object{"metadata": object{"uid": string(o.GetUID())}, "status": status(time.Now())}))
		_ = s.bed.Status().Patch(ctx, o.DeepCopy(), patch) // gone meanwhile: nothing to simulate
	})
}

// statusOf is what a controller would write; nil for nothing.
func statusOf(o *unstructured.Unstructured, outcome string) func(now time.Time) object {
	if o.GetKind() == "Job" {
		switch outcome {
		case "", "succeed":
			return succeeded
		case "fail":
			return failed
		}
		return nil
	}
	replicas, ok, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !ok {
		replicas = 1
	}
	return func(time.Time) object { return rollout(o.GetGeneration(), replicas, outcome) }
}

func succeeded(now time.Time) object {
	at := now.UTC().Format(time.RFC3339)
	condition := func(kind string) object {
		return object{"type": kind, "status": "True", "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods", "lastTransitionTime": at, "lastProbeTime": at}
	}
	return object{"startTime": at, "completionTime": at, "succeeded": 1, "conditions": []any{condition("SuccessCriteriaMet"), condition("Complete")}}
}

func failed(now time.Time) object {
	at := now.UTC().Format(time.RFC3339)
	condition := func(kind string) object {
		return object{"type": kind, "status": "True", "reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit", "lastTransitionTime": at, "lastProbeTime": at}
	}
	return object{"startTime": at, "failed": 1, "conditions": []any{condition("FailureTarget"), condition("Failed")}}
}

func rollout(generation, replicas int64, outcome string) object {
	status := object{"observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": 0, "availableReplicas": 0, "conditions": []any{}}
	switch outcome {
	case "", "healthy":
		status["readyReplicas"], status["availableReplicas"] = replicas, replicas
		status["conditions"] = []any{object{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"}}
	case "degraded":
		status["conditions"] = []any{object{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}}
	}
	return status
}
