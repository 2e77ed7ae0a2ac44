package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/scene"
	"github.com/causeway-gitops/causeway/test/faults/subject"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

// patience is how long a scene may take to become what Git says.
const patience = 5 * time.Minute

// soak is one run.
type soak struct {
	*world

	began time.Time

	mu        sync.Mutex
	next      uint64
	played    int
	latencies []time.Duration // from the end of the faults to equality, since the last row
	samples   []subject.Usage
}

// run plays scenes until ctx ends, and then lets those that are on finish.
func (s *soak) run(ctx context.Context, every time.Duration, width int) error {
	players, playing := errgroup.WithContext(context.WithoutCancel(ctx))
	for range width {
		players.Go(func() error {
			for ctx.Err() == nil && playing.Err() == nil {
				if err := s.play(playing, s.seed()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	fmt.Println("   time  scenes  requests  faults  heap MiB  resident MiB  goroutines  recovery p50/max")
	var sampling error
	for sampling == nil && pause(ctx, every) == nil && playing.Err() == nil {
		sampling = s.sample(playing)
	}
	if err := errors.Join(players.Wait(), sampling); err != nil {
		return err
	}
	if n := s.engine.Ends(); n > 5 {
		return fmt.Errorf("the engine ended %d times by itself", n)
	}
	return grown(s.samples)
}

func (s *soak) seed() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return s.next - 1
}

// play lets one scene come, change and go.
func (s *soak) play(ctx context.Context, seed uint64) error {
	sc := scene.New(seed, control, repoBase)
	s.recorder.Follow(sc.Namespace)
	defer s.recorder.Forget(sc.Namespace)
	faults := proxy.NewSchedule(seed)
	s.setSchedule(sc.Namespace, faults)
	defer s.setSchedule(sc.Namespace, nil)
	if err := s.commits(ctx, sc); err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	faults.Calm()
	calm := time.Now()
	last := len(sc.Commits) - 1
	err := until(ctx, func() error { return witness.Equal(sc, last, s.recorder.Live(sc.Namespace)) })
	if err != nil {
		return fmt.Errorf("seed %d: %w%s", seed, err, witness.Describe(s.recorder.Live(sc.Namespace)))
	}
	s.mu.Lock()
	s.played++
	s.latencies = append(s.latencies, time.Since(calm))
	s.mu.Unlock()
	return s.remove(ctx, sc)
}

func (s *soak) commits(ctx context.Context, sc *scene.Scene) error {
	if err := s.namespace(ctx, sc.Namespace); err != nil {
		return err
	}
	random := scene.Random(sc.Seed, 3)
	for i := range sc.Commits {
		if err := sc.Write(filepath.Join(s.dir, "git", sc.Namespace), i); err != nil {
			return err
		}
		if i == 0 {
			for _, text := range sc.Manifests() {
				if err := s.create(ctx, text); err != nil {
					return err
				}
			}
		}
		if err := pause(ctx, time.Duration(1000+random.IntN(6000))*time.Millisecond); err != nil {
			return err
		}
		// Somebody edits the first object by hand; it may not be there yet.
		patch := []byte(`{"data":{"content":"by hand"}}`)
		_, _ = s.client.Resource(configMaps).Namespace(sc.Namespace).Patch(ctx, "w0-0", "application/merge-patch+json", patch, metav1.PatchOptions{})
	}
	return nil
}

func (s *soak) remove(ctx context.Context, sc *scene.Scene) error {
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
	err := until(ctx, func() error { return witness.Gone(s.recorder.Live(sc.Namespace)) })
	if err != nil {
		return fmt.Errorf("seed %d: %w%s", sc.Seed, err, witness.Describe(s.recorder.Live(sc.Namespace)))
	}
	if sc.Definition() == "" {
		return nil
	}
	return s.client.Resource(definitions).Delete(ctx, sc.Definition(), metav1.DeleteOptions{})
}

// sample prints a row.
func (s *soak) sample(ctx context.Context) error {
	usage, err := s.engine.Usage(ctx)
	if err != nil {
		return nil // the engine may just be starting; the next row tells
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, usage)
	slices.Sort(s.latencies)
	recovery := "-"
	if n := len(s.latencies); n > 0 {
		recovery = fmt.Sprintf("%.1f/%.1f s", s.latencies[n/2].Seconds(), s.latencies[n-1].Seconds())
	}
	s.latencies = nil
	faults := 0
	for _, n := range s.proxy.Injected() {
		faults += n
	}
	fmt.Printf("%7s  %6d  %8d  %6d  %8.1f  %12d  %10d  %s\n", time.Since(s.began).Round(time.Second), s.played, s.proxy.Requests(), faults,
		float64(usage.HeapBytes)/(1<<20), usage.Resident>>20, usage.Goroutines, recovery)
	return nil
}

// What the last third may have beyond the first one.
const (
	moreHeap       = 16 << 20
	moreGoroutines = 60
)

// grown compares the last third of the samples with the first one, after a
// tenth for warming up. Rows are taken while scenes live, so that means are compared.
func grown(samples []subject.Usage) error {
	samples = samples[len(samples)/10:]
	third := len(samples) / 3
	if third == 0 {
		return nil
	}
	before, after := mean(samples[:third]), mean(samples[len(samples)-third:])
	fmt.Printf("first third: %s\nlast third:  %s\n", before, after)
	if after.HeapBytes > before.HeapBytes+before.HeapBytes/4+moreHeap || after.Goroutines > before.Goroutines+before.Goroutines/4+moreGoroutines {
		return errors.New("the engine has grown")
	}
	return nil
}

func mean(samples []subject.Usage) subject.Usage {
	var m subject.Usage
	for _, u := range samples {
		m.HeapBytes += u.HeapBytes
		m.Resident += u.Resident
		m.Goroutines += u.Goroutines
	}
	n := int64(len(samples))
	return subject.Usage{HeapBytes: m.HeapBytes / n, Resident: m.Resident / n, Goroutines: m.Goroutines / int(n)}
}

func until(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return fmt.Errorf("not within %s: %w", patience, err)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
