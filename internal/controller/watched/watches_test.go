package watched

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/follow"
)

// hub is an API server that is watched. The watches of it hold what they were
// asked for.
type hub struct {
	mu      sync.Mutex
	err     error
	asked   []string // in the order of the requests
	streams map[string]*watch.FakeWatcher
}

func (h *hub) Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	o := (&client.ListOptions{}).ApplyOptions(opts)
	text := strings.Join([]string{list.GetObjectKind().GroupVersionKind().Kind, o.Namespace, o.AsListOptions().FieldSelector, o.LabelSelector.String()}, "|")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, text)
	if h.err != nil {
		return nil, h.err
	}
	stream := watch.NewFake()
	context.AfterFunc(ctx, stream.Stop)
	h.streams[text] = stream
	return stream, nil
}

// take returns what was asked for since the last time.
func (h *hub) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.asked
	h.asked = nil
	return out
}

func (h *hub) fails(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}

// fixture has Watches that run in a bubble of time.
type fixture struct {
	*Watches

	hub  *hub
	log  bytes.Buffer
	rung map[string]int
	stop func()
}

func start(t *testing.T, change ...func(*Watches)) *fixture {
	t.Helper()
	f := &fixture{hub: &hub{streams: map[string]*watch.FakeWatcher{}}, rung: map[string]int{}}
	var mu sync.Mutex
	f.Watches = New(f.hub, func(n types.NamespacedName) {
		mu.Lock()
		defer mu.Unlock()
		f.rung[n.Name]++
	}, slog.New(slog.NewTextHandler(&f.log, nil)))
	for _, c := range change {
		c(f.Watches)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	f.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	synctest.Wait()
	return f
}

// rings are those since the last time.
func (f *fixture) rings() map[string]int {
	synctest.Wait()
	out := f.rung
	f.rung = map[string]int{}
	return out
}

func user(name string) types.NamespacedName { return types.NamespacedName{Name: name} }

func configMap(name string) Target {
	return Target{Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Namespace: "argocd", Name: name}
}

const asConfigMap = "ConfigMapList|argocd|metadata.name="

func check(t *testing.T, reason string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

func TestEachChangeRingsForThoseThatNameTheObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		defer f.stop()
		f.Of(user("one"), []Target{configMap("a")})
		f.Of(user("two"), []Target{configMap("a"), configMap("b")})
		check(t, "each is woken when a watch begins: what was deleted before it has no event", map[string]int{"one": 1, "two": 2}, f.rings())
		check(t, "an object that two name is watched once", 2, len(f.hub.take()))

		f.hub.streams[asConfigMap+"a|"].Modify(&metav1.PartialObjectMetadata{})
		check(t, "both name it", map[string]int{"one": 1, "two": 1}, f.rings())
		f.hub.streams[asConfigMap+"b|"].Delete(&metav1.PartialObjectMetadata{})
		check(t, "one names it", map[string]int{"two": 1}, f.rings())
	})
}

func TestAsksForWhatIsNamedAlone(t *testing.T) {
	cases := map[string]struct {
		reason string
		target Target
		want   string
	}{
		"Name":     {"the right to watch one name is enough", configMap("a"), asConfigMap + "a|"},
		"Selector": {"others in the namespace are not sent", Target{Kind: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: "x", Labels: "a in (b,c),!d"}, "SecretList|x||a in (b,c),!d"},
		"All":      {"a kind without namespaces", Target{Kind: corev1.SchemeGroupVersion.WithKind("Node")}, "NodeList|||"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				defer f.stop()
				f.Of(user("one"), []Target{tc.target})
				synctest.Wait()
				check(t, tc.reason, []string{tc.want}, f.hub.take())
			})
		})
	}
}

func TestWhatNobodyNamesIsNotWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		defer f.stop()
		f.Of(user("one"), []Target{configMap("a")})
		f.Of(user("two"), []Target{configMap("a")})
		synctest.Wait()
		a := f.hub.streams[asConfigMap+"a|"]

		f.Of(user("one"), []Target{configMap("b")})
		synctest.Wait()
		f.rings()
		a.Modify(&metav1.PartialObjectMetadata{})
		check(t, "the other one still names it", map[string]int{"two": 1}, f.rings())

		f.Forget(user("two"))
		synctest.Wait()
		if !a.IsStopped() {
			t.Error("an object is watched that nobody names")
		}
		if f.hub.streams[asConfigMap+"b|"].IsStopped() {
			t.Error("the object that is named is not watched")
		}
	})
}

func TestWatchesThatEndBeginAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		defer f.stop()
		f.Of(user("one"), []Target{configMap("a")})
		f.rings()
		f.hub.take()
		f.hub.streams[asConfigMap+"a|"].Stop()
		time.Sleep(follow.Pause)
		check(t, "it is woken: what was deleted meanwhile has no event", map[string]int{"one": 1}, f.rings())
		check(t, "the watch is there again", 1, len(f.hub.take()))
		if f.log.Len() > 0 {
			t.Errorf("a watch that the server ended in its time is told of: %s", f.log.String())
		}
	})
}

func TestPausesGrowWhileAKindCannotBeWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		defer f.stop()
		f.hub.fails(errors.New("no matches for kind"))
		f.Of(user("one"), []Target{configMap("a")})
		time.Sleep(time.Hour)
		if n := len(f.hub.take()); n < 60 || n > 70 {
			t.Errorf("%d attempts in an hour; want about one a minute", n)
		}
		check(t, "it is told of once", 1, strings.Count(f.log.String(), "seen late"))

		f.hub.fails(nil)
		time.Sleep(follow.MaxPause)
		check(t, "the kind is served at last", map[string]int{"one": 1}, f.rings())
		f.hub.streams[asConfigMap+"a|"].Error(&metav1.Status{Message: "too old resource version", Code: 410})
		synctest.Wait()
		if !strings.Contains(f.log.String(), "too old") {
			t.Errorf("the error of a watch is lost: %s", f.log.String())
		}
	})
}

// TestAWatchThatLastedMakesNoPauseLonger: what ended it is told, and it begins
// anew as soon as the first one would.
func TestAWatchThatLastedMakesNoPauseLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		defer f.stop()
		f.Of(user("one"), []Target{configMap("a")})
		for range 3 {
			time.Sleep(2 * follow.MaxPause)
			f.hub.take()
			f.hub.streams[asConfigMap+"a|"].Error(&metav1.Status{Message: "too old resource version", Code: 410})
			time.Sleep(follow.Pause)
			synctest.Wait()
			check(t, "the watch is there again", 1, len(f.hub.take()))
		}
		check(t, "each time is told of", 3, strings.Count(f.log.String(), "too old"))
	})
}

func TestWatchesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(w *Watches) { w.most = 2 })
		defer f.stop()
		for _, name := range []string{"a", "b"} {
			if !f.Of(user(name), []Target{configMap(name)}) {
				t.Errorf("%s is not watched although there is room", name)
			}
		}
		if f.Of(user("c"), []Target{configMap("c")}) {
			t.Error("nobody is told that c is not watched")
		}
		synctest.Wait()
		check(t, "no more than the bound", 2, len(f.hub.take()))
		f.Forget(user("a"))
		synctest.Wait()
		check(t, "room is used as soon as it is there", []string{asConfigMap + "c|"}, f.hub.take())
	})
}

func TestWhatIsNamedBeforeTheStartIsWatchedFromIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(w *Watches) { w.Of(user("early"), []Target{configMap("a")}) })
		check(t, "it was named before", map[string]int{"early": 1}, f.rings())
		f.stop()
		if !f.hub.streams[asConfigMap+"a|"].IsStopped() {
			t.Error("a watch outlives Run")
		}
		f.Of(user("late"), []Target{configMap("b")})
		check(t, "nothing begins after the end", 1, len(f.hub.take()))
	})
}
