package serve

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/session"
)

// One person has a share of the logs, and one cluster as well: who reads all
// that they may keeps nobody else's out.
func TestLogsHaveShares(t *testing.T) {
	logs := newLogs()
	take := func(person, cluster string, n int) (got int) {
		for range n {
			if _, ok := logs.Take(person, cluster); ok {
				got++
			}
		}
		return got
	}
	if got := take("ann", "https://east.test", 200); got != logsEach {
		t.Errorf("one person reads %d logs", got)
	}
	if got := take("ann", "https://west.test", 1); got != 0 {
		t.Error("one person has a share at each cluster")
	}
	for _, person := range []string{"ben", "cid"} {
		if got := take(person, "https://east.test", logsEach); got != logsEach {
			t.Errorf("%s reads %d logs besides", person, got)
		}
	}
	if got := take("eve", "https://east.test", 1); got != 0 {
		t.Errorf("one cluster has more than %d logs", logsEachCluster)
	}
	if got := take("eve", "https://west.test", 1); got != 1 {
		t.Error("logs of one cluster keep those of another out")
	}
	if !errors.Is(manyLogs{"east"}, session.ErrBusy) {
		t.Error("who has too many is not told to come back")
	}
}
