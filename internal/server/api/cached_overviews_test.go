package api

import (
	"context"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// toldBridge is a bridge that stays the same one until another is worked out.
type toldBridge struct {
	Bridger

	now *Bridge
}

func (b *toldBridge) Bridge(context.Context) (*Bridge, error) { return b.now, nil }

// changing are rights that may be taken from people.
type changing struct {
	reach.Rights

	taken string // a resource that nobody may read any more
}

func (c *changing) Permit(ctx context.Context, u *auth.User, a reach.Access) error {
	if a.Resource == c.taken {
		return gitops.Problemf(gitops.Forbidden, "taken")
	}
	return c.Rights.Permit(ctx, u, a)
}

// Answers that are kept for all who see alike are nobody else's, also by turns,
// and follow what they are made of and the rights at once.
func TestKeptOverviewsAreOnesOwn(t *testing.T) {
	w := newWorld()
	bridge, _ := w.Bridge(t.Context())
	told, rights := &toldBridge{w, bridge}, &changing{Rights: w}
	known := []clusters.Health{{Name: "dev", Server: "https://dev"}, {Name: "prod", Server: "https://prod", Project: "platform"}, {Name: "shop", Server: "https://shop", Project: "shop"}}
	bridge.Clusters = append(bridge.Clusters, BridgeCluster{Name: "prod", Project: "platform"}, BridgeCluster{Name: "shop", Project: "shop"})
	o := w.options()
	o.Bridge, o.Rights, o.Clusters = told, rights, func() []clusters.Health { return known }
	h := as(New(o))
	cases := map[string]struct {
		reader, other []string // what is theirs alone
		change        func()
		taken         string
		gone          string
	}{
		"/bridge":         {[]string{`"webs"`, `"vpc"`, `"shop"`}, []string{`"names"`, `"zone"`, `"prod"`}, func() { next := *bridge; next.Clusters = next.Clusters[:1]; told.now = &next }, "applicationsets", `"webs"`},
		"/fleet/clusters": {[]string{`"shop"`}, []string{`"prod"`}, func() { known[0].Problem = "connection refused" }, "clusters", `"shop"`},
	}
	for path, tc := range cases {
		ask := func(user string) string {
			t.Helper()
			answer := send(t, h, user, "GET", path, "")
			if answer.Code != 200 || answer.Header().Get("ETag") == "" {
				t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
			}
			return answer.Body.String()
		}
		for range 2 {
			reader, other := ask("reader"), ask("other")
			for _, text := range tc.reader {
				if !strings.Contains(reader, text) || strings.Contains(other, text) {
					t.Errorf("%s: %s is for readers alone: %s, and others: %s", path, text, reader, other)
				}
			}
			for _, text := range tc.other {
				if strings.Contains(reader, text) || !strings.Contains(other, text) {
					t.Errorf("%s: %s is for others alone: %s, and readers: %s", path, text, other, reader)
				}
			}
			if ask("writer") != reader {
				t.Errorf("%s: who sees the same is answered otherwise", path)
			}
		}
		if send(t, h, "", "GET", path, "").Code != 401 {
			t.Errorf("%s is told to nobody", path)
		}
		before := ask("reader")
		tc.change()
		if after := ask("reader"); after == before {
			t.Errorf("%s does not follow: %s", path, after)
		}
		rights.taken = tc.taken
		if after := ask("reader"); strings.Contains(after, tc.gone) {
			t.Errorf("%s shows what may not be read any more: %s", path, after)
		}
		rights.taken = ""
	}
}
