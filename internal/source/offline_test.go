package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestOffline(t *testing.T) {
	dir := newRepository(t)
	r := newRegistry(t, Options{Offline: true, Mirrors: []Mirror{{URL: "https://h/mirrored", Path: dir}}})
	for _, ref := range []gitops.SourceRef{{RepoURL: "https://h/mirrored"}, {RepoURL: dir}, {RepoURL: "file://" + dir, Revision: "main"}} {
		if got := content(t, snap(t, r, ref), "a.yaml"); got != "1" {
			t.Errorf("%s: got %q", ref.RepoURL, got)
		}
	}
	cases := map[string]struct {
		reason string
		ref    gitops.SourceRef
		want   string
	}{
		"Git":      {"a Git repository", gitops.SourceRef{RepoURL: "https://user:hunter2@h/other", Revision: "v1"}, "at v1"},
		"SSH":      {"one over SSH", gitops.SourceRef{RepoURL: "git@h:org/other.git"}, "git@h:org/other.git"},
		"Chart":    {"a chart", gitops.SourceRef{RepoURL: "https://charts.h", Chart: "web", Revision: "1.x"}, "chart web"},
		"OCI":      {"a chart in a registry", gitops.SourceRef{RepoURL: "registry.h/charts", Chart: "web"}, "chart web"},
		"Artifact": {"an artifact", gitops.SourceRef{RepoURL: "oci://registry.h/artifact"}, "oci://registry.h/artifact"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.Snapshot(t.Context(), tc.ref)
			p := problem(t, err)
			if p.Kind != gitops.NotMirrored || !strings.Contains(p.What, tc.want) || !strings.Contains(p.Fix, "causeway mirror") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			var missing *gitops.MissingSource
			if !errors.As(err, &missing) || missing.Ref != tc.ref {
				t.Errorf("%s: the reference is not told: %#v", tc.reason, missing)
			}
			if strings.Contains(err.Error()+missing.Error(), "hunter2") {
				t.Errorf("the password shows: %v", err)
			}
		})
	}
}
