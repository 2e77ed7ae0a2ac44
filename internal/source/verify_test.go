package source

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/signature/signtest"
)

const forever = 0

func TestVerify(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	then := now.Add(-30 * 24 * time.Hour)
	known, other, unknown := signtest.New(t, "known", then, forever), signtest.New(t, "other", then, forever), signtest.New(t, "unknown", then, forever)
	expired, revoked := signtest.New(t, "expired", then, 24*time.Hour), signtest.New(t, "revoked", then, forever)
	revoked.Revoke()
	ring := map[string]string{}
	for _, s := range []*signtest.Signer{known, other, expired, revoked} {
		ring[s.ID()] = s.Public()
	}
	head := gitops.SignatureRule{Keys: []string{known.ID(), expired.ID(), revoked.ID(), unknown.ID()}}
	strict := gitops.SignatureRule{Keys: head.Keys, History: true}
	byFingerprint := gitops.SignatureRule{Keys: []string{"0x00112233" + strings.ToLower(known.ID())}}
	cases := map[string]struct {
		reason   string
		revision string
		rule     gitops.SignatureRule
		make     func(*signtest.Repository)
		want     []string // nil: it is signed
	}{
		"Signed":      {"a good signature", "main", head, func(r *signtest.Repository) { r.Commit("a", known) }, nil},
		"Fingerprint": {"keys may be named by their fingerprint", "main", byFingerprint, func(r *signtest.Repository) { r.Commit("a", known) }, nil},
		"Unsigned":    {"no signature", "main", head, func(r *signtest.Repository) { r.Commit("a", nil) }, []string{"is not signed", "commit "}},
		"Unknown":     {"a key that is nowhere", "main", head, func(r *signtest.Repository) { r.Commit("a", unknown) }, []string{unknown.ID(), "argocd-gpg-keys-cm"}},
		"Unlisted":    {"a key that the project does not name", "main", head, func(r *signtest.Repository) { r.Commit("a", other) }, []string{other.ID(), "the project does not name"}},
		"Expired":     {"a key whose time is over", "main", head, func(r *signtest.Repository) { r.Commit("a", expired) }, []string{"has expired", "renew the key"}},
		"Revoked":     {"a key that was taken back", "main", head, func(r *signtest.Repository) { r.Commit("a", revoked) }, []string{"is revoked"}},
		"Forged":      {"another message than was signed", "main", head, func(r *signtest.Repository) { r.Forge("evil", known) }, []string{"does not fit its signature"}},
		"SignedTag":   {"an annotated tag answers for an unsigned commit", "v1", head, func(r *signtest.Repository) { r.Commit("a", nil); r.Tag("v1", known) }, nil},
		"UnsignedTag": {"an annotated tag without signature hides the commit's", "v1", head, func(r *signtest.Repository) { r.Commit("a", known); r.Tag("v1", nil) }, []string{"tag v1 by Bob", "is not signed"}},
		"PlainTag":    {"a plain tag is its commit", "v1", head, func(r *signtest.Repository) { r.Commit("a", known); r.PlainTag("v1") }, nil},
		"Range":       {"a range is the tag that it allows", "1.x", head, func(r *signtest.Repository) { r.Commit("a", nil); r.Tag("1.2.0", known) }, nil},
		"Strict":      {"all commits are signed", "main", strict, func(r *signtest.Repository) { r.Commit("a", known); r.Commit("b", known) }, nil},
		"StrictGap":   {"one before is not", "main", strict, func(r *signtest.Repository) { r.Commit("a", nil); r.Commit("b", known) }, []string{"is not signed"}},
		"StrictTag":   {"the commit of a tag counts, too", "v1", strict, func(r *signtest.Repository) { r.Commit("a", nil); r.Tag("v1", known) }, []string{"commit ", "is not signed"}},
		"Sealed": {"a signed commit vouches for what was before", "main", strict, func(r *signtest.Repository) {
			r.Commit("a", nil)
			r.Commit("b\n\nArgocd-gpg-seal: reviewed", known)
			r.Commit("c", known)
		}, nil},
		"SealUnsigned": {"an unsigned commit vouches for nothing", "main", strict, func(r *signtest.Repository) {
			r.Commit("b\n\nArgocd-gpg-seal: trust me", nil)
			r.Commit("c", known)
		}, []string{"is not signed"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tc.make(signtest.Init(t, dir))
			r := newRegistry(t, Options{Clock: func() time.Time { return now }})
			if errs := r.TrustKeys(ring); len(errs) > 0 {
				t.Fatal(errs)
			}
			ref := gitops.SourceRef{RepoURL: "file://" + dir, Revision: tc.revision}
			err := r.Verify(t.Context(), ref, snap(t, r, ref).Revision, tc.rule)
			var p *gitops.Problem
			switch {
			case tc.want == nil && err != nil:
				t.Fatalf("%s: %v", tc.reason, err)
			case tc.want == nil:
				return
			case !errors.As(err, &p) || p.Kind != gitops.Forbidden:
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			for _, word := range tc.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%s: %q is not in %q", tc.reason, word, err)
				}
			}
		})
	}
}

// TestTagMovesBeforeItIsVerified has a tag that somebody moves between the look
// that gave the commit to deploy and that for its signature.
func TestTagMovesBeforeItIsVerified(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	known := signtest.New(t, "known", now.Add(-time.Hour), forever)
	rule := gitops.SignatureRule{Keys: []string{known.ID()}}
	cases := map[string]struct {
		reason       string
		first, later func(*signtest.Repository)
	}{
		"ToSigned": {"a signed tag does not vouch for the unsigned commit that it was of", func(r *signtest.Repository) { r.Commit("a", nil); r.Tag("v1", nil) },
			func(r *signtest.Repository) { r.Commit("b", nil); r.Tag("v1", known) }},
		"FromPlain": {"nor for one that a plain tag was of", func(r *signtest.Repository) { r.Commit("a", nil); r.PlainTag("v1") },
			func(r *signtest.Repository) { r.Commit("b", nil); r.Tag("v1", known) }},
		"ToUnsigned": {"and what was signed is not called unsigned", func(r *signtest.Repository) { r.Commit("a", nil); r.Tag("v1", known) },
			func(r *signtest.Repository) { r.Commit("b", nil); r.Tag("v1", nil) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			repository := signtest.Init(t, dir)
			tc.first(repository)
			r := newRegistry(t, Options{Clock: func() time.Time { return now }})
			if errs := r.TrustKeys(map[string]string{known.ID(): known.Public()}); len(errs) > 0 {
				t.Fatal(errs)
			}
			ref := gitops.SourceRef{RepoURL: "file://" + dir, Revision: "v1"}
			deployed := snap(t, r, ref).Revision
			tc.later(repository)
			r.Refresh(ref.RepoURL)
			err := r.Verify(t.Context(), ref, deployed, rule)
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Unreachable || !strings.Contains(err.Error(), "tag v1 moved") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestTagOfAnotherCommit has a server that gives a signed tag for a commit which
// it is not of.
func TestTagOfAnotherCommit(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	known := signtest.New(t, "known", now.Add(-time.Hour), forever)
	dir := t.TempDir()
	repository := signtest.Init(t, dir)
	signed := repository.Commit("a", nil)
	repository.Tag("v1", known)
	forged := repository.Commit("evil", nil)
	repository.Pack()
	packed := filepath.Join(dir, ".git", "packed-refs")
	text, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, bytes.ReplaceAll(text, []byte("^"+signed), []byte("^"+forged)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	if errs := r.TrustKeys(map[string]string{known.ID(): known.Public()}); len(errs) > 0 {
		t.Fatal(errs)
	}
	ref := gitops.SourceRef{RepoURL: "file://" + dir, Revision: "v1"}
	s, err := r.Snapshot(t.Context(), ref)
	if err != nil || s.Revision != forged {
		t.Skipf("this Git does not give what packed-refs says of a tag: %v", err)
	}
	if err := r.Verify(t.Context(), ref, s.Revision, gitops.SignatureRule{Keys: []string{known.ID()}}); err == nil || !strings.Contains(err.Error(), "tag v1 is not of commit "+forged) {
		t.Errorf("what was never signed is deployed: %v", err)
	}
}

// TestTagOfAnotherName has who may push, and may not sign, have the name of a new
// version lead to what was signed as an old one.
func TestTagOfAnotherName(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	known := signtest.New(t, "known", now.Add(-time.Hour), forever)
	dir := t.TempDir()
	repository := signtest.Init(t, dir)
	repository.Commit("a", nil)
	repository.Tag("1.0.0", known)
	runGit(t, dir, "update-ref", "refs/tags/1.1.0", "refs/tags/1.0.0")
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	if errs := r.TrustKeys(map[string]string{known.ID(): known.Public()}); len(errs) > 0 {
		t.Fatal(errs)
	}
	rule := gitops.SignatureRule{Keys: []string{known.ID()}}
	for revision, want := range map[string]string{"1.0.0": "", "1.1.0": `made as tag "1.0.0"`, "1.x": `made as tag "1.0.0"`} {
		ref := gitops.SourceRef{RepoURL: "file://" + dir, Revision: revision}
		err := r.Verify(t.Context(), ref, snap(t, r, ref).Revision, rule)
		if want == "" && err != nil {
			t.Errorf("by its own name: got %v", err)
		}
		if want != "" {
			if p := problem(t, err); p.Kind != gitops.Forbidden || !strings.Contains(p.What, want) {
				t.Errorf("%s: got %v", revision, err)
			}
		}
	}
}

func TestFoldersCannotBeVerified(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "a: b\n")
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://git.example.com/a", Path: dir}}})
	ref := gitops.SourceRef{RepoURL: "https://git.example.com/a"}
	err := r.Verify(t.Context(), ref, snap(t, r, ref).Revision, gitops.SignatureRule{Keys: []string{"0123456789ABCDEF"}})
	if err == nil || !strings.Contains(err.Error(), "cannot be checked") {
		t.Errorf("a folder without Git counts as signed: %v", err)
	}
}

func TestKeysThatCannotBeReadAreTold(t *testing.T) {
	s := signtest.New(t, "ann", time.Now(), forever)
	r := newRegistry(t, Options{})
	errs := r.TrustKeys(map[string]string{"0123456789ABCDEF": s.Public(), "FEDCBA9876543210": "no key", s.ID(): s.Public()})
	if len(errs) != 2 {
		t.Errorf("got %v, want an error for the wrong ID and one for the text", errs)
	}
}
