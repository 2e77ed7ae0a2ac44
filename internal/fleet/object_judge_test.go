package fleet

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// leaving tells when somebody leaves their worker to wait.
type leaving chan struct{}

func (l leaving) Away(_ context.Context, _ string, wait func() error) error {
	l <- struct{}{}
	return wait()
}

// TestLargeObjectsAreJudgedInTurns: a list is read in little memory, however large
// it is, and a single object that takes much in a turn of the project.
func TestLargeObjectsAreJudgedInTurns(t *testing.T) {
	s := newForeign(t)
	s.which = onlyObjects
	c := s.cluster(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.Facts(ctx); return err })
	const objects, bomb = 20, 7
	judge := func(ctx context.Context, project string) (judged int) {
		err := c.Judge(ctx, project, configMaps, "a", "", func(*unstructured.Unstructured) { judged++ })
		if err != nil {
			t.Errorf("%s: %v", project, err)
		}
		return judged
	}
	red, err := c.turns.Take(t.Context(), slots.Of("red"))
	if err != nil {
		t.Fatal(err)
	}
	large := `"` + strings.Repeat("x", 1<<20) + `"`
	s.answer(listing(objects, func(int) string { return large }))
	if n := judge(t.Context(), "red"); n != objects {
		t.Errorf("%d of %d objects of a megabyte are judged", n, objects)
	}
	many := "[" + strings.Repeat("{},", 200_000) + "{}]"
	s.answer(listing(objects, func(i int) string {
		if i == bomb {
			return many
		}
		return `""`
	}))
	if n := judge(t.Context(), "blue"); n != objects {
		t.Errorf("%d of %d objects are judged for another project", n, objects)
	}
	left, done := make(leaving), make(chan int)
	go func() { done <- judge(seat.With(t.Context(), left), "red") }()
	select {
	case n := <-done:
		t.Fatalf("%d objects are judged without a turn", n)
	case <-left:
	}
	c.turns.Give(red)
	if n := <-done; n != objects {
		t.Errorf("%d of %d objects are judged after the turn", n, objects)
	}
}

// TestTurnsOfLargeObjectsEnd: a cluster that sends a large object slowly has its turn
// for a time.
func TestTurnsOfLargeObjectsEnd(t *testing.T) {
	s := newForeign(t)
	s.which = onlyObjects
	c := s.cluster(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.Facts(ctx); return err })
	var reads atomic.Int32
	large := listing(1, func(int) string { return "[" + strings.Repeat("{},", 200_000) + "{}]" })
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") == "1" && reads.Add(1) > 1 {
			<-r.Context().Done()
			return
		}
		large(w, r)
	})
	c.turnTime = time.Millisecond
	err := c.Judge(t.Context(), "red", configMaps, "a", "", func(*unstructured.Unstructured) { t.Error("it is judged") })
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable {
		t.Errorf("what is told: %v", err)
	}
	if _, err := c.turns.Take(t.Context(), slots.Of("red")); err != nil {
		t.Error("the turn goes on")
	}
}
