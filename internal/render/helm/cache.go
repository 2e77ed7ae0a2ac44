package helm

import (
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/render/source"
)

// loaded is a chart with what was learnt of its text. The chart must be
// cloned before use.
type loaded struct {
	*chart.Chart
	// listsAPIs tells that a template uses the list of API versions in
	// another way than asking for one of them.
	listsAPIs bool
	// values are about how many its files became.
	values int
	// bytes are those of its files, and of what its archives unpack to.
	bytes int64
	// paths of its files in its folder.
	paths map[*common.File]string
	// parts are the folders that it and its dependencies came from; a cached
	// chart has none yet.
	parts []part
}

// part is a folder with files of a chart.
type part struct {
	at    source.File
	paths map[*common.File]string
}

// place finds where a file of the chart or of a dependency is.
func (l loaded) place(f *common.File) (source.File, bool) {
	for _, p := range l.parts {
		if rel, ok := p.paths[f]; ok {
			return source.File{Tree: p.at.Tree, Name: path.Join(p.at.Name, rel)}, true
		}
	}
	return source.File{}, false
}

// from is the chart as it is used: a copy that knows its folder.
func (l loaded) from(at source.File) loaded {
	l.Chart = clone(l.Chart)
	l.parts = []part{{at, l.paths}}
	return l
}

func learn(c *chart.Chart, files []*archive.BufferedFile) loaded {
	return loaded{Chart: c, listsAPIs: listsAPIs(c), paths: pathsOf(c, files)}
}

func listsAPIs(c *chart.Chart) bool {
	for _, t := range c.Templates {
		text := string(t.Data)
		if strings.Count(text, ".APIVersions") != strings.Count(text, ".APIVersions.Has") {
			return true
		}
	}
	for _, d := range c.Dependencies() {
		if listsAPIs(d) {
			return true
		}
	}
	return false
}
