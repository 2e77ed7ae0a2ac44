package fleet

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// names reads a list of the index.
func names(of []*Cluster) string {
	var out []string
	for _, c := range of {
		out = append(out, c.Desc().Name+"/"+c.Desc().Secret)
	}
	return strings.Join(out, " ")
}

func clusterOf(d gitops.Cluster) *Cluster {
	c := &Cluster{}
	c.describe(d)
	return c
}

func TestIndexFollowsDescriptions(t *testing.T) {
	x := newIndex()
	a := clusterOf(gitops.Cluster{Name: "a", Server: "https://one/", Secret: "s1", Project: "p"})
	b := clusterOf(gitops.Cluster{Name: "a", Server: "https://one", Secret: "s0", Project: "p"})
	x.put(a)
	x.put(b)
	held := x.byServer["https://one"]
	got := []string{names(x.byName["a"]), names(held), names(x.ofProject["p"])}
	if diff := cmp.Diff([]string{"a/s0 a/s1", "a/s0 a/s1", "a/s0 a/s1"}, got); diff != "" {
		t.Errorf("two Secrets with one name and server (-want +got):\n%s", diff)
	}
	x.change(b, gitops.Cluster{Name: "b", Server: "https://two", Secret: "s0"})
	got = []string{names(x.byName["a"]), names(x.byName["b"]), names(x.byServer["https://two"]), names(x.ofProject["p"]), names(x.ofProject[""])}
	if diff := cmp.Diff([]string{"a/s1", "b/s0", "b/s0", "a/s1", ""}, got); diff != "" {
		t.Errorf("after a change (-want +got):\n%s", diff)
	}
	if len(held) != 2 {
		t.Error("a list that was handed out changed")
	}
	x.drop(a)
	x.drop(b)
	if left := len(x.byName) + len(x.byServer) + len(x.ofProject); left != 0 {
		t.Errorf("%d entries are left of clusters that are gone", left)
	}
}

// TestOwnedClusters has a cluster of a project whose address others describe, too.
func TestOwnedClusters(t *testing.T) {
	mine := gitops.Cluster{Name: "mine", Server: "https://one", Secret: "s1", Project: "red", Source: "found"}
	for name, tc := range map[string]struct {
		reason string
		other  gitops.Cluster
		want   bool
	}{
		"Alone":      {"nobody else leads there", gitops.Cluster{Server: "https://two", Secret: "s2"}, true},
		"Operator":   {"what somebody described counts, and may have other credentials", gitops.Cluster{Server: "https://ONE:443/", Secret: "s2"}, false},
		"OtherTeam":  {"also where it is another project's", gitops.Cluster{Server: "https://one", Secret: "s2", Project: "blue"}, false},
		"FoundTwice": {"what was found for another project has credentials of its own", gitops.Cluster{Server: "https://one", Secret: "s2", Project: "blue", Source: "found"}, false},
		"BothMine":   {"two of one project", gitops.Cluster{Server: "https://one", Secret: "s2", Project: "red", Source: "found"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			x, c := newIndex(), clusterOf(mine)
			x.put(c)
			x.put(clusterOf(tc.other))
			if got := x.owns(c); got != tc.want {
				t.Errorf("%s: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
	x := newIndex()
	operators := clusterOf(gitops.Cluster{Name: "blues", Server: "https://one", Secret: "s2", Project: "blue"})
	x.put(clusterOf(mine))
	x.put(operators)
	if !x.owns(operators) {
		t.Error("who was there first with a kubeconfig takes the cluster away from its project")
	}
}
