package roster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What differs of a cluster is a cause that people are told, so a cluster has to be
// known as the same one, and a key that comes or goes as one that did.
func TestChangesOfClusters(t *testing.T) {
	one := func(name, server string, labels map[string]string) Roster {
		return Roster{Clusters: []Cluster{{Cluster: gitops.Cluster{Name: name, Server: server, Labels: labels}}}}
	}
	cases := map[string]struct {
		reason        string
		before, after Roster
		want          []string
	}{
		"Same":      {"nothing differs", one("a", "https://a", map[string]string{"x": "1"}), one("a", "https://a", map[string]string{"x": "1"}), nil},
		"Spelled":   {"a server may be spelled in two ways", one("a", "https://A.example.com:443/", nil), one("a", "https://a.example.com/", map[string]string{"x": "1"}), []string{"cluster a: metadata.labels.x (none) → 1"}},
		"EmptyNew":  {"an empty label is one that is there", one("a", "https://a", nil), one("a", "https://a", map[string]string{"x": ""}), []string{`cluster a: metadata.labels.x (none) → ""`}},
		"EmptyGone": {"and one that goes", one("a", "https://a", map[string]string{"x": ""}), one("a", "https://a", nil), []string{`cluster a: metadata.labels.x "" → (none)`}},
		"Emptied":   {"and another than it was", one("a", "https://a", map[string]string{"x": "1"}), one("a", "https://a", map[string]string{"x": ""}), []string{`cluster a: metadata.labels.x 1 → ""`}},
		"Renamed":   {"by its new name, behind its keys", one("a", "https://a", nil), one("b", "https://a", map[string]string{"x": "1"}), []string{"cluster b: metadata.labels.x (none) → 1", "cluster b: name a → b"}},
		"Order":     {"keys in order", one("a", "https://a", map[string]string{"z": "1", "y": "1"}), one("a", "https://a", map[string]string{"b": "1", "a": "1"}), []string{"cluster a: metadata.labels.a (none) → 1", "cluster a: metadata.labels.b (none) → 1", "cluster a: metadata.labels.y 1 → (none)", "cluster a: metadata.labels.z 1 → (none)"}},
		"Other":     {"a cluster of another address is another one", one("a", "https://a", nil), one("a", "https://b", map[string]string{"x": "1"}), nil},
		"Comes":     {"one that comes has not changed", Roster{}, one("a", "https://a", map[string]string{"x": "1"}), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range Changes(tc.before, tc.after) {
				got = append(got, c.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
