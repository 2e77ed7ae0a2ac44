package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// lateServer tells of its kinds what its answers say, one after the other, and
// the last one again and again.
type lateServer struct {
	discovery.DiscoveryInterface
	answers []lateAnswer
	asked   int
}

type lateAnswer struct {
	widgets bool
	err     error
}

func (*lateServer) ServerVersion() (*version.Info, error) {
	return &version.Info{GitVersion: "v1.36.3"}, nil
}

func (s *lateServer) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	answer := s.answers[min(s.asked, len(s.answers)-1)]
	s.asked++
	if answer.err != nil || !answer.widgets {
		return nil, nil, answer.err
	}
	v := metav1.GroupVersionForDiscovery{GroupVersion: "later.test/v1", Version: "v1"}
	return []*metav1.APIGroup{{Name: "later.test", Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}},
		[]*metav1.APIResourceList{{GroupVersion: v.GroupVersion, APIResources: []metav1.APIResource{{Name: "widgets", Kind: "Widget", Verbs: metav1.Verbs{"list", "watch"}}}}}, nil
}

// TestLateServer: a definition comes or goes, and the server says so of its
// kinds only later, or does not answer first.
func TestLateServer(t *testing.T) {
	away := lateAnswer{err: errors.New("the server is away")}
	has, hasNot := lateAnswer{widgets: true}, lateAnswer{}
	for name, tc := range map[string]struct {
		turns   []turn
		answers []lateAnswer
		atMost  int // questions
		served  bool
	}{
		"comes":             {[]turn{{name: "widgets.later.test"}}, []lateAnswer{hasNot, hasNot, has}, 3, true},
		"goes":              {[]turn{{"widgets.later.test", true}}, []lateAnswer{has, has, hasNot}, 3, false},
		"goes, and comes":   {[]turn{{"widgets.later.test", true}, {name: "widgets.later.test"}}, []lateAnswer{has}, 1, true},
		"goes in an outage": {[]turn{{"widgets.later.test", true}}, []lateAnswer{has, away, away, hasNot}, 4, false},
		"any in an outage":  {[]turn{{}}, []lateAnswer{away, hasNot}, 2, false},
		"never goes":        {[]turn{{"widgets.later.test", true}}, []lateAnswer{has}, 130, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { follow(t, tc.turns, tc.answers, tc.atMost, tc.served) })
		})
	}
}

// turn is that a definition came or went.
type turn struct {
	name string
	gone bool
}

func follow(t *testing.T, turns []turn, answers []lateAnswer, atMost int, served bool) {
	t.Helper()
	server := &lateServer{answers: answers}
	c := &Cluster{o: Options{OnKinds: func(string) {}}, link: newLink(time.Minute), catalog: newCatalog(server)}
	c.desc.Store(&gitops.Cluster{})
	f := &follower{c: c, turns: newDefinitionTurns()}
	for _, turn := range turns {
		f.turns.tell(turn.name, !turn.gone)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { f.run(ctx); close(over) }()
	time.Sleep(2 * lookFor) // of the bubble's time
	cancel()
	<-over
	if server.asked > atMost {
		t.Errorf("the server was asked %d times, want %d at most", server.asked, atMost)
	}
	if known := slices.Contains(c.catalog.current.facts.APIVersions, "later.test/v1/Widget"); known != served {
		t.Errorf("the kind is known: %v, want %v", known, served)
	}
}

// TestDefinitionsThatWentUnseen: one that goes, or comes, while nothing is watched is
// known by the next list, and what is told of it counts however much else is told.
func TestDefinitionsThatWentUnseen(t *testing.T) {
	d := &definitions{turns: newDefinitionTurns(), known: func(name string) bool { return name == "a" }}
	list := func(names ...string) map[string]bool {
		d.begin()
		for _, name := range names {
			d.page(&metav1.ObjectMeta{Name: name})
		}
		d.end("")
		got := map[string]bool{}
		d.turns.take(got)
		return got
	}
	if diff := cmp.Diff(map[string]bool{"b": true}, list("a", "b")); diff != "" {
		t.Errorf("the first list is compared with discovery (-want +got):\n%s", diff)
	}
	d.event(watch.Added, &metav1.ObjectMeta{Name: "c"})
	d.event(watch.Modified, &metav1.ObjectMeta{Name: "c"})
	for i := range 1000 {
		d.event(watch.Modified, &metav1.ObjectMeta{Name: fmt.Sprint("other-", i)})
	}
	d.event(watch.Deleted, &metav1.ObjectMeta{Name: "c"})
	got := map[string]bool{}
	if d.turns.take(got); len(got) != 1001 || got["c"] {
		t.Errorf("%d are told, and c is served: %t", len(got), got["c"])
	}
	for i := range 1000 {
		d.event(watch.Deleted, &metav1.ObjectMeta{Name: fmt.Sprint("other-", i)})
	}
	d.turns.take(map[string]bool{})
	if diff := cmp.Diff(map[string]bool{"a": false, "d": true, "": true}, list("b", "d")); diff != "" {
		t.Errorf("after an interruption (-want +got):\n%s", diff)
	}
}
