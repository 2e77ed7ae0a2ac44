package faults

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/scene"
	"github.com/causeway-gitops/causeway/test/faults/subject"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

// TestControlPlaneKilled plays each seed on a control plane of its own, which is killed with SIGKILL at writes of the
// engine that the seed chose, and comes back with its data; now and then the engine goes with it.
func TestControlPlaneKilled(t *testing.T) {
	for _, seed := range span(t, "planes", *planes) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			playKilled(t, seed)
		})
	}
}

const (
	// scenes play at the same time.
	scenes = 3
	// mostScenes play one after another in the place of one, so that the engine has something to write until the last kill.
	mostScenes = 8
)

// playKilled plays the scenes of a seed at the same time, and further ones until each kill has come: how much the
// engine writes between two of them is not the test's to say.
func playKilled(t *testing.T, seed uint64) {
	w := newWorld(t)
	w.fuse = newFuse(seed)
	w.startEngine()
	s := newSession(w, func(uint64) string { return fmt.Sprintf("-run TestControlPlaneKilled -planes=%d", seed) })
	s.mortal = math.MaxUint64
	w.fuse.arm(w.cluster)
	began := time.Now()
	var g sync.WaitGroup
	var played atomic.Int64
	for i := range uint64(scenes) {
		g.Go(func() {
			s.play(t.Context(), planeScenes+seed*scenes+i)
			played.Add(1)
			for j := range uint64(mostScenes) {
				if w.fuse.left() == 0 || t.Context().Err() != nil {
					return
				}
				s.play(t.Context(), furtherScenes+(seed*scenes+i)*mostScenes+j)
				played.Add(1)
			}
		})
	}
	over := make(chan struct{})
	go func() {
		g.Wait()
		close(over)
	}()
	s.survive(over, scene.Random(seed, 4))
	took := time.Since(began)
	if left := w.fuse.disarm(); left > 0 {
		t.Errorf("%d of %d kills did not come: %d scenes were over before", left, kills, played.Load())
	}
	s.try()
	s.print(int(played.Load()), took)
}

// Where the seeds of these scenes begin.
const (
	planeScenes   = 1 << 21
	furtherScenes = 1 << 22
)

// survive starts the control plane again, with its data, each time it was killed, until the scenes are over.
func (s *session) survive(over <-chan struct{}, random *rand.Rand) {
	s.t.Helper()
	for {
		select {
		case <-over:
			return
		case <-s.fuse.blown:
		}
		old := s.cluster
		<-old.Done()
		_ = old.Stop() // it tells that it was killed
		if random.IntN(2) == 0 {
			s.engine.Kill()
			s.killed()
		}
		s.startCluster(old.Options())
		s.fuse.arm(s.cluster)
	}
}

// TestLeadershipMoves freezes the leader of two engines in the middle of a
// wave, lets the other one go on, and then the first one wake up.
func TestLeadershipMoves(t *testing.T) {
	w := newWorld(t)
	// Elections of production would take longer than the test.
	engines := []*subject.Engine{w.newEngine("one", "--leader-elect"), w.newEngine("two", "--leader-elect")}
	s := w.stage(t)
	s.folder(slowDeployment + wave("second", "1", "1") + wave("third", "2", "1"))
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		_, err := s.clients.AppsV1().Deployments(s.name).Get(ctx, "first", metav1.GetOptions{})
		return err
	})
	leader := s.leader(engines)
	leader.Signal(syscall.SIGSTOP)
	s.holds("third", "1")
	leader.Signal(syscall.SIGCONT)
	s.commit(slowDeployment + wave("second", "1", "2") + wave("third", "2", "1"))
	s.holds("second", "2")
	writes, err := witness.Audit(w.audit, engineUser)
	if err != nil {
		t.Fatal(err)
	}
	s.once(writes)
}

const slowDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: first}
spec:
  replicas: 1
  selector: {matchLabels: {app: first}}
  template:
    metadata: {labels: {app: first}, annotations: {kube.causeway.io/ready-after: 8s}}
    spec: {containers: [{name: main, image: registry.example.com/first}]}
---
`

func wave(name, wave, content string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, annotations: {argocd.argoproj.io/sync-wave: %q}}\ndata: {content: %q}\n---\n", name, wave, content)
}

// leader finds the engine that holds the lease.
func (s *stage) leader(engines []*subject.Engine) *subject.Engine {
	s.t.Helper()
	var found *subject.Engine
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		for _, e := range engines {
			metrics, err := e.Metrics(ctx)
			if err == nil && leads.MatchString(metrics) {
				found = e
				return nil
			}
		}
		return errors.New("no engine leads")
	})
	return found
}

// once fails when an object was made twice, deleted, or made before the
// Deployment of the first wave was ready.
func (s *stage) once(writes []witness.Request) {
	s.t.Helper()
	made := map[string]int{}
	for _, w := range writes {
		if w.Namespace != s.name {
			continue
		}
		if w.Verb == "delete" {
			s.t.Errorf("%s %s was deleted", w.Resource, w.Name)
		}
		if w.Created() {
			made[w.Name]++
		}
	}
	for _, name := range []string{"first", "second", "third"} {
		if made[name] != 1 {
			s.t.Errorf("%s was made %d times, want once", name, made[name])
		}
	}
	d, err := s.clients.AppsV1().Deployments(s.name).Get(s.ctx, "first", metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range d.Status.Conditions {
		if c.Type != "Available" {
			continue
		}
		for _, w := range writes {
			if w.Namespace == s.name && w.Name == "second" && w.Received.Before(c.LastTransitionTime.Add(-time.Second)) { // whole seconds
				s.t.Errorf("the second wave began at %s, before the first one was available at %s", w.Received, c.LastTransitionTime)
			}
		}
	}
}

// TestLeasesFail spoils the requests of leader election alone.
func TestLeasesFail(t *testing.T) {
	w := newWorld(t)
	w.shared = proxy.NewSchedule(7).Only(proxy.Lease, 0.5)
	w.newEngine("one", "--leader-elect")
	w.newEngine("two", "--leader-elect")
	s := w.stage(t)
	s.folder(configMap("a", "1"))
	for i := range 5 {
		s.holds("a", strconv.Itoa(i+1))
		s.commit(configMap("a", strconv.Itoa(i+2)))
	}
	w.shared.Calm()
	s.holds("a", "6")
}
