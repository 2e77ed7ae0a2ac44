package generate

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How long what nobody announces is believed, unless the generator says
// otherwise. Clusters are watched, and repositories looked up by the sources.
const (
	defaultAskAgain  = 30 * time.Minute
	defaultReadAgain = 3 * time.Minute
)

// again is the shortest time after which one of the generators of a set wants
// to look again, those within matrix and merge too; 0 when none does.
func again(set *v1alpha1.ApplicationSet) time.Duration {
	var out time.Duration
	for i := range set.Spec.Generators {
		out = sooner(out, againOf(&set.Spec.Generators[i]))
	}
	return out
}

func againOf(g *v1alpha1.ApplicationSetGenerator) time.Duration {
	var out time.Duration
	if g.SCMProvider != nil {
		out = sooner(out, pause(g.SCMProvider.RequeueAfterSeconds, defaultAskAgain))
	}
	if g.PullRequest != nil {
		out = sooner(out, pause(g.PullRequest.RequeueAfterSeconds, defaultAskAgain))
	}
	if g.Plugin != nil {
		out = sooner(out, pause(g.Plugin.RequeueAfterSeconds, defaultAskAgain))
	}
	if g.ClusterDecisionResource != nil {
		out = sooner(out, pause(g.ClusterDecisionResource.RequeueAfterSeconds, defaultReadAgain))
	}
	for _, child := range children(g) {
		full, err := unnest(child)
		if err != nil {
			continue // the expansion tells
		}
		out = sooner(out, againOf(full))
	}
	return out
}

func children(g *v1alpha1.ApplicationSetGenerator) []v1alpha1.ApplicationSetNestedGenerator {
	var out []v1alpha1.ApplicationSetNestedGenerator
	if g.Matrix != nil {
		out = append(out, g.Matrix.Generators...)
	}
	if g.Merge != nil {
		out = append(out, g.Merge.Generators...)
	}
	return out
}

// pause is what a generator says; 0 seconds or less mean never.
func pause(seconds *int64, otherwise time.Duration) time.Duration {
	if seconds == nil {
		return otherwise
	}
	return gitops.Seconds(max(*seconds, 0))
}

// sooner is the shorter of two times, of which 0 is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || (b > 0 && b < a) {
		return b
	}
	return a
}
