package session

import "net/http"

// Unpinned tells no browser to come by TLS alone from now on: where nobody
// vouches for the certificate, a browser that was told would not let its user in.
func Unpinned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			w = &unpinned{w}
		}
		next.ServeHTTP(w, r)
	})
}

type unpinned struct{ http.ResponseWriter }

// Unwrap is for http.ResponseController.
func (u *unpinned) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (u *unpinned) WriteHeader(code int) {
	u.Header().Del("Strict-Transport-Security")
	u.ResponseWriter.WriteHeader(code)
}

// Write implements io.Writer.
func (u *unpinned) Write(text []byte) (int, error) {
	u.Header().Del("Strict-Transport-Security") // means nothing once the answer has begun
	return u.ResponseWriter.Write(text)
}
