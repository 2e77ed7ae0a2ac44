package page

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/web"
)

const script = "console.log('causeway')"

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func built(t *testing.T) http.Handler {
	t.Helper()
	h, err := New(fstest.MapFS{
		"index.html":            {Data: []byte(`<meta property="csp-nonce" nonce="CSP-NONCE"><p>the page`)},
		"scheme.js.gz":          {Data: packed(t, script)},
		"assets/app-1a2b.js.gz": {Data: packed(t, script)},
		"secret.txt":            {Data: []byte("not packed, not served")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(h http.Handler, method, path, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://causeway.test/", nil)
	r.URL.Path = path
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPaths(t *testing.T) {
	h := built(t)
	cases := map[string]struct {
		reason string
		path   string
		code   int
		holds  string
	}{
		"Root":        {"people come in here", "/", 200, "the page"},
		"DeepLink":    {"the page knows its own paths", "/applications/argocd/web", 200, "the page"},
		"DeepWithDot": {"names have dots in them", "/applications/argocd/web.js", 200, "the page"},
		"File":        {"a file that was built", "/assets/app-1a2b.js", 200, script},
		"Older":       {"a file of an earlier build is no page", "/assets/app-0000.js", 404, "not found"},
		"Up":          {"nothing above the root is reached", "/../../../etc/passwd", 200, "the page"},
		"UpInAssets":  {"nor through a folder", "/assets/../../page.go", 200, "the page"},
		"Raw":         {"what was not packed was not built", "/secret.txt", 200, "the page"},
		"Zero":        {"no name that a file system trips over", "/assets/\x00", 404, "not found"},
		"Backslash":   {"nor one of another system", `/assets/..\..\page.go`, 404, "not found"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := get(h, http.MethodGet, c.path, "")
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.holds) {
				t.Errorf("%s: got %d %q", c.reason, w.Code, w.Body.String())
			}
		})
	}
}

func TestPolicyAndNonce(t *testing.T) {
	h := built(t)
	first, second := get(h, http.MethodGet, "/", ""), get(h, http.MethodGet, "/", "")
	policy := first.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy has no %s: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what it should keep out: %s", policy)
	}
	m := regexp.MustCompile(`'nonce-([A-Z0-9]{20,})'`).FindStringSubmatch(policy)
	if m == nil || !strings.Contains(first.Body.String(), `nonce="`+m[1]+`"`) {
		t.Errorf("the page does not bear the nonce of its policy: %s\n%s", policy, first.Body)
	}
	if policy == second.Header().Get("Content-Security-Policy") {
		t.Error("a nonce was used twice")
	}
	if got := first.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("a page with a nonce is kept: %s", got)
	}
}

func TestHeadersOfAllAnswers(t *testing.T) {
	h := built(t)
	for _, path := range []string{"/", "/scheme.js", "/assets/none.js"} {
		w := get(h, http.MethodGet, path, "")
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q", path, header, got)
			}
		}
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s can be framed", path)
		}
	}
}

func TestFiles(t *testing.T) {
	h := built(t)
	cases := map[string]struct {
		reason, path, accept, encoding, cache string
	}{
		"Packed":   {"browsers take it as it is stored", "/assets/app-1a2b.js", "gzip, deflate", "gzip", "public, max-age=31536000, immutable"},
		"Unpacked": {"others get the text", "/assets/app-1a2b.js", "", "", "public, max-age=31536000, immutable"},
		"Refused":  {"a quality of nothing refuses", "/assets/app-1a2b.js", "gzip;q=0", "", "public, max-age=31536000, immutable"},
		"Named":    {"a file without its content in its name is asked for anew", "/scheme.js", "gzip", "gzip", "no-cache"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := get(h, http.MethodGet, c.path, c.accept)
			if got := w.Header().Get("Content-Encoding"); got != c.encoding {
				t.Errorf("%s: encoding %q", c.reason, got)
			}
			if got := w.Header().Get("Cache-Control"); got != c.cache {
				t.Errorf("%s: cache %q", c.reason, got)
			}
			if got := w.Header().Get("Content-Type"); got != "text/javascript; charset=utf-8" {
				t.Errorf("type %q", got)
			}
			text := w.Body.Bytes()
			if c.encoding == "gzip" {
				var err error
				if text, err = unpack(text); err != nil {
					t.Fatal(err)
				}
			}
			if string(text) != script {
				t.Errorf("%s: got %q", c.reason, text)
			}
		})
	}
}

// Who asks for a file and does not read it holds no copy of it: all are answered
// from one, packed or not.
func TestFilesAreHeldOnce(t *testing.T) {
	h := built(t)
	for _, accept := range []string{"", "gzip"} {
		var first *byte
		for n := range 3 {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://causeway.test/assets/app-1a2b.js", nil)
			r.Header.Set("Accept-Encoding", accept)
			w := &given{ResponseRecorder: httptest.NewRecorder()}
			h.ServeHTTP(w, r)
			if len(w.text) == 0 {
				t.Fatalf("answer %d with encoding %q is empty", n, accept)
			}
			if first == nil {
				first = &w.text[0]
			}
			if &w.text[0] != first {
				t.Errorf("answer %d with encoding %q has a copy of its own", n, accept)
			}
		}
	}
}

// given keeps what was written as it was given.
type given struct {
	*httptest.ResponseRecorder

	text []byte
}

func (g *given) Write(p []byte) (int, error) {
	g.text = p
	return len(p), nil
}

func TestOnlyReads(t *testing.T) {
	h := built(t)
	if w := get(h, http.MethodPost, "/", ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a page took a POST: %d", w.Code)
	}
	if w := get(h, http.MethodHead, "/", ""); w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: %d with %d bytes", w.Code, w.Body.Len())
	}
}

func TestWithoutPages(t *testing.T) {
	if _, err := New(fstest.MapFS{}); err == nil {
		t.Error("pages without an index were taken")
	}
}

// What is embedded can be served, built or not.
func TestEmbedded(t *testing.T) {
	h, err := New(web.Files())
	if err != nil {
		t.Fatal(err)
	}
	w := get(h, http.MethodGet, "/applications", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>Causeway</title>") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
