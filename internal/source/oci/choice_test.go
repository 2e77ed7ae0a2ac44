package oci

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// TestWhichTagIsMeant: tags have no plus sign, for which Helm writes an underscore.
func TestWhichTagIsMeant(t *testing.T) {
	sum := "sha256:" + strings.Repeat("a", 64)
	withheld := errors.New("tags are not listed")
	for name, tc := range map[string]struct {
		reason, revision string
		view             View
		want, fails      string
	}{
		"Digest":      {"a digest is what it is", sum, View{tags: []string{"1.0.0"}}, sum, ""},
		"Tag":         {"a tag by its name", "stable", View{tags: []string{"1.0.0", "stable"}}, "stable", ""},
		"Build":       {"a version with what it was built of", "1.0.0+a", View{tags: []string{"1.0.0_a", "1.0.0_b"}}, "1.0.0_a", ""},
		"Letter":      {"a v does not count", "1.0.0", View{tags: []string{"v1.0.0"}}, "v1.0.0", ""},
		"Loose":       {"a registry has a tag of that name or none, where an index would have a range", "1.2", View{tags: []string{"1.2.0", "1.2.5"}}, "1.2", ""},
		"Range":       {"the newest in a range", "1.x", View{tags: []string{"1.0.0", "1.2.0_b", "2.0.0"}}, "1.2.0_b", ""},
		"Newest":      {"the newest stable one", "", View{tags: []string{"1.0.0", "2.0.0-rc.1", "latest"}}, "1.0.0", ""},
		"Unknown":     {"one that is not listed", "3.0.0", View{tags: []string{"1.0.0", "1.1.0_b"}}, "", "allows one of: 1.1.0+b, 1.0.0"},
		"Underscore":  {"a tag that is no version is named as it is written", "3.0.0", View{tags: []string{"nightly_amd64"}}, "", "allows one of: nightly_amd64"},
		"NoRange":     {"or nothing in a range", "3.x", View{tags: []string{"1.0.0"}}, "", `has no version "3.x"`},
		"Unlisted":    {"a registry may list nothing, and have it all the same", "3.0.0+a", View{err: withheld}, "3.0.0_a", ""},
		"RangeOfNone": {"a range needs a list", "3.x", View{err: withheld}, "", "tags are not listed"},
		"NewestNone":  {"so does the newest", "", View{err: withheld}, "", "tags are not listed"},
		"EmptyRange":  {"a repository without tags", "", View{}, "", "no stable version"},
		"More":        {"a tag that had no room in the list is the registry's to know", "zeta", View{tags: []string{"1.0.0"}, more: true}, "zeta", ""},
		"MoreVersion": {"those that had count first", "1.0.0", View{tags: []string{"v1.0.0"}, more: true}, "v1.0.0", ""},
		"MoreRange":   {"and a range is over those alone", "3.x", View{tags: []string{"1.0.0"}, more: true}, "", `has no version "3.x"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.view.choose("web", tc.revision)
			if got != tc.want || (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}

// TestManyTags: registries give some hundred of them in a page, and there is a tag
// for each commit of years.
func TestManyTags(t *testing.T) {
	s := newShelf(t)
	content := s.layer(chartLayer, packed(t, "web/Chart.yaml", "name: web"))
	s.push("zeta", content)
	s.tags, s.page = nil, 1
	for i := range 2 * maxPages {
		s.tags = append(s.tags, fmt.Sprintf("1.0.%d", i))
	}
	s.tags = append(s.tags, "zeta")
	v := s.look(t)
	if len(v.tags) != maxPages || s.asked["tags/list"] != maxPages {
		t.Errorf("%d tags of %d pages", len(v.tags), s.asked["tags/list"])
	}
	if _, err := v.Chart(t.Context(), "web", "zeta", slots.Of("red")); err != nil {
		t.Errorf("a tag of the last page: %v", err)
	}
	if _, err := v.Chart(t.Context(), "web", "none", slots.Of("red")); !gitops.IsProblem(err, gitops.NotFound) {
		t.Errorf("a tag of no page: %v", err)
	}
	if got, err := v.choose("web", ">=1"); err != nil || got != "1.0.99" {
		t.Errorf("a range is over what is listed: %s, %v", got, err)
	}
}

// TestRegistriesThatListNothing may be asked by name, unless they are away.
func TestRegistriesThatListNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		status int
		kind   gitops.ProblemKind
		fix    string
		looks  bool
	}{
		"Unauthorized": {"who asks is not let in there", http.StatusUnauthorized, gitops.Refused, "credentials", true},
		"Forbidden":    {"nor is who signs in", http.StatusForbidden, gitops.Refused, "credentials", true},
		"NotFound":     {"it has no such page", http.StatusNotFound, gitops.NotFound, "repoURL", true},
		"Failing":      {"the registry is out of order", http.StatusInternalServerError, gitops.Unreachable, "", false},
		"Busy":         {"or asked too often", http.StatusConflict, gitops.Unreachable, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.push("1.0.0", s.layer(chartLayer, packed(t, "web/Chart.yaml", "name: web")))
			s.answers["tags/list"] = tc.status
			v, err := s.open(t).Look(t.Context())
			if (err == nil) != tc.looks {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if err == nil {
				err = v.err
				if snap, e := v.Chart(t.Context(), "web", "1.0.0", slots.Of("red")); e != nil || snap.Revision != "1.0.0" {
					t.Errorf("%s: it is not had by name: %v", tc.reason, e)
				}
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || !strings.Contains(p.Fix, tc.fix) || !strings.Contains(err.Error(), "cannot list the tags of") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestArtifactsAreNamedByDigest: their tags move, and their revision does not.
func TestArtifactsAreNamedByDigest(t *testing.T) {
	s := newShelf(t)
	latest := s.push("latest", s.layer("application/x.tar", packed(t, "a.yaml", "1")))
	pinned := s.push("1.0.0_b", s.layer("application/x.tar", packed(t, "a.yaml", "2")))
	v := s.look(t)
	for revision, want := range map[string]string{"": latest.String(), "latest": latest.String(), "1.x": pinned.String(), "1.0.0+b": pinned.String(), pinned.String(): pinned.String()} {
		snap, err := v.Artifact(t.Context(), revision, slots.Of("red"))
		if err != nil || snap.Revision != want {
			t.Errorf("%q: %v, %v", revision, snap, err)
		}
	}
	if snap, err := v.Chart(t.Context(), "web", "1.x", slots.Of("red")); err != nil || snap.Revision != "1.0.0+b" {
		t.Errorf("a chart has its version: %v, %v", snap, err)
	}
	delete(s.held, "latest")
	if _, err := v.Artifact(t.Context(), "latest", slots.Of("red")); !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), "1.0.0") {
		t.Errorf("a tag that went after it was listed: %v", err)
	}
}

// TestNamesOfRepositories are told from what belongs into the revision.
func TestNamesOfRepositories(t *testing.T) {
	for name, want := range map[string]string{
		"ghcr.io/org/charts/web": "", "localhost:5000/a": "",
		"ghcr.io/org/web:1.0.0": "move the tag or digest to targetRevision", "ghcr.io/org/web@sha256:" + strings.Repeat("a", 64): "move the tag or digest",
		"ghcr.io": "correct repoURL and chart", "ghcr.io/Org/web": "correct repoURL and chart", "": "correct repoURL and chart", "ghcr.io/a b": "correct repoURL and chart",
	} {
		_, err := New(name, credentialOf(""), Settings{})
		if (err != nil) != (want != "") || err != nil && (!gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
