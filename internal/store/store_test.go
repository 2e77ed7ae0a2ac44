package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/test/await"
)

var (
	at  = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	key = Key{1, 2, 3}
)

const secretValue = "correct-horse-battery"

func rendering(digest string, extra ...string) *gitops.Rendering {
	object := func(kind, name string, data map[string]any) gitops.Manifest {
		return gitops.Manifest{
			Object: &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name}, "data": data, "count": int64(3),
			}},
			Origin: gitops.Origin{RepoURL: "https://git.example.com/apps", File: "app/" + name + ".yaml", Line: 7},
		}
	}
	r := &gitops.Rendering{Digest: digest, Types: []gitops.SourceType{gitops.SourceHelm}, Hidden: []string{"hidden-value"}, Manifests: []gitops.Manifest{
		object("ConfigMap", "settings", map[string]any{"version": digest, "extra": strings.Join(extra, "")}),
		object("Secret", "login", map[string]any{"password": base64.StdEncoding.EncodeToString([]byte(secretValue))}),
	}}
	for i := range r.Manifests {
		r.Manifests[i].Hidden = r.Hidden // who tells of one must not tell what was decrypted for it
	}
	return r
}

func aSync(app string, n int, change ...func(*history.Sync)) history.Sync {
	started := at.Add(time.Duration(n) * time.Minute)
	s := history.Sync{
		ID: history.ID("uid-"+app, started), App: history.App{Namespace: "argocd", Name: app, UID: "uid-" + app}, Cause: history.Automated,
		Started: started, Finished: started.Add(3 * time.Second), Phase: "Succeeded", Rendering: fmt.Sprintf("digest-%s-%d", app, n),
		Commits: []history.Commit{{RepoURL: "https://git.example.com/apps", Revision: fmt.Sprintf("rev%d", n), Author: "Ann <ann@example.com>", Subject: "More"}},
		Waves: []history.Wave{{Phase: gitops.Sync, Started: started, Ended: started.Add(time.Second), Objects: []history.Object{
			{Kind: "ConfigMap", Name: "settings", Verb: gitops.Create, Status: "Synced", Message: "created", Took: 12 * time.Millisecond},
		}}},
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		want := aSync("web", 1)
		want.Origin = &history.Origin{Brought: true, Besides: []history.Beside{{RepoURL: "https://git.example.com/base", Open: true}}}
		r := rendering(want.Rendering)
		s.Rendering(r)
		s.Sync(aSync("web", 0))
		s.Sync(want)
		s.Sync(aSync("db", 1))
		change := history.Change{At: at, Kind: "Deployment", Name: "web", From: gitops.Progressing, To: gitops.Healthy}
		s.Health(want.App, want.ID, []history.Change{change})

		list, err := s.List(t.Context(), "argocd", "web", 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 2 || list[0].ID != want.ID || list[0].Waves != nil {
			t.Errorf("the list is not the two syncs of the application, newest first, without waves: %+v", list)
		}
		kept, err := s.Kept(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		want.Rendering = kept.Sync.Rendering // an address, which only the key tells
		if diff := cmp.Diff(want, kept.Sync); diff != "" {
			t.Errorf("the sync (-want +got):\n%s", diff)
		}
		r.Revisions, r.Reused = []string{"rev1"}, true
		if diff := cmp.Diff(r, kept.Rendering); diff != "" {
			t.Errorf("the manifests (-want +got):\n%s", diff)
		}
		changes, err := s.Changes(t.Context(), want.ID)
		if diff := cmp.Diff([]history.Change{change}, changes); diff != "" || err != nil {
			t.Errorf("the changes of health (-want +got): %v\n%s", err, diff)
		}
		var problem *gitops.Problem
		if _, err := s.Kept(t.Context(), history.ID("other", at)); !errors.As(err, &problem) || problem.Kind != gitops.NotFound {
			t.Errorf("an unknown sync gives %v, want a Problem of kind NotFound", err)
		}
	})
}

// Pages of syncs join without one that is missing or comes twice, also where
// several began at one time, and where the one that a page ended with has gone.
func TestOlder(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		same := func(id string) func(*history.Sync) { return func(s *history.Sync) { s.ID = id } }
		for n, id := range []string{"e", "c", "d"} {
			s.Sync(aSync("web", min(n, 1), same(id)))
		}
		s.Sync(aSync("web", 2, same("b")))
		s.Sync(aSync("web", 3, same("a")))
		s.Sync(aSync("db", 0, same("f")))
		var got []string
		page, err := s.List(t.Context(), "argocd", "web", 3)
		for err == nil && len(page) > 0 {
			for i := range page {
				got = append(got, page[i].ID)
			}
			last := page[len(page)-1]
			page, err = s.Older(t.Context(), "argocd", "web", history.SyncPlace{Started: last.Started, ID: last.ID}, 3)
		}
		if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, got); diff != "" || err != nil {
			t.Errorf("the pages (-want +got): %v\n%s", err, diff)
		}
		page, err = s.Older(t.Context(), "argocd", "web", history.SyncPlace{Started: at.Add(time.Minute), ID: "cc"}, 1)
		if err != nil || len(page) != 1 || page[0].ID != "d" {
			t.Errorf("after one that is not there any more are %+v, %v", page, err)
		}
	})
}

func TestSecondEngineGoesOn(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		first := opened(t, Options{URL: url, Key: key})
		running := aSync("web", 1, func(s *history.Sync) {
			s.Origin = &history.Origin{Brought: true}
			s.Phase, s.Finished, s.Waves[0].Ended = "Running", time.Time{}, time.Time{}
		})
		first.Sync(running)
		if _, err := first.Get(t.Context(), running.ID); err != nil {
			t.Fatal(err)
		}
		second := opened(t, Options{URL: url, Key: key})
		done := aSync("web", 1, func(s *history.Sync) {
			s.Rendering, s.Commits = "", nil
			s.Waves[0].Started = s.Waves[0].Started.Add(time.Minute)
			s.Waves[0].Objects = []history.Object{{Kind: "ConfigMap", Name: "settings", Verb: gitops.Keep, Message: "unchanged; left out"}}
			s.Waves = append(s.Waves, history.Wave{Phase: gitops.Sync, Number: 1, Started: at.Add(time.Hour)})
		})
		second.Sync(done)
		got, err := second.Get(t.Context(), done.ID)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case len(got.Waves) != 2 || !got.Waves[0].Started.Equal(running.Waves[0].Started):
			t.Errorf("the first wave did not keep its start: %+v", got.Waves)
		case got.Waves[0].Objects[0].Message != "created" || got.Changed.Created != 1:
			t.Errorf("what the first engine created is told as %+v, counts %+v", got.Waves[0].Objects[0], got.Changed)
		case got.Rendering == "" || len(got.Commits) != 1:
			t.Error("the revision and the manifests were lost")
		case got.Origin == nil || !got.Origin.Brought:
			t.Error("where the manifests came from was lost")
		}
	})
}

func TestLimits(t *testing.T) {
	cases := map[string]struct {
		reason string
		limits Limits
		now    time.Duration // after the first sync
		fill   func(s *Store)
		want   []int // of the syncs of web, newest first
	}{
		"entries": {
			reason: "the newest of each application stay", limits: Limits{Entries: 3}, now: time.Hour,
			fill: func(s *Store) {
				for n := range 6 {
					s.Sync(aSync("web", n))
				}
				s.Sync(aSync("db", 0))
			},
			want: []int{5, 4, 3},
		},
		"heals": {
			reason: "an object that is fought over does not push the history out", limits: Limits{Entries: 2}, now: time.Hour,
			fill: func(s *Store) {
				s.Sync(aSync("web", 0))
				s.Sync(aSync("web", 1))
				for n := range 5 {
					s.Sync(aSync("web", n+2, func(s *history.Sync) { s.Cause = history.Heal }))
				}
			},
			want: []int{6, 5, 1, 0},
		},
		"failures": {
			reason: "the last good ones stay, to go back to", limits: Limits{Entries: 2}, now: time.Hour,
			fill: func(s *Store) {
				for n := range 3 {
					s.Sync(aSync("web", n))
				}
				for n := range 4 {
					s.Sync(aSync("web", n+3, func(s *history.Sync) { s.Phase = "Failed" }))
				}
			},
			want: []int{6, 5, 2, 1},
		},
		"age": {
			reason: "what is old goes, but for the last two good ones", limits: Limits{Age: 24 * time.Hour}, now: 48 * time.Hour,
			fill: func(s *Store) {
				for n := range 5 {
					s.Sync(aSync("web", n))
				}
			},
			want: []int{4, 3},
		},
		"bytes": {
			reason: "the oldest go first when all is too much", limits: Limits{Bytes: 2500}, now: 100 * time.Hour,
			fill: func(s *Store) {
				for n := range 20 {
					s.Sync(aSync("web", n, func(s *history.Sync) { s.Message = noise(n, 250) }))
				}
			},
		},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				s := opened(t, Options{URL: url, Key: key, Limits: c.limits, Now: func() time.Time { return at.Add(c.now) }})
				c.fill(s)
				s.flush(t.Context())
				if err := s.Prune(t.Context()); err != nil {
					t.Fatal(err)
				}
				list, err := s.List(t.Context(), "argocd", "web", 100)
				if err != nil {
					t.Fatal(err)
				}
				var got []int
				for _, one := range list {
					got = append(got, int(one.Started.Sub(at)/time.Minute))
				}
				if c.want == nil {
					if s.Stats().Bytes > c.limits.Bytes || len(got) == 0 || got[0] != 19 {
						t.Errorf("%s: %d bytes are left of %d allowed, syncs %v", c.reason, s.Stats().Bytes, c.limits.Bytes, got)
					}
					return
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.reason, diff)
				}
			})
		})
	}
}

// noise does not compress.
func noise(seed, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(history.ID(fmt.Sprint(seed, i), at))
	}
	return b.String()
}

func TestManifestsGoWithTheirLastSync(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		now := at
		s := opened(t, Options{URL: url, Key: key, Limits: Limits{Entries: 1}, Now: func() time.Time { return now }})
		failed := func(s *history.Sync) { s.Phase = "Failed" }
		old, young := aSync("web", 0, failed), aSync("web", 5, failed)
		for _, one := range []history.Sync{old, young} {
			s.Rendering(rendering(one.Rendering))
			s.Sync(one)
		}
		s.flush(t.Context())
		now = at.Add(time.Hour)
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Kept(t.Context(), old.ID); err == nil {
			t.Error("the sync beyond the limit is still there")
		}
		if _, err := s.Kept(t.Context(), young.ID); err != nil {
			t.Errorf("the manifests of the last sync are gone: %v", err)
		}
		db, err := s.connected(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.count(t.Context(), db, `SELECT COUNT(*) FROM renderings`); n != 1 || err != nil {
			t.Errorf("%d renderings are left, want 1 (%v)", n, err)
		}
		// What went is taken again when it comes again.
		s.Rendering(rendering(old.Rendering))
		s.Sync(old)
		if _, err := s.Kept(t.Context(), old.ID); err != nil {
			t.Errorf("manifests that came again are not kept: %v", err)
		}
	})
}

func TestNothingSecretIsInTheFile(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, Options{URL: filepath.Join(dir, "history.db"), Key: key})
	one := aSync("web", 0)
	s.Rendering(rendering(one.Rendering))
	s.Sync(one)
	if _, err := s.Kept(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatal("there are no files", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{secretValue, base64.StdEncoding.EncodeToString([]byte(secretValue)), "hidden-value", one.Rendering} {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s holds %q", f.Name(), word)
			}
		}
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v %v", f.Name(), info.Mode(), err)
		}
	}
	other, err := New(Options{URL: filepath.Join(dir, "history.db"), Key: Key{9}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	var p *gitops.Problem
	if _, err := other.Kept(t.Context(), one.ID); !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(err.Error(), "another key") {
		t.Errorf("another key gives %v, want an error that says so, and that it lasts", err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", key, key, key, key); strings.Contains(text, "1, 2, 3") || strings.Contains(text, "1 2 3") {
		t.Errorf("the key shows itself: %s", text)
	}
}

func TestFileKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "store.key")
	made, err := FileKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := FileKey(path)
	if err != nil || again != made || made == (Key{}) {
		t.Errorf("the second look gives another key: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key can be read by others: %v", err)
	}
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := FileKey(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged key is taken, or not told which: %v", err)
	}
}

// TestFileKeyAfterCrash has what a crash leaves of a file that was to be a key.
func TestFileKeyAfterCrash(t *testing.T) {
	for what, text := range map[string]string{"nothing": "", "zeros": strings.Repeat("\x00", 65), "a line": "\n"} {
		path := filepath.Join(t.TempDir(), "store.key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		made, err := FileKey(path)
		if err != nil || made == (Key{}) {
			t.Errorf("%s in the file keeps the store from starting: %v", what, err)
			continue
		}
		if again, err := FileKey(path); err != nil || again != made {
			t.Errorf("the second look after %s gives another key: %v", what, err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("after %s there are %d files: %v", what, len(left), err)
		}
	}
}

// TestFileKeyOfTwo has several that look for the key at a time: all get one.
func TestFileKeyOfTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.key")
	keys := make([]Key, 8)
	var group sync.WaitGroup
	for i := range keys {
		group.Go(func() {
			var err error
			if keys[i], err = FileKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, k := range keys {
		if k != keys[0] {
			t.Fatal("they have different keys: what one seals the other cannot read")
		}
	}
}

// TestDatabaseAway looks at what becomes of writes while there is no database.
func TestDatabaseAway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder", "history.db")
	if err := os.WriteFile(filepath.Join(dir, "folder"), nil, 0o600); err != nil {
		t.Fatal(err) // a file where the folder should be
	}
	s := opened(t, Options{URL: path, Key: key})
	first := aSync("web", 0)
	s.Sync(first)
	eventually(t, "a failed write", func() bool { return s.Stats().Errors > 0 })
	if s.Stats().Up {
		t.Error("the store counts as up")
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	var problem *gitops.Problem
	if _, err := s.List(ctx, "argocd", "web", 1); !errors.As(err, &problem) || problem.Kind != gitops.Unreachable {
		t.Errorf("a question gives %v, want a Problem of kind Unreachable", err)
	}
	for n := range 2 * queueItems { // never blocks
		s.Sync(aSync("web", n+1))
	}
	if s.Stats().Lost == 0 {
		t.Error("a full queue lost nothing")
	}
	if err := os.Remove(filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the store is up again", func() bool { return s.Stats().Up && s.Stats().Queued == 0 })
	if _, err := s.Get(t.Context(), first.ID); err != nil {
		t.Errorf("what was queued first was lost: %v", err)
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database. ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := opened(t, Options{URL: path, Key: key})
	one := aSync("web", 0)
	s.Sync(one)
	eventually(t, "the store begins anew", func() bool { return s.Stats().Up && s.Stats().Written > 0 })
	if _, err := s.Get(t.Context(), one.ID); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Errorf("the damaged file was not put aside: %v", err)
	}
}

func TestPlaces(t *testing.T) {
	cases := map[string]struct {
		reason, text, shown string
		refused             bool
	}{
		"file":     {reason: "a path is a file", text: "/data/history.db", shown: "/data/history.db"},
		"postgres": {reason: "no password is shown", text: "postgres://me:secret@db.example.com:5432/causeway?sslmode=require", shown: "postgres://db.example.com:5432/causeway"},
		"empty":    {reason: "nowhere is no place", refused: true},
		"mysql":    {reason: "another kind is named", text: "mysql://db/causeway", refused: true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			p, err := parsePlace(c.text)
			if (err != nil) != c.refused || err == nil && p.String() != c.shown {
				t.Errorf("%s: got %q, %v", c.reason, p, err)
			}
		})
	}
}
