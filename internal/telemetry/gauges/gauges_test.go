package gauges

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
)

// idle is an engine that has nothing.
func idle() *Gauges {
	return &Gauges{
		Applications: func(context.Context) ([]v1alpha1.Application, bool) { return nil, true },
		Clusters:     func() []Cluster { return nil },
		Destination: func(v1alpha1.ApplicationDestination) (gitops.Cluster, error) {
			return gitops.Cluster{}, errors.New("none")
		},
		Parked:  func() map[string]int { return nil },
		Room:    func() (int64, int) { return 0, 0 },
		Renders: func() render.Stats { return render.Stats{} },
		Held:    func(string) int { return 0 },
	}
}

// gathered are the series whose names begin with one of some, each with its value.
func gathered(t *testing.T, g *Gauges, names ...string) map[string]float64 {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(g)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, name := range names {
			if !strings.HasPrefix(f.GetName(), name) {
				continue
			}
			for _, m := range f.GetMetric() {
				var labels []string
				for _, l := range m.GetLabel() {
					labels = append(labels, l.GetValue())
				}
				out[strings.TrimSpace(f.GetName()+" "+strings.Join(labels, ","))] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return out
}

// TestWhatIsMeasured has a registry that refuses two series of the same labels look at
// what there is.
func TestWhatIsMeasured(t *testing.T) {
	app := func(change func(*v1alpha1.Application)) v1alpha1.Application {
		a := v1alpha1.Application{}
		a.Namespace, a.Name, a.Spec.Project = "argocd", "web", "shop"
		a.Spec.Destination = v1alpha1.ApplicationDestination{Name: "dev", Namespace: "web"}
		a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git/own"}
		a.Status.Sync.Status, a.Status.Health.Status = v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusHealthy
		change(&a)
		return a
	}
	as := func(*v1alpha1.Application) {}
	cases := map[string]struct {
		reason string
		change func(*Gauges)
		names  []string
		want   map[string]float64
	}{
		"Counts": {"Applications are counted by their state, whatever was written there", func(g *Gauges) {
			forged := app(func(a *v1alpha1.Application) { a.Status.Sync.Status = "series 4711" })
			g.Applications = func(context.Context) ([]v1alpha1.Application, bool) {
				return []v1alpha1.Application{app(as), app(as), forged}, true
			}
		}, []string{"causeway_applications", "argocd_"}, map[string]float64{"causeway_applications Healthy,Synced": 2, "causeway_applications Healthy,Unknown": 1, "causeway_applications_without_room": 0}},
		"Unread": {"until the cache is filled nothing is known, which is not that there are none", func(g *Gauges) {
			g.Applications = func(context.Context) ([]v1alpha1.Application, bool) { return []v1alpha1.Application{app(as)}, false }
		}, []string{"causeway_applications", "argocd_"}, map[string]float64{"causeway_applications_without_room": 0}},
		"Named": {"each is named by who wants that, with the server that its destination means", func(g *Gauges) {
			g.Named = true
			g.Destination = func(d v1alpha1.ApplicationDestination) (gitops.Cluster, error) {
				return gitops.Cluster{Server: "https://" + d.Name}, nil
			}
			g.Applications = func(context.Context) ([]v1alpha1.Application, bool) {
				return []v1alpha1.Application{app(func(a *v1alpha1.Application) {
					a.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning}
					a.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
				})}, true
			}
		}, []string{"argocd_"}, map[string]float64{"argocd_app_info true,web,https://dev,Healthy,web,argocd,sync,shop,https://git/own,Synced": 1}},
		"Nowhere": {"one that leads nowhere has the server that it says", func(g *Gauges) {
			g.Named = true
			g.Applications = func(context.Context) ([]v1alpha1.Application, bool) {
				return []v1alpha1.Application{app(func(a *v1alpha1.Application) { a.Spec.Destination.Server, a.Spec.Source = "https://gone", nil })}, true
			}
		}, []string{"argocd_"}, map[string]float64{"argocd_app_info false,web,https://gone,Healthy,web,argocd,,shop,,Synced": 1}},
		"Waiting": {"what waits for room, and for an approval", func(g *Gauges) {
			g.Room = func() (int64, int) { return 1 << 20, 3 }
			g.Held = func(kind string) int { return len(kind) }
		}, []string{"causeway_manifests", "causeway_applications_without", "causeway_deletions"}, map[string]float64{
			"causeway_manifests_in_use_bytes": 1 << 20, "causeway_applications_without_room": 3,
			"causeway_deletions_held Application": 11, "causeway_deletions_held ApplicationSet": 14, "causeway_deletions_held Cluster": 7,
		}},
		"Renders": {"those that ran, and those that did not have to", func(g *Gauges) {
			g.Renders = func() render.Stats { return render.Stats{Rendered: 5, Reused: 7, Bytes: 9} }
		}, []string{"causeway_renders"}, map[string]float64{"causeway_renders_total": 5, "causeway_renders_reused_total": 7, "causeway_renders_kept_bytes": 9}},
		"Clusters": {"each has series of its own, and one that never answered no time of that", func(g *Gauges) {
			g.Parked = func() map[string]int { return map[string]int{"https://b": 2} }
			g.Clusters = func() []Cluster {
				return []Cluster{
					{gitops.Cluster{Name: "a", Server: "https://a"}, fleet.ClusterState{Reachable: true, LastSuccess: time.Unix(1700000000, 0), FailedGroups: []string{"x"}, MoreFailed: 2}},
					{gitops.Cluster{Name: "a", Server: "https://b"}, fleet.ClusterState{Closed: true, Trips: 4}},
					{gitops.Cluster{Name: "a", Server: "https://b"}, fleet.ClusterState{}},
				}
			}
		}, []string{"causeway_cluster_up", "causeway_cluster_last", "causeway_cluster_failed", "causeway_cluster_closed", "causeway_cluster_trips", "causeway_cluster_parked"}, map[string]float64{
			"causeway_cluster_up a": 1, "causeway_cluster_up https://b": 0, "causeway_cluster_last_success_timestamp_seconds a": 1700000000,
			"causeway_cluster_failed_groups a": 3, "causeway_cluster_failed_groups https://b": 0, "causeway_cluster_closed a": 0, "causeway_cluster_closed https://b": 1,
			"causeway_cluster_trips_total a": 0, "causeway_cluster_trips_total https://b": 4,
			"causeway_cluster_parked_applications a": 0, "causeway_cluster_parked_applications https://b": 2,
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := idle()
			tc.change(g)
			if diff := cmp.Diff(tc.want, gathered(t, g, tc.names...), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
