package get

import (
	"bytes"
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// That there are no pods, or not the one that was named, may be for what the tree of a
// server leaves out: that is said then.
func TestPodsOfAPartialTree(t *testing.T) {
	const partial = "cluster dev does not let ann get pods"
	pod := &api.Node{Ref: api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web-1"}}
	cases := map[string]struct {
		pod  string
		tree api.Tree
		want string
	}{
		"None":          {"", api.Tree{}, "application shop has no pods that the server knows"},
		"None shown":    {"", api.Tree{Partial: partial}, "application shop has no pods that the server knows: " + partial},
		"Another":       {"web-2", api.Tree{Nodes: []*api.Node{pod}}, "application shop has no pod web-2 that the server knows"},
		"Another shown": {"web-2", api.Tree{Nodes: []*api.Node{pod}, Partial: partial}, "application shop has no pod web-2 that the server knows: " + partial},
		"Shown":         {"", api.Tree{Nodes: []*api.Node{pod}, Partial: partial}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var errs bytes.Buffer
			l := &logsFlags{Global: &command.Global{Streams: command.Streams{Err: &errs}}, pod: tc.pod}
			pods, err := l.podsOf(clitest.Shop(), &tc.tree)
			told, warned := "", ""
			if err != nil {
				told = err.Error()
			} else if tc.tree.Partial != "" {
				warned = "warning: " + partial + "\n"
			}
			if told != tc.want || errs.String() != warned || (err == nil) != slices.Contains(pods, pod.Ref) {
				t.Errorf("got %v, %q and %q; want %q and %q", pods, told, errs.String(), tc.want, warned)
			}
		})
	}
}
