package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

func searching(t *testing.T) *Search {
	t.Helper()
	s, err := NewSearch(esv1.Find{Name: &esv1.FindName{RegExp: "."}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSearchesRead some entries at a time, and end with the first that cannot be read.
func TestSearchesRead(t *testing.T) {
	var names []string
	want := map[string][]byte{}
	for i := range 100 {
		name := fmt.Sprint("n", i)
		names = append(names, name)
		if i%10 != 0 {
			want[name] = []byte("value of " + name)
		}
	}
	var now, most atomic.Int64
	s := searching(t)
	err := s.Read(t.Context(), names, func(_ context.Context, ref Ref) (entry.Entry, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		if strings.HasSuffix(ref.Key, "0") {
			return entry.Entry{}, fmt.Errorf("%w: it went", entry.ErrNotFound)
		}
		return entry.Text([]byte("value of " + ref.Key)), nil
	})
	if diff := cmp.Diff(want, s.Out); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if most.Load() > atOnce {
		t.Errorf("%d at a time", most.Load())
	}
	errAway, asked := errors.New("away"), atomic.Int64{}
	err = searching(t).Read(t.Context(), names, func(ctx context.Context, ref Ref) (entry.Entry, error) {
		if asked.Add(1); ref.Key == "n3" {
			return entry.Entry{}, errAway
		}
		<-ctx.Done()
		return entry.Entry{}, ctx.Err()
	})
	if !errors.Is(err, errAway) || asked.Load() > atOnce+1 {
		t.Errorf("%v after %d", err, asked.Load())
	}
	large := entry.Text(make([]byte, MostRead/10))
	if err := searching(t).Read(t.Context(), names, func(context.Context, Ref) (entry.Entry, error) { return large, nil }); !errors.Is(err, errSum) {
		t.Errorf("more than there is memory for: %v", err)
	}
}

// TestSearchesThatAreCutOff: a part of what there is is never taken for all of it.
func TestSearchesThatAreCutOff(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprint("n", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := searching(t).Read(ctx, names, func(_ context.Context, ref Ref) (entry.Entry, error) {
		if ref.Key == "n2" {
			cancel()
		}
		return entry.Text([]byte("x")), nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a search of which only a part was read: %v", err)
	}
}

// TestSearchesEnd: neither an endless list nor a large one is gone through.
func TestSearchesEnd(t *testing.T) {
	s := searching(t)
	if err := errors.Join(s.Next("a"), s.Next("b"), s.Next("")); err != nil {
		t.Error(err)
	}
	if s.Next("c") != nil || s.Next("c") == nil {
		t.Error("a page leads to itself")
	}
	var err error
	for i := 0; err == nil && i <= mostPages; i++ {
		err = s.Next(strconv.Itoa(i))
	}
	if err == nil {
		t.Error("pages without end")
	}
	for range mostEntries {
		if _, err := s.Matches("x"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Matches("x"); err == nil {
		t.Error("entries without end")
	}
	s.Begin()
	if ok, err := s.Matches("x"); !ok || err != nil {
		t.Errorf("a search that begins again: %v", err)
	}
}
