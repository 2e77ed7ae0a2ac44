package clusters

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Path of the API.
const Path = "/api/v1/clusters"

// Header carries the token: the API server's proxy takes Authorization away.
const Header = "X-Causeway-Token"

// Health is how the engine sees a cluster.
type Health struct {
	Name    string            `json:"name"`
	Secret  string            `json:"secret,omitempty"`
	Server  string            `json:"server"`
	Project string            `json:"project,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	// Paused tells that nothing is synced, healed, pruned or deleted there,
	// because its Secret says so.
	Paused    bool `json:"paused,omitempty"`
	Reachable bool `json:"reachable"`
	// Problem is why it is not reachable, or why what it serves now is not known.
	Problem string `json:"problem,omitempty"`
	Version string `json:"version,omitempty"`
	// Since when it answers, or does not; Next is when it is tried again.
	Since *time.Time `json:"since,omitempty"`
	Next  *time.Time `json:"next,omitempty"`
	// LastSuccess is when it answered last; Latency of the last probe in milliseconds.
	LastSuccess *time.Time `json:"lastSuccess,omitempty"`
	Latency     int64      `json:"latencyMilliseconds"`
	// Closed tells that no request is sent until a probe has an answer; Trips
	// how often requests without an answer made it so.
	Closed   bool `json:"closed,omitempty"`
	Trips    int  `json:"trips,omitempty"`
	InFlight int  `json:"inFlight"`
	// Kinds counts what it serves; FailedGroups do not answer.
	Kinds        int      `json:"kinds"`
	FailedGroups []string `json:"failedGroups,omitempty"`
	// Parked counts applications that wait because the cluster is slow.
	Parked int `json:"parked,omitempty"`
}

// Of describes the clusters of a fleet.
func Of(f *fleet.Fleet, parked map[string]int) []Health {
	members := f.Members()
	out := make([]Health, 0, len(members))
	for _, c := range members {
		d, s := c.Desc(), c.State()
		h := Health{
			Name: d.Name, Secret: d.Secret, Server: d.Server, Project: d.Project, Labels: d.Labels, Paused: v1alpha1.SkipsReconcile(d.Annotations), Reachable: s.Reachable, Version: s.Version,
			Since: moment(s.Since), Next: moment(s.Next), LastSuccess: moment(s.LastSuccess), Latency: s.Latency.Milliseconds(),
			Closed: s.Closed, Trips: s.Trips, InFlight: s.InFlight, Kinds: s.Kinds, FailedGroups: failedGroups(s), Parked: parked[d.Server],
		}
		if s.Err != nil {
			h.Problem = s.Err.Error()
		}
		out = append(out, h)
	}
	return out
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

// Handler serves the API to those who know the token.
func Handler(list func() []Health, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Get(Header)
		if token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the token is wrong", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list()) //nolint:gosec // names of Secrets alone; after an error the client has gone
	})
}

// failedGroups are the APIs that do not answer, as far as they are named.
func failedGroups(s fleet.ClusterState) []string {
	if s.MoreFailed == 0 {
		return s.FailedGroups
	}
	return append(slices.Clone(s.FailedGroups), "… "+gitops.More(s.MoreFailed))
}
