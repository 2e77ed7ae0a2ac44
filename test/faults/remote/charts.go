package remote

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Charts is a Helm repository with one chart, web, whose ConfigMap holds its
// version.
type Charts struct {
	*Server

	mu       sync.Mutex
	versions []string
}

// NewCharts serves the first version.
func NewCharts(version string) *Charts {
	c := &Charts{versions: []string{version}}
	c.Server = serve(http.HandlerFunc(c.file))
	return c
}

// Publish adds a version.
func (c *Charts) Publish(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = append(c.versions, version)
}

func (c *Charts) file(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path == "/index.yaml" {
		_, _ = fmt.Fprint(w, "apiVersion: v1\nentries:\n  web:\n")
		for _, v := range c.versions {
			_, _ = fmt.Fprintf(w, "    - {apiVersion: v2, name: web, version: %s, urls: [web-%s.tgz]}\n", v, v)
		}
		return
	}
	version, found := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, ".tgz"), "/web-")
	if !found {
		http.NotFound(w, r)
		return
	}
	archive, err := pack(version)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(archive)
}

func pack(version string) ([]byte, error) {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	files := tar.NewWriter(zipped)
	for name, text := range map[string]string{
		"web/Chart.yaml":        fmt.Sprintf("apiVersion: v2\nname: web\nversion: %s\n", version),
		"web/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {content: {{ .Chart.Version | quote }}}\n",
	} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			return nil, err
		}
		if _, err := files.Write([]byte(text)); err != nil {
			return nil, err
		}
	}
	if err := files.Close(); err != nil {
		return nil, err
	}
	err := zipped.Close()
	return b.Bytes(), err
}
