package faults

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/scene"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

// recorderForgets holds the suite's own witness to its word: an API server that forgets what happened costs it no state
// of an object.
func recorderForgets(s *stage) {
	forgetful := proxy.NewSchedule(3).Only(proxy.Watch, 0.9)
	p, err := proxy.Start(proxy.Options{Upstream: s.direct, Schedule: func(*http.Request) *proxy.Schedule { return forgetful }})
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancel(s.ctx)
	r, err := witness.NewRecorder(ctx, p.Config(), control)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() {
		cancel()
		r.Wait()
	}()
	r.Follow(s.name)
	gaps := r.Gaps()
	want := make([]string, 0, 300)
	for i := range cap(want) {
		want = append(want, strconv.Itoa(i))
		s.apply(fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: %s, annotations: {%s: %q}}}", s.name, scene.ContentAnnotation, want[i]))
	}
	embeddedtest.Eventually(s.t, func(context.Context) error {
		if got := contents(r.Events(s.name)); !slices.Equal(got, want) {
			return fmt.Errorf("the recorder has seen %d contents of %d: %v", len(got), len(want), got)
		}
		return nil
	})
	if p.Injected()[proxy.WatchGone] == 0 || r.Gaps() != gaps {
		s.t.Errorf("watches were forgotten %d times, and the recorder has %d gaps more", p.Injected()[proxy.WatchGone], r.Gaps()-gaps)
	}
}

// contents are those that an object has shown, by the order of the store.
func contents(events []witness.Event) []string {
	slices.SortFunc(events, func(a, b witness.Event) int { return cmp.Compare(a.Revision, b.Revision) })
	var out []string
	for _, e := range events {
		if e.Content != "" && !slices.Contains(out, e.Content) {
			out = append(out, e.Content)
		}
	}
	return out
}
