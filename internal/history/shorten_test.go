package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// tried is a wave of a try with objects, each "name outcome".
func tried(try int64, objects ...string) Wave {
	w := Wave{Phase: gitops.Sync, Try: try, Started: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(try) * time.Minute)}
	for _, o := range objects {
		name, outcome, _ := strings.Cut(o, " ")
		one := Object{Kind: "ConfigMap", Name: name, Status: "Synced", Message: outcome}
		switch outcome {
		case "pruned":
			one.Status, one.Pruned = "Pruned", true
		case "refused":
			one.Status = statusFailed
		}
		w.Objects = append(w.Objects, one)
	}
	return w
}

// shown is a sync's waves in words: the try, and its objects, with ! where one was deleted.
func shown(s *Sync) string {
	var out []string
	for i := range s.Waves {
		words := []string{fmt.Sprint(s.Waves[i].Try, ":")}
		for _, o := range s.Waves[i].Objects {
			if o.Pruned {
				o.Name += "!"
			}
			words = append(words, o.Name)
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "; ")
}

// TestTriesWithoutEnd: the first and the last tries are kept, and of those between what
// they alone have.
func TestTriesWithoutEnd(t *testing.T) {
	var s Sync
	for try := range int64(500) {
		w := tried(try, "web refused")
		switch try {
		case 0:
			w = tried(try, "web refused", "db created", "gone unchanged")
		case 2:
			w = tried(try, "web refused", "once configured", "gone pruned")
		case 300:
			w = tried(try, "web refused", "gone created", "twice pruned")
		case 301:
			w = tried(try, "web refused", "twice created")
		}
		handedOut := s.Waves
		before := shown(&Sync{Waves: handedOut})
		s.Waves = append(slices.Clone(handedOut), w)
		s.Shorten()
		if after := shown(&Sync{Waves: handedOut}); after != before {
			t.Fatalf("at try %d, what was handed out has changed from %s to %s", try, before, after)
		}
	}
	if got, want := shown(&s), "0: web db gone; 2: once; 300: gone!; 301: twice!; 497: web; 498: web; 499: web"; got != want {
		t.Errorf("kept are\n%s, want\n%s", got, want)
	}
	if s.LeftOut != 496 {
		t.Errorf("%d tries are said to be left out", s.LeftOut)
	}
	if got, want := s.Count(), (Counts{Created: 3, Changed: 1, Failed: 1, Total: 5}); got != want {
		t.Errorf("the counts are %+v, want %+v", got, want)
	}
}

// TestTriesByTheirOrder: numbers of tries are in the status of an Application, and
// somebody may have written them there.
func TestTriesByTheirOrder(t *testing.T) {
	var s Sync
	for n := range int64(100) {
		s.Waves = append(s.Waves, tried(-n, "web refused"), tried(1<<60-n, "web refused"))
		s.Shorten()
	}
	if len(s.Waves) > 1+lastTries {
		t.Errorf("%d waves are kept", len(s.Waves))
	}
}

// TestObjectsOfASyncAreBounded: what does not fit is counted; what a sync began with and
// does now stays longer, and what it deleted the longest.
func TestObjectsOfASyncAreBounded(t *testing.T) {
	s := Sync{Waves: []Wave{
		tried(0, "a created", "b created"), tried(1, "c pruned"), tried(2, "d created"), tried(3, "e created"), tried(4, "f created"), tried(5, "g created"),
	}}
	one, deleted := s.Waves[2].weight(), s.Waves[1].Objects[0].weight()
	for _, step := range []struct {
		most    int64
		want    string
		omitted Counts
	}{
		{s.Waves[0].weight() + 4*one, "0: a b; 1: c!; 3: e; 4: f; 5: g", Counts{Created: 1, Total: 1}},
		{5 * one, "0: a; 1: c!; 3: e; 4: f; 5: g", Counts{Created: 2, Total: 2}},
		{5*perPart + deleted, "0:; 1: c!; 3:; 4:; 5:", Counts{Created: 6, Total: 6}},
		{0, "0:; 3:; 4:; 5:", Counts{Created: 6, Pruned: 1, Total: 7}},
	} {
		s.fit(step.most)
		if got := shown(&s); got != step.want || s.Omitted != step.omitted {
			t.Errorf("of %d bytes, %s are kept, want %s; left out are %+v, want %+v", step.most, got, step.want, s.Omitted, step.omitted)
		}
		if got, want := s.Count(), (Counts{Created: 6, Pruned: 1, Total: 7}); got != want {
			t.Errorf("of %d bytes, the counts are %+v, want %+v", step.most, got, want)
		}
	}
}

// TestWhatLaterWavesTellGoesFirst: it is counted once, and so is that a sync deleted it.
func TestWhatLaterWavesTellGoesFirst(t *testing.T) {
	s := Sync{Waves: []Wave{tried(0, "a created", "b pruned"), tried(1, "a refused", "b created")}}
	handedOut := s.Waves
	s.fit(s.Waves[1].weight() + perPart)
	if got, want := shown(&s), "0:; 1: a b!"; got != want || s.Waves[0].Repeated != 2 || s.Omitted != (Counts{}) {
		t.Errorf("kept are %s, want %s; %d are repeated, and %+v left out", got, want, s.Waves[0].Repeated, s.Omitted)
	}
	if got, want := shown(&Sync{Waves: handedOut}), "0: a b!; 1: a b"; got != want {
		t.Errorf("what was handed out has changed to %s", got)
	}
}

// TestOmittedDeletions: what others had deleted before is no deletion of the sync, and what
// it deleted is one, whatever became of it after.
func TestOmittedDeletions(t *testing.T) {
	w := tried(0, "gone pruned", "again created")
	w.Objects[0].Pruned, w.Objects[1].Pruned = false, true
	s := Sync{Waves: []Wave{w}}
	s.fit(0)
	if s.Omitted.Pruned != 1 || s.Omitted.Total != 2 {
		t.Errorf("left out are %+v", s.Omitted)
	}
}

// TestLargestApplicationFits has 10,000 objects, each of which is refused at each try.
func TestLargestApplicationFits(t *testing.T) {
	var s Sync
	for try := range int64(6) {
		w := Wave{Try: try}
		for n := range 10_000 {
			w.Objects = append(w.Objects, Object{
				Group: "apps", Kind: "Deployment", Namespace: "a-namespace-of-a-team", Name: fmt.Sprintf("deployment-%05d", n), Verb: gitops.Update, Status: statusFailed,
				Message: Said(strings.Repeat("admission webhook denied the request: an image has to have a digest; ", 20)),
			})
		}
		s.Waves = append(s.Waves, w)
		s.Shorten()
	}
	if n := len(s.Waves[len(s.Waves)-1].Objects); n != 10_000 {
		t.Errorf("of the last try %d objects are kept", n)
	}
	if all := s.Weight(); all > mostOfSync+perRecord {
		t.Errorf("all take %d bytes", all)
	}
	if got, want := s.Count(), (Counts{Failed: 10_000, Total: 10_000}); got != want || s.Omitted != (Counts{}) {
		t.Errorf("they count as %+v, want %+v; left out are %+v", got, want, s.Omitted)
	}
	if said := Said(strings.Repeat("x", 1<<20)); len(said) > mostOfObject+len("…") {
		t.Errorf("a message has %d bytes", len(said))
	}
}

// TestCulpritOfALaterTry: what did not get healthy was unchanged when it was tried again.
func TestCulpritOfALaterTry(t *testing.T) {
	s := Sync{Message: "timed out", Waves: []Wave{tried(0, "web created"), {Phase: gitops.Sync, Try: 1, Unchanged: 1}}}
	if key, why := s.culprit(); key == nil || key.Name != "web" || why != "timed out" {
		t.Errorf("it failed at %v: %s", key, why)
	}
}

// TestMergedTwice: what is merged again, as where a batch is tried again, is the same, and
// the record that came is as it was.
func TestMergedTwice(t *testing.T) {
	runs := func(from, to int64) *Sync {
		var s Sync
		for try := from; try <= to; try++ {
			s.Waves = append(s.Waves, tried(try, "web refused"))
			s.Shorten()
		}
		return &s
	}
	before, now := runs(0, 9), runs(9, 20)
	before.Omitted, now.Omitted = Counts{Created: 2, Total: 5}, Counts{Created: 3, Total: 4}
	came := shown(now)
	once := now.After(before)
	twice := now.After(once)
	if want := "0: web; 18: web; 19: web; 20: web"; shown(once) != want || once.LeftOut != 17 {
		t.Errorf("kept are %s, and %d left out, want %s", shown(once), once.LeftOut, want)
	}
	if want := (Counts{Created: 3, Total: 5}); once.Omitted != want {
		t.Errorf("left out are %+v, want %+v", once.Omitted, want)
	}
	if diff := cmp.Diff(once, twice); diff != "" {
		t.Errorf("merged again (-once +twice):\n%s", diff)
	}
	if shown(now) != came || now.Omitted.Created != 3 || now.Omitted.Total != 4 {
		t.Errorf("what came has changed to %s, %+v", shown(now), now.Omitted)
	}
}

// TestWhatIsSaidGoesBeforeObjects: that an object was there is worth more than all that is
// said of it; of the latest wave it stays the longest, and its beginning always.
func TestWhatIsSaidGoesBeforeObjects(t *testing.T) {
	long := "refused; " + strings.Repeat("x", mostOfObject)
	wave := func(try int64, name string) Wave {
		w := tried(try, name+" refused")
		w.Objects[0].Message = long
		return w
	}
	s := Sync{Waves: []Wave{wave(0, "a"), wave(1, "b")}}
	handedOut := s.Waves
	all := s.Waves[0].weight() + s.Waves[1].weight()
	s.fit(all - 1)
	first, last := s.Waves[0].Objects[0].Message, s.Waves[1].Objects[0].Message
	if len(first) > leastOfObject+len("…") || !strings.HasPrefix(first, "refused; xxx") || last != long {
		t.Errorf("of the first %q is said, of the last %d bytes", first, len(last))
	}
	if s.Omitted != (Counts{}) || handedOut[0].Objects[0].Message != long {
		t.Errorf("left out are %+v; of what was handed out %d bytes are said", s.Omitted, len(handedOut[0].Objects[0].Message))
	}
	if s.fit(s.Waves[0].weight() + s.Waves[1].weight()); s.Waves[1].Objects[0].Message != long {
		t.Error("what fits is cut")
	}
}
