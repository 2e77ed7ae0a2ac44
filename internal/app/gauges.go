package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

var (
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

// gauges tells, whenever it is asked, what there is now. It reads caches alone.
type gauges struct {
	engine *Engine
}

// Describe implements prometheus.Collector.
func (g gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{applicationsDesc, roomDesc, roomlessDesc, clusterUpDesc, latencyDesc, answeredDesc, flightDesc, closedDesc, tripsDesc, kindsDesc, failedDesc, parkedDesc, versionDesc, watchesDesc, objectsDesc} {
		ch <- d
	}
	if g.engine.cfg.AppMetrics {
		ch <- appInfoDesc
	}
}

// Collect implements prometheus.Collector.
func (g gauges) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		for i := range labels {
			labels[i] = telemetry.Label(labels[i])
		}
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	used, refused := g.engine.manifests.Used()
	gauge(roomDesc, float64(used))
	gauge(roomlessDesc, float64(refused))
	g.clusters(ch, gauge)
	g.applications(gauge)
}

// number is 1 for true.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (g gauges) clusters(ch chan<- prometheus.Metric, gauge func(*prometheus.Desc, float64, ...string)) {
	parked, called := g.engine.shared.Parked(), names{}
	for _, c := range g.engine.fleet.Members() {
		name, s := called.of(c.Desc()), c.State()
		if name == "" {
			continue
		}
		gauge(clusterUpDesc, number(s.Reachable), name)
		gauge(latencyDesc, s.Latency.Seconds(), name)
		gauge(flightDesc, float64(s.InFlight), name)
		gauge(closedDesc, number(s.Closed), name)
		gauge(kindsDesc, float64(s.Kinds), name)
		gauge(failedDesc, float64(len(s.FailedGroups)+s.MoreFailed), name)
		gauge(parkedDesc, float64(parked[c.Desc().Server]), name)
		gauge(versionDesc, 1, name, s.Version)
		if !s.LastSuccess.IsZero() {
			gauge(answeredDesc, float64(s.LastSuccess.Unix()), name)
		}
		ch <- prometheus.MustNewConstMetric(tripsDesc, prometheus.CounterValue, float64(s.Trips), name)
		gauge(watchesDesc, float64(s.WatchedKinds), name)
		gauge(objectsDesc, float64(s.Objects), name, "applications")
		gauge(objectsDesc, float64(s.Others), name, "others")
	}
}

type states struct{ sync, health string }

func (g gauges) applications(gauge func(*prometheus.Desc, float64, ...string)) {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	if !g.engine.manager.GetCache().WaitForCacheSync(ctx) {
		return
	}
	list := &v1alpha1.ApplicationList{}
	if err := g.engine.manager.GetClient().List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return
	}
	counts := map[states]int{}
	for i := range list.Items {
		app := &list.Items[i]
		counts[states{syncLabel(app), healthLabel(app)}]++
		if g.engine.cfg.AppMetrics {
			gauge(appInfoDesc, 1, g.info(app)...)
		}
	}
	for s, n := range counts {
		gauge(applicationsDesc, float64(n), s.sync, s.health)
	}
}

// info are the labels of argocd_app_info.
func (g gauges) info(app *v1alpha1.Application) []string {
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
	if c, err := g.engine.fleet.Resolve(app.Spec.Destination); err == nil {
		server = c.Desc().Server
	}
	return []string{
		app.Namespace, app.Name, app.Spec.GetProject(), repo, server, app.Spec.Destination.Namespace,
		syncLabel(app), healthLabel(app), operation, automated,
	}
}
