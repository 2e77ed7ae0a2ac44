package lockfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
)

func open(t testing.TB, dir string, s Settings) *Mirror {
	t.Helper()
	m, err := Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// chart is a snapshot as a chart repository gives it.
func chart(t testing.TB, name, revision, resolved, body string) *gitops.Snapshot {
	t.Helper()
	tree, err := archive.NewTree(map[string][]byte{"Chart.yaml": []byte("name: " + name), "templates/a.yaml": []byte(body), "notes.md": bytes.Repeat([]byte(body+" "), 100)})
	if err != nil {
		t.Fatal(err)
	}
	return &gitops.Snapshot{Ref: gitops.SourceRef{RepoURL: "https://user:hunter2@charts.h/stable/", Chart: name, Revision: revision, Project: "p"}, Revision: resolved, Tree: tree}
}

func add(t testing.TB, m *Mirror, s *gitops.Snapshot) Reference {
	t.Helper()
	all, err := m.Add(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func body(t testing.TB, m *Mirror, ref gitops.SourceRef) string {
	t.Helper()
	s, found, err := m.Snapshot(ref)
	if err != nil || !found {
		t.Fatalf("%v: found %v, %v", ref, found, err)
	}
	data, err := s.Tree.ReadFile("templates/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAddAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vendor")
	m := open(t, dir, Settings{})
	web := chart(t, "web", "1.x", "1.2.3", "one")
	add(t, m, web)
	add(t, m, chart(t, "web", "2.x", "2.0.0", "two"))
	add(t, m, chart(t, "db", "", "0.1.0", "db"))
	for _, from := range []*Mirror{m, open(t, dir, Settings{})} {
		for name, tc := range map[string]struct {
			reason string
			ref    gitops.SourceRef
			want   string
		}{
			"Asked":    {"as it was asked for", web.Ref, "one"},
			"Form":     {"in another form of the address", gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "web", Revision: "1.x"}, "one"},
			"Resolved": {"by what it resolved to", gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "web", Revision: "2.0.0"}, "two"},
			"Newest":   {"without a version", gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "db"}, "db"},
		} {
			if got := body(t, from, tc.ref); got != tc.want {
				t.Errorf("%s: %s: got %q, want %q", name, tc.reason, got, tc.want)
			}
		}
		for _, ref := range []gitops.SourceRef{
			{RepoURL: "https://charts.h/stable", Chart: "web", Revision: "3.x"}, {RepoURL: "https://charts.h/stable", Chart: "other"}, {RepoURL: "https://charts.h/stable", Chart: "web"},
		} {
			if _, found, err := from.Snapshot(ref); found || err != nil {
				t.Errorf("%v: found %v, %v", ref, found, err)
			}
		}
	}
	if err := m.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, Name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("the password is in the lock:\n%s", text)
	}
	add(t, m, web)
	if again, err := os.ReadFile(filepath.Join(dir, Name)); err != nil || !bytes.Equal(again, text) {
		t.Errorf("the same again changes the lock: %v\n%s", err, again)
	}
	add(t, m, chart(t, "web", "1.x", "1.3.0", "newer"))
	if got := body(t, m, web.Ref); got != "newer" || len(m.References()) != 3 {
		t.Errorf("a reference is locked anew: %q, %d references", got, len(m.References()))
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, Settings{})
	var random bytes.Buffer
	for i := range 200 {
		fmt.Fprintf(&random, "%d,", i*i*7919%104_729)
	}
	add(t, m, chart(t, "big", "1", "1", random.String()))
	web := chart(t, "web", "1.x", "1.2.3", "one")
	add(t, m, web)
	dropped, err := m.Prune(t.Context(), func(r Reference) bool { return r.Chart == "web" })
	if err != nil || len(dropped) != 1 || dropped[0].Chart != "big" {
		t.Fatalf("dropped %v, %v", dropped, err)
	}
	if m.vault.Has(dropped[0].tree()) {
		t.Error("content that nothing needs is still there")
	}
	if got := body(t, m, web.Ref); got != "one" {
		t.Errorf("what is kept has %q", got)
	}
	if err := m.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestVerifyNamesWhatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, Settings{})
	add(t, m, chart(t, "web", "1.x", "1.2.3", "one"))
	add(t, m, chart(t, "db", "1.x", "1.2.3", "two"))
	blob := find(t, m, "db", "templates/a.yaml")
	// The object is made loose, so that it alone can be spoilt.
	if _, err := exec.Command("sh", "-c", fmt.Sprintf("cd %s/objects.git && git init -q --bare . && mkdir -p x && mv objects/pack/* x/ 2>/dev/null; for p in x/*.pack; do [ -e $p ] && git --git-dir=. unpack-objects -q < $p; done; rm -rf x", dir)).CombinedOutput(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, content, "objects", blob[:2], blob[2:])
	if err := errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, []byte("spoilt"), 0o600)); err != nil {
		t.Fatal(err)
	}
	err := open(t, dir, Settings{}).Verify(t.Context())
	if err == nil || !strings.Contains(err.Error(), "chart db") || strings.Contains(err.Error(), "chart web") {
		t.Errorf("got %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, content)); err != nil {
		t.Fatal(err)
	}
	gone := open(t, dir, Settings{})
	if err := gone.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "not there") {
		t.Errorf("got %v", err)
	}
	if missing := gone.Missing(); len(missing) != 2 {
		t.Errorf("missing %v", missing)
	}
	ref := gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "web", Revision: "1.x"}
	_, found, err := gone.Snapshot(ref)
	var p *gitops.Problem
	if !found || !errors.As(err, &p) || p.Kind != gitops.NotMirrored {
		t.Errorf("found %v, %v", found, err)
	}
	var missing *gitops.MissingSource
	if !errors.As(err, &missing) || missing.Ref != ref {
		t.Errorf("the reference is not told: %#v", missing)
	}
	restore(t, gone)
}

// restore brings content back for a lock without it.
func restore(t *testing.T, m *Mirror) {
	t.Helper()
	locked, ok := m.Find(gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "web", Revision: "1.x"})
	if !ok {
		t.Fatal("the lock is gone")
	}
	err := m.Restore(t.Context(), locked, chart(t, "web", "1.2.3", "1.2.3", "forged"))
	if err == nil || !strings.Contains(err.Error(), "chart web") || !strings.Contains(err.Error(), "another content") {
		t.Errorf("got %v", err)
	}
	if left := held(t, m); left != "" {
		t.Errorf("what differs is held: %q", left)
	}
	if err := m.Restore(t.Context(), locked, chart(t, "web", "1.2.3", "1.2.3", "one")); err != nil {
		t.Error(err)
	}
	if got := body(t, m, gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "web", Revision: "1.x"}); got != "one" {
		t.Errorf("got %q", got)
	}
}

// held lists the objects of the folder that are left once nothing is there
// but what the lock names.
func held(t *testing.T, m *Mirror) string {
	t.Helper()
	if _, err := m.Prune(t.Context(), func(Reference) bool { return true }); err != nil {
		t.Fatal(err)
	}
	objects := filepath.Join(m.dir, content, "objects")
	if _, err := os.Stat(objects); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	blank := filepath.Join(t.TempDir(), "blank.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", blank).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("git", "--git-dir="+blank, "cat-file", "--batch-all-objects", "--batch-check")
	cmd.Env = append(os.Environ(), "GIT_OBJECT_DIRECTORY="+objects)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestAddMany tells that the lock is written once for many, and that those
// before one that cannot be had are locked.
func TestAddMany(t *testing.T) {
	m := open(t, t.TempDir(), Settings{})
	empty, err := archive.NewTree(nil)
	if err != nil {
		t.Fatal(err)
	}
	nothing := &gitops.Snapshot{Ref: gitops.SourceRef{RepoURL: "https://charts.h/stable", Chart: "none"}, Revision: "1", Tree: empty}
	got, err := m.Add(t.Context(), chart(t, "a", "1", "1", "a"), chart(t, "b", "1", "1", "b"), nothing, chart(t, "c", "1", "1", "c"))
	if err == nil || !strings.Contains(err.Error(), "chart none") || len(got) != 2 || len(m.References()) != 2 {
		t.Errorf("%d added, %d locked: %v", len(got), len(m.References()), err)
	}
	if got, err = m.Add(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
}

// TestFull tells that a folder over its bound takes no more, and holds nothing
// that was refused.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, Settings{})
	web := chart(t, "web", "1.x", "1.2.3", "one")
	add(t, m, web)
	locked, _ := m.Find(web.Ref)
	before := held(t, m)
	full := open(t, dir, Settings{Bytes: 10})
	if _, err := full.Add(t.Context(), chart(t, "db", "1", "1", "db")); err == nil || !strings.Contains(err.Error(), "more than the limit") {
		t.Errorf("adding: %v", err)
	}
	if err := full.Restore(t.Context(), locked, web); err == nil || !strings.Contains(err.Error(), "more than the limit") {
		t.Errorf("restoring: %v", err)
	}
	if after := held(t, m); after != before || before == "" {
		t.Errorf("before %q, after %q", before, after)
	}
	small := open(t, t.TempDir(), Settings{Bytes: 10})
	if _, err := small.Add(t.Context(), web); err == nil {
		t.Error("the first is too large")
	}
	if left := held(t, small); left != "" {
		t.Errorf("left %q", left)
	}
}

// find returns the object name of a file.
func find(t *testing.T, m *Mirror, chart, file string) string {
	t.Helper()
	for _, r := range m.References() {
		if r.Chart != chart {
			continue
		}
		tree, err := m.vault.Tree(r.tree(), gitops.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		name, err := tree.Digest(file)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	t.Fatalf("no chart %s", chart)
	return ""
}

// TestTwoAtOnce tells that nothing is lost when several processes add.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for worker := range 4 {
		m := open(t, dir, Settings{})
		all.Go(func() {
			for i := range 5 {
				name := fmt.Sprintf("c%d-%d", worker, i)
				if _, err := m.Add(t.Context(), chart(t, name, "", "1.0.0", name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	m := open(t, dir, Settings{})
	if n := len(m.References()); n != 20 {
		t.Errorf("%d references, want 20", n)
	}
	if err := m.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAddFails(t *testing.T) {
	web := chart(t, "web", "1.x", "1.2.3", "one")
	cases := map[string]struct {
		reason   string
		settings Settings
		want     string
	}{
		"Bytes":  {"a tree that is too large", Settings{TreeBytes: 100}, "over the limit"},
		"Files":  {"a tree of too many files", Settings{Files: 1}, "over the limit"},
		"Folder": {"a folder that is full", Settings{Bytes: 10}, "more than the limit"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := open(t, t.TempDir(), tc.settings)
			_, err := m.Add(t.Context(), web)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if len(m.References()) != 0 {
				t.Errorf("%s: it is locked all the same", tc.reason)
			}
		})
	}
	empty, err := archive.NewTree(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, t.TempDir(), Settings{}).Add(t.Context(), &gitops.Snapshot{Ref: web.Ref, Revision: "1", Tree: empty}); err == nil {
		t.Error("an empty tree is an error")
	}
	busy := open(t, t.TempDir(), Settings{})
	unlock, err := busy.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := open(t, busy.dir, Settings{}).Add(ctx, web); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for another process ends with the context: %v", err)
	}
}

const one = header + `version: 1
references:
  - repoURL: https://charts.h/stable
    chart: web
    revision: 1.x
    resolved: 1.2.3
    digest: git-tree:4b825dc642cb6eb9a060e54bf8d69288fbee4904
    path: objects.git
`

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason, text, want string
	}{
		"Good":      {"as it is written", one, ""},
		"Version":   {"of another engine", strings.Replace(one, "version: 1", "version: 2", 1), "version 2"},
		"Keys":      {"with one key very often", strings.Repeat("version: 1\n", 2000), "the key \"version\" stands in its mapping already"},
		"Values":    {"with much that is no reference", one + "x: [" + strings.Repeat("{},", mostValues) + "1]\n", "more than 1000000 values"},
		"Documents": {"with references behind a mark", one + "---\n" + one, "another document begins, and one is read"},
		"Conflict":  {"with a merge conflict", "<<<<<<< HEAD\n" + one, "yaml"},
		"Password":  {"with a password", strings.Replace(one, "https://", "https://u:p@", 1), "password"},
		"Digest":    {"with half a digest", strings.Replace(one, "4b825dc6", "", 1), "object name"},
		"Scheme":    {"with another kind of digest", strings.Replace(one, "git-tree:", "sha256:", 1), "object name"},
		"Path":      {"with a path that leaves the folder", strings.Replace(one, "path: objects.git", "path: ../../etc", 1), "is not objects.git"},
		"Resolved":  {"without what it resolved to", strings.Replace(one, "resolved: 1.2.3", "", 1), "resolved"},
		"NoAddress": {"without an address", strings.Replace(one, "https://charts.h/stable", `""`, 1), "empty"},
		"Empty":     {"nothing", "", "version 0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			refs, err := parse([]byte(tc.text))
			if tc.want == "" {
				if err != nil || len(refs) != 1 {
					t.Fatalf("%s: %v", tc.reason, err)
				}
				text, err := format(refs)
				if d := cmp.Diff(tc.text, string(text)); d != "" || err != nil {
					t.Errorf("%s: %v %s", tc.reason, err, d)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "u:p") {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte("- x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Settings{}); err == nil || !strings.Contains(err.Error(), "merge conflict") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(one))
	f.Add([]byte("version: 1\nreferences: [{repoURL: &a x, resolved: *a}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		refs, err := parse(data)
		if err != nil {
			return
		}
		text, err := format(refs)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(text)
		if err != nil || len(again) != len(refs) {
			t.Errorf("what was written cannot be read: %v\n%s", err, text)
		}
	})
}

// TestFolderConfiguresNothing: the folder may come with a checkout of somebody
// else, and what lies in it is no repository to run git in.
func TestFolderConfiguresNothing(t *testing.T) {
	dir, mark := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	hooks := t.TempDir()
	for _, name := range []string{"reference-transaction", "monitor"} {
		if err := os.WriteFile(filepath.Join(hooks, name), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	store := filepath.Join(dir, content)
	for _, args := range [][]string{{"init", "-q", "--bare", store}, {"--git-dir=" + store, "config", "core.hooksPath", hooks}, {"--git-dir=" + store, "config", "core.fsmonitor", filepath.Join(hooks, "monitor")}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	m := open(t, dir, Settings{})
	add(t, m, chart(t, "web", "1.x", "1.2.3", "one"))
	if err := m.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	held(t, m)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a hook of the folder ran")
	}
}

// TestFolderReachesNothing: what its content leads to is neither read nor
// written, nor cleared away.
func TestFolderReachesNothing(t *testing.T) {
	cases := map[string]struct {
		reason string
		lead   func(dir, other string) error
	}{
		"Content": {"the content is a link", func(dir, other string) error { return os.Symlink(other, filepath.Join(dir, content)) }},
		"Objects": {"the objects are", func(dir, other string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, content), 0o755), os.Symlink(filepath.Join(other, "objects"), filepath.Join(dir, content, "objects")))
		}},
		"Alternates": {"more objects are named", func(dir, other string) error {
			info := filepath.Join(dir, content, "objects", "info")
			return errors.Join(os.MkdirAll(info, 0o755), os.WriteFile(filepath.Join(info, "alternates"), []byte(filepath.Join(other, "objects")+"\n"), 0o600))
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			victim := t.TempDir()
			owner := open(t, victim, Settings{})
			web := chart(t, "web", "1.x", "1.2.3", "one")
			add(t, owner, web)
			before := held(t, owner)
			lock, err := os.ReadFile(filepath.Join(victim, Name))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := errors.Join(os.WriteFile(filepath.Join(dir, Name), lock, 0o600), tc.lead(dir, filepath.Join(victim, content))); err != nil {
				t.Fatal(err)
			}
			m := open(t, dir, Settings{})
			if _, _, err := m.Snapshot(web.Ref); err == nil {
				t.Errorf("%s: the content of another folder was read", tc.reason)
			}
			if _, err := m.Add(t.Context(), chart(t, "db", "1", "1", "db")); err == nil {
				t.Errorf("%s: it was written into another folder", tc.reason)
			}
			_, _ = m.Prune(t.Context(), func(Reference) bool { return false }) // may say either
			if after := held(t, owner); after != before {
				t.Errorf("%s: before %q, after %q", tc.reason, before, after)
			}
		})
	}
}

// TestLockIsAFileOfTheFolder: a lock that is a link, or no file, is not read,
// and nothing of what it leads to is told.
func TestLockIsAFileOfTheFolder(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(outside, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		make   func(name string) error
	}{
		"Link":   {"a file elsewhere", func(name string) error { return os.Symlink(outside, name) }},
		"Device": {"what never ends", func(name string) error { return os.Symlink("/dev/zero", name) }},
		"Pipe":   {"what nobody writes into", func(name string) error { return syscall.Mkfifo(name, 0o600) }},
		"Folder": {"a folder", func(name string) error { return os.Mkdir(name, 0o750) }},
		"Long": {"a file without end", func(name string) error {
			return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, longest+1))
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tc.make(filepath.Join(dir, Name)); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir, Settings{})
			if err == nil || !strings.Contains(err.Error(), Name) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestAddMakesNothingElsewhere: links to what is not there yet are no way out
// of the folder either.
func TestAddMakesNothingElsewhere(t *testing.T) {
	for _, link := range []string{".lock", content, filepath.Join(content, "objects")} {
		t.Run(link, func(t *testing.T) {
			dir, other := t.TempDir(), t.TempDir()
			at, to := filepath.Join(dir, link), other
			if link == ".lock" {
				to = filepath.Join(other, "made")
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o750), os.Symlink(to, at)); err != nil {
				t.Fatal(err)
			}
			if _, err := open(t, dir, Settings{}).Add(t.Context(), chart(t, "db", "1", "1", "db")); err == nil {
				t.Error("it is written into")
			}
			if list, err := os.ReadDir(other); err != nil || len(list) > 0 {
				t.Errorf("elsewhere is now %v, %v", list, err)
			}
		})
	}
}

// TestNothingIsLocked: a repository that needs nothing has a lock that says so, and can be verified.
func TestNothingIsLocked(t *testing.T) {
	m := open(t, t.TempDir(), Settings{})
	if _, err := m.Add(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(m.Dir(), Name)); err != nil {
		t.Error(err)
	}
	if err := m.Verify(t.Context()); err != nil || len(m.References()) != 0 {
		t.Errorf("%v, with %v", err, m.References())
	}
}
