package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/archive"
)

// shelf is a registry with one repository, which lists its tags in pages.
type shelf struct {
	*httptest.Server
	t    *testing.T
	tags []string
	page int
	// answers are statuses by the end of a path, for what goes wrong.
	answers map[string]int
	held    map[string][]byte // by tag and digest
	asked   map[string]int
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{t: t, page: 1000, answers: map[string]int{}, held: map[string][]byte{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler. It has one caller at a time.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest := strings.TrimPrefix(r.URL.Path, "/v2/charts/web/")
	s.asked[rest]++
	for end, status := range s.answers {
		if strings.HasSuffix(r.URL.Path, end) {
			w.WriteHeader(status)
			return
		}
	}
	if rest == "tags/list" {
		s.list(w, r)
		return
	}
	kind, name, _ := strings.Cut(rest, "/")
	data, ok := s.held[name]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if kind == "blobs" { // it need not say what it sends
		_, _ = w.Write(data[:len(data)/2])
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(data[len(data)/2:])
		return
	}
	w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Header().Set("Docker-Content-Digest", digest.FromBytes(data).String())
	if r.Method != http.MethodHead {
		_, _ = w.Write(data)
	}
}

func (s *shelf) list(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	end := min(len(s.tags), from+s.page)
	if end < len(s.tags) {
		w.Header().Set("Link", fmt.Sprintf(`</v2/charts/web/tags/list?from=%d>; rel="next"`, end))
	}
	_, _ = fmt.Fprintf(w, `{"tags":["%s"]}`, strings.Join(s.tags[from:end], `","`))
}

// push has an artifact of layers there, by a tag, and returns its digest.
func (s *shelf) push(tag string, layers ...ocispec.Descriptor) digest.Digest {
	s.t.Helper()
	m := ocispec.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Layers: layers}
	data, err := json.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	name := digest.FromBytes(data)
	s.held[tag], s.held[name.String()] = data, data
	s.tags = append(s.tags, tag)
	return name
}

// layer has content there.
func (s *shelf) layer(kind string, data []byte) ocispec.Descriptor {
	name := digest.FromBytes(data)
	s.held[name.String()] = data
	return ocispec.Descriptor{MediaType: kind, Digest: name, Size: int64(len(data))}
}

// packed is a tar archive of one file.
func packed(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// open is the repository as somebody reads it.
func (s *shelf) open(t *testing.T) *Repo {
	t.Helper()
	r, err := New(strings.TrimPrefix(s.URL, "http://")+"/charts/web", access.Credential{}, Settings{
		Dir: t.TempDir(), Room: archive.NewRoom(8 << 20), Limits: archive.Limits{Bytes: 1 << 20, Files: 100}, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (s *shelf) look(t *testing.T) *View {
	t.Helper()
	v, err := s.open(t).Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
