package helm

import (
	"container/list"
	"path"
	"strings"
	"sync"

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

// cache keeps charts by the digest of their folder, within a bound of bytes.
type cache struct {
	limit int64

	mu     sync.Mutex
	bytes  int64
	byKey  map[string]*list.Element
	recent *list.List // of keptChart, the latest first
}

type keptChart struct {
	digest string
	chart  loaded
	bytes  int64
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, byKey: map[string]*list.Element{}, recent: list.New()}
}

func (c *cache) get(digest string) (loaded, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[digest]
	if !ok {
		return loaded{}, false
	}
	c.recent.MoveToFront(el)
	return el.Value.(keptChart).chart, true
}

func (c *cache) put(digest string, ch loaded, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[digest]; ok || bytes > c.limit {
		return
	}
	c.byKey[digest] = c.recent.PushFront(keptChart{digest, ch, bytes})
	for c.bytes += bytes; c.bytes > c.limit; {
		old := c.recent.Remove(c.recent.Back()).(keptChart)
		delete(c.byKey, old.digest)
		c.bytes -= old.bytes
	}
}
