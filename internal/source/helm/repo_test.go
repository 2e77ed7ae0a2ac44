package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// packed is a chart's archive with a text in it.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "web/values.yaml", Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shop is a server of charts below /charts, which has one caller at a time.
type shop struct {
	*httptest.Server
	t           *testing.T
	index       string
	etag, since string
	files       map[string][]byte
	asked       map[string]int
	unchanged   int
	dir         string
	room        *archive.Room
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, files: map[string][]byte{}, asked: map[string]int{}, dir: t.TempDir(), room: archive.NewRoom(8 << 20)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked[r.URL.Path]++
	if r.URL.Path != "/charts/index.yaml" {
		if data, ok := s.files[r.URL.Path]; ok {
			_, _ = w.Write(data)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		return
	}
	same := s.etag != "" && r.Header.Get("If-None-Match") == s.etag || s.since != "" && r.Header.Get("If-Modified-Since") == s.since
	if same {
		s.unchanged++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("ETag", s.etag)
	w.Header().Set("Last-Modified", s.since)
	_, _ = w.Write([]byte(s.index))
}

// offer has a version in the index, with its archive below an address.
func (s *shop) offer(version, digest, at string) {
	if s.index == "" {
		s.index = "apiVersion: v1\nentries:\n  web:\n"
	}
	s.index += fmt.Sprintf("  - {version: %q, digest: %q, urls: [%q]}\n", version, digest, at)
}

func (s *shop) repo() *Repo {
	s.t.Helper()
	at, err := address.Parse(s.URL + "/charts")
	if err != nil {
		s.t.Fatal(err)
	}
	client, err := web.New(at, access.Credential{}, web.Settings{Timeout: time.Minute})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "charts"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	return New(s.URL+"/charts/", client, Settings{Dir: s.dir, Room: s.room, Limits: archive.Limits{Bytes: 1 << 20, Files: 100}})
}

func (s *shop) look(r *Repo) *View {
	s.t.Helper()
	v, err := r.Look(s.t.Context(), slots.Of("red"))
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func get(t *testing.T, v *View, revision string) (string, error) {
	t.Helper()
	snap, err := v.Snapshot(t.Context(), Want{Chart: "web", Revision: revision, By: slots.Of("red")})
	if err != nil {
		return "", err
	}
	text, err := snap.Tree.ReadFile("values.yaml")
	return snap.Revision + " " + string(text), err
}

// TestIndexIsAskedForOnce as long as the server says that it is the same, also by
// who starts again.
func TestIndexIsAskedForOnce(t *testing.T) {
	for name, set := range map[string]func(s *shop, n string){
		"by its mark": func(s *shop, n string) { s.etag = n },
		"by its time": func(s *shop, n string) { s.since = "Thu, 0" + n + " Jan 2026 00:00:00 GMT" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			set(s, "1")
			s.offer("1.0.0", "", "web.tgz")
			r := s.repo()
			first := s.look(r)
			if s.look(r) != first || first.Stale() {
				t.Error("nothing changed, and the view is another one")
			}
			again := s.repo()
			if v := s.look(again); v.sum != first.sum || s.unchanged != 2 {
				t.Errorf("who starts again does not know what is on the disk: the server said %d times that it is the same", s.unchanged)
			}
			s.offer("2.0.0", "", "web.tgz")
			set(s, "2")
			second := s.look(r)
			if second == first || second.sum == first.sum {
				t.Error("another index is taken for the same")
			}
			if _, err := os.Stat(r.file(first.sum)); !os.IsNotExist(err) {
				t.Errorf("the old one stays on the disk: %v", err)
			}
		})
	}
}

// TestIndexThatIsLost is asked for anew: what a server says of another one, or of one
// that is gone, does not count.
func TestIndexThatIsLost(t *testing.T) {
	for name, lose := range map[string]func(s *shop, r *Repo, v *View){
		"gone":    func(s *shop, r *Repo, v *View) { remove(s.t, r.file(v.sum)) },
		"unknown": func(s *shop, r *Repo, _ *View) { write(s.t, filepath.Join(r.Dir, "index.json"), "{") },
		"another's": func(s *shop, r *Repo, v *View) {
			write(s.t, filepath.Join(r.Dir, "index.json"), `{"URL":"https://other/index.yaml","ETag":"1","Sum":"`+v.sum+`"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.etag = "1"
			s.offer("1.0.0", "", "web.tgz")
			r := s.repo()
			lose(s, r, s.look(r))
			s.index += "  - {version: \"1.1.0\", urls: [web.tgz]}\n"
			if v := s.look(r); v.Stale() {
				t.Error("it is not there afterwards")
			}
			if s.files["/charts/web.tgz"] = packed(t, "a"); s.asked["/charts/index.yaml"] != 2 {
				t.Errorf("it was asked for %d times", s.asked["/charts/index.yaml"])
			}
			if got, err := get(t, s.look(r), "1.1.0"); err != nil || got != "1.1.0 a" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestIndexThatIsNone is not kept, and the one before stays.
func TestIndexThatIsNone(t *testing.T) {
	s := newShop(t)
	s.offer("1.0.0", "", "web.tgz")
	s.files["/charts/web.tgz"] = packed(t, "a")
	r := s.repo()
	v := s.look(r)
	s.index = "<html>Sign in</html>"
	if _, err := r.Look(t.Context(), slots.Of("red")); err == nil {
		t.Error("a page is taken for an index")
	}
	if got, err := get(t, v, "1.0.0"); err != nil || got != "1.0.0 a" {
		t.Errorf("what was there is lost: %q, %v", got, err)
	}
}

// TestArchivesAreWhatTheIndexSays, and are fetched once where it says so.
func TestArchivesAreWhatTheIndexSays(t *testing.T) {
	good := packed(t, "a")
	sum := fmt.Sprintf("%x", sha256.Sum256(good))
	other := strings.Repeat("1", 64)
	for name, tc := range map[string]struct {
		reason, digest, at string
		want               string
		kind               gitops.ProblemKind
	}{
		"Plain":    {"an index need not say what an archive has", "", "web.tgz", "", 0},
		"Digest":   {"where it does, that is checked", sum, "web.tgz", "", 0},
		"Prefix":   {"also with the name of the sum, in any case", "sha256:" + strings.ToUpper(sum), "web.tgz", "", 0},
		"Odd":      {"what is no such sum says nothing", "abc", "web.tgz", "", 0},
		"Another":  {"another content", other, "web.tgz", "has digest " + sum[:12] + ", but index.yaml says " + other[:12], gitops.Invalid},
		"Absolute": {"an address of its own", sum, "/charts/web.tgz", "", 0},
		"Missing":  {"an archive that is not there", sum, "none.tgz", "404", gitops.NotFound},
		"File":     {"what is no address of the web", sum, "file:///etc/passwd", "which is no web address", gitops.Invalid},
		"Broken":   {"or none at all", sum, "://", "which is no web address", gitops.Invalid},
		"Large":    {"more than there is room for", "", "large.tgz", "more than 1 MiB", gitops.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.files["/charts/web.tgz"], s.files["/charts/large.tgz"] = good, make([]byte, 1<<20+1)
			s.offer("1.0.0", tc.digest, tc.at)
			r := s.repo()
			for range 2 {
				got, err := get(t, s.look(r), "")
				if tc.want == "" && (err != nil || got != "1.0.0 a") {
					t.Errorf("%s: %q, %v", tc.reason, got, err)
				}
				if tc.want != "" && (!gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.want)) {
					t.Errorf("%s: %q, %v", tc.reason, got, err)
				}
			}
			if n := s.asked["/charts/web.tgz"]; tc.want == "" && n != 1 {
				t.Errorf("%s: it was fetched %d times", tc.reason, n)
			}
		})
	}
}

// TestArchivesWithoutASum may be others with the next index; those with one are known.
func TestArchivesWithoutASum(t *testing.T) {
	for name, summed := range map[string]bool{"without": false, "with": true} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			data, digest := packed(t, "a"), ""
			if summed {
				digest = fmt.Sprintf("%x", sha256.Sum256(data))
			}
			s.files["/charts/web.tgz"] = data
			s.offer("1.0.0", digest, "web.tgz")
			r := s.repo()
			if _, err := get(t, s.look(r), "1.0.0"); err != nil {
				t.Fatal(err)
			}
			s.files["/charts/web.tgz"] = packed(t, "b")
			s.offer("0.1.0", "", "old.tgz")
			want := map[bool]string{false: "1.0.0 b", true: "1.0.0 a"}[summed]
			if got, err := get(t, s.look(r), "1.0.0"); err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

// TestAddressesOfAnIndex are relative to it, and what the repository's address asks
// with goes along below it alone.
func TestAddressesOfAnIndex(t *testing.T) {
	r := New("https://h/charts", nil, Settings{})
	for ref, want := range map[string]string{
		"web.tgz": "https://h/charts/web.tgz", "a/../web.tgz": "https://h/charts/web.tgz", "/web.tgz": "https://h/web.tgz", "../web.tgz": "https://h/web.tgz",
		"//other/web.tgz": "https://other/web.tgz", "http://other/web.tgz?x=1": "http://other/web.tgz?x=1", "ftp://h/web.tgz": "", "file:web.tgz": "", "a b.tgz": "https://h/charts/a%20b.tgz",
	} {
		if got, err := r.resolve(ref); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %q, %v, want %q", ref, got, err, want)
		}
	}
}

// TestChartsThatAreNotThere say what is.
func TestChartsThatAreNotThere(t *testing.T) {
	s := newShop(t)
	s.offer("1.0.0", "", "web.tgz")
	s.index += "  none:\n  - {version: \"1.0.0\"}\n"
	v := s.look(s.repo())
	for reason, tc := range map[string]struct {
		w    Want
		kind gitops.ProblemKind
		text string
	}{
		"a version":             {Want{Chart: "web", Revision: "2.x"}, gitops.NotFound, "one of: 1.0.0"},
		"a chart":               {Want{Chart: "wep", Revision: "1.x"}, gitops.NotFound, "one of: web"},
		"an archive's address":  {Want{Chart: "none"}, gitops.Invalid, "has no address for chart none 1.0.0"},
		"an archive of a chart": {Want{Chart: "web"}, gitops.NotFound, "404"},
	} {
		tc.w.By = slots.Of("red")
		if _, err := v.Snapshot(t.Context(), tc.w); !gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
