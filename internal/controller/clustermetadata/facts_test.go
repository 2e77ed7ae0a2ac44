package clustermetadata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/test/await"
)

// askingOf is a Reconciler whose clusters answer as facts says.
func askingOf(t *testing.T, wait time.Duration, facts Facts, ring func(types.NamespacedName)) *Reconciler {
	t.Helper()
	r := &Reconciler{asked: newAnswers(facts, ring, wait)}
	t.Cleanup(r.asked.stop)
	return r
}

func clusterSecrets(n int) []member {
	out := make([]member, n)
	for i := range out {
		out[i].Name = fmt.Sprintf("c%d", i)
		out[i].UID = types.UID(out[i].Name)
		out[i].server = "https://" + out[i].Name + ".test"
	}
	return out
}

func nodeCount() []causeway.MetadataValue {
	return []causeway.MetadataValue{{Key: "nodes", From: &causeway.MetadataOrigin{Fact: causeway.FactNodeCount}}}
}

// TestHungClustersHoldNoReconcile: a reconcile goes on without those that hang,
// has what the others tell, and is woken by what comes later.
func TestHungClustersHoldNoReconcile(t *testing.T) {
	release, running := make(chan struct{}), atomic.Int32{}
	var mu sync.Mutex
	var most int32
	facts := func(ctx context.Context, secret, _ string, _ []causeway.ClusterFact) (*Told, error) {
		now := running.Add(1)
		defer running.Add(-1)
		mu.Lock()
		most = max(most, now)
		mu.Unlock()
		if secret == "c0" {
			return &Told{Version: "1.36.3"}, nil
		}
		select {
		case <-release:
			return &Told{Version: "1.36.2"}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	rung := make(chan types.NamespacedName, 64)
	r := askingOf(t, time.Millisecond, facts, func(n types.NamespacedName) { rung <- n })
	object := &causeway.ClusterMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "a"}}
	good, all := clusterSecrets(1), clusterSecrets(40)

	if r.ask(t.Context(), object, nodeCount(), good)["c0"].err != nil {
		<-rung // on a busy machine
	}
	told := r.ask(t.Context(), object, nodeCount(), all)
	if got := told["c0"]; got.err != nil || got.told.Version != "1.36.3" {
		t.Errorf("a cluster that answers has no facts beside those that hang: %+v", got)
	}
	if got := told["c7"]; !errors.Is(got.err, errUntold) {
		t.Errorf("a cluster that hangs told %+v", got)
	}
	close(release)
	if who := <-rung; who.Name != "a" {
		t.Errorf("an answer that came late woke %s", who)
	}
	mu.Lock()
	defer mu.Unlock()
	if most > asking {
		t.Errorf("%d clusters were asked at a time, want %d at most", most, asking)
	}
}

// TestSlowAnswersAreKept: a cluster that was slow is not asked by each
// reconcile, and one that fails after a pause that grows.
func TestSlowAnswersAreKept(t *testing.T) {
	for name, tc := range map[string]struct {
		err         error
		took        time.Duration
		before      int
		from, until time.Duration
		lane        string
	}{
		"quick":                   {nil, time.Millisecond, 3, lasting - time.Second, lasting, quick},
		"slow":                    {nil, 2 * time.Second, 3, 19 * time.Second, 20 * time.Second, slow},
		"very slow":               {nil, 9 * time.Second, 0, 59 * time.Second, slowPause, slow},
		"fails at once":           {errors.New("down"), time.Millisecond, 0, lasting - time.Second, lasting, quick},
		"hangs":                   {errors.New("hangs"), 10 * time.Second, 0, 9 * time.Second, firstPause, slow},
		"hangs for another time":  {errors.New("hangs"), 10 * time.Second, 1, 19 * time.Second, 2 * firstPause, slow},
		"hangs for the ninth one": {errors.New("hangs"), 10 * time.Second, 8, lastPause - time.Second, lastPause, slow},
	} {
		t.Run(name, func(t *testing.T) {
			k := &answer{err: tc.err, failures: tc.before}
			begun := time.Now()
			k.believe(tc.took)
			if k.until.Before(begun.Add(tc.from)) || k.until.After(time.Now().Add(tc.until)) {
				t.Errorf("is kept for %s, want %s", k.until.Sub(begun), tc.until)
			}
			if k.lane != tc.lane {
				t.Errorf("is among the %s ones, want %s", k.lane, tc.lane)
			}
		})
	}
}

// TestKeptAnswersAskNobody: until its pause is over a slow cluster is told of as it was.
func TestKeptAnswersAskNobody(t *testing.T) {
	var asked atomic.Int32
	facts := func(context.Context, string, string, []causeway.ClusterFact) (*Told, error) {
		asked.Add(1)
		return nil, errors.New("no answer")
	}
	r := askingOf(t, time.Minute, facts, func(types.NamespacedName) {})
	secrets := clusterSecrets(1)
	object := &causeway.ClusterMetadata{}
	r.ask(t.Context(), object, nodeCount(), secrets)
	k := r.asked.of[secrets[0].question(true)]
	r.asked.mu.Lock()
	k.until, k.lane = time.Now().Add(time.Hour), slow
	r.asked.mu.Unlock()
	before := asked.Load()
	got := r.ask(t.Context(), object, nodeCount(), secrets)["c0"]
	if asked.Load() != before || got.err == nil || got.again < time.Minute {
		t.Errorf("asked %d times, told %+v", asked.Load(), got)
	}
	r.asked.keep(nil)
	if len(r.asked.of) > 0 {
		t.Error("the answer of a cluster that is gone is kept")
	}
}

// TestSlowClustersLeavePlaces: those that were slow do not take all places.
func TestSlowClustersLeavePlaces(t *testing.T) {
	hung := make(chan struct{}, 4*asking)
	facts := func(ctx context.Context, secret, _ string, _ []causeway.ClusterFact) (*Told, error) {
		if secret == "good" {
			return &Told{Version: "1.36.3"}, nil
		}
		hung <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := askingOf(t, time.Minute, facts, func(types.NamespacedName) {})
	for _, s := range clusterSecrets(4 * asking) {
		q := s.question(true)
		r.asked.of[q] = &answer{lane: slow, wakes: map[types.NamespacedName]bool{}}
		r.asked.begin(q, s.Name, nil)
	}
	for range asking / 2 {
		<-hung
	}
	good := []member{{PartialObjectMetadata: metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "good", UID: "good"}}}}
	if got := r.ask(t.Context(), &causeway.ClusterMetadata{}, nodeCount(), good)["good"]; got.err != nil {
		t.Errorf("a cluster that answers waits for those that hang: %v", got.err)
	}
}

// TestLateAnswersAskNobodyAgain: the answers that come late wake who asked, and that
// asks no cluster again that has answered. One that tells of a change is asked at once.
func TestLateAnswersAskNobodyAgain(t *testing.T) {
	var asked atomic.Int32
	facts := func(context.Context, string, string, []causeway.ClusterFact) (*Told, error) {
		asked.Add(1)
		return &Told{Version: "1.36.3"}, nil
	}
	const clusters = 4 * asking
	r := askingOf(t, await.Limit, facts, func(types.NamespacedName) {})
	secrets, object := clusterSecrets(clusters), &causeway.ClusterMetadata{}
	r.ask(t.Context(), object, nodeCount(), secrets)
	r.asked.mu.Lock()
	for _, k := range r.asked.of {
		k.until, k.lane = time.Now().Add(await.Limit), quick // however busy the machine is
	}
	r.asked.mu.Unlock()
	r.asked.keep(secrets)
	before := asked.Load()
	if got := r.ask(t.Context(), object, nodeCount(), secrets)["c1"]; got.err != nil || got.told == nil || got.again != 0 {
		t.Errorf("a cluster told %+v", got)
	}
	if n := asked.Load() - before; n > 0 {
		t.Errorf("%d clusters of %d are asked again", n, clusters)
	}
	before = asked.Load()
	r.Tells(secrets[3].server + "/")
	r.ask(t.Context(), object, nodeCount(), secrets)
	if n := asked.Load() - before; n != 1 {
		t.Errorf("%d clusters are asked after one tells of a change", n)
	}
	moved := slices.Clone(secrets[:1])
	moved[0].server = "https://moved.test"
	before = asked.Load()
	r.ask(t.Context(), object, nodeCount(), moved)
	if n := asked.Load() - before; n != 1 {
		t.Errorf("%d clusters are asked after a Secret names another server", n)
	}
	r.asked.keep(moved)
	if len(r.asked.of) != 1 || len(r.asked.told) > 0 {
		t.Errorf("%d answers of clusters are kept, and %d changes", len(r.asked.of), len(r.asked.told))
	}
}
