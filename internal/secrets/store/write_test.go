package store

import (
	"context"
	"errors"
	"testing"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// onlyRead is a store that cannot be written to.
type onlyRead struct{}

func (onlyRead) Read(context.Context, provider.Ref) (entry.Entry, error) {
	return entry.Text([]byte("v")), nil
}

func (onlyRead) Find(context.Context, esv1.Find) (map[string][]byte, error) {
	return map[string][]byte{}, nil
}

// memory is one that can be, with one entry.
type memory struct {
	onlyRead

	value *string
}

func (m memory) Read(context.Context, provider.Ref) (entry.Entry, error) {
	if *m.value == "" {
		return entry.Entry{}, entry.ErrNotFound
	}
	return entry.Text([]byte(*m.value)), nil
}

func (m memory) Put(_ context.Context, push provider.Push) error {
	*m.value = string(push.Value)
	return nil
}

func (m memory) Delete(context.Context, provider.Target) error {
	*m.value = ""
	return nil
}

func (m memory) Exists(context.Context, provider.Target) (bool, error) { return *m.value != "", nil }

// TestWrite: whoever reads after a write has what was written, although others have just read what was before.
func TestWrite(t *testing.T) {
	value := "old"
	o := newOpened(Store{Provider: "memory"}, memory{value: &value})
	since := time.Now().Add(-time.Minute)
	read := func(want string) {
		t.Helper()
		if one, err := o.Read(t.Context(), provider.Ref{Key: "k"}, since); err != nil || string(one.Text) != want {
			t.Errorf("it is %s (%v), want %s", one.Text, err, want)
		}
	}
	read("old")
	if err := o.Put(t.Context(), provider.Push{Target: provider.Target{Key: "k"}, Value: []byte("new")}); err != nil || !o.Writes() {
		t.Fatal(err)
	}
	read("new")
	if is, err := o.Exists(t.Context(), provider.Target{Key: "k"}); !is || err != nil {
		t.Errorf("%v, %v", is, err)
	}
	if err := o.Delete(t.Context(), provider.Target{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Read(t.Context(), provider.Ref{Key: "k"}, since); !errors.Is(err, entry.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
	if o = newOpened(Store{Provider: "x"}, onlyRead{}); o.Writes() || !errors.Is(o.Put(t.Context(), provider.Push{}), ErrReadOnly) {
		t.Error("a store that cannot be written to is")
	}
}
