package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// strangers is a finding when Applications read Git repositories, and none of
// them is the previewed one: a fork or a clone by another address would
// otherwise show no change at all.
func (s *State) strangers() []finding {
	if s.Side.Locate == nil || len(s.Apps) == 0 {
		return nil
	}
	others := map[string]bool{}
	own := func(repoURL string) bool {
		_, ok := s.Side.Locate(repoURL, ".")
		if !ok && repoURL != "" && !strings.Contains(repoURL, "{{") {
			others[repoURL] = true
		}
		return ok
	}
	for _, a := range s.Apps {
		for _, source := range a.Spec.GetSources() {
			if source.Chart == "" && !strings.HasPrefix(source.RepoURL, "oci://") && own(source.RepoURL) {
				return nil
			}
		}
	}
	for _, set := range s.Sets {
		if set.Expansion == nil {
			continue
		}
		for _, ref := range set.Expansion.Reads.Repos {
			if own(ref.RepoURL) {
				return nil
			}
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []finding{{reason: "NoOwnSource", same: "this repository", message: strangersText(s.Side.Addresses, slices.Sorted(maps.Keys(others)))}}
}

func strangersText(own, others []string) string {
	const most = 5
	have := "it has no remote"
	if len(own) > 0 {
		have = "its addresses are " + strings.Join(own, ", ")
	}
	return fmt.Sprintf("no application reads its manifests from this repository, so of a change only what it declares is shown: %s; Applications name %s; if one of them is this repository, name it with --repo-url", have, gitops.Listed(others, most))
}
