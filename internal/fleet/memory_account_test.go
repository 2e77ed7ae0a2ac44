package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// wide serves so many kinds.
func wide(kinds int) serving {
	var list strings.Builder
	for i := range kinds {
		fmt.Fprintf(&list, `,{"name":"kind%03ds","kind":"Kind%03d","namespaced":true,"verbs":["get"]}`, i, i)
	}
	return func(r *http.Request) (*http.Response, error) {
		text := map[string]string{
			"/version": `{"gitVersion": "v1.36.3"}`,
			"/api":     `{"kind":"APIVersions","versions":["v1"]}`,
			"/apis":    `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
			"/api/v1":  `{"kind":"APIResourceList","groupVersion":"v1","resources":[` + strings.TrimPrefix(list.String(), ",") + `]}`,
		}[r.URL.Path]
		if text == "" {
			a := answer(r, strings.NewReader(`{"kind":"Status","status":"Failure","code":404,"reason":"NotFound"}`))
			a.StatusCode = http.StatusNotFound
			return a, nil
		}
		return answer(r, io.Reader(strings.NewReader(text))), nil
	}
}

// TestKindsHaveOneAccount has owners bring clusters with many kinds. Each goes beyond
// its share of what all have together while one stays free for others, and what does
// not fit is said.
func TestKindsHaveOneAccount(t *testing.T) {
	const kinds = 100
	one := int64(0)
	synctest.Test(t, func(t *testing.T) {
		f := bubbleFleet(t, 0)
		one = brings(t, f, gitops.Cluster{Secret: "a"}, kinds).catalog.current.bytes
		if f.memory.held != one || one < kinds*perMapping {
			t.Errorf("%d bytes are held, of %d of the cluster", f.memory.held, one)
		}
	})
	found := func(secret, in string) gitops.Cluster {
		return gitops.Cluster{Secret: secret, Source: "vms", Annotations: map[string]string{causeway.AnnotationFoundIn: in + "/" + secret}}
	}
	synctest.Test(t, func(t *testing.T) {
		f := bubbleFleet(t, 2*shares*one) // a share is two clusters
		for _, tc := range []struct {
			reason string
			d      gitops.Cluster
			says   string
		}{
			{"a project has a share", gitops.Cluster{Secret: "r1", Project: "red"}, ""},
			{"", gitops.Cluster{Secret: "r2", Project: "red"}, ""},
			{"and more while nobody else wants it", gitops.Cluster{Secret: "r3", Project: "red"}, ""},
			{"", gitops.Cluster{Secret: "r4", Project: "red"}, ""},
			{"", gitops.Cluster{Secret: "r5", Project: "red"}, ""},
			{"who runs the engine has what is left", gitops.Cluster{Secret: "o1"}, ""},
			{"the last share is for others", gitops.Cluster{Secret: "r6", Project: "red"}, "the kinds of all clusters of project red have 0.1 MiB together, and more while 0.1 MiB stay free for others"},
			{"as a namespace where clusters are found", found("n1", "blue"), ""},
			{"", found("n2", "blue"), ""},
			{"which has a share and no more then", found("n3", "blue"), "the kinds of all clusters found in namespace blue have 0.1 MiB together"},
			{"and all of it is taken", found("n4", "green"), "the kinds of all clusters have 0.3 MiB together"},
			{"", gitops.Cluster{Secret: "o2"}, "the kinds of all clusters have 0.3 MiB together"},
		} {
			c := brings(t, f, tc.d, kinds)
			s := c.State()
			if !s.Reachable || (s.Err != nil) != (tc.says != "") || s.Err != nil && !strings.Contains(s.Err.Error(), tc.says) || (s.Kinds == 0) != (tc.says != "") {
				t.Errorf("%s (%s): %d kinds, %v", tc.reason, tc.d.Secret, s.Kinds, s.Err)
			}
			if _, err := c.Facts(t.Context()); (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s (%s): who asks for its kinds is told %v", tc.reason, tc.d.Secret, err)
			}
		}
		late := f.spokes["r6"]
		for _, leaves := range []string{"r1", "r2", "r3"} {
			f.Remove(leaves)
		}
		if _, err := late.catalog.refresh(t.Context()); err != nil || late.State().Err != nil {
			t.Errorf("some have left, and their room is not taken: %v, %v", err, late.State().Err)
		}
		d := late.Desc()
		d.Project = "yellow"
		if err := f.Set(t.Context(), d, wide(kinds).config(d.Server)); err != nil || f.memory.of["of project red"] != 2*one || f.memory.of["of project yellow"] != one {
			t.Errorf("one belongs to another project, and the account has %v: %v", f.memory.of, err)
		}
		for _, c := range f.Clusters() {
			f.Remove(c.Secret)
		}
		if f.memory.held != 0 || len(f.memory.of) != 0 || len(f.memory.by) != 0 {
			t.Errorf("all have left, and %d bytes of %v are held", f.memory.held, f.memory.of)
		}
	})
}

// TestRoomIsHandedOver has a cluster take the place of another one's Secret, and
// somebody else ask for the room before it has told what it serves.
func TestRoomIsHandedOver(t *testing.T) {
	const kinds = 100
	synctest.Test(t, func(t *testing.T) {
		f := bubbleFleet(t, 60<<10) // for one of them, beside which a quarter is free
		held := brings(t, f, gitops.Cluster{Secret: "old", Project: "red"}, kinds).catalog.current.bytes
		late := brings(t, f, gitops.Cluster{Secret: "late"}, kinds)
		d, answers := gitops.Cluster{Name: "old", Server: "http://old.test", Secret: "old", Project: "blue"}, make(chan struct{})
		cfg := serving(func(r *http.Request) (*http.Response, error) {
			<-answers
			return wide(kinds)(r)
		}).config(d.Server)
		cfg.BearerToken = "another"
		if err := f.Set(t.Context(), d, cfg); err != nil {
			t.Fatal(err)
		}
		if _, err := late.catalog.refresh(t.Context()); !isCrowded(err) || f.memory.held != held || f.memory.of["of project blue"] != held {
			t.Errorf("the room of one that is replaced is anybody's: %v, %d bytes of %v are held", err, f.memory.held, f.memory.of)
		}
		close(answers)
		synctest.Wait()
		if s := f.spokes["old"].State(); s.Err != nil || s.Kinds != kinds {
			t.Errorf("the one in its place has %d kinds, %v", s.Kinds, s.Err)
		}
		why := errors.New("it is not JSON")
		if err := f.SetBroken(d, why); !errors.Is(err, why) || f.memory.held != 0 {
			t.Errorf("one that cannot be used holds %d bytes", f.memory.held)
		}
	})
}

// TestRoomIsLookedFor has a cluster be without room: it is no reason to believe that
// it does not answer, nor asked all the time, and has its kinds soon after others
// have left, although nobody asks for them.
func TestRoomIsLookedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, told := &lateServer{answers: []lateAnswer{{widgets: true}}}, 0
		c := &Cluster{o: Options{OnKinds: func(string) { told++ }}, link: newLink(time.Minute), catalog: newCatalog(server)}
		c.desc.Store(&gitops.Cluster{})
		c.link.set(nil, 0)
		var room atomic.Bool
		c.catalog.take = func(*kinds) error {
			if room.Load() {
				return nil
			}
			return &crowded{}
		}
		f := &follower{c: c, turns: newDefinitionTurns()}
		f.turns.tell("widgets.later.test", true)
		var follows sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		follows.Go(func() { f.run(ctx) })
		time.Sleep(lookFor) // of the bubble's time
		synctest.Wait()
		if most := 1 + int(lookFor/pollKinds); server.asked == 0 || server.asked > most {
			t.Errorf("the server was asked %d times, want %d at most", server.asked, most)
		}
		if _, err := c.kinds(ctx); !isCrowded(err) || len(c.link.kicked) > 0 {
			t.Errorf("its link is probed %d times, and who asks is told %v", len(c.link.kicked), err)
		}
		room.Store(true)
		time.Sleep(2 * pollKinds)
		cancel()
		follows.Wait()
		if c.catalog.current == nil || c.catalog.crowdedOut() || told != 1 {
			t.Errorf("there is room, and its kinds are not taken; told %d times", told)
		}
	})
}

// TestWhatIsKnownStays has a cluster serve more than fits by and by.
func TestWhatIsKnownStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, serves := bubbleFleet(t, 100<<10), wide(10)
		d := gitops.Cluster{Name: "spoke", Server: "http://spoke.test", Secret: "spoke"}
		if err := f.Set(t.Context(), d, serving(func(r *http.Request) (*http.Response, error) { return serves(r) }).config(d.Server)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c, held := f.spokes["spoke"], f.memory.held
		serves = wide(1000)
		_, err := c.catalog.refresh(t.Context())
		if s := c.State(); err == nil || s.Kinds != 10 || s.Err == nil || !strings.Contains(s.Err.Error(), "it serves 1000 in all versions") || f.memory.held != held {
			t.Errorf("%d kinds, %v, and %d bytes of %d: %v", s.Kinds, s.Err, f.memory.held, held, err)
		}
		if known, err := c.kinds(t.Context()); err != nil || len(known.byKind) != 10 {
			t.Errorf("what was known is lost: %v", err)
		}
		serves = wide(11)
		if _, err := c.catalog.refresh(t.Context()); err != nil || c.State().Err != nil || c.State().Kinds != 11 {
			t.Errorf("it fits again: %v, %v", err, c.State().Err)
		}
	})
}

func brings(t *testing.T, f *Fleet, d gitops.Cluster, kinds int) *Cluster {
	t.Helper()
	d.Name, d.Server = d.Secret, "http://"+d.Secret+".test"
	if err := f.Set(t.Context(), d, wide(kinds).config(d.Server)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return f.spokes[d.Secret]
}
