package scenario

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/test/deviation"
)

const (
	// recordedCases is how many stories there are. It only goes up.
	recordedCases = 171
	// together is how many stories are played at the same time.
	together = 20
	// shownText bounds what is told of a difference.
	shownText = 1600
)

func TestSyncConformance(t *testing.T) {
	b := lay(t)
	all := stories(t, b.git.url)
	tally := deviation.New(t)
	for _, s := range all {
		s.differs = tally.Listed(s.Name)
	}
	differences := b.playAll(t, all)
	for _, s := range all {
		tally.Case(t, s.Name, differences[s.Name])
	}
	if onlyCases() != "*" {
		tally.Report(t)
		return
	}
	tally.End(t, recordedCases)
}

// playAll plays the stories, those with settings of their own alone at the
// end, and returns what differs.
func (b *bed) playAll(t *testing.T, all []*story) map[string]string {
	t.Helper()
	var (
		mu    sync.Mutex
		wait  sync.WaitGroup
		out   = map[string]string{}
		slots = make(chan struct{}, together)
		ctx   = t.Context()
	)
	play := func(s *story) {
		difference, err := b.play(ctx, s)
		if err != nil {
			difference = strings.TrimSpace(difference + " " + err.Error())
		}
		if difference == "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		out[s.Name] = difference[:min(len(difference), shownText)]
	}
	alone := slices.DeleteFunc(slices.Clone(all), func(s *story) bool { return s.Settings == nil })
	for _, s := range all {
		if s.Settings != nil {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			play(s)
		})
	}
	wait.Wait()
	for _, s := range alone {
		if err := b.playAlone(ctx, s, play); err != nil {
			t.Error(err)
		}
	}
	return out
}

func (b *bed) playAlone(ctx context.Context, s *story, play func(*story)) error {
	undo, err := b.set(ctx, s.Settings)
	if err != nil {
		return err
	}
	play(s)
	return undo()
}
