package gitops

import "strings"

// Deciding leaves of the clusters that share a name or a server those that
// count when a destination names it. More than one is an ambiguity, see
// Ambiguous.
//
// What a ClusterSource found does not count beside what somebody described:
// who may write a kubeconfig in some namespace could otherwise take a cluster
// away from everybody, by being there first. The hub without a Secret does not
// count beside the Secret that describes it.
func Deciding[C any](found []C, describe func(C) Cluster) []C {
	if len(found) < 2 {
		return found
	}
	var said []C
	described := false
	for _, c := range found {
		d := describe(c)
		if d.Source == "" {
			said = append(said, c)
		}
		described = described || d.Source == "" && d.Secret != "" && IsHub(d.Server)
	}
	if len(said) == 0 {
		return found
	}
	if !described {
		return said
	}
	var out []C
	for _, c := range said {
		if describe(c).Secret != "" {
			out = append(out, c)
		}
	}
	return out
}

// Described is the description itself, for Deciding.
func Described(c Cluster) Cluster { return c }

// Ambiguous tells that a destination names what several clusters have: by
// which, nobody can say where it leads, so it leads nowhere. It stands in the
// status of Applications and ApplicationSets, whose owners need not know what
// others have: Clashes names the Secrets to who manages them.
func Ambiguous(field, value string) *Problem {
	p := Problemf(Invalid, "several cluster Secrets have the %s %q", field, value)
	const who = "have who manages clusters leave one of them: causeway doctor and the events of the Secrets name them"
	if field == clashName {
		return p.Do(who + "; or use destination.server")
	}
	return p.Do(who)
}

// AmbiguousAmong is Ambiguous for who has the cluster Secrets: it names them.
func AmbiguousAmong(field, value string, found []Cluster) error {
	names := make([]string, 0, len(found))
	for _, c := range found {
		names = append(names, secretOf(c))
	}
	p := Problemf(Invalid, "%d cluster Secrets have the %s %q: %s", len(found), field, value, strings.Join(names, ", "))
	if field == clashName {
		return p.Do("give each cluster Secret another data.name, or use destination.server")
	}
	return p.Do("delete all cluster Secrets of this server but one")
}

func secretOf(c Cluster) string {
	if c.Secret == "" {
		return "(none)"
	}
	return c.Secret
}
