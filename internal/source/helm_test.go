package source

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// packed makes a chart's archive.
func packed(t testing.TB, name, version string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for file, body := range map[string]string{"Chart.yaml": "name: " + name + "\nversion: " + version + "\n", "values.yaml": "v: " + version} {
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + file, Typeflag: tar.TypeReg, Size: int64(len(body)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// helmServer is a chart repository that counts what it serves.
type helmServer struct {
	*httptest.Server
	indexes, unchanged, archives atomic.Int64
	signed                       atomic.Int64 // requests with a credential
	etag                         atomic.Value
	user                         string
	away                         atomic.Bool // answers nobody
}

func newHelmServer(t testing.TB, archives map[string][]byte, index string) *helmServer {
	t.Helper()
	s := &helmServer{}
	s.etag.Store(`"1"`)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.away.Load() {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
		if r.Header.Get("Authorization") != "" {
			s.signed.Add(1)
		}
		if user, password, _ := r.BasicAuth(); s.user != "" && user+":"+password != s.user {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/charts/index.yaml" {
			if r.Header.Get("If-None-Match") == s.etag.Load() {
				s.unchanged.Add(1)
				w.WriteHeader(http.StatusNotModified)
				return
			}
			s.indexes.Add(1)
			w.Header().Set("ETag", s.etag.Load().(string))
			fmt.Fprint(w, index)
			return
		}
		data, ok := archives[filepath.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		s.archives.Add(1)
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestHelmRepository(t *testing.T) {
	one, two := packed(t, "web", "1.0.0"), packed(t, "web", "1.2.0")
	index := fmt.Sprintf("apiVersion: v1\nentries:\n  web:\n  - version: 1.0.0\n    digest: %x\n    urls: [web-1.0.0.tgz]\n  - version: 1.2.0\n    urls: [files/web-1.2.0.tgz]\n  - version: 1.3.0\n    digest: %x\n    urls: [web-1.0.0.tgz]\n",
		sha256.Sum256(one), sha256.Sum256(two))
	server := newHelmServer(t, map[string][]byte{"web-1.0.0.tgz": one, "web-1.2.0.tgz": two}, index)
	now := time.Now()
	dir := t.TempDir()
	opts := Options{CacheDir: dir, Clock: func() time.Time { return now }}
	r := newRegistry(t, opts)
	ref := func(revision string) gitops.SourceRef {
		return gitops.SourceRef{RepoURL: server.URL + "/charts/", Chart: "web", Revision: revision}
	}
	for range 10 {
		s := snap(t, r, ref("~1.2"))
		if s.Revision != "1.2.0" || content(t, s, "values.yaml") != "v: 1.2.0" {
			t.Errorf("got %s", s.Revision)
		}
	}
	snap(t, r, ref("1.0.0"))
	now = now.Add(time.Hour)
	snap(t, r, ref("1.0.0"))
	if i, u, a := server.indexes.Load(), server.unchanged.Load(), server.archives.Load(); i != 1 || u != 1 || a != 2 {
		t.Errorf("%d indexes, %d times unchanged, %d archives; want 1, 1, 2", i, u, a)
	}
	_, err := r.Snapshot(t.Context(), ref("1.3.0"))
	if p := problem(t, err); p.Kind != gitops.Invalid || !strings.Contains(err.Error(), "digest") {
		t.Errorf("got %v", err)
	}
	_, err = r.Snapshot(t.Context(), ref("9.x"))
	if p := problem(t, err); p.Kind != gitops.NotFound || !strings.Contains(err.Error(), "1.3.0, 1.2.0, 1.0.0") {
		t.Errorf("got %v", err)
	}
	_, err = r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: server.URL + "/charts", Chart: "wob"})
	if p := problem(t, err); p.Kind != gitops.NotFound || !strings.Contains(err.Error(), "web") {
		t.Errorf("got %v", err)
	}
	server.away.Store(true)
	now = now.Add(time.Hour)
	_, err = r.Snapshot(t.Context(), ref("1.0.0"))
	if p := problem(t, err); p.Kind != gitops.Unreachable {
		t.Errorf("got %v", err)
	}
}

func TestHelmIndexSurvivesARestart(t *testing.T) {
	server := newHelmServer(t, map[string][]byte{"web-1.0.0.tgz": packed(t, "web", "1.0.0")}, "entries:\n  web:\n  - version: 1.0.0\n    urls: [web-1.0.0.tgz]\n")
	dir := t.TempDir()
	ref := gitops.SourceRef{RepoURL: server.URL + "/charts", Chart: "web"}
	for range 2 {
		r, err := New(Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		snap(t, r, ref)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if i, a := server.indexes.Load(), server.archives.Load(); i != 1 || a != 1 {
		t.Errorf("%d indexes and %d archives, want 1 and 1", i, a)
	}
}

func TestHelmCredentials(t *testing.T) {
	other := newHelmServer(t, map[string][]byte{"web-2.0.0.tgz": packed(t, "web", "2.0.0")}, "")
	other.user = "me:hunter2"
	index := "entries:\n  web:\n  - version: 1.0.0\n    urls: [web-1.0.0.tgz]\n  - version: 2.0.0\n    urls: [" + other.URL + "/web-2.0.0.tgz]\n"
	server := newHelmServer(t, map[string][]byte{"web-1.0.0.tgz": packed(t, "web", "1.0.0")}, index)
	server.user = "me:hunter2"
	ref := gitops.SourceRef{RepoURL: server.URL + "/charts", Chart: "web", Revision: "1.0.0"}
	_, err := newRegistry(t, Options{}).Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Refused || p.Fix == "" {
		t.Errorf("got %v", err)
	}
	cred := Credential{Username: "me", Password: "hunter2"}
	r := newRegistry(t, Options{Credentials: known(cred)})
	snap(t, r, ref)
	ref.Revision = "2.0.0"
	for range 2 {
		_, err = r.Snapshot(t.Context(), ref)
		if p := problem(t, err); p.Kind != gitops.Refused || strings.Contains(err.Error(), "hunter2") || other.signed.Load() > 0 {
			t.Errorf("another host does not get the password: %v, %d times", err, other.signed.Load())
		}
	}
	ref.PassCredentials = true
	_, err = r.Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.Fix, "passCredentials") || other.signed.Load() > 0 {
		t.Errorf("nor when only the application wants it: %v, %d times", err, other.signed.Load())
	}
	cred.PassCredentials = true
	r = newRegistry(t, Options{Credentials: known(cred)})
	if s := snap(t, r, ref); s.Revision != "2.0.0" || other.signed.Load() != 1 {
		t.Errorf("another host gets the password when it is wanted and permitted: %s, %d times", s.Revision, other.signed.Load())
	}
}

// TestRedirectsHaveNoCredentials tells that a server that sends on to another
// port or host does not lead the password there.
func TestRedirectsHaveNoCredentials(t *testing.T) {
	other := newHelmServer(t, map[string][]byte{"web-1.0.0.tgz": packed(t, "web", "1.0.0")}, "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, _, _ := r.BasicAuth(); user != "me" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "index.yaml") {
			fmt.Fprint(w, "entries:\n  web:\n  - version: 1.0.0\n    urls: [web-1.0.0.tgz]\n")
			return
		}
		http.Redirect(w, r, other.URL+"/web-1.0.0.tgz", http.StatusFound)
	}))
	t.Cleanup(server.Close)
	r := newRegistry(t, Options{Credentials: known(Credential{Username: "me", Password: "hunter2"})})
	snap(t, r, gitops.SourceRef{RepoURL: server.URL, Chart: "web"})
	if other.archives.Load() != 1 || other.signed.Load() != 0 {
		t.Errorf("the other host served %d archives and got the password %d times", other.archives.Load(), other.signed.Load())
	}
}

func TestChartMirrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "web/Chart.yaml", "name: web\nversion: 1.0.0\n")
	write(t, dir, "web/values.yaml", "a: 1")
	write(t, dir, "ns/api/2.0.0/Chart.yaml", "name: api\nversion: 2.0.0\n")
	write(t, dir, "db-0.3.0.tgz", string(packed(t, "db", "0.3.0")))
	write(t, dir, "plain/manifests/x.yaml", "kind: X")
	r := newRegistry(t, Options{Mirrors: []Mirror{
		{URL: "https://charts.example.org/stable", Path: dir},
		{URL: "public.ecr.aws", Path: dir},
	}})
	start(t, r)
	cases := map[string]struct {
		reason   string
		ref      gitops.SourceRef
		revision string
		file     string
	}{
		"folder":   {"a chart's folder", gitops.SourceRef{RepoURL: "https://charts.example.org/stable/", Chart: "web", Revision: "1.x"}, "1.0.0", "values.yaml"},
		"archive":  {"an archive", gitops.SourceRef{RepoURL: "https://charts.example.org/stable", Chart: "db"}, "0.3.0", "Chart.yaml"},
		"bare":     {"a registry without a scheme", gitops.SourceRef{RepoURL: "public.ecr.aws", Chart: "ns/api", Revision: "2.0.0"}, "2.0.0", "Chart.yaml"},
		"ns":       {"with the namespace in the address", gitops.SourceRef{RepoURL: "oci://public.ecr.aws/ns", Chart: "api", Revision: "*"}, "2.0.0", "Chart.yaml"},
		"oci":      {"a chart as an artifact", gitops.SourceRef{RepoURL: "oci://public.ecr.aws/ns/api", Revision: "2.0.0"}, "2.0.0", "Chart.yaml"},
		"oci tgz":  {"an archive as an artifact", gitops.SourceRef{RepoURL: "oci://public.ecr.aws/db", Revision: "0.3.0"}, "0.3.0", "Chart.yaml"},
		"artifact": {"any artifact", gitops.SourceRef{RepoURL: "oci://public.ecr.aws/plain", Revision: "latest"}, "", "manifests/x.yaml"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := snap(t, r, c.ref)
			if c.revision != "" && s.Revision != c.revision {
				t.Errorf("%s: got %s, want %s", c.reason, s.Revision, c.revision)
			}
			content(t, s, c.file)
		})
	}
	for name, ref := range map[string]gitops.SourceRef{
		"chart":   {RepoURL: "https://charts.example.org/stable", Chart: "wob"},
		"version": {RepoURL: "https://charts.example.org/stable", Chart: "web", Revision: "2.x"},
	} {
		_, err := r.Snapshot(t.Context(), ref)
		if p := problem(t, err); p.Kind != gitops.NotFound || p.Fix == "" || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	ref := gitops.SourceRef{RepoURL: "https://charts.example.org/stable", Chart: "web", Revision: "1.0.0"}
	before := snap(t, r, ref)
	write(t, dir, "web/values.yaml", "a: 2")
	within(t, "an edited chart is told of", func() bool { return change(t, r).Repos[0] == address.Folded(ref.RepoURL) })
	if got := content(t, snap(t, r, ref), "values.yaml"); got != "a: 2" {
		t.Errorf("after an edit: %q", got)
	}
	if got := content(t, before, "values.yaml"); got != "a: 1" {
		t.Errorf("a snapshot does not change: %q", got)
	}
}
