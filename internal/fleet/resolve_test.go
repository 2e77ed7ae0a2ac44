package fleet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestNearClustersAreLookedForWhereTheyAreShown: whoever prunes asks for the destination of each Application of the
// fleet, and drops the error of one that leads nowhere.
func TestNearClustersAreLookedForWhereTheyAreShown(t *testing.T) {
	f := &Fleet{index: newIndex(), spokes: map[string]*Cluster{}, hub: clusterOf(hubWithoutSecret())}
	f.index.put(f.hub)
	for i := range 20 {
		c := clusterOf(gitops.Cluster{Name: fmt.Sprintf("spoke-%02d", i), Server: fmt.Sprintf("https://%d.test", i), Secret: fmt.Sprint("s", i)})
		f.spokes[c.Desc().Secret] = c
		f.index.put(c)
	}
	asked := 0
	err := f.unknown("name", "spoke-1", func(d gitops.Cluster) string {
		asked++
		return d.Name
	})
	if asked != 0 {
		t.Errorf("%d clusters are compared before the error is shown", asked)
	}
	const want = `no cluster has the name "spoke-1"; add a cluster Secret with data.name "spoke-1", or name one of: spoke-01, spoke-10, spoke-11`
	if got := err.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	once := asked
	if !strings.Contains(fmt.Sprint(err), "spoke-01") || asked != once {
		t.Errorf("%d clusters are compared for what was shown before", asked-once)
	}
}
