package api

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// methods are those that a route may have.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// Unknown answers for an address that is none of an API.
func Unknown(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotFound, "there is nothing at "+r.URL.Path+"; "+Prefix+"/openapi.yaml says what there is")
}

// unknown answers for what no route of the mux takes: another method of a route,
// or no route at all.
func unknown(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range methods {
			asked := r.Clone(r.Context())
			asked.Method = m
			if _, pattern := mux.Handler(asked); strings.HasPrefix(pattern, m+" ") {
				allowed = append(allowed, m)
			}
		}
		if len(allowed) == 0 {
			Unknown(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		refuse(w, http.StatusMethodNotAllowed, r.URL.Path+" takes "+strings.Join(allowed, ", ")+", not "+r.Method)
	}
}

// refuse writes a problem outside of the routes.
func refuse(w http.ResponseWriter, code int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Title: http.StatusText(code), Status: code, Detail: detail}) //nolint:errchkjson // texts and a number; after an error the client has gone
}
