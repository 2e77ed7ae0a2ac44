// Package charts holds the Helm chart that runs the engine in a cluster, as
// files for whoever installs it without Helm. The chart's definitions are
// copies of those in deploy/crds, and the tests hold the chart to what the
// engine really does.
package charts

import (
	"embed"
	"io/fs"
)

//go:generate sh -c "cp ../crds/*.yaml causeway/crds/"

// The definitions are not embedded twice: package deploy has them.
//
//go:embed causeway/Chart.yaml causeway/values.yaml causeway/values.schema.json causeway/files all:causeway/templates
var files embed.FS

// Causeway returns the chart's folder, without its definitions.
func Causeway() (fs.FS, error) { return fs.Sub(files, "causeway") }
