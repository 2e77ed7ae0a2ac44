package up

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestPagesThatAnswer are those that are well: what else listens there is not where somebody is sent.
func TestPagesThatAnswer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(strings.Trim(strings.TrimSuffix(r.URL.Path, "/healthz"), "/"))
		if err != nil {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(other.Close)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for at, want := range map[string]bool{other.URL + "/200": true, other.URL + "/204": false, other.URL + "/404": false, other.URL + "/503": false, other.URL: false, "http://127.0.0.1:1": false, "http://[": false} {
		if got := pagesAnswer(t.Context(), at); got != want {
			t.Errorf("%s: %t", at, got)
		}
		if pagesAnswer(over, at) {
			t.Errorf("%s: nobody asks any more", at)
		}
	}
}

// TestAClusterThatIsReady is shown so, and the log tells after how long.
func TestAClusterThatIsReady(t *testing.T) {
	s, out := sessionOf(t, &upFlags{})
	watcher{s.board, s.log}.Ready("hub", "https://127.0.0.1:6443", 1234567)
	if c := s.board.Snapshot().Clusters[0]; c.State != fleetstatus.Ready || c.Server != "https://127.0.0.1:6443" || !strings.Contains(out.String(), "after=1ms") {
		t.Errorf("the cluster is shown as %+v, and logged as %s", c, out.String())
	}
}

// TestWhoStopsAFleetBeforeItIsWell is told nothing of what to do next, and it is no failure.
func TestWhoStopsAFleetBeforeItIsWell(t *testing.T) {
	s, out := sessionOf(t, &upFlags{once: true, timeout: await.Limit})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.untilHealthy(over); err != nil || out.Len() > 0 {
		t.Errorf("%v, %s", err, out.String())
	}
}
