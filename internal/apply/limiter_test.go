package apply

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLimiterBoundsWhatIsInFlight(t *testing.T) {
	l := newLimiter(InFlight{Start: 3, Min: 1, Max: 3})
	var mu sync.Mutex
	now, most := 0, 0
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if err := l.acquire(t.Context(), "red"); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			mu.Lock()
			now--
			mu.Unlock()
			l.release("red", notRefused)
		})
	}
	group.Wait()
	if most > 3 {
		t.Errorf("%d in flight, 3 are allowed", most)
	}
	if l.inFlight != 0 || len(l.waiting) != 0 {
		t.Errorf("%d in flight and %d waiting at the end", l.inFlight, len(l.waiting))
	}
}

// refuse has a project refused five times, which is one burst and counts once.
func (l *limiter) refuse(t *testing.T, project string, by refusal) {
	t.Helper()
	for range 5 {
		if err := l.acquire(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		l.release(project, by)
	}
}

func TestLimiterAdapts(t *testing.T) {
	clock := time.Unix(0, 0)
	l := newLimiter(InFlight{Start: 32, Min: 2, Max: 64})
	l.now = func() time.Time { return clock }
	for _, want := range []int{16, 8, 4, 2, 2} {
		clock = clock.Add(cutEvery)
		if l.refuse(t, "red", byServer); int(l.shares["red"].limit) != want {
			t.Errorf("limit %v, want %d", l.shares["red"].limit, want)
		}
	}
	before := l.shares["red"].limit
	fill(t, l, "red", 2)
	l.queue("red")
	l.release("red", notRefused)
	if l.shares["red"].limit <= before {
		t.Error("success while others wait has to raise the limit")
	}
}

// TestLimiterCutsWhoIsRefused has an API server refuse one project alone, which is
// the account's or a webhook's; where it refuses others as well, it has too much to do.
func TestLimiterCutsWhoIsRefused(t *testing.T) {
	tests := map[string]struct {
		reason  string
		by      refusal
		refused []string
		want    map[string]int // a share of each
		all     int
	}{
		"One":      {"the others have what they had", byServer, []string{"red", "red", "red"}, map[string]int{"red": 4, "blue": 64, "green": 64}, 32},
		"Most":     {"all have less", byServer, []string{"red", "blue"}, map[string]int{"red": 16, "blue": 16, "green": 64}, 16},
		"Few":      {"two of five are no sign of too much", byServer, []string{"red", "blue", "red", "blue"}, map[string]int{"red": 8, "blue": 8}, 32},
		"Webhooks": {"one team has two projects, and a webhook that refuses both", byWebhook, []string{"red", "blue", "red", "blue"}, map[string]int{"red": 8, "blue": 8, "green": 64}, 32},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			clock := time.Unix(0, 0)
			l := newLimiter(InFlight{Start: 32, Min: 2, Max: 64})
			l.now = func() time.Time { return clock }
			for _, project := range []string{"red", "blue", "green"} {
				fill(t, l, project, 1)
			}
			if name == "Few" {
				fill(t, l, "white", 1)
				fill(t, l, "black", 1)
			}
			for _, project := range tc.refused {
				clock = clock.Add(cutEvery)
				l.refuse(t, project, tc.by)
			}
			if int(l.limit) != tc.all {
				t.Errorf("%s: all have %v, want %d", tc.reason, l.limit, tc.all)
			}
			for project, want := range tc.want {
				if got := l.shares[project].limit; int(got) != want {
					t.Errorf("%s: %s has %v, want %d", tc.reason, project, got, want)
				}
			}
		})
	}
}

// TestLimiterForgets has many projects come and go: those that make no difference are
// forgotten, and one that was refused is a minute later.
func TestLimiterForgets(t *testing.T) {
	clock := time.Unix(0, 0)
	l := newLimiter(InFlight{Start: 32, Min: 2, Max: 64})
	l.now = func() time.Time { return clock }
	come := func() {
		for i := range 100 {
			project := strconv.Itoa(i)
			fill(t, l, project, 1)
			l.release(project, notRefused)
		}
	}
	l.refuse(t, "red", byServer)
	if come(); len(l.shares) != 2 || l.shares["red"] == nil {
		t.Errorf("%d projects are kept", len(l.shares))
	}
	clock = clock.Add(cutFor)
	if come(); len(l.shares) != 1 {
		t.Errorf("%d projects are kept a minute later", len(l.shares))
	}
}

// TestLimiterTakesTurns has a project whose requests never end, and thousands more of
// it in line: others are served all the same, each in turn.
func TestLimiterTakesTurns(t *testing.T) {
	l := newLimiter(InFlight{Start: 8, Min: 2, Max: 8})
	fill(t, l, "slow", 8)
	for range 1000 {
		l.queue("slow")
	}
	fill(t, l, "blue", 1)
	fill(t, l, "green", 1)
	blue, green := []chan struct{}{l.queue("blue"), l.queue("blue"), l.queue("blue")}, l.queue("green")
	l.release("blue", notRefused)
	if !granted(blue[0]) || granted(green) {
		t.Error("who has the fewest is next")
	}
	l.release("green", notRefused)
	if !granted(green) || granted(blue[1]) {
		t.Error("who has none is next")
	}
	l.release("slow", notRefused)
	l.release("slow", notRefused)
	if slow := l.shares["slow"].inFlight; !granted(blue[1]) || slow != 6 {
		t.Errorf("what comes back is for who has the fewest; the slow one has %d", slow)
	}
}

// TestLimiterGivesEachAPlace has an API server say that it has too much to do while
// many slow requests of two projects are in flight: others have one place each all
// the same, and no second one.
func TestLimiterGivesEachAPlace(t *testing.T) {
	clock := time.Unix(0, 0)
	l := newLimiter(InFlight{Start: 32, Min: 2, Max: 64})
	l.now = func() time.Time { return clock }
	fill(t, l, "red", 32)
	fill(t, l, "blue", 4)
	for range 4 {
		clock = clock.Add(cutEvery)
		l.release("red", byServer)
		l.release("blue", byServer)
	}
	if int(l.limit) != 2 || l.inFlight <= 2 {
		t.Fatalf("%d are in flight of %v", l.inFlight, l.limit)
	}
	before := l.inFlight
	for _, project := range []string{"green", "white"} {
		fill(t, l, project, 1)
		second := l.queue(project)
		if l.release("red", notRefused); granted(second) {
			t.Errorf("%s has two", project)
		}
		if l.release(project, notRefused); !granted(second) {
			t.Errorf("%s has none", project)
		}
		l.release(project, notRefused)
	}
	if l.inFlight != before-2 || len(l.waiting) != 0 {
		t.Errorf("%d are in flight, and %d wait: want %d", l.inFlight, len(l.waiting), before-2)
	}
}

// TestLimiterLosesNoPlace has projects come, wait, go and be refused in any order:
// each place is given once and comes back, and who has none waits for none.
func TestLimiterLosesNoPlace(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	clock := time.Unix(0, 0)
	l := newLimiter(InFlight{Start: 8, Min: 2, Max: 16})
	l.now = func() time.Time { return clock }
	projects := []string{"red", "blue", "green", "white"}
	held, lines := map[string]int{}, map[string][]chan struct{}{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20_000 {
		project := projects[dice.IntN(len(projects))]
		line := lines[project]
		switch choice := dice.IntN(4); {
		case choice == 0 && len(line) > 0:
			i := dice.IntN(len(line))
			l.giveUp(l.shares[project], line[i])
			lines[project] = slices.Delete(line, i, i+1)
		case choice == 1 && held[project] > 0:
			clock = clock.Add(cutEvery / 4)
			held[project]--
			l.release(project, max(0, refusal(dice.IntN(12))-9))
		case len(line) > 0 || l.acquire(gone, project) != nil:
			lines[project] = append(line, l.queue(project))
		default:
			held[project]++
		}
		all := 0
		for _, project := range projects {
			before := len(lines[project])
			lines[project] = slices.DeleteFunc(lines[project], granted)
			held[project] += before - len(lines[project])
			all += held[project]
			if s := l.of(project); s.inFlight != held[project] || len(s.waiting) != len(lines[project]) || s.inFlight == 0 && len(s.waiting) > 0 {
				t.Fatalf("%s has %d places of %d, and %d wait of %d", project, s.inFlight, held[project], len(s.waiting), len(lines[project]))
			}
		}
		if l.inFlight != all {
			t.Fatalf("%d are in flight of %d", l.inFlight, all)
		}
	}
}

// TestRefusals tells who says that there are too many requests.
func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		reason string
		err    error
		want   refusal
	}{
		"None":    {"there is no error", nil, notRefused},
		"Other":   {"a webhook forbids it", denial(http.StatusForbidden, `admission webhook "quota.red.io" denied the request: no`), notRefused},
		"Server":  {"as API Priority and Fairness says it", apierrors.NewTooManyRequests("Too many requests, please try again later.", 1), byServer},
		"Webhook": {"it chose the status", denial(http.StatusTooManyRequests, `admission webhook "quota.red.io" denied the request: slow down`), byWebhook},
		"Silent":  {"it gave no reason", denial(http.StatusTooManyRequests, `admission webhook "quota.red.io" denied the request without explanation`), byWebhook},
		"Named":   {"the text of another is no webhook's", denial(http.StatusTooManyRequests, `too many: admission webhook "x" denied the request`), byServer},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := refusalOf(tc.err); got != tc.want {
				t.Errorf("%s: %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

func denial(code int32, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Message: message}}
}

// TestLimiterOfAloneIsWhole: who is alone has all that there was for all.
func TestLimiterOfAloneIsWhole(t *testing.T) {
	l := newLimiter(InFlight{Start: 32, Min: 2, Max: 128})
	fill(t, l, "red", 32)
	if granted(l.queue("red")) {
		t.Error("it has more")
	}
	for range 128 {
		l.queue("red")
	}
	for range 20000 {
		l.queue("red")
		l.release("red", notRefused)
	}
	if l.shares["red"].inFlight != 128 {
		t.Errorf("it comes to %d", l.shares["red"].inFlight)
	}
}

// fill takes so many places of a project.
func fill(t *testing.T, l *limiter, project string, n int) {
	t.Helper()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range n {
		if err := l.acquire(gone, project); err != nil {
			t.Fatalf("there is no place for %s: %v", project, err)
		}
	}
}

// queue has somebody wait for a place of a project, as acquire does.
func (l *limiter) queue(project string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait(l.of(project))
}

func granted(turn chan struct{}) bool {
	select {
	case <-turn:
		return true
	default:
		return false
	}
}

func TestLimiterEndsWithItsContext(t *testing.T) {
	l := newLimiter(InFlight{Start: 1, Min: 1, Max: 1})
	if err := l.acquire(t.Context(), "red"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.acquire(ctx, "red"); !errors.Is(err, context.Canceled) {
		t.Errorf("unexpected: %v", err)
	}
	l.release("red", notRefused)
	if err := l.acquire(t.Context(), "red"); err != nil || l.inFlight != 1 {
		t.Errorf("the place was lost: %v, %d", err, l.inFlight)
	}
}

// BenchmarkLimiter has as many requests wait as goroutines of two waves.
func BenchmarkLimiter(b *testing.B) {
	l := newLimiter(InFlight{Start: 32, Min: 2, Max: 128})
	b.SetParallelism(256)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := l.acquire(b.Context(), "red"); err != nil {
				b.Error(err)
				return
			}
			l.release("red", notRefused)
		}
	})
}
