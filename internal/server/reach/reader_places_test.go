package reach

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
)

// How far a reader has been told depends on what they may see, and on nothing else.
func TestPlacesAreOfWhatMayBeRead(t *testing.T) {
	r, _ := world()
	at := func(name string) (moment, version uint64) {
		t.Helper()
		p, err := r.Place(auth.With(t.Context(), &auth.User{Name: name, Via: auth.Local}))
		if err != nil {
			t.Fatal(err)
		}
		return uint64(p.Moment), p.Version
	}
	begun, _ := at("reader")
	for n := range 50 {
		r.rows.Put(row("platform", fmt.Sprint("theirs-", n)))
	}
	now, version := at("reader")
	if now != begun || version != r.rows.Now().Version {
		t.Errorf("what others change moves it from %d to %d", begun, now)
	}
	r.rows.Put(row("shop", "mine"))
	r.rows.Put(row("platform", "theirs"))
	seen, _ := at("reader")
	if again, _ := at("reader"); seen <= begun || again != seen {
		t.Errorf("what they see moves it from %d to %d, and then to %d", begun, seen, again)
	}
	for n := range 20_000 {
		one := row("platform", "theirs")
		one.Health = strconv.Itoa(n)
		r.rows.Put(one)
	}
	if late, version := at("reader"); late <= seen || version != r.rows.Now().Version {
		t.Errorf("of what is not known any more all may have changed: %d after %d", late, seen)
	}
	if _, err := r.Place(t.Context()); err == nil {
		t.Error("nobody has a place")
	}
}

// What cannot be asked in time was not seen: the next request is told of it all the same.
func TestPlacesOfWhoGoesAway(t *testing.T) {
	r, _ := world()
	ctx := auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local})
	begun, err := r.Place(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.rows.Put(row("shop", "mine"))
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Place(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone has a place: %v", err)
	}
	if now, err := r.Place(ctx); err != nil || now.Moment <= begun.Moment {
		t.Errorf("after that they are at %d, and were at %d: %v", now.Moment, begun.Moment, err)
	}
	r.places.move(readerOf(auth.From(ctx)), begun)
	if now := r.places.join(readerOf(auth.From(ctx)), nil); now.Version == begun.Version {
		t.Error("a request that was slower takes a reader back")
	}
}
