package reply

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

// probes are paths that tell how an API server is.
var probes = []string{"/version", "/healthz", "/livez", "/readyz"}

// boundOf is how much of an answer is read; 0 has no end, as a log.
func boundOf(r *http.Request, path string, status int) int64 {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case slices.Contains(probes, path):
		return mostWords
	case status >= http.StatusMultipleChoices:
		return mostRefusal
	case isWatch(r):
		return MostObject
	case isLog(parts):
		return 0
	case isDiscovery(parts):
		return mostKinds
	}
	return MostObject
}

// isWatch tells a request whose answer has events, a line each.
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

// lines bounds each line of a stream.
type lines struct {
	io.ReadCloser

	left int64 // of this line
	over *TooLarge
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, l.over
	}
	n, err := l.ReadCloser.Read(p)
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		l.left = l.over.Most - int64(n-end-1)
		return n, err
	}
	if l.left -= int64(n); l.left < 0 {
		return n, l.over
	}
	return n, err
}
