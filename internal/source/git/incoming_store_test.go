package git

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/test/await"
)

// within has what does not wait for others end.
func within(t *testing.T, what string, do func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(await.Limit):
		t.Fatalf("%s waits for the fetch of another one", what)
	}
}

// TestFetchHoldsUpNobody has a server that does not answer one of two who share a store.
func TestFetchHoldsUpNobody(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	first := u.commit("first")
	blue := newRemote(t, u.dir, access.Credential{})
	v := look(t, blue)
	snapshot(t, v, "main")
	held, release := make(chan struct{}), make(chan struct{})
	red := NewRemote(blue.store, blue.at, blue.cred)
	seen := look(t, red)
	red.cred = func(context.Context) (access.Credential, error) {
		held <- struct{}{}
		<-release
		return access.Credential{}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error {
		_, _ = seen.Snapshot(ctx, fmt.Sprintf("%040x", 1))
		return nil
	})
	<-held
	within(t, "who reads what is there", func() error {
		_, err := v.Snapshot(t.Context(), first)
		return err
	})
	u.write("a.yaml", "2")
	second := u.commit("second")
	within(t, "who fetches what was pushed", func() error {
		v, err := blue.Look(t.Context())
		if err != nil {
			return err
		}
		s, err := v.Snapshot(t.Context(), "main")
		if err == nil && s.Revision != second {
			err = fmt.Errorf("it is %s", s.Revision)
		}
		return err
	})
	cancel()
	close(release)
	go func() {
		for range held { // what it asks for next is given up
		}
	}()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	close(held)
}

// TestFetchesSideBySide fetches many commits into one store at a time, some of them with their history.
func TestFetchesSideBySide(t *testing.T) {
	u := newUpstream(t)
	const n = 12
	var commits []string
	for i := range n {
		u.write("a.yaml", strconv.Itoa(i))
		u.write(fmt.Sprintf("dir/%d.yaml", i), "x")
		commits = append(commits, u.commit("next"))
		u.git("branch", fmt.Sprintf("b%d", i))
	}
	one := newRemote(t, u.dir, access.Credential{})
	var g errgroup.Group
	v := look(t, one)
	for i, hash := range commits {
		g.Go(func() error {
			if i%3 == 0 {
				return v.Walk(t.Context(), hash, func(*Signed) (bool, error) { return true, nil })
			}
			s, err := v.Snapshot(t.Context(), hash)
			if err != nil {
				return err
			}
			text, err := fs.ReadFile(s.Tree, "a.yaml")
			if err == nil && string(text) != strconv.Itoa(i) {
				err = fmt.Errorf("commit %d has %q", i, text)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	s := one.store
	for i, hash := range commits {
		if !s.has(t.Context(), hash) {
			t.Errorf("commit %d is not in the store", i)
		}
	}
	if _, err := s.command.run(t.Context(), s.dir, session{}, nil, "fsck", "--connectivity-only", "--no-dangling"); err != nil {
		t.Errorf("the store is not whole: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(s.command.home, incomingName+"*")); err != nil || len(left) > 0 {
		t.Errorf("something is left beside the store: %v, %v", left, err)
	}
}

// TestBranchesTakeEachOthersPlace has a branch whose name is a folder of another one's, before and after.
func TestBranchesTakeEachOthersPlace(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	u.git("branch", "a")
	r := newRemote(t, u.dir, access.Credential{})
	before := []string{"a"}
	for _, names := range [][]string{{"a"}, {"a/b", "c"}, {"a", "c/d"}} {
		u.git(append([]string{"branch", "-D"}, before...)...)
		before = names
		for _, name := range names {
			u.git("branch", name)
		}
		v := look(t, r)
		if err := v.whole(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := r.store.refs(t.Context(), mirrored)
		if err != nil || len(got) != len(names)+1 {
			t.Errorf("%v: the store has %v, %v", names, got, err)
		}
	}
}

// TestStoreMadeAnewBesideAFetch fetches what builds on a store that is lost meanwhile.
func TestStoreMadeAnewBesideAFetch(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.write("b.yaml", "1")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	snapshot(t, look(t, r), "main")
	u.write("a.yaml", "2")
	second := u.commit("second")
	v := look(t, r)
	spoil := func() {
		r.store.damaged.Store(true)
		if err := r.mend(); err != nil {
			t.Error(err)
		}
	}
	tries := 0
	get := func(in *incoming) error {
		tries++
		err := r.into(t.Context(), in, "cannot fetch", "--no-tags", "--depth=1", "--", r.target(), "+"+second+":refs/causeway/"+second)
		if tries == 1 {
			spoil()
		}
		return err
	}
	if err := r.bring(t.Context(), get, one(second)); err != nil || tries != 2 {
		t.Fatalf("after %d fetches: %v", tries, err)
	}
	if !v.Stale() {
		t.Error("the view does not know that the store is new")
	}
	tree := snapshot(t, look(t, r), "main").Tree
	for _, name := range []string{"a.yaml", "b.yaml"} {
		if _, err := fs.ReadFile(tree, name); err != nil {
			t.Error(err)
		}
	}
}
