package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/scene"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

// TestSeeds plays seeded schedules of faults, several at a time against one
// engine. See docs/explanation/faults.md.
func TestSeeds(t *testing.T) {
	seeds := chosen(t)
	w := newWorld(t)
	w.shared = proxy.Shared(seeds[0])
	w.startEngine()
	s := newSession(w, func(seed uint64) string { return fmt.Sprintf("-run TestSeeds -seed=%d", seed) })
	// In the last part the engine lives long enough to show what it loses.
	s.mortal = seeds[(len(seeds)-1)*2/3]
	began := time.Now()
	var g errgroup.Group
	g.SetLimit(*inFlight)
	for _, seed := range seeds {
		g.Go(func() error {
			s.play(t.Context(), seed)
			return nil
		})
	}
	_ = g.Wait()
	took := time.Since(began)
	w.shared.Calm()
	s.try()
	if len(seeds) >= enough {
		s.grown()
	}
	s.print(len(seeds), took)
}

// try holds the audit log of the API server against each scene.
func (s *session) try() {
	s.t.Helper()
	writes, err := witness.Audit(s.audit, engineUser)
	if err != nil || len(writes) == 0 {
		s.t.Fatalf("the audit log has %d writes of the engine: %v", len(writes), err)
	}
	byScene := witness.ByScene(writes)
	for _, p := range s.scenes {
		if errs := p.Try(byScene[p.Scene.Namespace]); len(errs) > 0 {
			s.failed[p.Scene.Seed] = fmt.Errorf("the audit log shows: %w", errors.Join(errs...))
		}
	}
	s.writes = len(writes)
}

// enough schedules have to be played before what an engine holds says something.
const enough = 200

// What an engine that went through faults may hold beyond one that did not.
const (
	moreHeap       = 32 << 20
	moreGoroutines = 60
)

// grown compares the engine, once nothing is left for it to do, with a new one
// that has seen one scene without faults.
func (s *session) grown() {
	s.t.Helper()
	ctx := s.t.Context()
	if err := s.engine.Ready(ctx); err != nil { // it may have been killed just now
		s.t.Errorf("the engine does not get ready: %v", err)
		return
	}
	before, err := s.engine.Usage(ctx)
	if err != nil {
		s.t.Errorf("cannot measure the engine: %v", err)
		return
	}
	stacks, _ := s.engine.Profile(ctx, "goroutine")
	s.engine.Kill()
	s.calm = true
	s.play(ctx, warmUp)
	after, err := s.engine.Usage(ctx)
	if err != nil {
		s.t.Errorf("cannot measure a new engine: %v", err)
		return
	}
	s.t.Logf("the engine after all seeds: %s; a new one: %s", before, after)
	if before.HeapBytes > after.HeapBytes+moreHeap || before.Goroutines > after.Goroutines+moreGoroutines {
		s.t.Errorf("the engine has grown: %s, a new one has %s\n%.20000s", before, after, stacks)
	}
}

// warmUp is the seed of a scene that a new engine plays to be comparable.
const warmUp = 1 << 20

// session is one run of many seeds.
type session struct {
	*world

	mu     sync.Mutex
	failed map[uint64]error
	worst  time.Duration
	kills  int
	drifts int
	blind  int // seeds whose order could not be judged
	scenes []*witness.Played
	writes int                      // of the engine, by the audit log
	calm   bool                     // no faults any more
	mortal uint64                   // the last seed that kills the engine
	again  func(seed uint64) string // how a seed is played again
}

func newSession(w *world, again func(seed uint64) string) *session {
	return &session{world: w, failed: map[uint64]error{}, again: again}
}

func (s *session) play(ctx context.Context, seed uint64) {
	sc := scene.New(seed, control, repoBase)
	ctx, cancel := context.WithTimeout(ctx, 3**patience)
	defer cancel()
	s.recorder.Follow(sc.Namespace)
	defer s.recorder.Forget(sc.Namespace)
	err := s.scene(ctx, sc)
	if err == nil {
		return
	}
	err = fmt.Errorf("%w%s", err, witness.Describe(s.recorder.Live(sc.Namespace))+s.told(ctx, sc))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[seed] = err
	s.t.Logf("seed %d: %v", seed, err)
}

// scene plays one seed from its first commit to the last object gone.
func (s *session) scene(ctx context.Context, sc *scene.Scene) error {
	random := scene.Random(sc.Seed, 2)
	faults := proxy.NewSchedule(sc.Seed)
	if s.calm {
		faults.Calm()
	}
	s.setSchedule(sc.Namespace, faults)
	gaps := s.recorder.Gaps()
	p := &witness.Played{Scene: sc}
	if err := s.begin(ctx, sc); err != nil {
		return err
	}
	for i := range sc.Commits {
		p.Commits = append(p.Commits, time.Now())
		if err := sc.Write(s.dir+"/"+sc.Namespace, i); err != nil {
			return err
		}
		if i == 0 {
			if err := s.create(ctx, sc); err != nil {
				return err
			}
		}
		s.meanwhile(ctx, sc, i, random)
	}
	faults.Calm()
	calm := time.Now()
	last := len(sc.Commits) - 1
	if err := s.until(ctx, "the cluster is what Git says", func() error { return witness.Equal(sc, last, s.recorder.Live(sc.Namespace)) }); err != nil {
		return err
	}
	s.note(time.Since(calm))
	if err := s.exactly(ctx, sc); err != nil {
		return err
	}
	events := s.recorder.Events(sc.Namespace)
	if err := s.judge(sc, events, s.recorder.Gaps() == gaps); err != nil {
		return err
	}
	p.Meet(events)
	p.Deleted = time.Now()
	if err := s.remove(ctx, sc); err != nil {
		return err
	}
	p.See(s.recorder.Events(sc.Namespace))
	p.Unseen = witness.Unseen(gaps, s.recorder.Gaps())
	s.mu.Lock()
	s.scenes = append(s.scenes, p)
	s.mu.Unlock()
	return nil
}

// judge looks at what happened on the way. The order of waves can be told where
// all of it was seen.
func (s *session) judge(sc *scene.Scene, events []witness.Event, whole bool) error {
	if errs := witness.Kept(sc, events); len(errs) > 0 {
		return errors.Join(errs...)
	}
	if !whole {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.blind++
		return nil
	}
	if errs := witness.Waves(sc, events); len(errs) > 0 {
		return fmt.Errorf("a wave began too early: %v", errs)
	}
	return nil
}

func (s *session) note(recovery time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worst = max(s.worst, recovery)
}

func (s *session) begin(ctx context.Context, sc *scene.Scene) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: sc.Namespace}}
	return s.insist(ctx, func() error {
		_, err := s.clients.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// insist tries again while the API server restarts.
func (s *session) insist(ctx context.Context, do func() error) error {
	return s.until(ctx, "the API server takes a request of the suite", do)
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func resourceOf(kind string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: strings.ToLower(kind) + "s"}
}

// create makes what a person makes by hand: the root Applications and the set.
func (s *session) create(ctx context.Context, sc *scene.Scene) error {
	for _, text := range sc.Manifests() {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			return fmt.Errorf("%w in\n%s", err, text)
		}
		err := s.insist(ctx, func() error {
			_, err := s.dynamic.Resource(resourceOf(o.GetKind())).Namespace(control).Create(ctx, o, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot create %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// meanwhile lets a commit work for a while, which differs from seed to seed:
// the next one may come in the middle of it.
func (s *session) meanwhile(ctx context.Context, sc *scene.Scene, commit int, random *rand.Rand) {
	pause := time.Duration(300+random.IntN(2500)) * time.Millisecond
	half := time.Duration(random.Int64N(int64(pause)))
	s.sleep(ctx, half)
	if sc.KillAt == commit && sc.Seed <= s.mortal {
		s.engine.Kill()
		s.killed()
	}
	if sc.Drift && random.IntN(2) == 0 {
		s.drift(ctx, sc, random)
	}
	s.sleep(ctx, pause-half)
	s.steady(ctx, sc)
}

// killed counts a kill of the engine.
func (s *session) killed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kills++
}

// steady waits until the control plane is there: commits that come while it is
// away would be one.
func (s *session) steady(ctx context.Context, sc *scene.Scene) {
	_ = s.insist(ctx, func() error { // what follows tells
		_, err := s.clients.CoreV1().Namespaces().Get(ctx, sc.Namespace, metav1.GetOptions{})
		return err
	})
}

// sleep is the schedule's own pace; nothing is judged by it.
func (s *session) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// drift edits or deletes an object by hand.
func (s *session) drift(ctx context.Context, sc *scene.Scene, random *rand.Rand) {
	maps := s.clients.CoreV1().ConfigMaps(sc.Namespace)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for _, i := range random.Perm(len(list.Items)) {
		cm := &list.Items[i]
		if cm.Annotations[scene.ContentAnnotation] == "" || strings.HasPrefix(cm.Name, "hook-") {
			continue
		}
		if random.IntN(2) == 0 {
			err = maps.Delete(ctx, cm.Name, metav1.DeleteOptions{})
		} else {
			cm.Data["content"] = "by hand"
			_, err = maps.Update(ctx, cm, metav1.UpdateOptions{})
		}
		if err == nil {
			s.mu.Lock()
			s.drifts++
			s.mu.Unlock()
		}
		return
	}
}

// until waits for a condition; the last reason tells what was missing.
func (s *session) until(ctx context.Context, what string, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, *patience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		s.sleep(ctx, 100*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("not within %s: %s: %w", *patience, what, err)
		}
	}
}

// exactly compares once more, object by object, with what the API server
// itself answers now: also the kinds that are not watched.
func (s *session) exactly(ctx context.Context, sc *scene.Scene) error {
	last := len(sc.Commits) - 1
	return s.until(ctx, "each object is what Git says", func() error {
		live, err := witness.Read(ctx, s.dynamic, sc, last)
		if err != nil {
			return err
		}
		return witness.Equal(sc, last, live)
	})
}

// remove deletes the applications and waits until all they had is gone.
func (s *session) remove(ctx context.Context, sc *scene.Scene) error {
	if sc.DeleteEarly {
		s.setSchedule(sc.Namespace, proxy.NewSchedule(sc.Seed+1<<32))
	}
	if sc.Set {
		if err := s.delete(ctx, "ApplicationSet", sc.Namespace+"-set"); err != nil {
			return err
		}
	}
	for _, folder := range sc.Roots {
		if err := s.delete(ctx, "Application", sc.AppName(folder)); err != nil {
			return err
		}
	}
	if sc.DeleteEarly {
		s.sleep(ctx, time.Second)
	}
	s.setSchedule(sc.Namespace, nil)
	err := s.until(ctx, "everything is gone after the deletion", func() error {
		return witness.Gone(s.recorder.Live(sc.Namespace))
	})
	if err != nil || sc.Definition() == "" {
		return err
	}
	return s.insist(ctx, func() error {
		err := s.dynamic.Resource(definitions).Delete(ctx, sc.Definition(), metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

func (s *session) delete(ctx context.Context, kind, name string) error {
	return s.insist(ctx, func() error {
		err := s.dynamic.Resource(resourceOf(kind)).Namespace(control).Delete(ctx, name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// print tells the figures, and each seed that failed with how to play it again.
func (s *session) print(seeds int, took time.Duration) {
	t := s.t
	t.Helper()
	injected := s.proxy.Injected()
	var kinds []string
	total := 0
	for _, f := range slices.Sorted(maps.Keys(injected)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", f, injected[f]))
		total += injected[f]
	}
	t.Logf("%d seeds in %s, %d of them failed; %d requests, %d writes by the audit log, %d faults (%s), engine killed %d times and %d times at its end by itself, %d objects changed by hand; worst recovery %s; %d seeds without judgement of order",
		seeds, took.Round(time.Second), len(s.failed), s.proxy.Requests(), s.writes, total, strings.Join(kinds, ", "), s.kills, s.engine.Ends(), s.drifts, s.worst.Round(100*time.Millisecond), s.blind)
	for _, seed := range slices.Sorted(maps.Keys(s.failed)) {
		t.Errorf("seed %d: %v\n\tplay it again: go test ./test/faults %s", seed, s.failed[seed], s.again(seed))
	}
}
