package reply

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// One person's looks have a share of the memory of all, however many there are,
// and give it back.
func TestLooksHaveOneAccount(t *testing.T) {
	page := string(many("[", "{}", "]", 30_000)) // more than a MiB of memory
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) }))
	t.Cleanup(s.Close)
	client := clientOf(t, s, "")
	read := func(ctx context.Context) error {
		_, err := pageOf(ctx, client, s.URL+"/api/v1/pods?limit=500")
		return err
	}
	one := NewAccount(1<<30, 1<<30)
	ctx, end := one.Look(t.Context(), "ann", 1<<30, 1<<30)
	if err := read(ctx); err != nil {
		t.Fatal(err)
	}
	takes := one.held
	if takes == 0 {
		t.Fatal("a look takes nothing")
	}
	end()
	if one.held != 0 || len(one.of) != 0 {
		t.Fatalf("%d bytes are left after the end", one.held)
	}

	a := NewAccount(3*takes, 2*takes)
	var ends []func()
	look := func(who string) error {
		ctx, end := a.Look(t.Context(), who, 1<<30, 1<<30)
		ends = append(ends, end)
		return read(ctx)
	}
	for n, c := range []struct {
		who     string
		crowded bool
	}{{"ann", false}, {"ann", false}, {"ann", true}, {"ben", false}} {
		err := look(c.who)
		if crowded := (*Crowded)(nil); errors.As(err, &crowded) != c.crowded {
			t.Errorf("look %d, of %s: %v", n, c.who, err)
		}
		if c.crowded && Refusal(err) == nil {
			t.Errorf("it counts against the cluster: %v", err)
		}
	}
	if err := look("cid"); err == nil {
		t.Errorf("all looks take %d bytes, more than there are", a.held)
	}
	for _, end := range ends {
		end()
	}
	if a.held != 0 || len(a.of) != 0 {
		t.Errorf("%d bytes are left, of %d people", a.held, len(a.of))
	}
	if err := look("cid"); err != nil {
		t.Errorf("after their end: %v", err)
	}
}

// A list within a look is part of it, and what is refused is given back.
func TestLookWithinALook(t *testing.T) {
	a := NewAccount(100, 100)
	ctx, end := a.Look(t.Context(), "ann", 1<<20, 1<<20)
	again, nothing := a.Look(ctx, "ann", 1<<20, 1<<20)
	nothing()
	all := allowanceOf(httptest.NewRequestWithContext(again, http.MethodGet, "/", nil))
	if err := all.take(60, &TooLarge{}); err != nil || a.held != 60 {
		t.Errorf("%d bytes are taken: %v", a.held, err)
	}
	if err := all.take(60, &TooLarge{}); err == nil || a.held != 60 {
		t.Errorf("%d bytes are taken: %v", a.held, err)
	}
	all.give(120) // what the answer noted, taken or not
	if a.held != 0 {
		t.Errorf("%d bytes are left", a.held)
	}
	end()
	if err := all.take(1, &TooLarge{}); err == nil {
		t.Error("something is taken after the end")
	}
}
