// Package helm renders charts with Helm's own library: values from files,
// texts and parameters, dependencies vendored or beside the chart, hooks and
// CRDs as manifests.
//
// It installs nothing, looks nothing up in a cluster and opens no
// connection; charts and value files from elsewhere come through what the
// caller injects.
package helm
