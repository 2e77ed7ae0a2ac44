// Package monitoring has a dashboard for Grafana and alert rules for
// Prometheus. Tests hold each query to the metrics that there are.
package monitoring
