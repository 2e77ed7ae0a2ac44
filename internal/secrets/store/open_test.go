package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// reader counts what is read of it, and waits until it may answer.
type reader struct {
	reads atomic.Int32
	wait  chan struct{}
	err   error
}

func (r *reader) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	n := r.reads.Add(1)
	if r.wait != nil {
		select {
		case <-r.wait:
		case <-ctx.Done():
			return entry.Entry{}, ctx.Err()
		}
	}
	return entry.Text(fmt.Appendf(nil, "%s %d", ref.Key+ref.Property, n)), r.err
}

func (r *reader) Find(ctx context.Context, _ esv1.Find) (map[string][]byte, error) {
	if _, limited := ctx.Deadline(); !limited {
		return nil, errors.New("it may take for ever")
	}
	r.reads.Add(1)
	return nil, r.err
}

type narrow struct{ *reader }

func (narrow) ReadsProperties() {}

func storeOf(uid string, generation int64, name string) Store {
	return Store{Kind: "SecretStore", NamespacedName: types.NamespacedName{Namespace: "ns", Name: name}, UID: types.UID(uid), Generation: generation, Provider: "test", Config: []byte(name)}
}

// shelf opens stores by counting.
func shelf(opened *[]string) *Shelf {
	return NewShelf(Cluster{Objects: objectsOf(secretOf("a", "creds", nil, "k", "a"), secretOf("b", "creds", nil, "k", "b"))}, map[string]Factory{
		"test": func(ctx context.Context, config json.RawMessage, around Around) (provider.Reader, error) {
			if _, limited := ctx.Deadline(); !limited {
				return nil, errors.New("it may take for ever")
			}
			*opened = append(*opened, string(config))
			switch string(config) {
			case "broken":
				return nil, errAway
			case "asking":
				if _, err := around.Secret(ctx, selector("", "creds", "k")); err != nil {
					return nil, err
				}
			}
			return &reader{}, nil
		},
	})
}

func TestStoresStayOpen(t *testing.T) {
	var opened []string
	s := shelf(&opened)
	open := func(store Store, asking string) *Opened {
		t.Helper()
		got, err := s.Open(t.Context(), store, asking)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := open(storeOf("1", 1, "one"), "a")
	if open(storeOf("1", 1, "one"), "b") != first || len(opened) != 1 {
		t.Errorf("the same store is opened %d times", len(opened))
	}
	if open(storeOf("1", 2, "one"), "a") == first || open(storeOf("2", 1, "one"), "a") == first {
		t.Error("a store that changed, or another one of its name, is the one that was open")
	}
	if len(s.open) != 2 {
		t.Errorf("%d stores are open; the older generation is of no use", len(s.open))
	}
	again := open(storeOf("1", 2, "one"), "a")
	again.now = func() time.Time { return time.Now().Add(openFor + time.Second) }
	if open(storeOf("1", 2, "one"), "a") == again {
		t.Error("a store is open for ever, with the credentials that it had")
	}
}

func TestStoresOfWhoAsks(t *testing.T) {
	var opened []string
	s := shelf(&opened)
	store := storeOf("1", 1, "asking")
	store.Kind, store.Namespace = "ClusterSecretStore", ""
	a, err := s.Open(t.Context(), store, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Open(t.Context(), store, "b")
	if err != nil || a == b {
		t.Errorf("%v: another namespace has its own credentials", err)
	}
	if again, err := s.Open(t.Context(), store, "a"); err != nil || again != a || len(opened) != 2 {
		t.Errorf("%v: opened %v", err, opened)
	}
	if _, err := s.Open(t.Context(), store, ""); !errors.Is(err, ErrAsking) {
		t.Errorf("for nobody: %v", err)
	}
	if _, err := s.Open(t.Context(), store, "c"); err == nil || !strings.Contains(err.Error(), "Secret c/creds does not exist") {
		t.Errorf("for a namespace without credentials: %v", err)
	}
}

func TestStoresThatDoNotOpen(t *testing.T) {
	var opened []string
	s := shelf(&opened)
	for range 2 {
		if _, err := s.Open(t.Context(), storeOf("1", 1, "broken"), ""); !errors.Is(err, errAway) || !strings.HasPrefix(err.Error(), "cannot open SecretStore ns/broken: spec.provider.test: ") {
			t.Errorf("got %v", err)
		}
	}
	if len(opened) != 2 {
		t.Errorf("a failure is remembered: %v", opened)
	}
	unknown := storeOf("2", 1, "x")
	unknown.Provider = "yandex"
	if _, err := s.Open(t.Context(), unknown, ""); !errors.Is(err, ErrProvider) || !strings.Contains(err.Error(), "this build has test") {
		t.Errorf("got %v", err)
	}
	if a := s.Around("a"); a.own != "a" || a.asking != "a" {
		t.Errorf("a generator is of the namespace that asks: %+v", a)
	}
}

// TestOneCallForAll: a hundred who ask for an entry at a time are one call.
func TestOneCallForAll(t *testing.T) {
	r := &reader{wait: make(chan struct{})}
	o := newOpened(Store{}, r)
	var wait sync.WaitGroup
	since := time.Now().Add(-time.Second)
	for i := range 100 {
		wait.Go(func() {
			got, err := o.Read(t.Context(), provider.Ref{Key: "k", Property: strconv.Itoa(i)}, since)
			if err != nil || string(got.Text) != "k 1" {
				t.Errorf("%v, %q", err, got.Text)
			}
		})
	}
	close(r.wait)
	wait.Wait()
	if n := r.reads.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestHowOldAnEntryMayBe(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, tc := range map[string]struct {
		reason string
		reader func(*reader) provider.Reader
		ref    provider.Ref
		since  time.Time
		err    error
		want   int32
	}{
		"same":     {"an entry that was just read", plain, provider.Ref{Key: "k"}, now, nil, 1},
		"newer":    {"one that has to be newer", plain, provider.Ref{Key: "k"}, now.Add(time.Second), nil, 2},
		"other":    {"another version", plain, provider.Ref{Key: "k", Version: "2"}, now, nil, 2},
		"metadata": {"its metadata", plain, provider.Ref{Key: "k", Metadata: true}, now, nil, 2},
		"property": {"another property of an entry", plain, provider.Ref{Key: "k", Property: "p"}, now, nil, 1},
		"narrow":   {"of a store that is asked for each", func(r *reader) provider.Reader { return narrow{r} }, provider.Ref{Key: "k", Property: "p"}, now, nil, 2},
		"failed":   {"a failure is not remembered", plain, provider.Ref{Key: "k"}, now, errAway, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reader{err: tc.err}
			o := newOpened(Store{}, tc.reader(r))
			o.now = func() time.Time { return now }
			if _, err := o.Read(t.Context(), provider.Ref{Key: "k"}, now); !errors.Is(err, tc.err) {
				t.Fatal(err)
			}
			// What failed is taken away after who waited was told.
			for {
				o.mu.Lock()
				left := len(o.entries)
				o.mu.Unlock()
				if tc.err == nil || left == 0 {
					break
				}
			}
			if _, err := o.Read(t.Context(), tc.ref, tc.since); !errors.Is(err, tc.err) {
				t.Fatal(err)
			}
			if n := r.reads.Load(); n != tc.want {
				t.Errorf("%s: %d calls, want %d", tc.reason, n, tc.want)
			}
		})
	}
}

func plain(r *reader) provider.Reader { return r }

// TestRefusedCredentials: they are read anew, and not at each try.
func TestRefusedCredentials(t *testing.T) {
	refusal := fmt.Errorf("cannot read: %w", &provider.Refused{Err: errors.New("403")})
	for name, tc := range map[string]struct {
		reason string
		err    error
		after  time.Duration
		want   bool
	}{
		"refused": {"credentials that are refused may be others by now", refusal, refusedFor + time.Second, true},
		"new":     {"those that were just read are the same", refusal, time.Second, false},
		"away":    {"a server that is away says nothing of them", errAway, refusedFor + time.Second, false},
	} {
		for what, use := range map[string]func(*Opened) error{
			"read": func(o *Opened) error {
				_, err := o.Read(t.Context(), provider.Ref{Key: "k"}, time.Time{})
				return err
			},
			"find": func(o *Opened) error {
				_, err := o.Find(t.Context(), esv1.Find{})
				return err
			},
		} {
			s := NewShelf(Cluster{}, map[string]Factory{"test": func(context.Context, json.RawMessage, Around) (provider.Reader, error) {
				return &reader{err: tc.err}, nil
			}})
			first, err := s.Open(t.Context(), storeOf("1", 1, "one"), "a")
			if err != nil {
				t.Fatal(err)
			}
			first.now = func() time.Time { return first.since.Add(tc.after) }
			if err := use(first); !errors.Is(err, tc.err) {
				t.Errorf("got %v", err)
			}
			if second, err := s.Open(t.Context(), storeOf("1", 1, "one"), "a"); err != nil || (second != first) != tc.want {
				t.Errorf("%s, %s: %s: %v, it is opened anew: %v", name, what, tc.reason, err, second != first)
			}
		}
	}
}

// keeps is how many entries a store has in memory.
func (o *Opened) keeps() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.entries)
}

// TestEntriesAreForgotten: values stay in memory for as long as somebody may want them, also where nobody asks again.
func TestEntriesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOpened(Store{}, &reader{})
		for round := range 2 {
			for i := range 10 {
				if _, err := o.Read(t.Context(), provider.Ref{Key: strconv.Itoa(i)}, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if o.keeps() != 10 || o.kept.Load() == 0 {
				t.Errorf("round %d: %d entries of %d bytes", round, o.keeps(), o.kept.Load())
			}
			time.Sleep(2 * keptFor)
			synctest.Wait()
			if o.keeps() != 0 || o.kept.Load() != 0 {
				t.Errorf("round %d: %d entries of %d bytes are left", round, o.keeps(), o.kept.Load())
			}
		}
	})
}

// large has an entry of six megabytes at each place.
type large struct{ *reader }

func (l large) Read(context.Context, provider.Ref) (entry.Entry, error) {
	l.reads.Add(1)
	return entry.Fields(map[string][]byte{"v": make([]byte, 6<<20)}), nil
}

// TestKeptEntriesHaveABound: all stores of a cluster together keep so much, and who asks gets the rest as well.
func TestKeptEntriesHaveABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		s := NewShelf(Cluster{}, map[string]Factory{"test": func(context.Context, json.RawMessage, Around) (provider.Reader, error) { return large{r}, nil }})
		since := time.Now()
		for range 2 {
			for _, uid := range []string{"1", "2"} {
				o, err := s.Open(t.Context(), storeOf(uid, 1, "one"), "a")
				if err != nil {
					t.Fatal(err)
				}
				for _, key := range []string{"a", "b"} {
					if got, err := o.Read(t.Context(), provider.Ref{Key: key}, since); err != nil || got.Size() != 6<<20+1 {
						t.Errorf("%v, %d bytes", err, got.Size())
					}
					synctest.Wait()
				}
			}
		}
		if reads, kept := r.reads.Load(), s.kept.Load(); reads != 4+2 || kept > mostKept || kept < 12<<20 {
			t.Errorf("%d reads, %d bytes are kept", reads, kept)
		}
		time.Sleep(2 * keptFor)
	})
}

// TestWhoDoesNotWait: one who leaves takes nothing from the others.
func TestWhoDoesNotWait(t *testing.T) {
	r := &reader{wait: make(chan struct{})}
	o := newOpened(Store{}, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Read(ctx, provider.Ref{Key: "k"}, time.Time{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(r.wait)
	if got, err := o.Read(t.Context(), provider.Ref{Key: "k"}, time.Time{}); err != nil || string(got.Text) != "k 1" {
		t.Errorf("%v, %q", err, got.Text)
	}
	if _, err := o.Find(t.Context(), esv1.Find{}); err != nil {
		t.Error(err)
	}
}

// TestStoresArePaced is how often one store is asked in a second, for whatever number
// of entries.
func TestStoresArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		opened := newOpened(storeOf("1", 1, "a"), r)
		begin := time.Now()
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				if _, err := opened.Read(t.Context(), provider.Ref{Key: strconv.Itoa(i)}, time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Second)                                                                 // of the bubble's clock
		if n, most := r.reads.Load(), int32(callsAtOnce+callsASecond); n < most-2 || n > most { // the clock is finer than the pace
			t.Errorf("%d calls in the first second, want %d", n, most)
		}
		all.Wait()
		took := time.Since(begin)
		if r.reads.Load() != 1000 || took.Round(time.Second) != 8*time.Second {
			t.Errorf("%d calls took %s, want 1000 in 8 s", r.reads.Load(), took)
		}
		if _, err := opened.Find(t.Context(), esv1.Find{}); err != nil || time.Since(begin) == took {
			t.Errorf("a search does not wait for its turn (%v)", err)
		}
		time.Sleep(2 * keptFor) // until what was kept is dropped
	})
}

// TestStoresWithoutTurn is that who has no turn for minutes is told so.
func TestStoresWithoutTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		opened := newOpened(storeOf("1", 1, "a"), r)
		opened.pace.ReserveN(time.Now(), callsAtOnce)
		opened.pace.SetLimit(1.0 / 300)
		_, err := opened.Read(t.Context(), provider.Ref{Key: "k"}, time.Now())
		if err == nil || !strings.Contains(err.Error(), "SecretStore ns/a is asked 100 times a second at most") || r.reads.Load() != 0 {
			t.Errorf("read %d times: %v", r.reads.Load(), err)
		}
		time.Sleep(2 * keptFor)
	})
}
