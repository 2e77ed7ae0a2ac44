// Package helm renders charts: values from files, texts and parameters,
// dependencies vendored, beside the chart or from elsewhere, hooks and CRDs
// as manifests that know their template and line. It also tells for each
// value which layers say something of it.
//
// Charts are loaded and values merged by Helm's own library; templates are
// executed by the engine below. It installs nothing, looks nothing up in a
// cluster and opens no connection; charts and value files from elsewhere come
// through what the caller injects.
package helm
