package proxy

import (
	"net/http"
	"strings"
)

// classify tells the class of a request and its identity: what it does to
// what, without the versions that differ from run to run.
func classify(r *http.Request) (class Class, identity string) {
	q := r.URL.Query()
	identity = r.Method + " " + r.URL.Path
	if q.Has("dryRun") {
		identity += " dry"
	}
	switch {
	case strings.Contains(r.URL.Path, "/coordination.k8s.io/"):
		class = Lease
	case q.Get("watch") == "true" || q.Get("watch") == "1":
		class = Watch
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		class = Read
	case strings.Contains(r.URL.Path, "/applications/") || strings.HasSuffix(r.URL.Path, "/status"):
		class = Status
	default:
		class = Write
	}
	return class, string(class) + " " + identity
}

// Segments are the parts of a request's path: names of namespaces, kinds, objects.
func Segments(r *http.Request) []string {
	return strings.Split(strings.Trim(r.URL.Path, "/"), "/")
}
