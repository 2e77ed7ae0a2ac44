package generate

import (
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Reads is what an expansion depends on.
type Reads struct {
	// Repos are the repositories that were read, each once.
	Repos []gitops.SourceRef
	// Clusters reports whether the list of clusters shaped the result; clusters
	// that destinations name are checked in any case.
	Clusters bool
	// Keys are the parameters that templates and selectors asked for, in the
	// form metadata.labels.environment, sorted. See Asks.
	Keys []string
	// AnyKey tells that any parameter may have shaped the result, not only those among Keys.
	AnyKey bool
	// Chosen are those of the keys that selectors and merge keys asked for:
	// they decide which Applications there are, sorted.
	Chosen []string
	// Projects are the AppProjects that were looked up, sorted.
	Projects []string
	// Again is how soon to expand anew although nothing tells of a change; 0
	// is never.
	Again time.Duration
	// Reviews and Forges are the generators that asked Git hosts, as they were
	// rendered; Plugins tells that a plugin was asked.
	Reviews []*v1alpha1.PullRequestGenerator
	Forges  []*v1alpha1.SCMProviderGenerator
	Plugins bool
}

// Asks reports whether a parameter shaped what was generated. A key among Keys
// stands for all below it: a loop over metadata.labels asks for each label.
func (r Reads) Asks(key string) bool {
	for _, k := range r.Keys {
		if k == key || k == everything || strings.HasPrefix(key, k+".") {
			return true
		}
	}
	return false
}

// AsksAny reports whether one of some keys of a cluster, as they are among Keys, may have
// shaped what was generated. Where that is not certain it may.
func (r Reads) AsksAny(keys []string) bool {
	if len(keys) == 0 || r.AnyKey {
		return len(keys) > 0
	}
	return slices.ContainsFunc(r.Keys, func(asked string) bool {
		// Names have dots in them: metadata.labels.a.b may ask for b of the label a.
		return asked == everything || isOfList(asked) || slices.ContainsFunc(keys, func(key string) bool {
			return key == asked || isBelow(key, asked) || isBelow(asked, key)
		})
	})
}

func isBelow(key, above string) bool {
	return len(key) > len(above) && key[len(above)] == '.' && strings.HasPrefix(key, above)
}

// isOfList tells of a key that is below the list of all clusters.
func isOfList(key string) bool { return key == flatKey || isBelow(key, flatKey) }
