package clustersource

import (
	"fmt"
	"strings"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// ofNamespace is what a clusterName takes the namespace by.
const ofNamespace = "$(namespace)"

// several reports whether kubeconfigs may be of more than one namespace; the
// empty one stands for all.
func (s scope) several() bool { return len(s.namespaces) > 1 || s.namespaces[0] == "" }

// unclear tells why a source makes no more clusters: its clusterName has the
// namespace, and still a team could take the name of another one's cluster.
// Empty where that cannot be, and for a name without the namespace, which
// promises nothing of the kind.
func (s scope) unclear(source *causeway.ClusterSource) string {
	name := source.Spec.ClusterName
	if !s.several() || !strings.Contains(name, ofNamespace) || tellsApart(name) {
		return ""
	}
	return fmt.Sprintf("spec.clusterName %q does not tell namespaces apart, as $(namespace)-$(name) makes team-a-prod of team/a-prod and of team-a/prod: "+
		"write a dot between the namespace and the rest, as in $(namespace).$(name); until then the clusters that there are stay, and no new ones are made", name)
}

// tellsApart reports whether no two namespaces can come to the same name: the
// namespace is at the beginning or at the end, and a dot, which no namespace
// has, is between it and the next reference.
func tellsApart(name string) bool {
	references, between := reference.FindAllString(name, -1), reference.Split(name, -1)
	last := len(references) - 1
	if last == 0 {
		return references[0] == ofNamespace
	}
	return references[0] == ofNamespace && strings.Contains(between[1], ".") ||
		references[last] == ofNamespace && strings.Contains(between[last], ".")
}

// made leaves out what would be a new cluster.
func made(all []wanted, origins map[string]string, out *outcome) []wanted {
	var there []wanted
	for _, w := range all {
		if _, ok := origins[w.secret]; !ok {
			out.problemf("no cluster %q is made of Secret %s: change spec.clusterName", w.secret, w.from)
			continue
		}
		there = append(there, w)
	}
	return there
}
