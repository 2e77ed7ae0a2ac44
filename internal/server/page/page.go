package page

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

const (
	index = "index.html"
	// nonce stands in the built page where the one of the request belongs.
	nonce = "CSP-NONCE"
	// hashed files have their content in their names.
	hashed = "assets/"
)

// pages serves files that were stored compressed.
type pages struct {
	files fs.FS
	index []byte

	mu sync.Mutex
	// read are the files that were asked for: however many read one, and however
	// slowly, there is one copy of it.
	read map[string]*stored
}

// stored is a file, as it is stored and as it is for the few who do not take it so.
type stored struct {
	packed []byte
	text   func() ([]byte, error)
}

// New serves files: each of them at its path, and index.html at all other
// paths, which are those of the page's own. Files whose names end in .gz are
// served without that ending.
func New(files fs.FS) (http.Handler, error) {
	text, err := fs.ReadFile(files, index)
	if err != nil {
		return nil, fmt.Errorf("cannot read the pages: %w", err)
	}
	return &pages{files: files, index: text, read: map[string]*stored{}}, nil
}

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pages are only read", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || name == index {
		p.page(w, r)
		return
	}
	if f := p.file(name); f != nil {
		f.answer(w, r, name)
		return
	}
	if strings.HasPrefix(name, hashed) {
		// Of an earlier build: a page in its place would be taken for a script.
		http.NotFound(w, r)
		return
	}
	p.page(w, r)
}

// protect sets what holds for all answers.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

// page answers with the page. Its styles bear a nonce: the components write
// some while they run.
func (p *pages) page(w http.ResponseWriter, r *http.Request) {
	once, h := rand.Text(), w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; "+
		"style-src 'self' 'nonce-"+once+"'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY") // browsers that know no frame-ancestors
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	send(w, r, bytes.ReplaceAll(p.index, []byte(nonce), []byte(once)))
}

// file is one that was built; nil where there is none of that name.
func (p *pages) file(name string) *stored {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.read[name]; f != nil {
		return f
	}
	packed, err := fs.ReadFile(p.files, name+".gz")
	if err != nil {
		return nil
	}
	f := &stored{packed, sync.OnceValues(func() ([]byte, error) { return unpack(packed) })}
	p.read[name] = f
	return f
}

// answer answers with a file.
func (f *stored) answer(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", typeOf(name))
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, hashed) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		send(w, r, f.packed)
		return
	}
	text, err := f.text()
	if err != nil {
		http.Error(w, "the file was built wrongly", http.StatusInternalServerError)
		return
	}
	send(w, r, text)
}

// typeOf does not depend on what the machine has in its tables.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return "application/json"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// takesGzip reads Accept-Encoding; a quality of nothing refuses.
func takesGzip(r *http.Request) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, quality, _ := strings.Cut(strings.TrimSpace(one), ";")
		if coding = strings.TrimSpace(coding); coding != "gzip" && coding != "*" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
		return err != nil || q > 0
	}
	return false
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func send(w http.ResponseWriter, r *http.Request, text []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(text) //nolint:gosec // what was built, and no part of the request; after an error the client has gone
}
