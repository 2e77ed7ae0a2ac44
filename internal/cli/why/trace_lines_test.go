package why

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bridge"
)

// TestWhoSetAKey: the file where it is written, or else who wrote it to the API server, and when.
func TestWhoSetAKey(t *testing.T) {
	hour := time.Now().Add(-time.Hour)
	cases := map[string]struct {
		reason string
		by     bridge.Setter
		want   string
	}{
		"nobody":  {"it is not known", bridge.Setter{Time: hour, Source: "x"}, "-"},
		"file":    {"it is written there, whoever applied it", bridge.Setter{Where: "prod.yaml:3", Manager: "kubectl", Time: hour}, "prod.yaml:3"},
		"manager": {"when is not known", bridge.Setter{Manager: "kubectl"}, "kubectl"},
		"source":  {"what is behind the manager says more", bridge.Setter{Manager: "causeway", Source: "ClusterMetadata a (ConfigMap b)"}, "ClusterMetadata a (ConfigMap b)"},
		"when":    {"with its age", bridge.Setter{Manager: "kubectl", Time: hour}, "kubectl 60m ago"},
		"both":    {"of what is behind, too", bridge.Setter{Manager: "causeway", Source: "ClusterMetadata a", Time: hour}, "ClusterMetadata a 60m ago"},
	}
	for name, c := range cases {
		if got := setBy(c.by); got != c.want {
			t.Errorf("%s: %s: %q", name, c.reason, got)
		}
	}
}

// TestWhatFollowsFromAKey: what is there because of it, what would be with another value, and what has other fields.
func TestWhatFollowsFromAKey(t *testing.T) {
	fields := []bridge.FieldChange{{Path: "spec.replicas", Before: 3, After: 4}, {Path: "data.new", After: "x"}}
	cases := map[string]struct {
		reason string
		set    bridge.SetTrace
		want   []string
	}{
		"nothing":  {"that nothing follows is an answer", bridge.SetTrace{Reader: bridge.Reader{Set: "webs"}}, []string{"  read by ApplicationSet webs", "    nothing"}},
		"selector": {"where it is read, and how", bridge.SetTrace{Reader: bridge.Reader{Set: "webs", Where: "a.yaml:1", Selects: true}}, []string{"  read by ApplicationSet webs (a.yaml:1), in a selector", "    nothing"}},
		"problem": {"why it gives nothing, beside what follows", bridge.SetTrace{Reader: bridge.Reader{Set: "webs"}, Problem: "no\nregion", Follow: []bridge.AppTrace{{Application: "a", Effect: "removed"}}},
			[]string{"  read by ApplicationSet webs", "    with another value the set gives nothing: no region", "    application a: is there because of it"}},
		"added": {"what is not there has no fields that are", bridge.SetTrace{Reader: bridge.Reader{Set: "webs"}, Follow: []bridge.AppTrace{{Application: "a", Effect: "added", Note: "x", Parameters: fields}}},
			[]string{"  read by ApplicationSet webs", "    application a: would be there with the other value"}},
		"changed": {"fields as they are now", bridge.SetTrace{Reader: bridge.Reader{Set: "webs"}, Follow: []bridge.AppTrace{{Application: "a", Effect: "changed", Note: "it is\nfetched", Parameters: fields, Objects: []bridge.ObjectTrace{
			{Object: "Pod/a", Effect: "removed"}, {Object: "Pod/b", Effect: "added", Where: "b.yaml:1"}, {Object: "Pod/c", Effect: "changed", Fields: fields[:1]},
		}}}}, []string{
			"  read by ApplicationSet webs", "    application a", "      spec.replicas = 3", "      data.new = null", "        it is fetched", "        Pod/a: is there because of it",
			"        Pod/b (b.yaml:1): would be there with the other value", "        Pod/c", "          spec.replicas = 3",
		}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, readerLines(&c.set, "nothing")); diff != "" {
			t.Errorf("%s: %s: %s", name, c.reason, diff)
		}
	}
}

// TestKeysThatAValueFollows, or why there are none.
func TestKeysThatAValueFollows(t *testing.T) {
	key := bridge.KeyOrigin{Key: bridge.Key{In: bridge.Label, Name: "tier"}, Value: "a \"b\"", SetBy: bridge.Setter{Manager: "kubectl"}, Parameters: []bridge.FieldChange{{Path: "spec.x", Before: "a"}, {Path: "spec.y", After: "b"}, {Path: "spec.z"}}}
	cases := map[string]struct {
		reason string
		trace  bridge.FieldTrace
		want   []string
	}{
		"by hand": {"no set made it", bridge.FieldTrace{Application: "shop"}, []string{"  application shop is made by no ApplicationSet from a cluster: no key of a cluster leads here"}},
		"unknown": {"a note is all that is known", bridge.FieldTrace{Application: "shop", Notes: []string{"one", "two\nthree"}}, []string{"  note: one", "  note: two three"}},
		"none": {"that so many were tried tells that it is sure", bridge.FieldTrace{Application: "shop", Set: "shops", Cluster: "dev", Tried: 7, Notes: []string{"one"}},
			[]string{"  application shop is made by ApplicationSet shops for cluster dev", "  follows no key of the cluster (7 tried)", "  note: one"}},
		"keys": {"through which fields; where no value is told there is none", bridge.FieldTrace{Application: "shop", Set: "shops", Cluster: "dev", Keys: []bridge.KeyOrigin{key}},
			[]string{"  application shop is made by ApplicationSet shops for cluster dev", `  follows label tier = "a \"b\"", set by kubectl`, "    through spec.x = a", "    through spec.y = null", "    through spec.z"}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, originLines(&c.trace)); diff != "" {
			t.Errorf("%s: %s: %s", name, c.reason, diff)
		}
	}
}
