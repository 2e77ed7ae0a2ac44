package git

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/access"
)

// counted is a remote of a repository, which counts the calls of its server.
func counted(t *testing.T, u *upstream, now func() time.Time) (r *Remote, calls func() int) {
	t.Helper()
	r = newRemote(t, u.dir, access.Credential{}).Clocked(now)
	n := 0
	r.cred = func(context.Context) (access.Credential, error) {
		n++
		return access.Credential{}, nil
	}
	return r, func() int {
		defer func() { n = 0 }()
		return n
	}
}

// TestCommitsThatNobodyHas asks for many, by their whole names and abbreviated.
func TestCommitsThatNobodyHas(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	now := time.Unix(0, 0)
	r, calls := counted(t, u, func() time.Time { return now })
	const n = 5
	ask := func(v *View) {
		t.Helper()
		for i := range n {
			for _, name := range []string{fmt.Sprintf("%040x", i+1), fmt.Sprintf("%08x", i+1)} {
				if s, err := v.Snapshot(t.Context(), name); !isNotFound(err) {
					t.Errorf("%s: got %v, %v", name, s, err)
				}
			}
		}
	}
	v := look(t, r)
	calls()
	for _, tc := range []struct {
		reason string
		after  time.Duration
		want   int
	}{
		{"each is asked for alone, and all branches and tags are fetched once", 0, n + 1},
		{"they are known to be lacking", shortestGap - 1, 0},
		{"after a while each is asked for alone", 1, n},
		{"the pauses grow", shortestGap - 1, 0},
		{"up to a bound", longestGap, n},
	} {
		now = now.Add(tc.after)
		if ask(v); look(t, r) != v {
			t.Fatal("the view is another one, where nothing moved")
		}
		if got := calls(); got != tc.want {
			t.Errorf("%s: the server was called %d times, want %d", tc.reason, got, tc.want)
		}
	}
	u.write("a.yaml", "2")
	u.commit("second")
	v = look(t, r)
	calls()
	if ask(v); calls() != n+1 {
		t.Error("a view in which references moved does not look anew")
	}
}

// TestLackingCommitThatAppears has a server come to have a commit that no reference leads to.
func TestLackingCommitThatAppears(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	u.git("config", "uploadpack.allowAnySHA1InWant", "true")
	now := time.Unix(0, 0)
	r, _ := counted(t, u, func() time.Time { return now })
	v := look(t, r)
	text := "tree " + u.git("rev-parse", "HEAD^{tree}") + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nlater\n"
	sum := sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(text), text))
	hash := hex.EncodeToString(sum[:])
	if _, err := v.Snapshot(t.Context(), hash); !isNotFound(err) {
		t.Fatal(err)
	}
	u.object("commit", text)
	if _, err := v.Snapshot(t.Context(), hash); !isNotFound(err) {
		t.Errorf("it is asked for again at once: %v", err)
	}
	now = now.Add(shortestGap)
	if got := snapshot(t, v, hash); got.Revision != hash {
		t.Errorf("got %s", got.Revision)
	}
}

// TestFetchOfAllThatFails is made again after a while, and not for each commit.
func TestFetchOfAllThatFails(t *testing.T) {
	g := &gaps{}
	now := time.Unix(0, 0)
	given, cancel := context.WithCancel(t.Context())
	cancel()
	g.fetched(given, context.Canceled, now)
	if ok, _ := g.whole(now); ok {
		t.Error("who gave up is not replaced")
	}
	g.fetched(t.Context(), errWithheld, now)
	if ok, err := g.whole(now); !ok || err != errWithheld { //nolint:errorlint // the very one
		t.Errorf("a failure is forgotten at once: %v", err)
	}
	now = now.Add(shortestGap)
	if ok, _ := g.whole(now); ok {
		t.Error("a failure counts for ever")
	}
	g.fetched(t.Context(), nil, now)
	if ok, err := g.whole(now.Add(longestGap)); !ok || err != nil {
		t.Errorf("it is to be made again: %v", err)
	}
}
