package why

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// Facts stand between the keys of a cluster and those that it misses. API versions
// are counted where a table is to be read at a glance.
func TestFactsAreListed(t *testing.T) {
	r := bridge.ClusterReport{
		Keys:    []bridge.KeyReport{{Key: bridge.Key{In: bridge.Label, Name: "region"}, Value: "eu", Type: bridge.TypeString}},
		Missing: []bridge.MissingKey{{Key: bridge.Key{In: bridge.Label, Name: "tier"}}},
		Facts: []bridge.Fact{
			{Name: "nodeCount", Value: "3", Type: bridge.TypeInteger, Source: bridge.OfCluster},
			{Name: "apiVersions", Value: "a/v1,b/v1,c/v1,d/v1,e/v1,v1", Type: bridge.TypeString, Source: bridge.OfCluster},
		},
	}
	for output, versions := range map[string]string{table.AsTable: "6: a/v1, b/v1, c/v1, d/v1 and 2 more", table.AsWide: "a/v1,b/v1,c/v1,d/v1,e/v1,v1"} {
		rows := keysTable(r, output).Rows
		want := [][]string{
			{"label", "region", "eu", "string?", "-", "-"}, {"fact", "nodeCount", "3", "integer", "cluster", "-"},
			{"fact", "apiVersions", versions, "string", "cluster", "-"}, {"label", "tier", "Missing", "", "", "-"},
		}
		if d := cmp.Diff(want, rows); d != "" {
			t.Errorf("%s (-want +got):\n%s", output, d)
		}
	}
	var out bytes.Buffer
	b := &bridgeFlags{Flags: checkout.Flags{Global: &command.Global{Streams: command.Streams{Out: &out}, NoColor: true}}, output: table.AsTable}
	r.Untold = "nodes may not be listed"
	if err := b.printOne(r); err != nil || !strings.Contains(out.String(), "the cluster does not tell all its facts: nodes may not be listed\n") {
		t.Errorf("%v:\n%s", err, out.String())
	}
}

func TestReadersAreCounted(t *testing.T) {
	apps := func(n int) []string { return []string{"a-prod", "b", "c", "d", "e", "f"}[:n] }
	cases := map[string]struct {
		reason     string
		all        []bridge.Reader
		want, wide string
	}{
		"nobody": {"", nil, "-", "-"},
		"one":    {"one is named", []bridge.Reader{{Set: "shop", Where: "shop.yaml:3", Applications: apps(1)}}, "shop", "shop (shop.yaml:3): a-prod"},
		"many of one": {"its applications are counted", []bridge.Reader{{Set: "shop", Where: "shop.yaml:3", Selects: true, Applications: apps(6)}}, "6 apps: shop",
			"shop (shop.yaml:3), in a selector: a-prod, b, c, d, e, f"},
		"many sets": {"what is counted comes before what may be cut", []bridge.Reader{{Set: "a", Applications: apps(2)}, {Set: "b", Applications: apps(1)}, {Set: "c"}, {Set: "d"}, {Set: "e"}},
			"5 sets, 2 apps: a, b, c, d and 1 more", "a: a-prod, b; b: a-prod; c; d; e"},
		"the same twice": {"a set that reads a key in two places is one", []bridge.Reader{{Set: "a", Where: "x:1"}, {Set: "a", Where: "x:2"}}, "a", "a (x:1); a (x:2)"},
	}
	for name, c := range cases {
		if got := readBy(c.all); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", name, c.reason, got, c.want)
		}
		if got := readAt(c.all); got != c.wide {
			t.Errorf("%s, wide: %s: got %q, want %q", name, c.reason, got, c.wide)
		}
	}
}
