package trail

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Wrap sees that nothing is missing: a write that what is behind did not tell
// of, and what is refused, is told of by its address. It is before the answer
// that an entry is added: where that fails, the answer is an error. The sender
// is in the context already.
func (t *Trail) Wrap(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := read(r)
		w.Header().Set(TraceHeader, asked.trace)
		r = r.WithContext(withRequest(r.Context(), asked))
		next.ServeHTTP(&watched{ResponseWriter: w, trail: t, request: r, asked: asked}, r)
	})
}

// Refusing adds who is refused by their token.
func (t *Trail) Refusing(refuse func(http.ResponseWriter, *http.Request, error)) func(http.ResponseWriter, *http.Request, error) {
	if t == nil {
		return refuse
	}
	return func(w http.ResponseWriter, r *http.Request, err error) {
		asked := read(r)
		w.Header().Set(TraceHeader, asked.trace)
		e := describe(r)
		e.From, e.Reason, e.Trace, e.Outcome, e.Message = asked.from, asked.reason, asked.trace, audit.Denied, err.Error()
		t.refused(r.Context(), nil, &e)
		refuse(w, r, err)
	}
}

// watched is an answer that is looked at before it begins.
type watched struct {
	http.ResponseWriter

	trail   *Trail
	request *http.Request
	asked   *request
	begun   bool
	// lost: the answer is another one than what is behind writes.
	lost bool
}

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(code int) {
	if code < http.StatusOK {
		w.ResponseWriter.WriteHeader(code)
		return
	}
	if w.begun {
		return // what was told is what is answered
	}
	w.begun = true
	if err := w.trail.answered(w.request, w.asked, code); err != nil {
		w.lost = true
		refuseUntold(w.ResponseWriter, err)
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements io.Writer.
func (w *watched) Write(text []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.lost {
		return len(text), nil
	}
	return w.ResponseWriter.Write(text)
}

// FlushError begins the answer if nothing of it was written, as streams do that
// have nothing to say yet.
func (w *watched) FlushError() error {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// refuseUntold answers instead of what was to be answered, a session included.
func refuseUntold(w http.ResponseWriter, err error) {
	for _, name := range []string{"Set-Cookie", "Content-Length", "Content-Disposition", "Location"} {
		w.Header().Del(name)
	}
	const code = http.StatusServiceUnavailable
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", strconv.Itoa(int(Wait/time.Second)))
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(code), "status": code, "detail": err.Error()}) //nolint:errchkjson // texts and a number; after an error the client has gone
}

// answered tells what nobody told of: a request's end by its code alone.
func (t *Trail) answered(r *http.Request, asked *request, code int) error {
	u := auth.From(r.Context())
	if asked.told || !remarkable(r, u, code) {
		return nil
	}
	e := describe(r)
	if u == nil && e.Verb == "sign-out" && code < http.StatusBadRequest {
		return nil // nobody has gone
	}
	e.Who = asked.who
	e = t.entry(r.Context(), u, &e)
	if code < http.StatusBadRequest {
		return t.Begin(r.Context(), u, &e)
	}
	e.Outcome, e.Message = outcome(code), http.StatusText(code)
	t.refused(r.Context(), u, &e)
	return nil
}

// remarkable tells what belongs into the audit: all writes, and reads that were
// denied to somebody. Pages ask what they may read before anybody has signed in.
func remarkable(r *http.Request, u *auth.User, code int) bool {
	switch {
	case code < http.StatusBadRequest && strings.HasSuffix(r.Pattern, supposing):
		return false
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions:
		return true
	case code == http.StatusUnauthorized:
		return u != nil
	}
	return code == http.StatusForbidden
}

// supposing is a question that has a body, and changes nothing.
const supposing = "/bridge/preview"

// outcome of a write that was not done. What is not there and what may not be
// read have one code.
func outcome(code int) audit.Outcome {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return audit.Denied
	}
	return audit.Failed
}

// describe says what a request wants, as far as its address tells: the router
// has left there what it matched.
func describe(r *http.Request) audit.Entry {
	_, path, _ := strings.Cut(r.Pattern, " ")
	var words []string
	for word := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if word != "" && word != "api" && word != "argocd" && word != "v1" && !strings.HasPrefix(word, "{") {
			words = append(words, word)
		}
	}
	e := audit.Entry{Verb: verbs[r.Method], Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
	if e.Verb == "" {
		e.Verb = strings.ToLower(r.Method)
	}
	if len(words) == 0 {
		e.Name = r.URL.Path
		return e
	}
	e.Resource = words[0]
	switch {
	case e.Resource == "session" && r.Method == http.MethodPost:
		e.Verb = "sign-in"
	case e.Resource == "session" && r.Method == http.MethodDelete:
		e.Verb = "sign-out"
	case len(words) > 1:
		e.Verb = strings.Join(words[1:], " ")
		if r.Method == http.MethodDelete {
			e.Verb = "delete " + e.Verb
		}
	}
	return e
}

var verbs = map[string]string{
	http.MethodGet: "get", http.MethodHead: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "update", http.MethodDelete: "delete",
}
