package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// agrees is how many stories came out as recorded. It only goes up.
	agrees = 148
	// together is how many stories are played at the same time.
	together = 20
	// shownText bounds what is told of a difference.
	shownText = 1600
)

// onPurpose are the stories that come out otherwise, and why.
var onPurpose = map[string]string{
	"app-of-apps-prune":            healthOfApps,
	"app-of-apps-waves":            healthOfApps,
	"apply-immutable-field":        triedFirst,
	"apply-rejected-only-live":     triedFirst,
	"new-commit-while-running":     newerTakesOver,
	"retry-refresh":                newerTakesOver,
	"operation-retry":              realTries,
	"retry-limit-1-then-fixed":     realTries,
	"retry-limit-2":                realTries,
	"rollback-with-automated":      "a rollback holds until the manifests change: automated sync does not undo at once what a person did",
	"hook-generate-name":           "a hook with a generated name is tracked by that name, so that its end wakes the engine; it can be pruned",
	"wave-non-integer":             "a wave that is no number is told in a condition",
	"error-bad-manifest-later":     "objects are not shown as waiting to be pruned because a file cannot be read",
	"error-bad-yaml":               skippedIsTold,
	"error-bad-yaml-later":         skippedIsTold,
	"validate-unknown-field":       droppedIsTold,
	"validate-false-unknown-field": droppedIsTold,
	"prune-copied-tracking-id":     "an object that has the id of another one is none of the application's: it is not listed",
	"namespace-empty-destination":  "an object that has no namespace is told as an error of the manifests, before a sync is tried",
}

// Reasons of several.
const (
	healthOfApps   = "an Application has a health: waves of an app-of-apps wait for it, and it counts"
	triedFirst     = "updates of a wave are tried first: where the API server would refuse one, nothing of the wave is written"
	newerTakesOver = "a newer revision takes the place of an automated sync that waits, or is to be tried again: a fix does not wait for the fault"
	skippedIsTold  = "a file that is skipped is told in a condition"
	droppedIsTold  = "fields that the API server drops are told in the sync's result: the application is not OutOfSync for ever"
	realTries      = "each retry runs the hook: in Argo CD every other one only deletes the hook's old object"
)

func TestSyncConformance(t *testing.T) {
	b := lay(t)
	all := stories(t, b.git.url)
	began := time.Now()
	differences := b.playAll(t, all)
	agree := 0
	var failed []string
	for _, s := range all {
		difference, differs := differences[s.Name]
		switch {
		case !differs:
			agree++
		case onPurpose[s.Name] != "":
			t.Logf("%s differs on purpose: %s", s.Name, onPurpose[s.Name])
		default:
			failed = append(failed, s.Name)
			t.Logf("%s [%s] %s\n%s", s.Name, s.Topic, s.Rule, difference)
		}
	}
	t.Logf("%d stories in %s; others than recorded: %s", len(all), time.Since(began).Round(time.Second), strings.Join(failed, " "))
	fmt.Printf("%s: %d of %d cases agree\n", t.Name(), agree, len(all))
	if agree < agrees && onlyCases() == "*" {
		t.Errorf("%d of %d cases agree, fewer than the %d recorded", agree, len(all), agrees)
	}
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
