package git

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestTagsThatVouch: the signature of a tag counts for the commit that is deployed, and
// by the name that it was made by.
func TestTagsThatVouch(t *testing.T) {
	u := newUpstream(t)
	old := u.commit("old")
	u.git("tag", "-a", "-m", "old", "v1.0.0")
	head := u.commit("new")
	u.git("tag", "-a", "-m", "new", "v1.1.0")
	u.git("tag", "plain")
	u.git("tag", "-a", "-m", "around", "around", "v1.1.0")
	u.git("branch", "topic")
	u.git("update-ref", "refs/tags/v2.0.0", u.git("rev-parse", "refs/tags/v1.0.0"))
	v := look(t, newRemote(t, u.dir, access.Credential{}))
	for name, tc := range map[string]struct {
		reason, revision, commit string
		tag                      string // nothing where none vouches
		kind                     gitops.ProblemKind
	}{
		"Tag":     {"an annotated tag", "v1.1.0", head, "tag v1.1.0", 0},
		"Full":    {"by its whole name", "refs/tags/v1.1.0", head, "tag v1.1.0", 0},
		"Range":   {"one that a range chose", "~1.0", old, "tag v1.0.0", 0},
		"Around":  {"a tag of a tag", "around", head, "tag around", 0},
		"Plain":   {"a plain tag is a name, which nobody signed", "plain", head, "", 0},
		"Branch":  {"nor is a branch", "topic", head, "", 0},
		"Commit":  {"nor is the commit", head, head, "", 0},
		"Moved":   {"a tag that is of another commit by now vouches for that one", "v1.1.0", old, "", gitops.Unreachable},
		"Renamed": {"an old tag by the name of a new one", "v2.0.0", old, "", gitops.Forbidden},
		"Gone":    {"one that is not there vouches for nothing", "v3.0.0", head, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := v.Tag(t.Context(), tc.revision, tc.commit)
			if (err != nil) != (tc.kind != 0) || err != nil && !gitops.IsProblem(err, tc.kind) {
				t.Fatalf("%s: %v, %v", tc.reason, got, err)
			}
			if err == nil && (got != nil) != (tc.tag != "") || got != nil && got.Name != tc.tag {
				t.Errorf("%s: got %v, want %q", tc.reason, got, tc.tag)
			}
		})
	}
}

// TestTagsThatLeadElsewhere: a server may give any commit for a tag. What was signed
// says which one it is, also through tags of tags, of which few are followed.
func TestTagsThatLeadElsewhere(t *testing.T) {
	u := newUpstream(t)
	head := u.commit("first")
	u.git("tag", "-a", "-m", "x", "t0")
	u.git("tag", "-a", "-m", "of a folder", "folder", "HEAD^{tree}")
	for i := range maxTags {
		u.git("tag", "-a", "-m", "x", fmt.Sprint("t", i+1), fmt.Sprint("t", i))
	}
	s := newStore(t)
	s.objects.dir = filepath.Join(u.dir, ".git")
	for name, tc := range map[string]struct {
		reason, tag, commit string
		forbidden           bool
	}{
		"Own":    {"its own commit", "t0", head, false},
		"Most":   {"through as many as are followed", "t7", head, false},
		"Many":   {"through one more", "t8", head, true},
		"Other":  {"another commit", "t0", strings.Repeat("1", 40), true},
		"Folder": {"what is of no commit vouches for none", "folder", head, true},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := s.object(u.git("rev-parse", "refs/tags/"+tc.tag), "tag")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.leads(tc.tag, data, tc.commit); (err != nil) != tc.forbidden || err != nil && !gitops.IsProblem(err, gitops.Forbidden) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
