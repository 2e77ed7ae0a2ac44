package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
)

// tagged bounds what is kept back to be given a tag; longer answers go out
// as they come.
const tagged = 4 << 20

// Compress sends answers compressed, and those that have not changed since the
// client saw them not at all (ETag, If-None-Match). Streams pass as they are.
func Compress(next http.Handler, streams func(*http.Request) bool) http.Handler {
	// Fast rather than small: answers are read once, and change.
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed))
	if err != nil {
		panic(err) // the level is a constant
	}
	squeezed := wrap(tag(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if streams(r) {
			next.ServeHTTP(w, r)
			return
		}
		squeezed.ServeHTTP(w, r)
	})
}

// packs are answers that were compressed before, by the tag of what is in them:
// of a fleet nobody reads anew what has not changed, but many read the same.
type packs = cache.LRU[string, []byte]

// What is kept compressed, and from which size on, in bytes.
const (
	packsKept = 32 << 20
	packsFrom = 16 << 10
)

// Tag names a content, weakly: compressed it is the same.
func Tag(content []byte) string {
	sum := sha256.Sum256(content)
	return `W/"` + hex.EncodeToString(sum[:]) + `"`
}

// IsTag reports whether a text has the form of a Tag.
func IsTag(text string) bool {
	sum, err := hex.DecodeString(strings.Trim(strings.TrimPrefix(text, "W/"), `"`))
	return err == nil && len(sum) == sha256.Size
}

// tag gives answers to reads a tag of their content, where they have none: who
// remembers what they answer remembers its Tag.
func tag(next http.Handler) http.Handler {
	packed := cache.New[string, []byte](packsKept)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(&passing{w, r}, r)
			return
		}
		k := &keeping{ResponseWriter: w, request: r, packed: packed, release: func() {}}
		next.ServeHTTP(k, r)
		k.end()
	})
}

// passing is an answer that goes out as it comes.
type passing struct {
	http.ResponseWriter

	request *http.Request
}

// Write implements http.ResponseWriter.
func (p *passing) Write(text []byte) (int, error) {
	defer backpressure.Hold(p.request.Context(), int64(len(text)))()
	return p.ResponseWriter.Write(text)
}

// Unwrap lets a response controller reach the connection.
func (p *passing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// keeping keeps an answer back until it has a tag.
type keeping struct {
	http.ResponseWriter

	request *http.Request
	packed  *packs
	code    int
	body    bytes.Buffer
	// kept is how many bytes of it are on the account, until release is called.
	kept    int
	release func()
	// short is the answer compressed, and unread that the client has it: then
	// what is written is not kept.
	short  []byte
	unread bool
	// passed tells that the answer is too long, and goes out as it comes.
	passed bool
}

// WriteHeader implements http.ResponseWriter.
func (k *keeping) WriteHeader(code int) {
	if k.code != 0 {
		return
	}
	k.code = code
	if tag := k.Header().Get("ETag"); tag != "" && code == http.StatusOK {
		k.unread = k.known(tag)
		if k.squeezable() {
			k.short, _ = k.packed.Get(tag)
		}
	}
}

// known reports whether the client has what a tag names.
func (k *keeping) known(tag string) bool {
	return knows(k.request.Header.Values("If-None-Match"), strings.TrimPrefix(tag, "W/"))
}

// squeezable reports whether the answer may be one that is kept compressed.
func (k *keeping) squeezable() bool {
	return k.request.Method == http.MethodGet && takesGzip(k.request.Header.Get("Accept-Encoding"))
}

// Write implements http.ResponseWriter.
func (k *keeping) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	if k.unread || k.short != nil {
		return len(p), nil
	}
	if k.passed {
		defer k.hold(len(p))()
		return k.ResponseWriter.Write(p)
	}
	if err := context.Cause(k.request.Context()); errors.Is(err, backpressure.ErrCut) {
		k.body = bytes.Buffer{} // nobody reads it
		return 0, err
	}
	k.body.Write(p)
	k.keep(k.body.Cap())
	if k.body.Len() <= tagged {
		return len(p), nil
	}
	k.passed = true
	defer k.keep(0)
	defer k.hold(len(p))()
	k.ResponseWriter.WriteHeader(k.code)
	_, err := k.body.WriteTo(k.ResponseWriter)
	k.body = bytes.Buffer{} // not needed again
	return len(p), err
}

// keep notes how much is kept by now: also what is still being made waits for who
// asked for it.
func (k *keeping) keep(n int) {
	if n == k.kept {
		return
	}
	k.release()
	k.kept, k.release = n, k.hold(n)
}

// hold notes what waits for the client to read it.
func (k *keeping) hold(n int) (release func()) {
	return backpressure.Hold(k.request.Context(), int64(n))
}

// Unwrap lets a response controller reach the connection.
func (k *keeping) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *keeping) end() {
	if k.passed {
		return
	}
	defer k.keep(0)
	if k.code != http.StatusOK {
		if k.code != 0 {
			k.ResponseWriter.WriteHeader(k.code)
		}
		_, _ = k.body.WriteTo(k.ResponseWriter) // after an error the client has gone
		return
	}
	tag := k.Header().Get("ETag")
	if tag == "" {
		tag = Tag(k.body.Bytes())
		k.Header().Set("ETag", tag)
		k.unread = k.known(tag)
	}
	if k.unread {
		k.ResponseWriter.WriteHeader(http.StatusNotModified)
		return
	}
	body := k.body.Bytes()
	if short, ok := k.pack(tag); ok {
		k.Header().Set("Content-Encoding", "gzip")
		body, k.body = short, bytes.Buffer{} // one of them is held
	}
	k.keep(cap(body))
	k.ResponseWriter.WriteHeader(k.code)
	_, _ = k.ResponseWriter.Write(body) // after an error the client has gone
}

// pack is the answer compressed, as it was before or now.
func (k *keeping) pack(tag string) ([]byte, bool) {
	if k.short != nil {
		return k.short, true
	}
	if k.body.Len() < packsFrom || !k.squeezable() {
		return nil, false
	}
	if short, ok := k.packed.Get(tag); ok {
		return short, true
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, false
	}
	if _, err := w.Write(k.body.Bytes()); err != nil || w.Close() != nil {
		return nil, false
	}
	k.packed.Put(tag, out.Bytes(), int64(out.Cap()))
	return out.Bytes(), true
}

// knows reports whether a client has what a tag names: tags are compared without
// their strength, as RFC 9110 says of If-None-Match, and a star is any.
func knows(asked []string, tag string) bool {
	for one := range strings.SplitSeq(strings.Join(asked, ","), ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}

// takesGzip reports whether a client takes it without a doubt. What says more of
// it is left to who reads all of the header.
func takesGzip(accepts string) bool {
	for one := range strings.SplitSeq(accepts, ",") {
		if strings.TrimSpace(one) == "gzip" {
			return true
		}
	}
	return false
}
