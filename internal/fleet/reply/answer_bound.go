package reply

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// Bounds of answers in bytes, unpacked.
const (
	// mostWords is for the version and what probes say.
	mostWords = 1 << 20
	// mostKinds is for discovery and schemas: that of 500 definitions in three
	// versions has about a megabyte.
	mostKinds = 16 << 20
	// mostRefusal is for an error: some repeat the object that was sent.
	mostRefusal = 4 << 20
	// MostObject is for an object, an event of a watch, and a page of a list: etcd
	// takes objects of a megabyte and a half, and an API server may convert one
	// to a longer form.
	MostObject = 32 << 20
)

// bound is how much of an answer is read, and what it may take then.
type bound struct {
	bytes  int64 // 0: there is no end, as of a log
	memory int64 // bytes
	cost   bounded.Cost
}

// What answers become is bounded as well: a few bytes of "{}," are a struct of
// some hundred bytes, more than twice while its list grows.
var (
	words = bound{mostWords, 16 << 20, bounded.Maps}
	// kinds are read into structs of 150 to 300 bytes, and into others from these.
	kinds = bound{mostKinds, 192 << 20, bounded.Cost{Element: 700, Object: 250, Member: 60}}
	// group is one version of a group: many are asked for at a time.
	group   = bound{mostKinds / 2, 32 << 20, kinds.cost}
	refusal = bound{mostRefusal, 64 << 20, bounded.Cost{Element: 250, Object: 250, Member: 60}}
	// unstructured has room for whatever etcd takes: who may write an object
	// keeps nobody from reading those beside it.
	unstructured = bound{MostObject, 128 << 20, bounded.Maps}
	// partial is metadata alone: it has structs, and room for as many finalizers as fit into an object.
	partial = bound{MostObject, 192 << 20, bounded.Cost{Element: 700, Object: 250, Member: 60}}
	// typed are structs of a kilobyte, as of Pods.
	typed = bound{MostObject, 256 << 20, bounded.Cost{Element: 2500, Object: 250, Member: 100}}
)

// probes are paths that tell how an API server is.
var probes = []string{"/version", "/healthz", "/livez", "/readyz"}

// boundOf is how much of an answer is read.
func boundOf(r *http.Request, path string, status int) bound {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case slices.Contains(probes, path):
		return words
	case status >= http.StatusMultipleChoices:
		return refusal
	case isLog(parts) && !isWatch(r):
		return bound{}
	case isGroup(parts):
		return group
	case isDiscovery(parts):
		return kinds
	}
	return boundOfObjects(r.Header.Get("Accept"))
}

// boundOfObjects goes by the form that a client asks for.
func boundOfObjects(accept string) bound {
	switch {
	case accept == "application/json": // as the clients do that know no types
		return unstructured
	case strings.Contains(accept, "as=PartialObjectMetadata"):
		return partial
	}
	return typed
}

// isWatch tells a request whose answer has events.
func isWatch(r *http.Request) bool {
	on, _ := strconv.ParseBool(r.URL.Query().Get("watch")) // nothing is none
	return on
}

// isLog tells /api/v1/namespaces/NAMESPACE/pods/NAME/log.
func isLog(parts []string) bool {
	return len(parts) == 7 && parts[0] == "api" && parts[4] == "pods" && parts[6] == "log"
}

// isDiscovery tells /api, /api/VERSION, /apis, /apis/GROUP, /apis/GROUP/VERSION
// and all of /openapi.
func isDiscovery(parts []string) bool {
	switch parts[0] {
	case "openapi":
		return true
	case "api":
		return len(parts) <= 2
	case "apis":
		return len(parts) <= 3
	}
	return false
}

// isGroup tells /api/VERSION and /apis/GROUP/VERSION.
func isGroup(parts []string) bool {
	return len(parts) == 2 && parts[0] == "api" || len(parts) == 3 && parts[0] == "apis"
}

// measured is a body of JSON that ends where it takes more than it may.
type measured struct {
	io.ReadCloser

	meter  *bounded.Meter
	memory int64
	all    *allowance
	taken  int64 // of it
	// each, if there is one, bounds the bytes of each value of a stream.
	each int64
	over *TooLarge
	err  error
}

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.ReadCloser.Read(p)
	if errors.Is(err, m.over) {
		m.giveBack()
	}
	for rest := p[:n]; len(rest) > 0; {
		before := m.meter.Takes()
		rest = rest[m.meter.Value(rest):]
		if m.err = m.check(m.meter.Takes() - before); m.err != nil {
			return n, m.err
		}
		if m.each > 0 && m.meter.Ended() {
			m.meter.Begin()
		}
	}
	return n, err
}

// giveBack is for an answer that is refused: nothing of it is kept, and fewer
// objects are asked for.
func (m *measured) giveBack() {
	m.all.give(m.taken)
	m.taken = 0
}

func (m *measured) check(more int64) error {
	if m.each > 0 && m.meter.Bytes() > m.each {
		return m.over
	}
	if m.meter.Takes() <= m.memory && !m.meter.TooDeep() {
		m.taken += more
		return m.all.take(more, m.over)
	}
	m.giveBack()
	much := *m.over
	much.Most, much.Memory = m.memory, true
	return &much
}
