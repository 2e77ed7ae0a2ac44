package helm

import (
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// pathsOf finds the paths of a chart's files, which the loader makes relative
// to the chart that they belong to. Those of a packed dependency have the
// path of the archive.
func pathsOf(c *chart.Chart, from []*archive.BufferedFile) map[*common.File]string {
	byData := map[*byte]string{}
	for _, f := range from {
		if len(f.Data) > 0 {
			byData[&f.Data[0]] = f.Name
		}
	}
	out := map[*common.File]string{}
	paths(c, "", from, byData, out)
	return out
}

func paths(c *chart.Chart, packed string, from []*archive.BufferedFile, byData map[*byte]string, out map[*common.File]string) {
	for _, list := range [][]*common.File{c.Templates, c.Files, c.Raw} {
		for _, f := range list {
			if f == nil || len(f.Data) == 0 {
				continue // nothing comes from it
			}
			name, ok := byData[&f.Data[0]]
			if !ok {
				name = packed
			}
			if name != "" {
				out[f] = name
			}
		}
	}
	for _, d := range c.Dependencies() {
		inside := packed
		if inside == "" {
			inside = archiveOf(d, from)
		}
		paths(d, inside, from, byData, out)
	}
}

// archiveOf is the archive in charts/ that a dependency was in.
func archiveOf(d *chart.Chart, from []*archive.BufferedFile) string {
	for _, f := range from {
		base, ok := strings.CutPrefix(path.Base(f.Name), d.Name()+"-")
		if ok && path.Base(path.Dir(f.Name)) == "charts" && base == d.Metadata.Version+".tgz" {
			return f.Name
		}
	}
	return ""
}
