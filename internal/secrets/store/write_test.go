package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

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

// slow is a store that reads an entry, and writes it again with a field more.
type slow struct {
	onlyRead

	server *slowServer
}

type slowServer struct {
	mu     sync.Mutex
	fields map[string]map[string]bool
}

func (s slow) Put(_ context.Context, push provider.Push) error {
	s.server.mu.Lock()
	was := s.server.fields[push.Key]
	s.server.mu.Unlock()
	now := map[string]bool{push.Property: true}
	for field := range was {
		now[field] = true
		runtime.Gosched()
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.fields[push.Key] = now
	return nil
}

func (slow) Delete(context.Context, provider.Target) error         { return nil }
func (slow) Exists(context.Context, provider.Target) (bool, error) { return false, nil }

// TestWritesTakeTurns: fields of one entry that two namespaces write at a time are all there afterwards.
func TestWritesTakeTurns(t *testing.T) {
	server := &slowServer{fields: map[string]map[string]bool{}}
	shelf := NewShelf(Cluster{}, map[string]Factory{"slow": func(_ context.Context, _ json.RawMessage, around Around) (provider.Reader, error) {
		_, err := around.place("", "credentials") // so that each namespace has one of its own
		return slow{server: server}, err
	}})
	var all sync.WaitGroup
	for _, namespace := range []string{"a", "b"} {
		o, err := shelf.Open(t.Context(), Store{Kind: "ClusterSecretStore", UID: types.UID("u"), Provider: "slow"}, namespace)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			all.Go(func() {
				if err := o.Put(t.Context(), provider.Push{Target: provider.Target{Key: "k", Property: fmt.Sprint(namespace, i)}}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if n := len(server.fields["k"]); n != 100 || len(shelf.turns.taken) != 0 {
		t.Errorf("%d of 100 fields are there, %d turns are left", n, len(shelf.turns.taken))
	}
}

// TestTurnThatIsNotWaitedFor: who waits gives up with its context, and nobody waits for it.
func TestTurnThatIsNotWaitedFor(t *testing.T) {
	turns := newTurns()
	giveBack, err := turns.take(t.Context(), entryOf{"u", "k"})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.take(over, entryOf{"u", "k"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	other, err := turns.take(t.Context(), entryOf{"u", "other"})
	if err != nil {
		t.Fatal(err)
	}
	other()
	giveBack()
	if len(turns.taken) != 0 {
		t.Errorf("%d turns are left", len(turns.taken))
	}
}
