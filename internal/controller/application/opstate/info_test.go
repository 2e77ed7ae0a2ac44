package opstate

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestShortRevision names what was synced as people know it: half a version would be
// another one.
func TestShortRevision(t *testing.T) {
	commit := "90a8ddc0e4b2f5a6c7d8e9f00112233445566778"
	cases := map[string]struct {
		reason    string
		revisions []string
		want      string
	}{
		"commit":     {"as Git cuts it", []string{commit}, "90a8ddc"},
		"digest":     {"the algorithm tells nothing", []string{"sha256:" + commit + strings.Repeat("0", 24)}, "90a8ddc"},
		"version":    {"10.12.1 is another version", []string{"10.12.13"}, "10.12.13"},
		"prerelease": {"1.0.0-r is none", []string{"1.0.0-rc.1+build.5"}, "1.0.0-rc.1+build.5"},
		"branch":     {"nor is a name cut within a letter", []string{"größere-änderung"}, "größere-änderung"},
		"several":    {"each source has its own", []string{commit, "2.0.0"}, "90a8ddc, 2.0.0"},
		"empty":      {"an operation brought the manifests", []string{""}, "manifests that are in no source"},
		"all empty":  {"for several sources as well", []string{"", ""}, "manifests that are in no source"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			one, several := &v1alpha1.SyncOperationResult{Revision: tc.revisions[0]}, &v1alpha1.SyncOperationResult{Revisions: tc.revisions}
			if got := ShortRevision(several); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if got := ShortRevision(one); len(tc.revisions) == 1 && got != tc.want {
				t.Errorf("%s: of one source got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	if got := ShortRevision(nil); got != "" {
		t.Errorf("of no sync it is %q", got)
	}
}
