// Package charts holds the Helm chart that runs the engine in a cluster, and
// renders it for whoever installs it without Helm. It knows no cluster, and
// writes nothing. The chart's definitions are copies of those in deploy/crds,
// and the tests hold the chart to what the engine really does.
package charts

//go:generate sh -c "cp ../crds/*.yaml causeway/crds/"
