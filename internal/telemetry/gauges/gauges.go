// Package gauges measures, whenever metrics are gathered, what an engine has now: its
// Applications by their state, its clusters, its renders, and what waits.
//
// It reads what it is given and keeps nothing. Who writes a name or a status decides on no
// series: labels of others are cut and made unique. What happened, such as a reconcile, is
// counted where it happens.
package gauges

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

var (
	rendersDesc      = prometheus.NewDesc("causeway_renders_total", "Renders that ran.", nil, nil)
	reusedDesc       = prometheus.NewDesc("causeway_renders_reused_total", "Renders that were reused because nothing they had read changed.", nil, nil)
	keptDesc         = prometheus.NewDesc("causeway_renders_kept_bytes", "Memory of the kept renderings in bytes.", nil, nil)
	heldDesc         = prometheus.NewDesc("causeway_deletions_held", "Deletions that wait for an approval: of objects by Applications, of Applications by ApplicationSets and Clusters.", []string{"kind"}, nil)
	applicationsDesc = prometheus.NewDesc("causeway_applications", "Applications by their sync status and health.", []string{"sync", "health"}, nil)
	roomDesc         = prometheus.NewDesc("causeway_manifests_in_use_bytes", "Memory of the manifests that are compared and applied now, in bytes, as far as they are large.", nil, nil)
	roomlessDesc     = prometheus.NewDesc("causeway_applications_without_room", "Applications that wait for room in memory for their manifests.", nil, nil)
	clusterUpDesc    = prometheus.NewDesc("causeway_cluster_up", "Whether a cluster answers (1) or not (0).", []string{"cluster"}, nil)
	latencyDesc      = prometheus.NewDesc("causeway_cluster_latency_seconds", "Time that a cluster took to answer the last probe.", []string{"cluster"}, nil)
	answeredDesc     = prometheus.NewDesc("causeway_cluster_last_success_timestamp_seconds", "When a cluster answered last, in seconds since 1970.", []string{"cluster"}, nil)
	flightDesc       = prometheus.NewDesc("causeway_cluster_requests_in_flight", "Requests to a cluster that have no answer yet, without watches.", []string{"cluster"}, nil)
	closedDesc       = prometheus.NewDesc("causeway_cluster_closed", "Whether no requests are sent to a cluster until a probe has an answer (1).", []string{"cluster"}, nil)
	tripsDesc        = prometheus.NewDesc("causeway_cluster_trips_total", "How often unanswered requests made the engine stop sending requests to a cluster.", []string{"cluster"}, nil)
	kindsDesc        = prometheus.NewDesc("causeway_cluster_kinds", "Kinds that a cluster serves.", []string{"cluster"}, nil)
	failedDesc       = prometheus.NewDesc("causeway_cluster_failed_groups", "API groups of a cluster that are registered and do not answer.", []string{"cluster"}, nil)
	parkedDesc       = prometheus.NewDesc("causeway_cluster_parked_applications", "Applications that wait for a worker because their cluster is slow.", []string{"cluster"}, nil)
	versionDesc      = prometheus.NewDesc("causeway_cluster_info", "A cluster with its version.", []string{"cluster", "version"}, nil)
	watchesDesc      = prometheus.NewDesc("causeway_cluster_watched_kinds", "Kinds of a cluster that are watched.", []string{"cluster"}, nil)
	objectsDesc      = prometheus.NewDesc("causeway_cluster_objects", "Live objects of a cluster that are kept in memory: those of applications, and others.", []string{"cluster", "of"}, nil)
	appInfoDesc      = prometheus.NewDesc("argocd_app_info", "An application, as Argo CD shows it.",
		[]string{"namespace", "name", "project", "repo", "dest_server", "dest_namespace", "sync_status", "health_status", "operation", "autosync_enabled"}, nil)
)

// Cluster is one of the fleet, and how it fares.
type Cluster struct {
	gitops.Cluster

	State fleet.ClusterState
}

// Gauges are what is measured. They implement prometheus.Collector, and read caches alone.
type Gauges struct {
	// Applications are those of the cache; false until it is filled.
	Applications func(context.Context) ([]v1alpha1.Application, bool)
	// Named has metrics of each Application, by Argo CD's names.
	Named bool
	// Clusters are all of the fleet.
	Clusters func() []Cluster
	// Destination is the cluster that a destination leads to.
	Destination func(v1alpha1.ApplicationDestination) (gitops.Cluster, error)
	// Parked counts Applications that wait for a worker, by the server of their cluster.
	Parked func() map[string]int
	// Room tells the bytes of manifests in use, and how many Applications found no room.
	Room func() (used int64, refused int)
	// Renders counts them.
	Renders func() render.Stats
	// Held counts deletions of a kind of owner that wait for an approval.
	Held func(kind string) int
}

// gatherTime bounds how long the cache is waited for.
const gatherTime = 500 * time.Millisecond

// Describe implements prometheus.Collector.
func (g *Gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		rendersDesc, reusedDesc, keptDesc, heldDesc, applicationsDesc, roomDesc, roomlessDesc, clusterUpDesc, latencyDesc, answeredDesc, flightDesc,
		closedDesc, tripsDesc, kindsDesc, failedDesc, parkedDesc, versionDesc, watchesDesc, objectsDesc,
	} {
		ch <- d
	}
	if g.Named {
		ch <- appInfoDesc
	}
}

// sample gives one value with its labels.
type sample func(d *prometheus.Desc, value float64, labels ...string)

func samples(ch chan<- prometheus.Metric, of prometheus.ValueType) sample {
	return func(d *prometheus.Desc, value float64, labels ...string) {
		for i := range labels {
			labels[i] = telemetry.Label(labels[i])
		}
		ch <- prometheus.MustNewConstMetric(d, of, value, labels...)
	}
}

// Collect implements prometheus.Collector.
func (g *Gauges) Collect(ch chan<- prometheus.Metric) {
	gauge, count := samples(ch, prometheus.GaugeValue), samples(ch, prometheus.CounterValue)
	used, refused := g.Room()
	gauge(roomDesc, float64(used))
	gauge(roomlessDesc, float64(refused))
	renders := g.Renders()
	count(rendersDesc, float64(renders.Rendered))
	count(reusedDesc, float64(renders.Reused))
	gauge(keptDesc, float64(renders.Bytes))
	for _, kind := range []string{v1alpha1.ApplicationKind, v1alpha1.ApplicationSetKind, causeway.ClusterKind} {
		gauge(heldDesc, float64(g.Held(kind)), kind)
	}
	g.clusters(gauge, count)
	g.applications(gauge)
}

// number is 1 for true.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (g *Gauges) clusters(gauge, count sample) {
	parked, called := g.Parked(), names{}
	for _, c := range g.Clusters() {
		name, s := called.of(c.Cluster), c.State
		if name == "" {
			continue
		}
		gauge(clusterUpDesc, number(s.Reachable), name)
		gauge(latencyDesc, s.Latency.Seconds(), name)
		gauge(flightDesc, float64(s.InFlight), name)
		gauge(closedDesc, number(s.Closed), name)
		gauge(kindsDesc, float64(s.Kinds), name)
		gauge(failedDesc, float64(len(s.FailedGroups)+s.MoreFailed), name)
		gauge(parkedDesc, float64(parked[c.Server]), name)
		gauge(versionDesc, 1, name, s.Version)
		if !s.LastSuccess.IsZero() {
			gauge(answeredDesc, float64(s.LastSuccess.Unix()), name)
		}
		count(tripsDesc, float64(s.Trips), name)
		gauge(watchesDesc, float64(s.WatchedKinds), name)
		gauge(objectsDesc, float64(s.Objects), name, "applications")
		gauge(objectsDesc, float64(s.Others), name, "others")
	}
}

type states struct{ sync, health string }

func (g *Gauges) applications(gauge sample) {
	ctx, cancel := context.WithTimeout(context.Background(), gatherTime)
	defer cancel()
	apps, ok := g.Applications(ctx)
	if !ok {
		return
	}
	counts := map[states]int{}
	for i := range apps {
		app := &apps[i]
		counts[states{syncLabel(app), healthLabel(app)}]++
		if g.Named {
			gauge(appInfoDesc, 1, g.info(app)...)
		}
	}
	for s, n := range counts {
		gauge(applicationsDesc, float64(n), s.sync, s.health)
	}
}

// info are the labels of argocd_app_info.
func (g *Gauges) info(app *v1alpha1.Application) []string {
	repo, operation, automated, server := "", "", "false", app.Spec.Destination.Server
	if sources := app.Spec.GetSources(); len(sources) > 0 {
		repo = sources[0].RepoURL
	}
	if app.Status.OperationState.Runs() {
		operation = "sync"
	}
	if app.Spec.SyncPolicy.IsAutomated() {
		automated = "true"
	}
	if c, err := g.Destination(app.Spec.Destination); err == nil {
		server = c.Server
	}
	return []string{
		app.Namespace, app.Name, app.Spec.GetProject(), repo, server, app.Spec.Destination.Namespace,
		syncLabel(app), healthLabel(app), operation, automated,
	}
}
