package charts

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

// The definitions are not embedded twice: package deploy has them.
//
//go:embed causeway/Chart.yaml causeway/values.yaml causeway/values.schema.json causeway/files all:causeway/templates
var files embed.FS

const folder = "causeway"

// Version is that of the engine which the chart runs by default.
func Version() (string, error) {
	ch, err := load()
	if err != nil {
		return "", err
	}
	return ch.AppVersion(), nil
}

// load reads the chart that the program was built with.
func load() (*chart.Chart, error) {
	var all []*archive.BufferedFile
	err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		all = append(all, &archive.BufferedFile{Name: strings.TrimPrefix(name, folder+"/"), Data: text})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the built-in chart: %w", err)
	}
	ch, err := loader.LoadFiles(all)
	if err != nil {
		return nil, fmt.Errorf("cannot load the built-in chart: %w", err)
	}
	return ch, nil
}
