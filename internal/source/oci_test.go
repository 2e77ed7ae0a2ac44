package source

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/memory"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ociServer is a registry that can ask for a password and counts requests.
type ociServer struct {
	*httptest.Server
	host     string
	password atomic.Value
	requests atomic.Int64
	down     atomic.Bool
}

func newOCIServer(t testing.TB) *ociServer {
	t.Helper()
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := &ociServer{}
	s.password.Store("")
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		if want := s.password.Load().(string); want != "" {
			if _, got, _ := r.BasicAuth(); got != want {
				w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		inner.ServeHTTP(w, r)
	}))
	s.host = strings.TrimPrefix(s.URL, "http://")
	t.Cleanup(s.Close)
	return s
}

// push uploads layers as one artifact and returns its digest.
func (s *ociServer) push(t testing.TB, name, tag, mediaType string, layers ...[]byte) string {
	t.Helper()
	store := memory.New()
	put := func(kind string, data []byte) ocispec.Descriptor {
		d := ocispec.Descriptor{MediaType: kind, Digest: digest.FromBytes(data), Size: int64(len(data))}
		if err := store.Push(t.Context(), d, bytes.NewReader(data)); err != nil && !strings.Contains(err.Error(), "exists") {
			t.Fatal(err)
		}
		return d
	}
	m := ocispec.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Config: put("application/vnd.cncf.helm.config.v1+json", []byte("{}"))}
	for _, l := range layers {
		m.Layers = append(m.Layers, put(mediaType, l))
	}
	data := marshal(t, m)
	desc := put(ocispec.MediaTypeImageManifest, data)
	if err := store.Tag(t.Context(), desc, tag); err != nil {
		t.Fatal(err)
	}
	repo, err := remote.NewRepository(s.host + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	repo.PlainHTTP = true
	if _, err := oras.Copy(t.Context(), store, tag, repo, tag, oras.DefaultCopyOptions); err != nil {
		t.Fatal(err)
	}
	return desc.Digest.String()
}

const chartType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

func TestOCICharts(t *testing.T) {
	s := newOCIServer(t)
	s.push(t, "charts/web", "1.0.0", chartType, packed(t, "web", "1.0.0"))
	s.push(t, "charts/web", "1.2.0_build.1", chartType, packed(t, "web", "1.2.0+build.1"))
	pinned := s.push(t, "charts/web", "latest", chartType, packed(t, "web", "9.0.0"))
	r := newRegistry(t, Options{})
	cases := map[string]struct {
		reason   string
		ref      gitops.SourceRef
		revision string
		values   string
	}{
		"exact":    {"a version", gitops.SourceRef{RepoURL: s.host + "/charts", Chart: "web", Revision: "1.0.0"}, "1.0.0", "v: 1.0.0"},
		"v":        {"with a v", gitops.SourceRef{RepoURL: s.host + "/charts", Chart: "web", Revision: "v1.0.0"}, "1.0.0", "v: 1.0.0"},
		"range":    {"a range", gitops.SourceRef{RepoURL: "oci://" + s.host + "/charts", Chart: "web", Revision: ">=1"}, "1.2.0+build.1", "v: 1.2.0+build.1"},
		"newest":   {"nothing", gitops.SourceRef{RepoURL: s.host, Chart: "charts/web"}, "1.2.0+build.1", "v: 1.2.0+build.1"},
		"build":    {"build metadata", gitops.SourceRef{RepoURL: s.host, Chart: "charts/web", Revision: "1.2.0+build.1"}, "1.2.0+build.1", "v: 1.2.0+build.1"},
		"digest":   {"a digest", gitops.SourceRef{RepoURL: s.host, Chart: "charts/web", Revision: pinned}, pinned, "v: 9.0.0"},
		"artifact": {"a chart as an artifact", gitops.SourceRef{RepoURL: "oci://" + s.host + "/charts/web", Revision: "latest"}, pinned, "v: 9.0.0"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := snap(t, r, c.ref)
			if got.Revision != c.revision || content(t, got, "values.yaml") != c.values {
				t.Errorf("%s: got %s", c.reason, got.Revision)
			}
		})
	}
	before := s.requests.Load()
	for range 20 {
		snap(t, r, cases["exact"].ref)
	}
	if n := s.requests.Load() - before; n != 0 {
		t.Errorf("%d requests between two look-ups", n)
	}
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: s.host, Chart: "charts/web", Revision: "3.x"})
	if p := problem(t, err); p.Kind != gitops.NotFound || !strings.Contains(err.Error(), "1.0.0") {
		t.Errorf("got %v", err)
	}
	_, err = r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: s.host, Chart: "charts/none", Revision: "1.0.0"})
	if p := problem(t, err); p.Kind != gitops.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestOCIArtifacts(t *testing.T) {
	s := newOCIServer(t)
	plain := packed(t, "manifests", "1")
	want := s.push(t, "team/app", "v1.0.0", ocispec.MediaTypeImageLayerGzip, plain)
	s.push(t, "team/image", "latest", ocispec.MediaTypeImageLayerGzip, plain, packed(t, "more", "2"))
	now := time.Now()
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	ref := gitops.SourceRef{RepoURL: "oci://" + s.host + "/team/app", Revision: "1.x"}
	got := snap(t, r, ref)
	if got.Revision != want {
		t.Errorf("got %s, want %s", got.Revision, want)
	}
	content(t, got, "manifests/Chart.yaml")
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "oci://" + s.host + "/team/image"})
	if p := problem(t, err); p.Kind != gitops.Invalid || !strings.Contains(err.Error(), "2 layers") {
		t.Errorf("got %v", err)
	}
	moved := s.push(t, "team/app", "v1.0.0", ocispec.MediaTypeImageLayerGzip, packed(t, "manifests", "2"))
	now = now.Add(time.Hour)
	if got := snap(t, r, ref); got.Revision != moved {
		t.Errorf("a moved tag: got %s, want %s", got.Revision, moved)
	}
	s.down.Store(true)
	now = now.Add(time.Hour)
	_, err = r.Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Unreachable {
		t.Errorf("got %v", err)
	}
}

func TestOCICredentials(t *testing.T) {
	s := newOCIServer(t)
	s.push(t, "web", "1.0.0", chartType, packed(t, "web", "1.0.0"))
	s.password.Store("hunter2")
	ref := gitops.SourceRef{RepoURL: s.host, Chart: "web", Revision: "1.0.0"}
	_, err := newRegistry(t, Options{}).Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Refused || p.Fix == "" {
		t.Errorf("got %v", err)
	}
	snap(t, newRegistry(t, Options{Credentials: known{Username: "me", Password: "hunter2"}}), ref)
	_, err = newRegistry(t, Options{Credentials: known{Username: "me", Password: "wr0ng"}}).Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Refused || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("got %v", err)
	}
}

func TestOCIBomb(t *testing.T) {
	s := newOCIServer(t)
	s.push(t, "bomb", "1.0.0", chartType, packed(t, "bomb", strings.Repeat("0", 1<<20)))
	r := newRegistry(t, Options{Limits: Limits{TreeBytes: 256 << 10}})
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: s.host, Chart: "bomb"})
	if p := problem(t, err); p.Kind != gitops.Invalid || !strings.Contains(err.Error(), "unpacks") {
		t.Errorf("got %v", err)
	}
}
