package fleetstatus

import (
	"cmp"
	"slices"
	"time"
)

// Snapshot is a fleet at one moment.
type Snapshot struct {
	Fleet   string    `json:"fleet"`
	Started time.Time `json:"started"`
	// Step is what is being done: "starting the clusters".
	Step     string    `json:"step"`
	Clusters []Cluster `json:"clusters"`
	// Apps and Sets are ordered by name.
	Apps []App `json:"apps"`
	Sets []Set `json:"sets"`
	// Watching tells that the engine runs and Apps and Sets are known.
	Watching bool `json:"watching"`
	// Healthy is when everything first was as it should be; zero before.
	Healthy time.Time `json:"healthy,omitzero"`
	// Problem is with the fleet's own files, not with any application.
	Problem string `json:"problem,omitempty"`
	// Failure ended it.
	Failure string `json:"failure,omitempty"`
}

// The last steps.
const (
	Stopping = "stopping"
	Stopped  = "stopped"
)

// ClusterState is how far a cluster is.
type ClusterState string

// The states of a cluster.
const (
	Waiting  ClusterState = "waiting"
	Starting ClusterState = "starting"
	Ready    ClusterState = "ready"
	Failed   ClusterState = "failed"
)

// Cluster is one control plane.
type Cluster struct {
	Name   string        `json:"name"`
	Hub    bool          `json:"hub,omitempty"`
	State  ClusterState  `json:"state"`
	Since  time.Time     `json:"since,omitzero"`
	Took   time.Duration `json:"took,omitempty"`
	Server string        `json:"server,omitempty"`
	Error  string        `json:"error,omitempty"`
}

// App is one Application, cut down to what a person wants to know.
type App struct {
	Name    string `json:"name"`
	Cluster string `json:"cluster"`
	Sync    string `json:"sync"`
	Health  string `json:"health"`
	// Phase of the last operation; empty when there was none.
	Phase string `json:"phase,omitempty"`
	// Message says what the application waits for.
	Message string `json:"message,omitempty"`
	// Problem says what is wrong.
	Problem string `json:"problem,omitempty"`
	// Manual applications sync when a person asks.
	Manual bool `json:"manual,omitempty"`
	// Checking tells that the engine has not looked since the start.
	Checking bool      `json:"checking,omitempty"`
	Since    time.Time `json:"since,omitzero"`
}

// Set is one ApplicationSet.
type Set struct {
	Name    string `json:"name"`
	Apps    int    `json:"apps"`
	Done    bool   `json:"done"`
	Problem string `json:"problem,omitempty"`
	// Warning is about what works, and is likely a mistake.
	Warning string `json:"warning,omitempty"`
}

// The words of an Application's status that count here.
const (
	synced    = "Synced"
	outOfSync = "OutOfSync"
	healthy   = "Healthy"
	unknown   = "Unknown"
	running   = "Running"
)

// Syncing reports whether an operation runs.
func (a App) Syncing() bool { return a.Phase == running }

// Good reports whether the application is as Git says, and works.
func (a App) Good() bool {
	return a.Sync == synced && a.Health == healthy && !a.Checking && a.Problem == "" && !a.Syncing()
}

// Idle reports whether the application waits for a person.
func (a App) Idle() bool {
	return a.Manual && a.Sync == outOfSync && !a.Checking && a.Problem == "" && !a.Syncing()
}

// Settled reports whether nothing is left to do: every cluster is ready, every
// ApplicationSet expanded, every Application good or waiting for a person. A
// fleet that has none of these has nothing to wait for.
func (s Snapshot) Settled() bool {
	if !s.Watching {
		return false
	}
	for _, c := range s.Clusters {
		if c.State != Ready {
			return false
		}
	}
	for _, set := range s.Sets {
		if !set.Done || set.Problem != "" {
			return false
		}
	}
	return !slices.ContainsFunc(s.Apps, func(a App) bool { return !a.Good() && !a.Idle() })
}

// Tally counts applications.
type Tally struct{ Apps, Synced, Healthy, Good int }

// Count counts the applications on a cluster, or on all for an empty name.
func (s Snapshot) Count(cluster string) Tally {
	var t Tally
	for _, a := range s.Apps {
		if cluster != "" && a.Cluster != cluster {
			continue
		}
		t.Apps++
		if a.Sync == synced {
			t.Synced++
		}
		if a.Health == healthy {
			t.Healthy++
		}
		if a.Good() {
			t.Good++
		}
	}
	return t
}

func (s *Snapshot) sort() {
	slices.SortFunc(s.Apps, func(a, b App) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Sets, func(a, b Set) int { return cmp.Compare(a.Name, b.Name) })
}
