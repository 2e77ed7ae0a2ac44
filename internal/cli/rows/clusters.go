package rows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// Latency is the heading of the column that says how long an answer took.
const Latency = "LATENCY"

// The headings of clusters, and those that wide adds before the last.
var (
	ClusterHeader = []string{"NAME", "ENVIRONMENT", "STATE", "APPS", "SYNCED", "HEALTHY", "ADDONS", "SERVER"}
	ClusterWide   = []string{"SECRET", "PROJECT", "METADATA", "VERSION", Latency, "ENGINE"}
)

// PrintClusters prints the clusters of a hub, with what runs on each.
func PrintClusters(ctx context.Context, g *command.Global, h *target.Hub) error {
	all, err := Clusters(ctx, h, Query{})
	if err != nil {
		return h.Explain(err)
	}
	if len(all) == 0 {
		_, _ = fmt.Fprintln(g.Err, "no clusters found")
		return nil
	}
	t := table.Table{Keys: 1, Header: ClusterHeader}
	for _, row := range all {
		t.Rows = append(t.Rows, row.Cells)
	}
	return table.Print(g, t, table.AsTable)
}

// clusterView is a cluster as it may be printed: no credentials.
type clusterView struct {
	Name        string            `json:"name"`
	Server      string            `json:"server"`
	Secret      string            `json:"secret,omitempty"`
	Project     string            `json:"project,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Namespaces  []string          `json:"namespaces,omitempty"`
	// State reports whether it answers whoever asks.
	State string `json:"state"`
	// Paused tells that the engine leaves it alone, because its Secret says so.
	Paused  bool   `json:"paused,omitempty"`
	Version string `json:"version,omitempty"`
	Latency int64  `json:"latencyMilliseconds,omitempty"`
	// Engine is how the engine sees it, where the engine can be asked.
	Engine  *clusters.Health `json:"engine,omitempty"`
	Problem string           `json:"problem,omitempty"`
	// Clashes are what its Secret shares with others.
	Clashes []string `json:"clashes,omitempty"`
	Apps    int      `json:"applications"`
	Synced  int      `json:"synced"`
	Healthy int      `json:"healthy"`
}

// Clusters lists the clusters of a hub, each with how it answers and what runs on it.
func Clusters(ctx context.Context, h *target.Hub, q Query) ([]Row, error) {
	if h.Server != nil {
		return servedClusters(ctx, h, q)
	}
	all, err := h.SpokesOf(ctx, q.Selector)
	if err != nil {
		return nil, err
	}
	counts, err := target.Counts(ctx, h)
	if err != nil {
		return nil, err
	}
	clashes, err := clashes(ctx, h)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s target.Spoke) bool { return !q.Of(s.Project) })
	seen := seen(ctx, h)
	items := make([]Row, len(all))
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			items[i] = ClusterRow(all[i], counts.Count(all[i].Name), answers(ctx, all[i]), seen[all[i].Secret], clashesOf(clashes, all[i].Secret))
		})
	}
	group.Wait()
	return items, nil
}

// clashes are what several cluster Secrets of the fleet describe.
func clashes(ctx context.Context, h *target.Hub) ([]gitops.Clash, error) {
	all, err := h.SpokesOf(ctx, nil)
	if err != nil {
		return nil, err
	}
	_, found := target.Ranked(all)
	return found, nil
}

// clashesOf are those that a Secret has a part in, in words.
func clashesOf(all []gitops.Clash, secret string) []string {
	var out []string
	for _, c := range all {
		if slices.Contains(c.Secrets, secret) {
			out = append(out, c.String())
		}
	}
	return out
}

// probePatience is how long a list waits for a cluster to answer.
const probePatience = 2 * time.Second

// Answer is how a cluster answers whoever asks.
type Answer struct {
	State, Version string
	Latency        time.Duration
}

// answers asks a cluster whether it is there.
func answers(ctx context.Context, s target.Spoke) Answer {
	if s.Problem != nil {
		return Answer{State: "invalid"}
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	start := time.Now()
	version, _, err := target.ServerVersion(ctx, s.Config)
	switch {
	case apierrors.IsUnauthorized(err):
		return Answer{State: "refused"}
	case err != nil && !target.IsStatus(err):
		return Answer{State: "unreachable"}
	}
	return Answer{"reachable", version, time.Since(start)}
}

// seen asks the engine how it sees the clusters, by their Secrets. An engine
// that cannot be asked is no reason to show nothing.
func seen(ctx context.Context, h *target.Hub) map[string]*clusters.Health {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	if h.Fleet != nil {
		return nil // its engine serves no API
	}
	engine, err := h.Remote(ctx)
	if err != nil {
		return nil
	}
	list, err := engine.Clusters(ctx)
	if err != nil {
		return nil
	}
	out := map[string]*clusters.Health{}
	for i := range list {
		out[list[i].Secret] = &list[i]
	}
	return out
}

// engineCell tells in a few words how the engine sees a cluster.
func engineCell(h *clusters.Health) string {
	switch {
	case h == nil:
		return "-"
	case h.Reachable && h.Problem != "":
		return "reachable; " + h.Problem
	case h.Reachable && len(h.FailedGroups) > 0:
		return "reachable; without " + strings.Join(h.FailedGroups, ", ")
	case h.Reachable:
		return "reachable"
	case h.Since == nil:
		return "invalid"
	case h.Next == nil:
		return "no answer since " + h.Since.Format(time.RFC3339)
	}
	return "no answer since " + h.Since.Format(time.RFC3339) + "; next try at " + h.Next.Format(time.TimeOnly)
}

// ClusterRow is the row of a cluster, with the applications on it, its answer, how the
// engine sees it, and what its Secret shares with others.
func ClusterRow(s target.Spoke, t fleetstatus.Tally, a Answer, seen *clusters.Health, clashes []string) Row {
	d, problem := s.Cluster, s.Problem
	view := clusterView{
		Name:        d.Name,
		Server:      d.Server,
		Secret:      d.Secret,
		Project:     d.Project,
		Labels:      d.Labels,
		Annotations: shown(d.Annotations),
		Namespaces:  d.Namespaces,
		State:       a.State,
		Paused:      v1alpha1.SkipsReconcile(d.Annotations) || seen != nil && seen.Paused,
		Version:     a.Version,
		Latency:     a.Latency.Milliseconds(),
		Engine:      seen,
		Apps:        t.Apps,
		Synced:      t.Synced,
		Healthy:     t.Healthy,
		Clashes:     clashes,
	}
	last := strings.Join(append([]string{d.Server}, clashes...), "; ")
	if problem != nil {
		view.Problem = problem.Error()
		last = view.Problem
	}
	return Row{
		Name: d.Name,
		Cells: []string{
			d.Name, table.Dash(d.Labels["environment"]), stateCell(view), strconv.Itoa(t.Apps), strconv.Itoa(t.Synced), strconv.Itoa(t.Healthy), strconv.Itoa(addons(d.Labels)), screen.Words(last),
		},
		Wide:   []string{table.Dash(d.Secret), table.Dash(d.Project), strconv.Itoa(len(view.Annotations)), table.Dash(a.Version), table.Dash(latencyCell(a.Latency)), engineCell(seen)},
		Object: view,
	}
}

// stateCell reports whether a cluster answers, and whether it is left alone.
func stateCell(c clusterView) string {
	if c.Paused {
		return c.State + ", paused"
	}
	return c.State
}

func latencyCell(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.Round(time.Millisecond).String()
}

// shown leaves out what kubectl keeps for itself: it repeats the whole Secret.
func shown(annotations map[string]string) map[string]string {
	kept := maps.Clone(annotations)
	delete(kept, corev1.LastAppliedConfigAnnotation)
	return kept
}

// addons counts the switches that are on.
func addons(labels map[string]string) int {
	n := 0
	for key, value := range labels {
		if strings.HasPrefix(key, "enable_") && value == "true" {
			n++
		}
	}
	return n
}
